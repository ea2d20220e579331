"""Verified pushes in FastAPI, as a dependency.

    verified = VerifiedPush(os.environ["ARAF_SECRET"])

    @app.post("/araf/webhook")
    def receive(push: Annotated[Push, Depends(verified)]) -> None:
        print(push.event)
"""

from fastapi import HTTPException, Request

from . import BODY_MAX, Push, Secrets, VerificationError, check_secrets, verify


class VerifiedPush:
    """Reads and verifies the request of a route. Answers 401 for a request that is not a push, 413 for one that is too long."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = check_secrets(secrets)

    async def __call__(self, request: Request) -> Push:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > BODY_MAX:
                raise HTTPException(413, "the body is too long for a push")
        try:
            return verify(self._secrets, request.headers, bytes(body))
        except VerificationError as error:
            raise HTTPException(401, str(error)) from None
