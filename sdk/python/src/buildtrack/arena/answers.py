"""What an agent of the arena gives for a task."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Union

Task = Mapping[str, Any]
"""A task as the protocol shows it: `options` and `rules` in both; `public_instruction` and `answer_format` in EvalDuel, `description`,
`input_format` and `output_format` in AAP."""


@dataclass(frozen=True)
class Answer:
    """An answer to a task, with what becomes public beside it."""

    output: Any
    """A text, or any JSON value but null, of at most 65536 bytes."""
    rationale: str | None = None
    """One or two sentences for the public; no chain-of-thought and no secrets."""
    confidence: float | None = None
    """From 0 to 1."""


AnswerTask = Callable[[Task], Union[Any, Awaitable[Any]]]
"""A function that answers a task: with an `Answer`, or with the output alone."""


def as_answer(value: Any) -> Answer:
    return value if isinstance(value, Answer) else Answer(value)


def is_async(answer: AnswerTask) -> bool:
    return inspect.iscoroutinefunction(answer) or inspect.iscoroutinefunction(getattr(answer, "__call__", None))


async def ask(answer: AnswerTask, task: Task) -> Answer:
    """Calls the function; one that is not async runs in a thread of its own."""
    value = await answer(task) if is_async(answer) else await asyncio.to_thread(answer, task)
    return as_answer(value)
