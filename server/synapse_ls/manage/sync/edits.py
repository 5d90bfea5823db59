"""Putting what is ours into a file and taking it out again; all around it stays, to the byte."""

from __future__ import annotations

from synapse_ls.formats.managed import Managed
from synapse_ls.manage.edits import break_at
from synapse_ls.manage.sync.change import BROKEN, EDITED, FOREIGN, REFUSED, Change
from synapse_ls.manage.sync.disk import Document
from synapse_ls.sync.files import first_difference, is_current, is_lost, written
from synapse_ls.sync.target import Place, Wanted
from synapse_ls.text.lines import LineIndex

_EDITED = "somebody has changed what `synapse sync` wrote"


def put(document: Document, file: Wanted, target: str, *, force: bool = False) -> Change:
    """The file with what it is to hold."""
    found = document.found
    if refusal := _refused(document, target):
        return refusal
    if found is None:
        if file.whole and document.text.strip():
            return _left(document, target, FOREIGN, "somebody else's file has this name")
        text = written(file) if file.whole else _appended(document, written(file))
        return _changed(document, target, text, _line(document.text, len(document.text)))
    if is_current(file, found):
        return _changed(document, target, document.text, 1)
    line = _line(found.text, first_difference(file, found))
    if file.whole:
        text = document.broken(written(file))
    else:
        ours = document.broken(written(file))
        text = found.text[: found.span.start] + ours + found.text[found.span.end :]
    change = _changed(document, target, text, line)
    if is_lost(file, found) and not force:
        return _with(change, EDITED, _EDITED)
    return change


def take_out(
    document: Document, place: Place, target: str, *, force: bool = False
) -> Change | None:
    """The file without what is ours, or no file where nothing else is in it; None for none of it."""
    found = document.found
    if found is None or document.data is None:
        return None
    if refusal := _refused(document, target):
        return refusal
    rest = "" if place.whole else _without(found)
    line = _line(found.text, found.begin.start)
    if not place.whole and document.encoded(rest):
        change = _changed(document, target, rest, line)
    else:
        change = Change(document.path, target, document.real, document.data, None, line)
    if found.is_edited(whole=place.whole) and not force:
        return _with(change, EDITED, _EDITED)
    return change


def _appended(document: Document, ours: str) -> str:
    """The text with ``ours`` after it. How the file ends tells later how it ended before."""
    text, new = document.text, document.newline
    if not text:
        return f"{ours}\n"
    if text.endswith(("\n", new)):
        return f"{text}{new}{document.broken(ours)}{new}"
    return f"{text}{new}{new}{document.broken(ours)}"


def _without(found: Managed) -> str:
    """The text without the block and the empty line that was put before it."""
    before, after = found.text[: found.span.start], found.text[found.span.end :]
    new = break_at(found.text, found.begin.end)
    if not after:
        return before.removesuffix(new).removesuffix(new)
    return before.removesuffix(new) + after.removeprefix(new)


def _refused(document: Document, target: str) -> Change | None:
    if document.refused:
        return _left(document, target, REFUSED, document.refused)
    if document.found is not None and document.found.broken:
        line = _line(document.text, document.found.span.start)
        return _left(document, target, BROKEN, document.found.broken, line)
    return None


def _left(document: Document, target: str, trouble: str, why: str, line: int = 1) -> Change:
    data = document.data
    return Change(document.path, target, document.real, data, data, line, trouble, why)


def _changed(document: Document, target: str, text: str, line: int) -> Change:
    if text == document.text and document.data is not None:
        after = document.data
    else:
        after = document.encoded(text)
    return Change(document.path, target, document.real, document.data, after, line)


def _with(change: Change, trouble: str, why: str) -> Change:
    return Change(
        change.path,
        change.target,
        change.real,
        change.before,
        change.after,
        change.line,
        trouble,
        why,
    )


def _line(text: str, offset: int) -> int:
    return LineIndex(text).line_of(offset) + 1
