"""Parse YAML 1.2.2 into ruamel.yaml's events, with its C parser if available.

The C parser (libyaml 0.1) reads YAML 1.1. Characters that mean something else there are replaced by
unused private-use characters of the same length, and restored in every value: offsets stay valid,
and both parsers give the same result.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from synapse_ls.formats import yaml_repairs
from synapse_ls.text.lazy_pattern import lazy_pattern

# Content to YAML 1.2 (sections 5.4 and 7.3.3): NEL, LS and PS, which 1.1 takes for line breaks, and
# inside brackets a "?" or ":" within a word (`[http://x]`). Tags are matched to be left alone.
# Each alternative begins with its character: only so does `re` skip what begins none.
_CONTENT = lazy_pattern(
    r"!(?<![^\s\[{,]!)\S*|\x85|\u2028|\u2029|\?(?<=[^\s\[\]{},?]\?)"
    r"|:(?<=[^\s\[\]{},\"']:)(?=[^\s\[\]{},])"
)
_VERSION = r"(?m)^%YAML 1\.[02-9](?=\s)"
_PRIVATE_USE = range(0x10F000, 0x10FFFE)
# More %TAG lines than anyone writes; libyaml compares each one with all others.
_MAX_DIRECTIVES = 100

_KINDS = {
    "DocumentStartEvent": "document",
    "MappingStartEvent": "mapping",
    "SequenceStartEvent": "sequence",
    "MappingEndEvent": "end",
    "SequenceEndEvent": "end",
    "ScalarEvent": "scalar",
    "AliasEvent": "alias",
}


# What is wrong, and the remedy, where the text ends inside brackets.
UNCLOSED_BRACKET = {
    opening: (f"The `{opening}` is never closed", f"Add the closing `{closing}`.")
    for opening, closing in ("[]", "{}")
}


class YamlFailure(Exception):  # noqa: N818 - an outcome of reading, not a fault of the reader
    """A YamlFailure says that the event stream of a text shows that it is not YAML: where (an
    offset), why, and what to do about it.

    ``length`` is how many characters are wrong there. ``unfinished`` is set where the text ends too
    early and the parser does not say what is open, ``repair`` where it is known what was meant.
    """

    def __init__(
        self,
        offset: int,
        what: str,
        remedy: str = "",
        *,
        unfinished: bool = False,
        repair: yaml_repairs.Repair | None = None,
        length: int = 1,
    ) -> None:
        super().__init__(what)
        self.offset = offset
        self.reason = what
        self.remedy = remedy
        self.unfinished = unfinished
        self.repair = repair
        self.length = length


_MOST_KEY_WORDS = 4  # of a key; a line of more words is a sentence


def parse_events(text: str) -> Iterator[tuple[str, Any]]:
    """Yield the ``(kind, event)`` pairs of a YAML text without control characters; raise
    `YamlFailure`.

    Kinds: document, mapping, sequence, end, scalar, alias. An event's marks carry code-point
    offsets in ``.index``.
    """
    # The import costs more than most files, and many commands never need it.
    from synapse_ls.formats.yaml_library import CParser, YAMLError

    if text.count("\n%") > _MAX_DIRECTIVES:
        raise YamlFailure(0, "The YAML begins with too many % directives")
    shielded, restore = _shield_content(
        re.sub(_VERSION, "%YAML 1.1", text) if "%YAML" in text else text
    )
    try:
        if CParser is None:
            from ruamel.yaml import YAML

            events: Iterator[Any] = YAML(typ="safe", pure=True).parse(shielded)
        else:
            events = iter(CParser(shielded).get_event, None)
        for event in events:
            kind = _KINDS.get(type(event).__name__)
            if kind == "scalar" and restore and not event.value.isascii():
                event.value = event.value.translate(restore)
            if kind:
                yield kind, event
    except (YAMLError, ValueError) as error:
        raise _explain_error(error, text) from None


def _shield_content(text: str) -> tuple[str, dict[int, int]]:
    """Return the text with its 1.2-only content exchanged, and the table that changes it back."""
    if text.isascii() and "[" not in text and "{" not in text:
        return text, {}
    characters = {part for part in set(_CONTENT.findall(text)) if len(part) == 1} - {"!"}
    if not characters:
        return text, {}
    spare = (shield for shield in map(chr, _PRIVATE_USE) if shield not in text)
    shields = dict(zip(characters, spare, strict=False))
    shielded = _CONTENT.sub(lambda match: shields.get(match[0], match[0]), text)
    return shielded, {ord(shield): ord(content) for content, shield in shields.items()}


class _Reason(NamedTuple):
    needle: str
    what: str
    remedy: str


_SECOND_COLON = _Reason(
    "mapping values are not allowed",
    "There is a `: ` where no key can begin",
    "Quote the value, or align the line with its neighbours.",
)
_LATE_ITEM = _Reason(
    "sequence entries",
    "There is a `- ` where no list item can begin",
    "Start the list on a new line, or quote the value.",
)
_BLOCK_HEAD = _Reason(
    "comment or", "Only a comment may follow `|` or `>`", "Start the text on a new line."
)

_NO_TOKEN = _Reason(
    "cannot start any token", "`{}` cannot begin an unquoted value", "Quote the value."
)
_NO_PAIR = _Reason(
    "expected ':'", "This line is no `key: value` pair", "Add the colon, or indent it."
)

# What the parsers say, as far as their wordings agree, and what we say. The first match counts.
_REASONS = (
    _SECOND_COLON,
    _LATE_ITEM,
    _NO_TOKEN,
    _Reason("unexpected ':'", "A colon is in an unquoted value in brackets", "Quote it."),
    _NO_PAIR,
    _Reason("alphabetic or numeric", "An unquoted `*` or `&` begins a name", "Quote the value."),
    _Reason("escape", "The double-quoted text holds an unknown escape", "Double the backslash."),
    _Reason("decimal", "The double-quoted text holds a broken escape", "Double the backslash."),
    _Reason("document start", "Text follows the end of the document", "Indent it, or delete it."),
    _Reason("tag handle", "The tag has a prefix that no %TAG line declares", "Delete the tag."),
    _BLOCK_HEAD,
    _Reason("',' or", "A comma or a closing bracket is missing before this", "Add it."),
    _Reason(
        "expected",
        "The indentation of this line does not fit the lines above",
        "Align the line with its neighbours.",
    ),
)
_LOOSE_ITEM = _Reason(
    "",
    "A list item is among the keys of a mapping",
    "Give the list a key of its own, and indent the items below it.",
)
_CLOSED_ABOVE = _Reason(
    "",
    "The text goes on below a value whose quotation marks are closed",
    "Put all of the text into the quotation marks, or below a key with `|`.",
)
_CLOSED_VALUE = lazy_pattern(r"([ \t]*)[^\s#-][^\n#]*?:[ \t]+(?:\"[^\"]*\"|'[^']*')")
_KEY_LINE = lazy_pattern(r"[^\s#\"'][^#\"'\n]*?:(?=\s|$)")
_PROSE_REMEDY = "Make it a comment, or end the YAML above it."
_MISPLACED = _Reason("", "This does not belong to the value before it", "Quote the whole value.")
_UNKNOWN_REASON = _Reason("", "The structure breaks here", "")
# What the parser was doing when the text or the document ended.
_UNCLOSED = (
    _Reason(
        "quoted scalar", "The quotation mark is never closed", "Add the closing quotation mark."
    ),
    _Reason("flow sequence", *UNCLOSED_BRACKET["["]),
    _Reason("flow mapping", *UNCLOSED_BRACKET["{"]),
)


def _explain_error(error: Any, text: str) -> YamlFailure:
    """Return an error of either parser as a failure with one sentence of ours; their words and
    places differ.
    """
    problem = str(getattr(error, "problem", None) or error)
    context = str(getattr(error, "context", None) or "")
    mark, begun = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    offset = min(mark.index if mark else 0, len(text))
    at_end = not text[offset:].strip()
    if begun and ("document indicator" in problem or at_end):
        for reason in _UNCLOSED:
            if reason.needle in context:
                repair = yaml_repairs.close_on_line(text, begun.index, reason.what, reason.remedy)
                return YamlFailure(begun.index, reason.what, reason.remedy, repair=repair)
    char = text[offset : offset + 1]
    if char == "\t" or "tab character" in problem:
        what = "A tab indents this line, and YAML allows only spaces"
        repair = yaml_repairs.replace_tabs(text, offset, what, "Use spaces.")
        return YamlFailure(offset, what, "Use spaces.", repair=repair)
    if begun and "',' or" in problem and "\n" in text[begun.index : offset]:
        # The brackets end on their own line, and the text goes on below.
        reason = _UNCLOSED[1 + (text[begun.index] == "{")]
        repair = yaml_repairs.close_on_line(text, begun.index, reason.what, reason.remedy)
        if repair is not None:
            return YamlFailure(begun.index, reason.what, reason.remedy, repair=repair)
    reason = next((reason for reason in _REASONS if reason.needle in problem), _UNKNOWN_REASON)
    start = begun.index if begun else offset
    line = text[text.rfind("\n", 0, start) + 1 :].partition("\n")[0]
    if reason is _NO_PAIR:
        if repair := yaml_repairs.repair_continuation(text, start):
            begin = start - len(line) + len(line.lstrip())
            length = len(line.strip())
            return YamlFailure(begin, repair.reason, repair.remedy, repair=repair, length=length)
        remedy = _PROSE_REMEDY if len(line.split()) > _MOST_KEY_WORDS else _NO_PAIR.remedy
        return YamlFailure(start, _NO_PAIR.what, remedy, unfinished=at_end)
    if reason is _REASONS[-1]:
        if (before := text[:offset].rstrip(" \t")) and before[-1] not in "\r\n":
            reason = _MISPLACED
        elif "block mapping" in context and text.startswith("- ", offset):
            reason = _LOOSE_ITEM
        else:
            begin = text.rfind("\n", 0, offset) + 1
            above = _CLOSED_VALUE.fullmatch(text[:begin].rstrip().rpartition("\n")[2])
            goes_on = above and len(above[1]) < offset - begin and not _KEY_LINE.match(text, offset)
            reason = _CLOSED_ABOVE if goes_on else _REASONS[-1]
    repair = None if at_end else _find_repair(reason, text, offset)
    if repair is not None:
        edited, length = repair.edit.span, 1
        if edited.length and not repair.edit.new_text:
            offset, length = edited.start, edited.length
        elif edited.cut(text)[:1] in ("|", ">"):
            offset = edited.start
        elif repair.reason in (yaml_repairs.AFTER_BRACKET, yaml_repairs.AFTER_QUOTATION_MARK):
            length = edited.end - offset
        return YamlFailure(offset, repair.reason, repair.remedy, repair=repair, length=length)
    what = reason.what.replace("{}", char)
    return YamlFailure(offset, what, reason.remedy, unfinished=at_end)


def _find_repair(reason: _Reason, text: str, offset: int) -> yaml_repairs.Repair | None:
    """Return what was meant by the line that is refused for a reason, None where nobody knows."""
    if reason is _SECOND_COLON:
        return (
            yaml_repairs.repair_second_colon(text, offset)
            or yaml_repairs.repair_key_below_text(text, offset)
            or yaml_repairs.repair_indent(text, offset)
        )
    if reason is _REASONS[-1]:
        return yaml_repairs.repair_key_in_list(text, offset)
    if reason is _BLOCK_HEAD and (
        unmarked_text := yaml_repairs.repair_unmarked_text(text, offset)
        or yaml_repairs.repair_block_mark(text, offset)
    ):
        return unmarked_text
    if reason is _NO_TOKEN:
        return yaml_repairs.quote_value(text, offset, reason.what.replace("{}", text[offset]))
    if reason in (_MISPLACED, _LATE_ITEM, _BLOCK_HEAD):
        item = yaml_repairs.repair_item_with_colon(text, offset)
        return item or yaml_repairs.repair_misplaced_text(text, offset)
    return None
