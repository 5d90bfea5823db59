"""Parse a long-term memory, ``memory/long_term/**.md`` (Brainiac Context Ordering).

Fields are camelCase or snake_case. Found in real trees: text before the front matter, which belongs
to the memory, a closing fence on the line of the last field, and no front matter at all.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from synapse_ls.formats.brainiac import memory_index, reserved_headings
from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives
from synapse_ls.text import edit_distance, front_matter, iso_time
from synapse_ls.text.finding import Finding, ParseResult, Text, sort_problems
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span

# The fields, each with the spellings of its key, the one to write first.
FIELDS: Mapping[str, tuple[str, ...]] = {
    "uuid": ("uuid", "id"),
    "created": ("created_at", "createdAt", "created"),
    "updated": ("updated_at", "updatedAt", "updated"),
    "tags": ("tags",),
    "reinforcement": ("reinforcement_count", "reinforcementCount"),
    "title": ("title",),
}

_FIELD_OF = {key: name for name, keys in FIELDS.items() for key in keys}
_MAX_FRONT_LINES = 60  # lines among which the front matter begins and ends
_GLUED_FENCE = lazy_pattern(r"[A-Za-z_][\w-]*:.*?(---[ \t]*)$")


class LongTermMemory(NamedTuple):
    """One memory of Brainiac's long-term memory. ``body`` is all of the text but the front matter:
    what comes before and after it.

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
    def body_text(self) -> str:
        """The body as one text, without empty lines around it."""
        pieces = (place.cut(self.text).strip("\r\n \t\ufeff") for place in self.body)
        return "\n\n".join(piece for piece in pieces if piece)


def parse(text: str) -> ParseResult[LongTermMemory]:
    """Parse a memory of Brainiac's long-term memory. Never raises.

    Problem kinds: ``memory-without-front-matter``, ``broken-front-matter``, ``bad-memory-field``,
    ``unknown-memory-field``, ``text-before-front-matter``, ``forged-heading``.
    """
    source, text = text, blank_directives(text, CommentStyle.MARKUP)
    problems: list[Finding] = []
    found, begin, after = _find_front_matter(text)
    if found is None:
        place = next((Span(*line) for line in iter_lines(text) if line[0] < line[1]), Span(0, 0))
        problems.append(_missing_front_matter_problem(text, place))
        front, body = None, [Span(0, len(text))]
    else:
        front, body = Span(begin, after), [Span(0, begin), Span(after, len(text))]
        if text[:begin].strip("\ufeff \t\r\n"):
            message = "Readers other than this one drop what comes before the front matter."
            place, remedy = Span(0, len(text[:begin].rstrip())), "Move it below the second `---`."
            problems.append(Finding(place, message, remedy, kind="text-before-front-matter"))
        for start, end in found.malformed_lines:
            place, remedy = Span(start, end).shift(begin), "Write `key: value`, or delete it."
            message = "The line is no field, so it is left out."
            problems.append(Finding(place, message, remedy, kind="broken-front-matter"))
    fields = dict(_read_fields(found, begin, problems)) if found else {}
    written = [
        line
        for line in reserved_headings.parse_lines(text)
        if not front or not front.contains(line.span.start)
    ]
    heading = next((line.title for line in written if line.level == 1 and not line.fenced), "")
    for place in body:
        inside = reserved_headings.find_forgeries(place.cut(text), memories=True)
        problems += reserved_headings.forged_heading_problems(
            (span.shift(place.start) for span in inside), text
        )
    tags = found.get(*FIELDS["tags"]) if found else None
    document = LongTermMemory(
        source,
        _field_value(fields, "title") or heading,
        _field_value(fields, "uuid"),
        _field_value(fields, "created"),
        _field_value(fields, "updated"),
        tuple(filter(None, (tag.strip().lstrip("#") for tag in tags.texts))) if tags else (),
        _parse_count(_field_value(fields, "reinforcement")) or 0,
        fields,
        front,
        tuple(place for place in body if place.length),
        tuple(memory_index.find_links(written)),
    )
    return ParseResult(document, sort_problems(problems))


