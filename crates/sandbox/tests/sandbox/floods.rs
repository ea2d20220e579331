//! Floods: answers that use up all that they reach, several of them at once. Each ends by a limit of its own, and harms no run beside it.
//!
//! They run in the machine's own Python, whose files every user can read: where root runs the tests, the answers run as the user 65534.

use std::path::{Path, PathBuf};

use buildtrack_sandbox::{
    End, Outcome, Sandbox, SandboxSettings,
    limits::{CPU_SECONDS, MEMORY_BYTES},
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::settings;

/// A sandbox for a number of answers at once.
async fn sandbox(runs: usize) -> Sandbox {
    let own = Path::new("/usr/bin/python3");
    let python = if own.exists() { own.to_owned() } else { PathBuf::from("python3") };
    Sandbox::detect(&SandboxSettings { python, runs, ..settings() }).await.unwrap()
}

async fn call(source: &str) -> Outcome {
    sandbox(1).await.run(source, "f", &[&[]]).await.unwrap()
}

async fn value(source: &str) -> Value {
    let mut outcome = call(source).await;
    assert_eq!(outcome.end, End::Finished, "{source}");
    outcome.results.remove(0).unwrap()
}

/// Whether root runs the tests, with the right to become another user.
fn is_root() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let capabilities = status.lines().find_map(|line| line.strip_prefix("CapEff:\t")).unwrap();
    let held = u64::from_str_radix(capabilities, 16).unwrap();
    // CAP_KILL, CAP_SETGID and CAP_SETUID.
    [5, 6, 7].iter().all(|capability| held & (1 << capability) != 0)
}

#[tokio::test]
async fn the_answers_of_root_are_those_of_nobody() {
    if is_root() && Path::new("/usr/bin/python3").exists() {
        let user = value("import os\ndef f(): return [os.getuid(), os.geteuid(), os.getgid(), os.getegid()]").await;
        assert_eq!(user, json!([65534, 65534, 65534, 65534]));
    }
}

/// Runs copies of a flood at once, and an honest program beside them, which must not notice.
async fn flood(source: &'static str) -> Vec<Outcome> {
    const COPIES: usize = 6;
    let sandbox = sandbox(COPIES + 1).await;
    let mut floods = JoinSet::new();
    for _ in 0..COPIES {
        let sandbox = sandbox.clone();
        floods.spawn(async move { sandbox.run(source, "f", &[&[]]).await.unwrap() });
    }
    let honest = "def f():\n    numbers = list(range(200_000))\n    return sum(numbers)";
    let beside = sandbox.run(honest, "f", &[&[]]).await.unwrap();
    assert_eq!((beside.end, beside.results), (End::Finished, vec![Some(json!(19_999_900_000_u64))]));
    floods.join_all().await
}

#[tokio::test]
async fn processes_cannot_be_multiplied() {
    // By Python, and by the numbers of clone, fork, vfork and clone3.
    let bomb = "
import ctypes, os
libc = ctypes.CDLL(None)
def f():
    born = 0
    for _ in range(1000):
        for call in (os.fork, os.forkpty, libc.fork, libc.vfork):
            try:
                born += call() > 0
            except OSError:
                pass
        for number in (56, 57, 58, 435) if os.uname().machine == 'x86_64' else (220, 435):
            born += libc.syscall(number, 0x11, 0, 0, 0, 0) >= 0
    return born
";
    for outcome in flood(bomb).await {
        assert_eq!((outcome.end, outcome.results), (End::Finished, vec![Some(json!(0))]));
    }
}

#[tokio::test]
async fn memory_floods_end_at_the_limit_of_each_run() {
    let hoards = [
        // Touched, so that the memory is real.
        "def f():\n    hoard = []\n    while True: hoard.append(b'x' * (1 << 20))",
        "import mmap\ndef f():\n    hoard = []\n    while True:\n        hoard.append(mmap.mmap(-1, 1 << 22))\n        hoard[-1].write(b'x' * (1 << 22))",
        "def f():\n    text = 'x'\n    while True: text += text",
        "x = 1 << (1 << 34)\ndef f(): return 1",
    ];
    for hoard in hoards {
        for outcome in flood(hoard).await {
            // `mmap` reports an `OSError`.
            assert!(matches!(outcome.end, End::MemoryLimit | End::Raised), "{hoard}: {outcome:?}");
            assert_eq!(outcome.results, [None], "{hoard}");
        }
    }
    let most = "
def f():
    hoard = []
    try:
        while True: hoard.append(bytearray(1 << 20))
    except MemoryError:
        return len(hoard)
";
    let megabytes = value(most).await.as_u64().unwrap();
    assert!((100..MEMORY_BYTES >> 20).contains(&megabytes), "{megabytes}");
}

