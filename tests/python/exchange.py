"""Runs the published client of the two-party exchange (PyPI: agora-protocol), unmodified, against a server.

    exchange.py transporter URL    the requests and responses on the wire
    exchange.py sender URL         a task without a protocol: a conversation in natural language
    exchange.py negotiator URL     a task whose protocol is negotiated first, and then executed by a routine

A script replaces the agent's language model. Prints the result as one JSON object.
"""

import json
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")

from agora import Conversation, Sender, TaskSchema, Toolformer  # noqa: E402
from agora.common.errors import ProtocolTransportError  # noqa: E402
from agora.common.storage import JSONStorage  # noqa: E402
from agora.sender.components.transporter import SimpleSenderTransporter  # noqa: E402
from agora.utils import compute_hash, encode_as_data_uri  # noqa: E402

DOCUMENT = """---
name: Weather
description: Tells the weather
multiround: true
---
Send a date; get a text."""


class Script(Conversation):
    """Returns one line after another; a line that is a function is called with the tools by name."""

    def __init__(self, tools, lines):
        self.tools = {tool.name: tool for tool in tools}
        self.lines = list(lines)
        self.heard = []

    def __call__(self, message, print_output=True):
        self.heard.append(message)
        line = self.lines.pop(0)
        return line(self.tools) if callable(line) else line


class Scripts(Toolformer):
    """Scripts by category of conversation."""

    def __init__(self, **lines):
        self.lines = lines
        self.conversations = {}

    def new_conversation(self, prompt, tools, category=None):
        conversation = Script(tools, self.lines[category])
        self.conversations[category] = conversation
        return conversation


def ask_twice(tools):
    """Sends two queries in natural language, and delivers both answers."""
    answers = [tools["send_query"].func(query=query) for query in ("What is the weather?", "And tomorrow?")]
    tools["deliverStructuredOutput"].func(output=" | ".join(answers))
    return "Done"


def sender(toolformer, folder, **thresholds):
    return Sender.make_default(toolformer, storage=JSONStorage(f"{folder}/sender.json"), **thresholds)


SCHEMA = TaskSchema(
    "Tells the weather",
    {"type": "object", "properties": {"date": {"type": "string"}}, "required": ["date"]},
    {"type": "string", "description": "What it is like"},
)


def task(sender, target):
    return sender.execute_task("weather", SCHEMA, {"date": "2026-03-02"}, target)


def run_transporter(target):
    transporter = SimpleSenderTransporter()
    single = transporter.new_conversation(target, False, None, [])
    document = transporter.new_conversation(target, False, compute_hash(DOCUMENT), [encode_as_data_uri(DOCUMENT)])
    several = transporter.new_conversation(target, True, compute_hash(DOCUMENT), [encode_as_data_uri(DOCUMENT)])
    result = {
        "single": single("Hello!"),
        "document": document("2026-03-02"),
        "several": [several("2026-03-02"), several("2026-03-03")],
    }
    for conversation in (single, document, several):
        conversation.close()
    try:
        several("2026-03-04")
    except ProtocolTransportError as error:
        result["closed"] = str(error)
    return result


def run_sender(target):
    with tempfile.TemporaryDirectory() as folder:
        return {"output": task(sender(Scripts(conversation=[ask_twice]), folder), target)}


def run_negotiator(target):
    scripts = Scripts(
        negotiation=["Let us talk about the weather.", f"<FINALPROTOCOL>\n{DOCUMENT}\n</FINALPROTOCOL>"],
        programming=["<IMPLEMENTATION>\ndef run(data):\n    return send_to_server(data['date'])\n</IMPLEMENTATION>"],
    )
    thresholds = {"protocol_threshold": 0, "negotiation_threshold": 0, "implementation_threshold": 0}
    with tempfile.TemporaryDirectory() as folder:
        output = task(sender(scripts, folder, **thresholds), target)
    return {"output": output, "heard": scripts.conversations["negotiation"].heard}


if __name__ == "__main__":
    runs = {"transporter": run_transporter, "sender": run_sender, "negotiator": run_negotiator}
    print(json.dumps(runs[sys.argv[1]](sys.argv[2])))
