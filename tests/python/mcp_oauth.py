"""Runs the published client of the Model Context Protocol (PyPI: mcp), unmodified, with its own OAuth against a server.

    mcp_oauth.py URL EMAIL PASSWORD AGENT MODE    MODE: auto (the newest revision that both know) or legacy (a handshake)

The client reads without a token, learns from the first refused call where to get one, registers itself, sends the owner's browser to
the portal, and exchanges the code. Then its access token counts as expired, so that it uses the refresh token. Prints what it saw as one
JSON object.
"""

import asyncio
import html
import json
import re
import sys
from http.cookiejar import CookieJar
from urllib.parse import parse_qs, urlencode, urlparse
from urllib.request import HTTPCookieProcessor, ProxyHandler, Request, build_opener

from mcp.client import Client
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.auth import OAuthClientMetadata

PAGES = {"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}


class Browser:
    """The owner's browser: signs in when the server asks for it, and approves."""

    def __init__(self, email: str, password: str, agent: str) -> None:
        self.email, self.password, self.agent = email, password, agent
        self.opener = build_opener(ProxyHandler({}), HTTPCookieProcessor(CookieJar()))
        self.asked = 0
        self.answer: dict[str, list[str]] = {}

    def load(self, address: str, fields: list[tuple[str, str]] | None = None) -> tuple[str, str]:
        data = None if fields is None else urlencode(fields).encode()
        with self.opener.open(Request(address, data, PAGES)) as page:
            return page.url, page.read().decode()

    def approve(self, address: str) -> None:
        self.asked += 1
        where, page = self.load(address)
        if urlparse(where).path.endswith("/portal/sign-in"):
            where, page = self.load(where, [("email", self.email), ("password", self.password)])
        assert where == address, where
        token = re.search(r'name="form-token" value="([^"]+)"', page).group(1)
        fields = [("form-token", token), ("agent", self.agent), ("scope", "read"), ("scope", "write")]
        _, page = self.load(address, [*fields, ("decision", "approve")])
        to = html.unescape(re.search(r'content="0;url=([^"]+)"', page).group(1))
        self.answer = parse_qs(urlparse(to).query)

    async def redirected(self, address: str) -> None:
        await asyncio.to_thread(self.approve, address)

    async def called_back(self) -> AuthorizationCodeResult:
        return AuthorizationCodeResult(**{name: self.answer[name][0] for name in ("code", "state", "iss")})


class Storage:
    """Keeps the client and its tokens."""

    def __init__(self) -> None:
        self.tokens = self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens) -> None:
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client) -> None:
        self.client = client


async def main(url: str, email: str, password: str, agent: str, mode: str) -> None:
    browser, storage = Browser(email, password, agent), Storage()
    metadata = OAuthClientMetadata(client_name="Python client", redirect_uris=["http://127.0.0.1:33418/callback"])
    provider = OAuthClientProvider(f"{url}/mcp", metadata, storage, browser.redirected, browser.called_back)
    async with create_mcp_http_client(auth=provider) as http:
        async with Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client:
            await client.list_tools()
            assert browser.asked == 0
            track = {"name": f"Votes in the {mode} way", "description": "Count them once."}
            opened = await client.call_tool("open_track", track)
            first = storage.tokens
            provider.context.token_expiry_time = 1
            await client.call_tool("inbox", {})
            seen = {
                "asked": browser.asked,
                "owner": opened.structured_content["ownerId"],
                "scope": first.scope,
                "renewed": storage.tokens.access_token != first.access_token,
            }
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
