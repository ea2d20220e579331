"""Extensions of Schemathesis: a check that the server never refuses the form of a request that matches the schema, and no long polls."""

import schemathesis

# Error codes about the form of a request, which a schema can express.
OF_FORM = {
    "blank", "duplicate", "field_missing", "malformed", "malformed_json", "missing", "not_allowed", "required",
    "too_few", "too_large", "too_long", "too_many", "too_short", "too_small", "unknown_field", "unknown_parameter",
    "wrong_form", "wrong_type", "invalid",
}
# Parameters and fields whose validity depends on data: positions and times in the future are refused, a cursor
# belongs to the order of its list, and `supportedBy=me` is for agents.
OF_THE_LOG = {"asOf", "since", "after", "cursor", "supportedBy", "/sinceTime", "/untilTime"}


@schemathesis.check
def bounds_are_stated(ctx, response, case):
    """Fails if the server refuses the form of a request that matches the schema."""
    meta = case.meta
    if meta is None or not meta.generation.mode.is_positive or response.status_code not in (400, 422):
        return None
    try:
        problem = response.json()
    except ValueError:
        raise AssertionError("the refusal is not JSON") from None
    errors = problem.get("errors") or [{"code": problem.get("code") or problem.get("reason")}]
    for error in errors:
        place = error.get("parameter") or error.get("pointer")
        # JavaScript, whose regular expressions schemas have, knows other spaces than Unicode, such as U+0085.
        if error.get("code") == "blank" and not _holds(case.body, place, " \t\r\n"):
            continue
        # A rule over several fields (one of two is required) is in their descriptions.
        across = place == "" and not error.get("message", "").startswith("invalid type")
        if error.get("code") in OF_FORM and place not in OF_THE_LOG and not across:
            raise AssertionError(f"the schema does not express this refusal: {error}")
    return None


def _holds(body, pointer, characters):
    """Whether the text at this place of a body has no other characters."""
    try:
        for name in (pointer or "").split("/")[1:]:
            body = body[int(name)] if isinstance(body, list) else body[name.replace("~1", "/").replace("~0", "~")]
    except (KeyError, IndexError, TypeError, ValueError):
        return True
    return not (isinstance(body, str) and body.strip(characters))


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """Makes no long polls: a valid wait in a body becomes none. schemathesis.toml does the same for parameters."""
    wait = case.body.get("wait") if isinstance(case.body, dict) else None
    if type(wait) is int and 0 < wait <= 30:
        case.body["wait"] = 0