#[tokio::test]
async fn memory_outside_of_the_process_cannot_be_had() {
    // memfd_create, shmget, msgget, semget, mq_open, eventfd2, epoll_create1, inotify_init1, signalfd4, timerfd_create, userfaultfd, add_key,
    // io_setup, io_uring_setup, fanotify_init, memfd_secret and bpf of x86-64.
    let source = "
import ctypes, os
libc = ctypes.CDLL(None)
def f():
    had = [n for n in (319, 29, 68, 64, 240, 290, 291, 294, 289, 283, 323, 248, 206, 425, 300, 447, 321)
           if os.uname().machine == 'x86_64' and libc.syscall(n, 0, 1 << 20, 0o1777, 0, 0) >= 0]
    for path in ('/dev/shm/flood', '/var/tmp/flood', 'flood'):
        for flags in (os.O_CREAT | os.O_RDWR, os.O_TMPFILE | os.O_RDWR):
            try:
                had.append(os.open(os.path.dirname(path) if flags & os.O_TMPFILE else path, flags, 0o600))
            except OSError:
                pass
    return had
";
    assert_eq!(value(source).await, json!([]));
}

#[tokio::test]
async fn floods_of_output_end_on_every_descriptor() {
    let nowhere = "
import os
def f():
    written = 0
    for number in (0, 1, 2):
        try:
            for _ in range(2000): written += os.write(number, b'x' * (1 << 20))
        except OSError:
            pass
    return written > 0
";
    for outcome in flood(nowhere).await {
        assert_eq!((outcome.end, outcome.results), (End::Finished, vec![Some(json!(true))]));
    }
    // Down the pipe of the results, as garbage, as values, and as the header of a value that never comes.
    for (bytes, ends) in [
        ("b'x' * (1 << 20)", vec![End::OutputLimit]),
        ("(b'V' + (1).to_bytes(4, 'big') + b'1') * 10_000", vec![End::Malformed]),
        ("b'V' + (65536).to_bytes(4, 'big')", vec![End::Malformed, End::NotJson, End::TimeLimit]),
    ] {
        let source = format!("import os\ndef f():\n    while True: os.write(3, {bytes})");
        let outcome = call(&source).await;
        assert!(ends.contains(&outcome.end), "{bytes}: {outcome:?}");
    }
}

#[tokio::test]
async fn descriptors_end_at_their_limit() {
    let source = "
import os, json
def f():
    held = 0
    for open_one in (lambda: os.dup(3), lambda: os.open(json.__file__, os.O_RDONLY)):
        try:
            for _ in range(10_000):
                open_one()
                held += 1
        except OSError:
            pass
    return held
";
    let held = value(source).await.as_u64().unwrap();
    assert!((1..=64).contains(&held), "{held}");
}

/// Python may execute itself again, behind the same restrictions. Neither that nor large arguments renew a limit.
#[tokio::test]
async fn an_answer_that_executes_python_again_keeps_its_limits() {
    let head = "import os, sys\nPYTHON = getattr(sys, 'orig_argv', [sys.executable])[0]\n";
    let spin = format!("{head}def f(): os.execv(PYTHON, [PYTHON, '-I', '-S', '-c', 'while True: pass'])");
    let outcome = call(&spin).await;
    assert_eq!((outcome.end, outcome.results), (End::TimeLimit, vec![None]));
    assert!(outcome.cost.as_secs() <= CPU_SECONDS + 1, "{:?}", outcome.cost);
    let fork = format!(
        "{head}def f(): os.execv(PYTHON, [PYTHON, '-I', '-S', '-c', '''
import os
try:
    os.fork()
    answer = b'1'
except OSError:
    answer = b'0'
os.write(3, b'V' + (1).to_bytes(4, 'big') + answer + b'F' + bytes(4))
'''])"
    );
    assert_eq!(value(&fork).await, json!(0));
    let large = format!("{head}def f(): os.execv(PYTHON, [PYTHON] + ['x' * 100_000] * 1000)");
    assert_eq!(call(&large).await.results, [None]);
}

#[tokio::test]
async fn answers_do_not_see_each_other() {
    let sandbox = sandbox(2).await;
    let sleeper = "import time\nSECRET = 'the answer of another'\ndef f(): time.sleep(0.9)";
    let other = {
        let sandbox = sandbox.clone();
        tokio::spawn(async move { sandbox.run(sleeper, "f", &[&[]]).await.unwrap() })
    };
    let look = "
import os
def f():
    seen = []
    for number in range(os.getpid() - 50, os.getpid() + 50):
        for name in ('mem', 'maps', 'cmdline', 'environ', 'fd', 'status', 'stat', 'io'):
            try:
                seen.append([number, name, open(f'/proc/{number}/{name}', 'rb').read(1).hex()])
            except OSError:
                pass
    for call in (lambda: os.listdir('/proc'), lambda: os.kill(-1, 0)):
        try:
            seen.append(str(call()))
        except OSError:
            pass
    return seen
";
    let outcome = sandbox.run(look, "f", &[&[]]).await.unwrap();
    assert_eq!(outcome.results, [Some(Value::Array(vec![]))]);
    other.await.unwrap();
}
