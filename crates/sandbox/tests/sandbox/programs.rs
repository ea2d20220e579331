//! Programs that mean well: values, modules of the standard library, and honest mistakes.

use buildtrack_sandbox::End;
use serde_json::{Value, json};

use crate::harness::{call, run, value};

#[tokio::test]
async fn values_have_their_json_form() {
    for (expression, json) in [
        ("(1, [2, (3,)])", json!([1, [2, [3]]])),
        ("{'b': 1, 2: None}", json!({"b": 1, "2": null})),
        ("1.0", json!(1.0)),
        ("2 ** 64", json!(18_446_744_073_709_551_616_f64)),
        ("True", json!(true)),
        ("'é😀\\n\"'", json!("é😀\n\"")),
        ("None", Value::Null),
        ("-0.5e-7", json!(-0.5e-7)),
    ] {
        assert_eq!(value(&format!("def f(): return {expression}")).await, json, "{expression}");
    }
}

#[tokio::test]
async fn values_without_a_json_form_are_none() {
    for expression in
        ["float('nan')", "float('inf')", "{1, 2}", "b'x'", "object()", "'\\ud800'", "{(1, 2): 3}", "10 ** 5000"]
    {
        let outcome = call(&format!("def f(): return {expression}")).await;
        assert_eq!((outcome.end, outcome.results), (End::NotJson, vec![None]), "{expression}");
    }
}

#[tokio::test]
async fn modules_of_the_standard_library_can_be_imported() {
    let source = "
import abc, array, ast, base64, binascii, bisect, calendar, cmath, collections, contextlib, copy, csv, dataclasses, datetime
import decimal, difflib, enum, fractions, functools, graphlib, hashlib, heapq, hmac, html, inspect, io, ipaddress, itertools
import json, keyword, locale, logging, math, numbers, operator, os, pathlib, pickle, pprint, queue, random, re, secrets
import shlex, statistics, string, struct, textwrap, threading, time, timeit, tokenize, types, typing, unicodedata, urllib.parse
import uuid, zlib, zoneinfo, asyncio, concurrent.futures, ctypes, sqlite3, xml.etree.ElementTree

@dataclasses.dataclass
class Point:
    x: int

def f():
    return [
        math.isqrt(17), collections.Counter('abca').most_common(1), re.findall(r'\\d+', 'a1b22'), heapq.nsmallest(2, [3, 1, 2]),
        str(decimal.Decimal('0.1') * 3), str(datetime.date(2024, 2, 29)), hashlib.sha256(b'').hexdigest()[:8], dataclasses.asdict(Point(1)),
        unicodedata.name('é'), statistics.mean([1, 2, 3]), pickle.loads(pickle.dumps([1])), random.Random(1).randint(0, 0),
    ]
";
    let expected = json!([
        4, [["a", 2]], ["1", "22"], [1, 2],
        "0.3", "2024-02-29", "e3b0c442", {"x": 1},
        "LATIN SMALL LETTER E WITH ACUTE", 2, [1], 0,
    ]);
    assert_eq!(value(source).await, expected);
}

#[tokio::test]
async fn honest_mistakes_are_distinguished() {
    for (source, end) in [
        ("def f(: return 1", End::SyntaxError),
        ("```python\ndef f(): return 1\n```", End::SyntaxError),
        ("def g(): return 1", End::Raised),
        ("f = 1", End::Raised),
        ("def f(x): return 1", End::Raised),
        ("def f(): return 1 / 0", End::Raised),
        ("import numpy_that_nobody_has\ndef f(): return 1", End::Raised),
    ] {
        let outcome = call(source).await;
        assert_eq!((outcome.end, outcome.results), (end, vec![None]), "{source}");
    }
}

#[tokio::test]
async fn an_exception_for_one_case_leaves_the_others() {
    let outcome = run("def f(n): return 10 // n", &[&[json!(5)], &[json!(0)], &[json!(2)]]).await;
    assert_eq!((outcome.end, outcome.results), (End::Raised, vec![Some(json!(2)), None, Some(json!(5))]));
}

#[tokio::test]
async fn arguments_of_a_case_are_not_changed_by_earlier_ones() {
    let list = [json!([3, 1, 2])];
    let outcome = run("def f(x):\n    x.append(0)\n    return x", &[&list, &list]).await;
    assert_eq!(outcome.results, [Some(json!([3, 1, 2, 0])), Some(json!([3, 1, 2, 0]))]);
}

#[tokio::test]
async fn arguments_arrive_as_they_are() {
    let arguments = [json!({"a": [1, 2.5, null, true, "é\u{0}\"\\"]}), json!(-9_007_199_254_740_993_i64)];
    let outcome = run("def f(*x): return list(x)", &[&arguments]).await;
    assert_eq!(outcome.results, [Some(json!(arguments))]);
}
