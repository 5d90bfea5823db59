"""Links of Markdown to files: ``[label](path "title")``, outside fences and code spans."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from synapse_ls.formats.brainiac.headings import Line
from synapse_ls.formats.problem import Problem, Text
from synapse_ls.text.span import Span

_LINK = re.compile(
    r"\[(?:[^\[\]\\\n]|\\.){0,300}\]\([ \t]*(?:<([^<>\n]*)>|([^\s()<>]+))[^()\n]{0,200}\)"
)
_CODE = re.compile(r"(`+)(?:(?!\1).)*\1")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_LONG = 10_000  # code points of a line in which nobody looks for code spans
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//|#")


def links(lines: Iterable[Line]) -> Iterator[Text]:
    """The paths that links lead to, decoded and without a fragment; addresses are no paths."""
    for line in lines:
        if line.fenced or "](" not in line.text:
            continue
        text = (
            _CODE.sub(lambda code: " " * len(code.group()), line.text)
            if "`" in line.text and len(line.text) < _LONG
            else line.text
        )
        for found in _LINK.finditer(text):
            which = 1 if found[1] is not None else 2
            written = found[which]
            path = _decoded(written.partition("#")[0])
            if path and not _SCHEME.match(written):
                yield Text(path, Span(*found.span(which)).shift(line.span.start))


def _decoded(path: str) -> str:
    """A path with its ``%20`` and the like as characters; where they make none they stay."""
    if "%" not in path:
        return path
    raw = _ESCAPE.sub(lambda found: bytes((int(found[1], 16),)), path.encode("utf-8", "replace"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return path


def resolved(folder: str, target: str) -> str | None:
    """The path that ``target``, written in a file of ``folder``, leads to; None out of the root.

    Both are relative to the root, with ``/``.
    """
    if target[:1] in ("/", "\\", "~") or target[1:2] == ":":
        return None
    parts = folder.split("/") if folder else []
    for part in target.replace("\\", "/").split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def forged(places: Iterable[Span], text: str) -> Iterator[Problem]:
    """The headings of the assembled text, and tags of clients, that a file's own text would forge."""
    for place in places:
        shown = " ".join(place.cut(text).split())[:60]
        tag = shown.startswith("<")
        what = "tag in which clients speak to the model" if tag else "heading of the assembled text"
        how = "escaped" if tag else "with its number signs escaped"
        yield Problem(
            "forged-heading",
            place,
            f"`{shown}` is a {what}, so it is told {how}.",
            "Write it as code, in a fenced block." if tag else "Give it another name.",
        )
