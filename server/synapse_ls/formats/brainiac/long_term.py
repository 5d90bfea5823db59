"""``memory/long_term/**.md``: one memory with its front matter (Brainiac Context Ordering).

Fields go by camelCase (``createdAt``) and by snake_case (``created_at``). What stands before the
front matter belongs to the memory, and a fence that is glued to the last field closes it: both are
found in the wild. A memory without front matter is one all the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.formats.brainiac.headings import forgeries, lines
from synapse_ls.formats.brainiac.links import forged, links
from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.text import front_matter
from synapse_ls.text.front_matter import FrontMatter
from synapse_ls.text.iso import instant
from synapse_ls.text.lines import iter_lines
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span

FIELDS: Mapping[str, tuple[str, ...]] = {
    "uuid": ("uuid", "id"),
    "created": ("created_at", "createdAt", "created"),
    "updated": ("updated_at", "updatedAt", "updated"),
    "tags": ("tags",),
    "reinforcement": ("reinforcement_count", "reinforcementCount"),
    "title": ("title",),
}
"""The fields, each with the spellings of its key, the one to write first."""

_FIELD_OF = {key: name for name, keys in FIELDS.items() for key in keys}
_OPENING = 60  # lines among which the front matter begins and ends
_GLUED = re.compile(r"[A-Za-z_][\w-]*:.*?(---[ \t]*)$")


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory. ``body`` is all of the text but the front matter: what comes before and after it.

    ``title`` is the field's, else that of the first heading, else "". ``fields`` are those of
    `FIELDS` that have a value; ``front`` is the place of the front matter, None without one.
    """

    text: str
    title: str
    uuid: str
    created: str
    updated: str
    tags: tuple[str, ...]
    reinforcement: int
    fields: Mapping[str, Text]
    front: Span | None
    body: tuple[Span, ...]
    links: tuple[Text, ...]

    @property
    def said(self) -> str:
        """The body as one text, without empty lines around it."""
        pieces = (place.cut(self.text).strip("\r\n \t\ufeff") for place in self.body)
        return "\n\n".join(piece for piece in pieces if piece)


def parse(text: str) -> Parsed[Memory]:
    """Read a memory. Never raises.

    Problem kinds: ``memory-without-front-matter``, ``broken-front-matter``, ``bad-memory-field``,
    ``unknown-memory-field``, ``text-before-front-matter``, ``forged-heading``.
    """
    source, text = text, without(text, Comments.MARKUP)
    problems: list[Problem] = []
    found, begin, after = _front(text)
    if found is None:
        place = next((Span(*line) for line in iter_lines(text) if line[0] < line[1]), Span(0, 0))
        problems.append(_missing(text, place))
        front, body = None, [Span(0, len(text))]
    else:
        front = Span(begin, after)
        body = [Span(0, begin), Span(after, len(text))]
        before = body[0].cut(text).strip("\ufeff \t\r\n")
        if before:
            problems.append(
                Problem(
                    "text-before-front-matter",
                    Span(0, len(body[0].cut(text).rstrip())),
                    "Readers other than this one drop what stands before the front matter.",
                    "Move it below the second `---`.",
                )
            )
        problems += _odd(found, begin)
    fields = dict(_fields(found, begin, problems)) if found else {}
    written = [line for line in lines(text) if not front or not front.contains(line.span.start)]
    title = fields["title"].value if "title" in fields else ""
    heading = next((line.title for line in written if line.level == 1 and not line.fenced), "")
    for place in body:
        inside = forgeries(place.cut(text), memories=True)
        problems += forged((span.shift(place.start) for span in inside), text)
    tags = found.get(*FIELDS["tags"]) if found else None
    document = Memory(
        source,
        title or heading,
        _value(fields, "uuid"),
        _value(fields, "created"),
        _value(fields, "updated"),
        tuple(tag for tag in (t.strip().lstrip("#") for t in tags.texts) if tag) if tags else (),
        _count(_value(fields, "reinforcement")) or 0,
        fields,
        front,
        tuple(place for place in body if place.length),
        tuple(links(written)),
    )
    return Parsed(document, tuple(sorted(problems, key=lambda problem: problem.span)))


