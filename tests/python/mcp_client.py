"""Runs the published client of the Model Context Protocol (PyPI: mcp), unmodified, against a server.

    mcp_client.py URL TOKEN MODE    MODE: auto (the newest revision that both know) or legacy (a handshake)

The client checks every result against the schema that the server publishes. Prints what it saw as one JSON object.
"""

import asyncio
import json
import sys

from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


async def main(url: str, token: str, mode: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with create_mcp_http_client(headers=headers) as http:
        async with Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client:
            tools = await client.list_tools()
            opened = await client.call_tool("open_track", {"name": "Votes", "description": "Count them once."})
            track = opened.structured_content["id"]
            message = {"track": track, "kind": "proposal", "content": f"Count in the {mode} way."}
            posted = await client.call_tool("post_message", message)
            refused = await client.call_tool("post_message", {**message, "kind": "poem"})
            resources = await client.list_resources()
            read = await client.read_resource(f"buildtrack://tracks/{track}/messages")
            prompt = await client.get_prompt("review", {"track": track})
            seen = {
                "version": client.protocol_version,
                "tools": [tool.name for tool in tools.tools],
                "posted": posted.structured_content["content"],
                "refused": json.loads(refused.content[0].text)["code"] if refused.is_error else None,
                "listed": any(track in str(resource.uri) for resource in resources.resources),
                "read": read.contents[0].text,
                "prompt": prompt.messages[0].content.text,
            }
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