def _find_front_matter(text: str) -> tuple[front_matter.FrontMatter | None, int, int]:
    """Return the front matter, where it begins, and where what follows it does.

    Places in it count from its own beginning. Where something stands before it, only one with a
    field that memories have is taken for front matter, and not for text between two rules.
    """
    for number, (start, end) in enumerate(iter_lines(text)):
        if number >= _MAX_FRONT_LINES:
            break
        if text[start:end].strip("\ufeff \t") != front_matter.MARK:
            continue
        piece = text[start:]
        found_front_matter = front_matter.parse_front_matter(piece)
        close = found_front_matter.body if found_front_matter else 0
        if (found_front_matter is None or not _has_memory_field(found_front_matter)) and (
            glued := _find_glued_fence(piece)
        ):
            found_front_matter = front_matter.parse_front_matter(f"{piece[: glued[0]]}\n---\n")
            close = glued[1]
        is_first = not text[:start].strip("\ufeff \t\r\n")
        if found_front_matter and (
            _has_memory_field(found_front_matter)
            or (is_first and not found_front_matter.malformed_lines)
        ):
            return found_front_matter, start, start + close
        if is_first:
            return None, 0, 0
    return None, 0, 0


def _find_glued_fence(piece: str) -> tuple[int, int] | None:
    """Return where a fence that is glued to the last field begins, and where the line after it
    does.
    """
    rows = iter_lines(piece)
    next(rows)
    for number, (start, end) in enumerate(rows):
        if number >= _MAX_FRONT_LINES:
            return None
        if match := _GLUED_FENCE.match(piece, start, end):
            after = next(rows, None)
            return match.start(1), after[0] if after else len(piece)
    return None


def _has_memory_field(found: front_matter.FrontMatter) -> bool:
    return any(key in _FIELD_OF for key in found.by_key)


def _missing_front_matter_problem(text: str, place: Span) -> Finding:
    if text.lstrip("\ufeff \t\r\n").startswith(front_matter.MARK):
        return Finding(
            place,
            "The front matter is never closed or has no field of a memory, so it is read as text "
            "and the memory has neither tags nor an id.",
            "Write a line with nothing but `---` after its last field.",
            kind="broken-front-matter",
        )
    return Finding(
        place,
        "The memory has no front matter, so it has neither an id nor tags by which it is found.",
        "Begin the file with `---`, the fields `uuid` and `tags`, and `---`.",
        kind="memory-without-front-matter",
    )


def _read_fields(
    found: front_matter.FrontMatter, begin: int, problems: list[Finding]
) -> Iterator[tuple[str, Text]]:
    """Yield the fields with a value that can be used, and add the problems of the others to
    ``problems``.
    """
    keys_by_name: dict[str, str] = {}
    for field in found.fields:
        span = Span(field.value_start, max(field.value_start, field.value_end)).shift(begin)
        if (name := _FIELD_OF.get(field.key)) is None:
            if near := edit_distance.nearest_word(field.key, _FIELD_OF):
                problems.append(
                    Finding(
                        Span(field.start, field.start + len(field.key)).shift(begin),
                        f"`{field.key}` is no field of a memory, so nothing reads it.",
                        f"Write `{near}`.",
                        kind="unknown-memory-field",
                        data=(("near", near),),
                    )
                )
            continue
        if name in keys_by_name and keys_by_name[name] != field.key:
            problems.append(
                Finding(
                    Span(field.start, field.start + len(field.key)).shift(begin),
                    f"`{field.key}` and `{keys_by_name[name]}` are the same field, so one of them "
                    "is not read.",
                    "Delete one of them.",
                    kind="bad-memory-field",
                )
            )
            continue
        keys_by_name[name] = field.key
        value = Text(field.value if field.kind == "scalar" else " ".join(field.texts), span)
        if wrong := _find_value_error(name, field.kind, value.value):
            what, remedy = wrong
            problems.append(
                Finding(
                    span,
                    f"`{field.key}` {what}, so it is left out.",
                    remedy,
                    kind="bad-memory-field",
                )
            )
        elif value.value:
            yield name, value


def _find_value_error(name: str, kind: str, value: str) -> tuple[str, str] | None:
    """Return what is wrong with a value, and what to write; None for a good or an empty one."""
    if kind == "empty":
        return None
    if kind == "other":
        return "is no text", "Write a plain value."
    if name == "reinforcement" and _parse_count(value) is None:
        return "is not a whole number from 0 up", "Write digits only."
    if name in ("created", "updated") and iso_time.parse_instant(value) is None:
        return "is no time of ISO 8601", "Write a time such as `2026-01-31T09:30:00Z`."
    return None


def _parse_count(value: str) -> int | None:
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else None


def _field_value(fields: Mapping[str, Text], name: str) -> str:
    return fields[name].value if name in fields else ""
