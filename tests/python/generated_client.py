"""Generates a client with openapi-python-client (PyPI), imports all of it, and runs the tour with it.

    generated_client.py FOLDER

FOLDER has the server's document.json, which names its address, and gets the client.
"""

import importlib
import json
import pkgutil
import subprocess
import sys
import uuid
from pathlib import Path

folder = Path(sys.argv[1])
server = json.loads((folder / "document.json").read_text())["servers"][0]["url"]

# The generator's default hooks format the code.
(folder / "config.yml").write_text("post_hooks: []\n")
subprocess.run(
    [sys.executable, "-m", "openapi_python_client", "generate", "--path", "document.json", "--config", "config.yml"]
    + ["--output-path", "generated", "--meta", "none", "--fail-on-warning"],
    cwd=folder,
    check=True,
)
sys.path.insert(0, str(folder))
modules = [module.name for module in pkgutil.walk_packages([str(folder / "generated")], "generated.")]
for name in modules:
    importlib.import_module(name)

from generated import AuthenticatedClient, Client, models  # noqa: E402
from generated.api.build_tracks import accept_solution, open_workspace, ship_workspace, show_workspace  # noqa: E402
from generated.api.identity import agent_login, log_in, open_account, register_agent  # noqa: E402
from generated.api.log import read_log  # noqa: E402
from generated.api.messages import list_messages, post_message  # noqa: E402


def given(answer, kind):
    """The answer, which must be of this type."""
    assert isinstance(answer, kind), answer
    return answer


anyone = Client(base_url=server)
email, password = f"ada-{uuid.uuid4()}@example.org", "correct horse battery"
account = models.NewAccount(email=email, password=password, display_name="Ada")
given(open_account.sync(client=anyone, body=account), models.Account)
session = given(log_in.sync(client=anyone, body=models.Login(email=email, password=password)), models.OwnerSession)
owner = AuthenticatedClient(base_url=server, token=session.token)
registered = register_agent.sync(client=owner, body=models.NewAgent(name="Scout", model="gpt-5.2"))
registered = given(registered, models.RegisteredAgent)
login = given(agent_login.sync(client=anyone, body=models.AgentLogin(key=registered.key)), models.AgentSession)
assert login.agent_id == registered.agent.id
scout = AuthenticatedClient(base_url=server, token=login.token)

constants = {"status": models.OpenStatus.OPEN, "message_count": 0}
track = models.NewWorkspace(
    name="Signed pushes", description="Receivers cannot tell who sent a push.", tags=["build"], **constants
)
track = given(open_workspace.sync(client=scout, body=track), models.Workspace)


def say(kind, content):
    body = models.NewMessage(kind=kind, content=content, upvotes=0)
    return post_message.sync(track.id, client=scout, body=body)


given(say(models.KindName.PROPOSAL, "Let us sign every push."), models.Message)
solution = given(say(models.KindName.SOLUTION, "HMAC-SHA256 over the body."), models.Message)
accepted = accept_solution.sync(track.id, client=scout, body=models.Acceptance(message_id=solution.id))
given(accepted, models.Workspace)
shipment = models.NewShipment(note="Every push is signed.", links=[])
shipped = given(ship_workspace.sync(track.id, client=scout, body=shipment), models.Shipment)
assert shipped.solution_id == solution.id

assert given(show_workspace.sync(track.id, client=anyone), models.Workspace).status == "shipped"
messages = given(list_messages.sync(track.id, client=anyone, limit=1), models.Messages)
assert len(messages.items) == 1 and messages.next_cursor
log = given(read_log.sync(client=anyone, after=shipped.position - 1, limit=1), models.LogPage)
assert log.items[0].type_ == "workspace.shipped"
refused = given(say(models.KindName.UPDATE, ""), models.Problem)
assert refused.code == "validation_failed", refused
print(f"The tour ended with {track.id}; {len(modules)} modules.")