def _front(text: str) -> tuple[FrontMatter | None, int, int]:
    """The front matter, where it begins, and where what follows it does.

    Places in it count from its own beginning. Where something stands before it, only one with a
    field that memories have is taken for front matter, and not for text between two rules.
    """
    for number, (start, end) in enumerate(iter_lines(text)):
        if number >= _OPENING:
            break
        if text[start:end].strip("\ufeff \t") != front_matter.MARK:
            continue
        piece = text[start:]
        found = front_matter.split(piece)
        close = found.body if found else 0
        if found is None or not _is_ours(found):
            glued = _glued(piece)
            if glued:
                found = front_matter.split(f"{piece[: glued[0]]}\n---\n")
                close = glued[1]
        is_first = not text[:start].strip("\ufeff \t\r\n")
        if found and (_is_ours(found) or (is_first and not found.odd)):
            return found, start, start + close
        if is_first:
            return None, 0, 0
    return None, 0, 0


def _glued(piece: str) -> tuple[int, int] | None:
    """Where a fence that is glued to the last field begins, and where the line after it does."""
    rows = iter_lines(piece)
    next(rows)
    for number, (start, end) in enumerate(rows):
        if number >= _OPENING:
            return None
        found = _GLUED.match(piece, start, end)
        if found:
            after = next(rows, None)
            return found.start(1), after[0] if after else len(piece)
    return None


def _is_ours(found: FrontMatter) -> bool:
    return any(key in _FIELD_OF for key in found.by_key)


def _missing(text: str, place: Span) -> Problem:
    opened = text.lstrip("\ufeff \t\r\n").startswith(front_matter.MARK)
    if opened:
        return Problem(
            "broken-front-matter",
            place,
            "The front matter is never closed or has no field of a memory, so it is read as text "
            "and the memory has neither tags nor an id.",
            "Write a line with nothing but `---` after its last field.",
        )
    return Problem(
        "memory-without-front-matter",
        place,
        "The memory has no front matter, so it has neither an id nor tags by which it is found.",
        "Begin the file with `---`, the fields `uuid` and `tags`, and `---`.",
    )


def _odd(found: FrontMatter, begin: int) -> Iterator[Problem]:
    for start, end in found.odd:
        yield Problem(
            "broken-front-matter",
            Span(start, end).shift(begin),
            "The line is no field, so it is left out.",
            "Write `key: value`, or delete it.",
        )


def _fields(found: FrontMatter, begin: int, problems: list[Problem]) -> Iterator[tuple[str, Text]]:
    """The fields with a value that can be used."""
    given: dict[str, str] = {}
    for field in found.fields:
        span = Span(field.value_start, max(field.value_start, field.value_end)).shift(begin)
        name = _FIELD_OF.get(field.key)
        if name is None:
            near = nearest(field.key, _FIELD_OF)
            if near:
                problems.append(
                    Problem(
                        "unknown-memory-field",
                        Span(field.start, field.start + len(field.key)).shift(begin),
                        f"`{field.key}` is no field of a memory, so nothing reads it.",
                        f"Write `{near}`.",
                        (("near", near),),
                    )
                )
            continue
        if name in given and given[name] != field.key:
            problems.append(
                Problem(
                    "bad-memory-field",
                    Span(field.start, field.start + len(field.key)).shift(begin),
                    f"`{field.key}` and `{given[name]}` are the same field, so one of them is not "
                    "read.",
                    "Delete one of them.",
                )
            )
            continue
        given[name] = field.key
        value = Text(field.value if field.kind == "scalar" else " ".join(field.texts), span)
        wrong = _wrong(name, field.kind, value.value)
        if wrong:
            what, remedy = wrong
            problems.append(
                Problem(
                    "bad-memory-field", span, f"`{field.key}` {what}, so it is left out.", remedy
                )
            )
        elif value.value:
            yield name, value


def _wrong(name: str, kind: str, value: str) -> tuple[str, str] | None:
    """What is wrong with a value, and what to write; None for a good or an empty one."""
    if kind == "empty":
        return None
    if kind == "other":
        return "is no text", "Write a plain value."
    if name == "reinforcement" and _count(value) is None:
        return "is not a whole number from 0 up", "Write digits only."
    if name in ("created", "updated") and not _is_time(value):
        return "is no time of ISO 8601", "Write a time such as `2026-01-31T09:30:00Z`."
    return None


def _count(value: str) -> int | None:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None


def _is_time(value: str) -> bool:
    return instant(value) is not None


def _value(fields: Mapping[str, Text], name: str) -> str:
    return fields[name].value if name in fields else ""
