"""JSON from others."""

import json
import unittest

from buildtrack._json import NESTING_MAX, loads, nesting
from buildtrack.errors import ApiError
from buildtrack.relay import canonicalize


class Nesting(unittest.TestCase):
    def test_it_is_counted_outside_of_strings(self) -> None:
        deep = "[" * 200
        for document, levels in (
            ("[[]]" * 100 + "[[[]]]", 3),
            (f'["{deep}"]' + "[]" * 200, 1),
            (json.dumps([f'"{deep}\\" \\\\', "\\", '"', {"a": deep}]) + "[]" * 200, 2),
            ("[" * 150 + "]" * 150, 150),
            ('{"a":' * 129 + "1" + "}" * 129, 129),
        ):
            self.assertEqual(nesting(document.encode()), levels, document[:40])

    def test_a_document_beyond_the_bound_is_refused_before_it_is_parsed(self) -> None:
        fine = "[" * NESTING_MAX + "]" * NESTING_MAX
        self.assertEqual(loads(fine), json.loads(fine))
        for document in (f"[{fine}]", "[" * 1_000_000, '{"a":' * 1_000_000, '["\\\\",' + "[" * 1_000_000):
            for form in (document, document.encode()):
                with self.assertRaises(ValueError):
                    loads(form)
        # In another encoding, brackets would be other bytes.
        with self.assertRaises(ValueError):
            loads(("[" * 1_000_000).encode("utf-16"))

    def test_a_value_that_nests_has_no_canonical_form(self) -> None:
        value: object = 1
        for _ in range(100_000):
            value = [value]
        with self.assertRaises(ValueError):
            canonicalize(value)
        # A list of lists is freed level by level.
        while isinstance(value, list):
            value = value.pop()

    def test_callers_get_their_usual_errors(self) -> None:
        self.assertEqual(ApiError.of(400, {}, b"[" * 100_000).code, "http_400")


if __name__ == "__main__":
    unittest.main()
