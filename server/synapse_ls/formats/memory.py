"""A memory's file, ``.synapse/memory/**/mem-….md``, as far as it can be wrong.

What a record says is read by `synapse_ls.memory.record`; here are the places of its fields and what
cannot be understood in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.memory_fields import (
    CHOICES,
    COUNTS,
    NAMES,
    STORAGES,
    TIER,
    TIERS,
    TIMES,
    confidence_of,
    count_of,
    day_of,
)
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.text.front_matter import MARK, Field, FrontMatter, split
from synapse_ls.text.lines import iter_lines
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span

_EFFECT = "it counts as if it were not there"


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """``fields``: our name of a field -> its value and place. ``body``: where the text begins."""

    text: str
    fields: dict[str, Text]
    keys: dict[str, Span]
    body: int
    front: bool

    def said(self, name: str) -> str:
        """What a field says, "" where it says nothing."""
        found = self.fields.get(name)
        return found.value if found else ""


def parse(text: str) -> Parsed[MemoryDocument]:
    """Read a memory. Problem kinds: ``invalid-memory`` (its front matter, its text) and
    ``bad-memory-value``. Never raises.
    """
    text = without(text, Comments.MARKUP)
    head = split(text)
    problems: list[Problem] = []
    fields: dict[str, Text] = {}
    keys: dict[str, Span] = {}
    if head is None:
        first = Span(*next(iter_lines(text)))
        if first.cut(text).lstrip("\ufeff").rstrip() == MARK:
            problems.append(
                _invalid(
                    first,
                    "This front matter never ends, so all of it is text",
                    f"Add a line `{MARK}`.",
                )
            )
        body = 0
    else:
        body = head.body
        problems += _head_problems(head)
        for name, names in NAMES.items():
            field = head.get(*names)
            if field is not None:
                place = Span(field.value_start, field.value_end)
                value = ", ".join(field.texts) if field.kind == "list" else field.value
                fields[name] = Text(value, place)
                keys[name] = _key(field)
                problems += _value_problems(name, field, place)
    if not text[body:].strip() and not fields.get("title"):
        at = Span(*next(iter_lines(text)))
        problems.append(_invalid(at, "The memory says nothing", "Write what to remember."))
    problems.sort(key=lambda problem: problem.span)
    return Parsed(MemoryDocument(text, fields, keys, body, head is not None), tuple(problems))


def _key(field: Field) -> Span:
    return Span(field.start, field.colon)


def _invalid(span: Span, message: str, remedy: str) -> Problem:
    return Problem("invalid-memory", span, f"{message}.", remedy)


def _head_problems(head: FrontMatter) -> Iterator[Problem]:
    for start, end in head.odd:
        yield _invalid(
            Span(start, end),
            f"This line is no `key: value`, so {_EFFECT}",
            "Write it so, or delete it.",
        )
    seen: set[str] = set()
    for field in head.fields:
        if field.key in seen:
            yield _invalid(
                _key(field),
                f"`{field.key}` was said above, so only this one counts",
                "Delete one of them.",
            )
        seen.add(field.key)


def _value_problems(name: str, field: Field, place: Span) -> Iterator[Problem]:
    """What is wrong with the value of one field."""
    if field.kind == "empty":
        return
    if field.kind == "other" or (field.kind == "list" and name != "tags"):
        yield _bad(name, place, "is not a single value")
        return
    value = field.value
    if name == "tags":
        return
    if name == TIER:
        if value.lower() not in (*TIERS, *STORAGES):
            yield _bad(name, place, f"is none of {', '.join(TIERS)}", nearest(value, TIERS))
    elif name in CHOICES:
        if value.lower() not in CHOICES[name] and not (
            name == "type" and value in CHOICES["sector"]
        ):
            near = nearest(value.lower(), CHOICES[name])
            yield _bad(name, place, f"is none of {', '.join(CHOICES[name])}", near)
    elif name == "confidence":
        if confidence_of(value) is None:
            yield _bad(name, place, "is no number from 0 to 1")
    elif name in COUNTS:
        if count_of(value) is None:
            yield _bad(name, place, "is no count")
    elif name in TIMES:
        if day_of(value) is None:
            yield _bad(name, place, "is no date such as 2026-11-22")
    elif name == "explicit" and value.lower() not in ("true", "false"):
        yield _bad(name, place, "is neither true nor false")


def _bad(name: str, place: Span, what: str, near: str = "") -> Problem:
    return Problem(
        "bad-memory-value",
        place,
        f"`{name}` {what}, so {_EFFECT}.",
        f"Write `{near}`." if near else "",
        (("near", near),) if near else (),
    )
