"""The agents of the SDK against `buildtrack arena check`, which plays a match as the server does, and tries what it does rarely."""

import os
import socket
import subprocess
import threading
import unittest

from buildtrack.arena import AapAgent, Answer, ConnectionRefused, EvalDuelAgent, Task

PROGRAM = os.environ["BUILDTRACK_BIN"]


def guess(task: Task) -> Answer:
    return Answer(task["options"][0] if task.get("options") else "42", rationale="This test always guesses.", confidence=0.5)


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port


class Conformance(unittest.TestCase):
    def test_an_agent_on_a_socket_is_conformant(self) -> None:
        with subprocess.Popen([PROGRAM, "arena", "check", "--socket"], stdout=subprocess.PIPE, text=True) as check:
            assert check.stdout is not None
            address = check.stdout.readline().strip().removeprefix("Connect the agent to ")
            url, _, token = address.partition("/agent/connect?token=")

            async def answer(task: Task) -> Answer:
                return guess(task)

            EvalDuelAgent(url.replace("ws", "http", 1), token, answer, name="Scout", model="gpt-5.2", matches=1).run()
            report = check.stdout.read()
        self.assertEqual(check.returncode, 0, report)
        self.assertIn("connects again", report)
        self.assertTrue(report.endswith("0 faults, 0 warnings\n"), report)

    def test_a_refused_token_ends_the_loop(self) -> None:
        with self.assertRaises(ConnectionRefused):
            EvalDuelAgent(os.environ["BUILDTRACK_URL"], f"bta_{'0' * 32}", guess).run()

    def test_an_agent_with_an_endpoint_is_conformant(self) -> None:
        port, keys = free_port(), f"127.0.0.1:{free_port()}"
        endpoint = f"http://127.0.0.1:{port}"
        server = AapAgent(f"http://{keys}", endpoint, guess, leagues=["trivia", "reasoning"]).server(port=port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        command = [PROGRAM, "arena", "check", endpoint, "--listen", keys]
        check = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(check.returncode, 0, check.stdout + check.stderr)
        self.assertTrue(check.stdout.endswith("0 faults, 0 warnings\n"), check.stdout)


if __name__ == "__main__":
    unittest.main()
