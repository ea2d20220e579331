"""The loop of an EvalDuel agent, without a server."""

import unittest
from collections.abc import Mapping
from typing import Any

from buildtrack.arena.evalduel import EvalDuelAgent


class Results(unittest.TestCase):
    def test_a_function_that_raises_does_not_end_the_loop(self) -> None:
        def fail(result: Mapping[str, Any]) -> None:
            raise ValueError("no place for a result")

        agent = EvalDuelAgent("http://server", "bta_t", lambda task: "A", matches=2, on_result=fail)
        with self.assertLogs("buildtrack.arena.evalduel", "ERROR") as logs:
            self.assertEqual([agent.result({"match_id": name}) for name in ("match_1", "match_1", "match_2")], [True, False, True])
        self.assertEqual(len(logs.records), 2)
        self.assertTrue(agent._has_ended())


if __name__ == "__main__":
    unittest.main()
