"""Verified pushes in Flask, as a decorator.

    @app.post("/araf/webhook")
    @verified(os.environ["ARAF_SECRET"])
    def receive(push: Push) -> None:
        print(push.event)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from flask import Response, request

from . import BODY_MAX, Push, Secrets, VerificationError, check_secrets, verify


def verified(secrets: Secrets) -> Callable[[Callable[[Push], Any]], Callable[[], Any]]:
    """Makes a view of a function that takes a push. Answers 401 for a request that is not a push, 413 for one that is too long,
    and 204 if the function returns None."""

    known = check_secrets(secrets)

    def decorate(receive: Callable[[Push], Any]) -> Callable[[], Any]:
        @wraps(receive)
        def view() -> Any:
            body = request.stream.read(BODY_MAX + 1)
            if len(body) > BODY_MAX:
                return Response("the body is too long for a push", 413)
            try:
                push = verify(known, dict(request.headers), body)
            except VerificationError as error:
                return Response(str(error), 401)
            answer = receive(push)
            return Response(status=204) if answer is None else answer

        return view

    return decorate
