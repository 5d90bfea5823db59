"""Parse a memory, ``.synapse/memory/**/mem-….md``, for the linter: places of fields, and problems.

`synapse_ls.memory.memory_record` reads its content. Chati's ``memory.schema.json`` and the MIS name
fields differently; ``tier`` is where a record is stored in one, how much attention it gets in the
other.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives
from synapse_ls.text import edit_distance, iso_time, line_index
from synapse_ls.text.finding import Finding, ParseResult, Text, problem_data, sort_problems
from synapse_ls.text.front_matter import MARK, FrontMatterField, parse_front_matter
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

SECTORS: Final = ("episodic", "semantic", "procedural", "reflective")
STORAGES: Final = ("session", "daily", "durable")
SCOPES: Final = ("shared", "private")
TIERS: Final = ("hot", "warm", "cold")

# Type -> sector and storage of a record that says neither (MIS-1, "classification").
TYPES: Final = {
    "decision": ("semantic", "durable"),
    "user_correction": ("procedural", "durable"),
    "validated_pattern": ("procedural", "durable"),
    "resolution": ("procedural", "durable"),
    "gotcha": ("procedural", "durable"),
    "lesson": ("reflective", "durable"),
    "error_pattern": ("episodic", "daily"),
    "question": ("episodic", "session"),
    "progress": ("episodic", "session"),
}
CORRECTION_TYPE: Final = "user_correction"
GOTCHA_TYPE: Final = "gotcha"
DEFAULT_TYPE: Final = "lesson"
START_CONFIDENCE: Final = 0.3  # confidence of what was seen once (MIS)

# Our name of a field -> the names under which it is read; the first one there is counts.
FIELD_NAMES: Final = {
    "id": ("id",), "title": ("title",), "type": ("type",), "sector": ("sector",),
    "storage": ("storage", "storage_tier"), "scope": ("scope",), "agent": ("agent",),
    "tags": ("tags",), "confidence": ("confidence",), "evidence": ("evidence", "evidence_count"),
    "access_count": ("access_count",), "created": ("created", "created_at"),
    "updated": ("updated", "updated_at"), "accessed": ("accessed", "last_accessed"),
    "expires": ("expires", "expires_at"), "explicit": ("explicit",), "source": ("source",),
    "tier": ("tier",),
}  # fmt: skip
# Words that a field can have.
CHOICES: Final = {"sector": SECTORS, "storage": STORAGES, "scope": SCOPES, "type": tuple(TYPES)}
TIMES: Final = ("created", "updated", "accessed", "expires")
COUNTS: Final = ("evidence", "access_count")
TIER: Final = "tier"  # in the MIS a storage, in Chati how much attention a record gets
_CONFIDENCE_WORDS: Final = {"high": 0.9, "medium": 0.6, "low": 0.3}


def is_id(text: str) -> bool:
    """Return whether a field of a memory record is an id, ``mem-2026-11-22-001``."""
    parts = text.split("-")
    return (
        len(parts) == 5
        and parts[0] == "mem"
        and [len(part) for part in parts[1:4]] == [4, 2, 2]
        and len(parts[4]) >= 3
        and all(part.isascii() and part.isdecimal() for part in parts[1:])
    )


def parse_confidence(text: str) -> float | None:
    """Return the confidence in a field of a memory record, between 0 and 1, as people write it
    (0.8, 80%, high); None for anything else.
    """
    word = text.strip().lower()
    if word in _CONFIDENCE_WORDS:
        return _CONFIDENCE_WORDS[word]
    try:
        value = float(word.removesuffix("%")) / (100 if word.endswith("%") else 1)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def parse_count(text: str) -> int | None:
    """Return the count in a field of a memory record, None for anything else."""
    word = text.strip()
    return int(word) if word.isascii() and word.isdecimal() and len(word) < 10 else None


@lru_cache(maxsize=4096)
def parse_day(text: str) -> int | None:
    """Return the day in a field of a memory record, in days since 1970-01-01: an ISO 8601 date,
    with or without a time; None for anything else. Dates repeat: those of many memories are few.
    """
    date, mark, rest = text.strip()[:10], text.strip()[10:11], text.strip()[11:]
    has_time = mark in ("T", "t", " ") and rest
    return iso_time.parse_date(date) if len(date) == 10 and (has_time or not mark) else None


_OTHER_DATE = lazy_pattern(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})|(\d{1,2})[-/.](\d{1,2})[-/.](?P<last>\d{4})"
)
_EFFECT = "it counts as if it were not there"


class MemoryDocument(NamedTuple):
    """A parsed file of a memory, for the linter. ``fields``: our name of a field -> its value and
    place. ``body``: where the text begins.
    """

    text: str
    fields: dict[str, Text]
    keys: dict[str, Span]
    body: int
    has_front_matter: bool

    def field_value(self, name: str) -> str:
        """Return what a field says, "" where it says nothing."""
        field = self.fields.get(name)
        return field.value if field else ""


def parse(text: str) -> ParseResult[MemoryDocument]:
    """Parse a memory's file for the linter. Problem kinds: ``invalid-memory`` (its front matter,
    its text) and ``bad-memory-value``. Never raises.
    """
    text = blank_directives(text, CommentStyle.MARKUP)
    head = parse_front_matter(text)
    problems: list[Finding] = []
    fields: dict[str, Text] = {}
    keys: dict[str, Span] = {}
    if head is None:
        first = Span(*next(line_index.iter_lines(text)))
        if first.cut(text).lstrip("\ufeff").rstrip() == MARK:
            message = "This front matter never ends, so all of it is text"
            problems.append(_invalid_memory_problem(first, message, f"Add a line `{MARK}`."))
        body = 0
    else:
        body = head.body
        for start, end in head.malformed_lines:
            message = f"This line is no `key: value`, so {_EFFECT}"
            remedy = "Write it so, or delete it."
            problems.append(_invalid_memory_problem(Span(start, end), message, remedy))
        written: set[str] = set()
        for field in head.fields:
            if field.key in written:
                message = f"`{field.key}` was said above, so only this one counts"
                remedy = "Delete one of them."
                problems.append(_invalid_memory_problem(_key_span(field), message, remedy))
            written.add(field.key)
        for name, names in FIELD_NAMES.items():
            if named := head.get(*names):
                place = Span(named.value_start, named.value_end)
                value = ", ".join(named.texts) if named.kind == "list" else named.value
                fields[name] = Text(value, place)
                keys[name] = _key_span(named)
                problems += _value_problems(name, named, place)
    if not text[body:].strip() and not fields.get("title"):
        at = Span(*next(line_index.iter_lines(text)))
        problems.append(
            _invalid_memory_problem(at, "The memory says nothing", "Write what to remember.")
        )
    document = MemoryDocument(text, fields, keys, body, head is not None)
    return ParseResult(document, sort_problems(problems))


def _key_span(field: FrontMatterField) -> Span:
    return Span(field.start, field.colon)


def _invalid_memory_problem(span: Span, message: str, remedy: str) -> Finding:
    return Finding(span, f"{message}.", remedy, kind="invalid-memory")


def _value_problems(name: str, field: FrontMatterField, place: Span) -> Iterator[Finding]:
    if field.kind == "empty" or (field.kind == "list" and name == "tags"):
        return
    if field.kind in ("other", "list"):
        yield _bad_value_problem(name, place, "is not a single value")
        return
    value = field.value
    if name == TIER or name in CHOICES:
        allowed = TIERS if name == TIER else CHOICES[name]
        if not _is_allowed(name, value):
            yield Finding(
                place,
                f"`{value[:40]}` is not a value of `{name}`, so the memory counts as one without "
                f"`{name}`.",
                edit_distance.choice_remedy(value.lower(), allowed),
                kind="bad-memory-value",
                data=problem_data(near=edit_distance.nearest_choice(value.lower(), allowed)),
            )
    elif name in _VALUE_READERS:
        read, reason = _VALUE_READERS[name]
        if read(value) is None:
            if name in TIMES:
                yield _date_problem(name, place, value)
            else:
                yield _bad_value_problem(name, place, reason)
    elif name == "explicit" and value.lower() not in ("true", "false"):
        problem = _bad_value_problem(name, place, "is neither true nor false")
        yield problem._replace(remedy="Write `true` or `false`.")


_NO_DATE = "is no date such as 2026-11-22"
_VALUE_READERS: Mapping[str, tuple[Callable[[str], float | None], str]] = {
    "confidence": (parse_confidence, "is no number from 0 to 1"),
    **dict.fromkeys(COUNTS, (parse_count, "is no count")),
    **dict.fromkeys(TIMES, (parse_day, _NO_DATE)),
}


def _date_problem(name: str, place: Span, value: str) -> Finding:
    """Return the problem of a date with the one that was meant, if no other can have been."""
    reason = _NO_DATE
    remedy, near = "Write the year, the month and the day, such as `2026-11-22`.", ""
    if match := _OTHER_DATE.fullmatch(value):
        year, *parts = filter(None, match.groups())
        orders = [parts]
        if match["last"]:
            *parts, year = match.groups()[3:]
            orders = [parts, parts[::-1]]
        days = {f"{year}-{month:0>2}-{day:0>2}" for month, day in orders}
        dates = sorted(day for day in days if parse_day(day) is not None)
        near = dates[0] if len(dates) == 1 else ""
        remedy = f"Write `{'` or `'.join(dates)}`." if dates else remedy
        if dates[1:]:
            reason = "can mean two dates"
    problem = _bad_value_problem(name, place, reason)
    return problem._replace(remedy=remedy, data=problem_data(near=near))


def _is_allowed(name: str, value: str) -> bool:
    if name == TIER:
        return value.lower() in (*TIERS, *STORAGES)
    return value.lower() in CHOICES[name] or (name == "type" and value in CHOICES["sector"])


def _bad_value_problem(name: str, place: Span, reason: str) -> Finding:
    effect = f"the memory counts as one without `{name}`"
    if name == "expires":
        effect = "this memory never expires"
    return Finding(place, f"`{name}` {reason}, so {effect}.", kind="bad-memory-value")
