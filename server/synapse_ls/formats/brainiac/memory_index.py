"""Parse Brainiac's index files, access log and core identity, and the links in them.

``_index.md`` has a folder's summary, its files with a word on each, and related memories by id;
summaries are what a search matches. ``logs/access.log`` has lines ``[time] | ACTION | path``, or
JSON with these fields, where a path may contain anything (Brainiac Context Ordering).
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from synapse_ls.formats.brainiac.reserved_headings import (
    MarkdownLine,
    find_forgeries,
    forged_heading_problems,
    normalize_title,
    parse_lines,
)
from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives
from synapse_ls.text import fast_json, front_matter, iso_time, line_index
from synapse_ls.text.finding import Finding, ParseResult, Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

_LINK = lazy_pattern(
    r"\[(?:[^\[\]\\\n]|\\.){0,300}\]\([ \t]*(?:<([^<>\n]*)>|([^\s()<>]+))[^()\n]{0,200}\)"
)
_CODE = lazy_pattern(r"(?<!`)(`++)(?:(?!\1).)*\1")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_MAX_LINE = 10_000  # code points of a line in which nobody looks for code spans
_SCHEME = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]+:|//|#")


def find_links(lines: Iterable[MarkdownLine]) -> Iterator[Text]:
    """Yield the paths that Markdown links lead to, decoded and without a fragment; addresses are no
    paths.
    """
    for line in lines:
        if line.fenced or "](" not in line.text:
            continue
        text = (
            _CODE.sub(lambda code: " " * len(code.group()), line.text)
            if "`" in line.text and len(line.text) < _MAX_LINE
            else line.text
        )
        for match in _LINK.finditer(text):
            which = 1 if match[1] is not None else 2
            written = match[which]
            path = _decode_path(written.partition("#")[0])
            if path and not _SCHEME.match(written):
                yield Text(path, Span(*match.span(which)).shift(line.span.start))


def _decode_path(path: str) -> str:
    """Return a path with its ``%20`` and the like as characters; where they make none they stay."""
    if "%" not in path:
        return path
    raw = _ESCAPE.sub(lambda found: bytes((int(found[1], 16),)), path.encode("utf-8", "replace"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return path


_ITEM = lazy_pattern(r"[ \t]*[-*+][ \t]+")
_ENTRY_NAME = lazy_pattern(
    r"`([^`\n]+)`|\*\*([^*\n]+)\*\*|([^\s:*`\[\]()|]+(?:/|\.md))(?=[\s:,)]|$)"
)
_ABOUT_SEPARATOR = lazy_pattern(r"[ \t]*(?:[-–—:|]|→)[ \t]*|[ \t]+")
_UUID = lazy_pattern(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_RELATED = ("related memories", "related", "memorias relacionadas")
_SUFFIX = ".md"


class IndexEntry(NamedTuple):
    """A file or a folder that an ``_index.md`` lists, as it is written, and what is said
    about it.
    """

    path: Text
    about: str
    line: int


class MemoryIndex(NamedTuple):
    """A parsed ``_index.md``: ``summary`` is its prose before the first list, ``related`` are ids
    of memories.
    """

    text: str
    title: str
    summary: str
    entries: tuple[IndexEntry, ...]
    related: tuple[Text, ...]
    links: tuple[Text, ...]


def parse_memory_index(text: str) -> ParseResult[MemoryIndex]:
    """Parse an ``_index.md``; anything else that stands in it is ignored. Never raises.

    Problem kinds: ``forged-heading``.
    """
    source, text = text, blank_directives(text, CommentStyle.MARKUP)
    front = front_matter.parse_front_matter(text)
    lines = [line for line in parse_lines(text) if front is None or line.span.start >= front.body]
    title = ""
    summary: list[str] = []
    entries: list[IndexEntry] = []
    related: list[Text] = []
    heading = ""
    for line in lines:
        if line.fenced or line.underline:
            continue
        if line.level:
            heading = normalize_title(line.title)
            title = title or line.title
            continue
        item = _ITEM.match(line.text)
        if heading in _RELATED:
            related += (
                Text(id.group(), Span(*id.span()).shift(line.span.start))
                for id in _UUID.finditer(line.text)
            )
        elif item:
            entries += _parse_entry(line, item.end())
        elif not entries and line.text.strip() and line.text.strip("-* \t"):
            summary.append(line.text.strip())
    problems: tuple[Finding, ...] = tuple(
        forged_heading_problems(find_forgeries(text, memories=True), text)
    )
    document = MemoryIndex(
        source, title, " ".join(summary), tuple(entries), tuple(related), tuple(find_links(lines))
    )
    return ParseResult(document, problems)


def _parse_entry(line: MarkdownLine, at: int) -> Iterator[IndexEntry]:
    """Yield the file that an item of a list begins with, or nothing."""
    linked = next(iter(find_links((line,))), None)
    if linked is not None:
        close = line.text.find(")", linked.span.end - line.span.start)
        yield IndexEntry(linked, _text_after_entry(line.text, close + 1), line.number)
        return
    if (named := _ENTRY_NAME.match(line.text, at)) is None:
        return
    which = next(group for group in (1, 2, 3) if named[group] is not None)
    name = named[which].strip()
    if not name.endswith((_SUFFIX, "/")):
        return
    start = line.span.start + named.start(which)
    yield IndexEntry(
        Text(name, Span(start, start + len(named[which]))),
        _text_after_entry(line.text, named.end()),
        line.number,
    )


def _text_after_entry(line: str, at: int) -> str:
    gap = _ABOUT_SEPARATOR.match(line, at)
    return line[gap.end() if gap else at :].strip()


ACTIONS = ("READ", "WRITE", "MODIFY")


class MemoryAccess(NamedTuple):
    """One line of the access log: ``time`` as it is written, ``action`` one of `ACTIONS`, ``path``
    with ``/``.
    """

    time: str
    action: str
    path: str
    line: int


class AccessLog(NamedTuple):
    """The lines of the access log that can be read, in the order of the file."""

    entries: tuple[MemoryAccess, ...]


def parse_access_log(text: str) -> ParseResult[AccessLog]:
    """Parse the access log of Brainiac. Never raises. Problem kinds: ``bad-access-line``."""
    entries: list[MemoryAccess] = []
    problems: list[Finding] = []
    for number, (start, end) in enumerate(line_index.iter_lines(text)):
        if not (line := text[start:end].strip()):
            continue
        parts = line.split(" | ", 2)  # a path may have one, too
        if line[0] == "{":
            try:
                value = fast_json.loads(line)
            except fast_json.JsonError:
                value = None
            keys = ("time", "action", "path") if isinstance(value, dict) else ()
            parts = [str(value.get(key, "")) for key in keys]
        else:
            parts[0] = parts[0].strip().removeprefix("[").removesuffix("]")
        time, action, path = (*parts, "", "", "")[:3]
        word = action.strip().upper()
        if iso_time.parse_instant(time) is not None and word in ACTIONS and path.strip():
            entries.append(MemoryAccess(time, word, path.strip().replace("\\", "/"), number))
        else:
            message = "The line is no access to a memory, so it counts for nothing."
            remedy = "Write `[2026-01-31T09:30:00Z] | READ | skills/sql.md`."
            problems.append(Finding(Span(start, end), message, remedy, kind="bad-access-line"))
    return ParseResult(AccessLog(tuple(entries)), tuple(problems))


TITLE = "Core Identity"


class CoreIdentity(NamedTuple):
    """An agent's identity: ``body`` is its text without empty lines around it, ``line`` where it
    begins.
    """

    text: str
    body: str
    line: int


def parse_core_identity(text: str) -> ParseResult[CoreIdentity]:
    """Parse a core identity. Never raises. Problem kinds: ``forged-heading``."""
    directives = blank_directives(text, CommentStyle.MARKUP)
    start = len(directives) - len(directives.lstrip("\ufeff \t\r\n"))
    start = max(directives.rfind("\n", 0, start), directives.rfind("\r", 0, start)) + 1
    said = directives[start:].rstrip().lstrip("\ufeff")
    before = directives[:start]
    line = before.count("\n") + before.count("\r") - before.count("\r\n")
    problems = tuple(forged_heading_problems(find_forgeries(directives, title=TITLE), directives))
    return ParseResult(CoreIdentity(text, said if said.strip() else "", line), problems)
