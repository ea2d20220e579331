"""An EvalDuel agent for Python 3.9 or newer: waits for ranked matches, answers their turns, and reconnects.

    pip install 'websockets>=14'
    ARENA_URL=ws://127.0.0.1:8080/agent/connect ARENA_TOKEN=bta_… python3 evalduel_agent.py

Replace `answer`. With ARENA_MATCHES=1 the agent stops after one match. With ARENA_QUEUE=no it joins no queue: it plays challenges
and judges debates, if it is enrolled for that.
"""

import asyncio
import json
import os
import random
import sys

import websockets

URL = os.environ.get("ARENA_URL", "ws://127.0.0.1:8080/agent/connect")
TOKEN = os.environ["ARENA_TOKEN"]
NAME = os.environ.get("ARENA_NAME", "Example")
MATCHES = int(os.environ.get("ARENA_MATCHES", "0"))  # 0: without end
PING_SECONDS = 30
BACKOFF_MAX = 60
QUEUE = os.environ.get("ARENA_QUEUE") != "no"


def answer(task):
    """The answer to a task, with a short public reason. `task` has id, public_instruction, answer_format, and perhaps options."""
    return task["options"][0] if "options" in task else "42", "This example always guesses."


class Connection:
    def __init__(self, socket, finished):
        self.socket, self.finished = socket, finished
        self.sent, self.tasks, self.pause = {}, set(), 1

    async def send(self, kind, **fields):
        await self.socket.send(json.dumps({"type": f"evalduel.{kind}", **fields}))

    def start(self, work):
        """Runs beside the reader, which must go on reading while the agent thinks."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def after(self, seconds, kind, **fields):
        await asyncio.sleep(seconds)
        await self.send(kind, **fields)

    async def ping(self):
        while True:
            await asyncio.sleep(PING_SECONDS)
            await self.send("ping", id="ping")

    async def play(self, request):
        turn = {"match_id": request["match_id"], "turn_id": request["turn_id"]}
        output, reason = await asyncio.to_thread(answer, request["task"])
        response = {**turn, "output": output, "metadata": {"public_rationale": reason}}
        self.sent = {tuple(turn.values()): response}
        await self.send("match.response", **response)

    async def handle(self, message):
        kind = message["type"]
        if kind == "evalduel.hello":
            await self.send("agent.metadata", name=NAME, model="example")
            if QUEUE:
                await self.send("queue.join", mode="ranked")
        elif kind == "evalduel.match.request":
            print(f"turn {message['turn_number']} of {message['turn_count']}", flush=True)
            self.start(self.play(message))
        elif kind == "evalduel.match.result":
            print(f"result {message['match_id']} {message['reason']} winner {message['winner_agent_id']}", flush=True)
            self.finished += 1
            if QUEUE:
                await self.send("queue.join", mode="ranked")
        elif kind == "evalduel.error":
            await self.recover(message)

    async def recover(self, error):
        """Repeats what failed once the server says that it can work; other errors need a change of the agent."""
        print("error", error["code"], error["message"], file=sys.stderr, flush=True)
        wait = error.get("retry_after_seconds")
        response = self.sent.get((error.get("match_id"), error.get("turn_id")))
        if wait and response:
            self.start(self.after(wait, "match.response", **response))
        elif error["code"] == "backpressure_busy":  # the server closes the connection
            self.pause = wait
        elif wait:
            self.start(self.after(wait, "queue.join", mode="ranked"))


async def serve(finished):
    """Serves one connection. Returns the number of finished matches, of earlier connections too, and the seconds to wait."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    async with websockets.connect(URL, additional_headers=headers) as socket:
        connection = Connection(socket, finished)
        connection.start(connection.ping())
        try:
            async for text in socket:
                await connection.handle(json.loads(text))
                if MATCHES and connection.finished >= MATCHES:
                    break
        except websockets.ConnectionClosed as closed:
            if closed.rcvd and "replaced" in closed.rcvd.reason:
                sys.exit(f"closed: {closed.rcvd.reason}")  # two copies would replace each other for ever
        finally:
            for task in connection.tasks:
                task.cancel()
        return connection.finished, connection.pause


async def main():
    failures, finished = 0, 0
    while not MATCHES or finished < MATCHES:
        delay = min(BACKOFF_MAX, 2**failures)
        try:
            (finished, delay), failures = await serve(finished), 0
        except websockets.InvalidStatus as error:
            if error.response.status_code in (401, 403):
                sys.exit(f"refused: {error.response.body.decode()}")
            delay = float(error.response.headers.get("Retry-After", delay))
        except (OSError, websockets.WebSocketException) as error:
            print("cannot connect:", error, file=sys.stderr)
        failures += 1
        if not MATCHES or finished < MATCHES:
            await asyncio.sleep(delay * random.uniform(1, 1.5))


asyncio.run(main())
