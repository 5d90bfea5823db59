"""This module finds Markdown links to files, ``[label](path "title")``, outside fences and code
spans, and resolves their paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from synapse_ls.formats.brainiac.reserved_headings import MarkdownLine
from synapse_ls.text.parse_result import Text
from synapse_ls.text.span import Span

_LINK = re.compile(
    r"\[(?:[^\[\]\\\n]|\\.){0,300}\]\([ \t]*(?:<([^<>\n]*)>|([^\s()<>]+))[^()\n]{0,200}\)"
)
_CODE = re.compile(r"(`+)(?:(?!\1).)*\1")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_MAX_LINE = 10_000  # code points of a line in which nobody looks for code spans
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//|#")


def find_links(lines: Iterable[MarkdownLine]) -> Iterator[Text]:
    """Yields the paths that Markdown links lead to, decoded and without a fragment; addresses are
    no paths.
    """
    for line in lines:
        if line.fenced or "](" not in line.text:
            continue
        text = (
            _CODE.sub(lambda code: " " * len(code.group()), line.text)
            if "`" in line.text and len(line.text) < _MAX_LINE
            else line.text
        )
        for found in _LINK.finditer(text):
            which = 1 if found[1] is not None else 2
            written = found[which]
            path = _decode_path(written.partition("#")[0])
            if path and not _SCHEME.match(written):
                yield Text(path, Span(*found.span(which)).shift(line.span.start))


def _decode_path(path: str) -> str:
    """Returns a path with its ``%20`` and the like as characters; where they make none they stay."""
    if "%" not in path:
        return path
    raw = _ESCAPE.sub(lambda found: bytes((int(found[1], 16),)), path.encode("utf-8", "replace"))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return path


def resolve_path(folder: str, target: str) -> str | None:
    """Returns the path that a Markdown link, written in a file of ``folder``, leads to; None out of
    the root.

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
