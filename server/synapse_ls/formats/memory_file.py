"""This module parses a memory's file, ``.synapse/memory/**/mem-….md``, for the linter: the places
of its fields and what cannot be understood in them.

What a record says is read by `synapse_ls.memory.record`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.formats.memory_fields import (
    CHOICES,
    COUNTS,
    FIELD_NAMES,
    STORAGES,
    TIER,
    TIERS,
    TIMES,
    parse_confidence,
    parse_count,
    parse_day,
)
from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.front_matter import MARK, FrontMatter, FrontMatterField, parse_front_matter
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.parse_result import ParseResult, Problem, Text
from synapse_ls.text.span import Span

_EFFECT = "it counts as if it were not there"


@dataclass(frozen=True, slots=True)
class MemoryDocument:
    """A MemoryDocument is a parsed file of a memory, for the linter. ``fields``: our name of a
    field -> its value and place. ``body``: where the text begins.
    """

    text: str
    fields: dict[str, Text]
    keys: dict[str, Span]
    body: int
    has_front_matter: bool

    def field_value(self, name: str) -> str:
        """Returns what a field says, "" where it says nothing."""
        found = self.fields.get(name)
        return found.value if found else ""


def parse(text: str) -> ParseResult[MemoryDocument]:
    """Parses a memory's file for the linter. Problem kinds: ``invalid-memory`` (its front matter,
    its text) and ``bad-memory-value``. Never raises.
    """
    text = blank_directives(text, CommentStyle.MARKUP)
    head = parse_front_matter(text)
    problems: list[Problem] = []
    fields: dict[str, Text] = {}
    keys: dict[str, Span] = {}
    if head is None:
        first = Span(*next(iter_lines(text)))
        if first.cut(text).lstrip("\ufeff").rstrip() == MARK:
            problems.append(
                _invalid_memory_problem(
                    first,
                    "This front matter never ends, so all of it is text",
                    f"Add a line `{MARK}`.",
                )
            )
        body = 0
    else:
        body = head.body
        problems += _front_matter_problems(head)
        for name, names in FIELD_NAMES.items():
            field = head.get(*names)
            if field is not None:
                place = Span(field.value_start, field.value_end)
                value = ", ".join(field.texts) if field.kind == "list" else field.value
                fields[name] = Text(value, place)
                keys[name] = _key_span(field)
                problems += _value_problems(name, field, place)
    if not text[body:].strip() and not fields.get("title"):
        at = Span(*next(iter_lines(text)))
        problems.append(
            _invalid_memory_problem(at, "The memory says nothing", "Write what to remember.")
        )
    problems.sort(key=lambda problem: problem.span)
    return ParseResult(MemoryDocument(text, fields, keys, body, head is not None), tuple(problems))


def _key_span(field: FrontMatterField) -> Span:
    return Span(field.start, field.colon)


def _invalid_memory_problem(span: Span, message: str, remedy: str) -> Problem:
    return Problem("invalid-memory", span, f"{message}.", remedy)


def _front_matter_problems(head: FrontMatter) -> Iterator[Problem]:
    for start, end in head.malformed_lines:
        yield _invalid_memory_problem(
            Span(start, end),
            f"This line is no `key: value`, so {_EFFECT}",
            "Write it so, or delete it.",
        )
    seen: set[str] = set()
    for field in head.fields:
        if field.key in seen:
            yield _invalid_memory_problem(
                _key_span(field),
                f"`{field.key}` was said above, so only this one counts",
                "Delete one of them.",
            )
        seen.add(field.key)


def _value_problems(name: str, field: FrontMatterField, place: Span) -> Iterator[Problem]:
    """Yields the problems of the value of one field."""
    if field.kind == "empty" or (field.kind == "list" and name == "tags"):
        return
    if field.kind in ("other", "list"):
        yield _bad_value_problem(name, place, "is not a single value")
        return
    value = field.value
    if name == TIER or name in CHOICES:
        allowed = TIERS if name == TIER else CHOICES[name]
        if not _is_allowed(name, value):
            near = nearest_word(value.lower(), allowed)
            yield _bad_value_problem(name, place, f"is none of {', '.join(allowed)}", near)
    elif name in _VALUE_READERS:
        read, reason = _VALUE_READERS[name]
        if read(value) is None:
            yield _bad_value_problem(name, place, reason)
    elif name == "explicit" and value.lower() not in ("true", "false"):
        yield _bad_value_problem(name, place, "is neither true nor false")


_VALUE_READERS: Mapping[str, tuple[Callable[[str], float | None], str]] = {
    "confidence": (parse_confidence, "is no number from 0 to 1"),
    **dict.fromkeys(COUNTS, (parse_count, "is no count")),
    **dict.fromkeys(TIMES, (parse_day, "is no date such as 2026-11-22")),
}


def _is_allowed(name: str, value: str) -> bool:
    if name == TIER:
        return value.lower() in (*TIERS, *STORAGES)
    return value.lower() in CHOICES[name] or (name == "type" and value in CHOICES["sector"])


def _bad_value_problem(name: str, place: Span, reason: str, suggestion: str = "") -> Problem:
    return Problem(
        "bad-memory-value",
        place,
        f"`{name}` {reason}, so {_EFFECT}.",
        f"Write `{suggestion}`." if suggestion else "",
        (("near", suggestion),) if suggestion else (),
    )
