"""A rule's page: the docstring of its module, with examples that can be run.

The first line is the summary. ``## `` opens a section, the ones of `SECTIONS` in that order. An
example is a fence marked ``bad`` or ``good`` that holds a small file tree in txtar (golang.org/x/
tools/txtar): ``-- path --`` begins a file, ``-- path -> target --`` is a link, and ``\\xNN`` in
a file is one byte, for content that no page could show. ``-- path ×30 --`` is a file of which only
the first of 30 lines is shown; every ``0`` in it counts on. ``-- path (666) --`` has a mode.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

SECTIONS = ("What it does", "Why it matters", "Example", "Evidence")
OPTIONAL_SECTIONS = ("Fix",)

_FENCE = re.compile(r"^```(bad|good)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_MEMBER = re.compile(r"^-- (\S+)(?: -> (\S+)| ×(\d+)| \(([0-7]{3})\))? --$")
_BYTE = re.compile(rb"\\x([0-9a-fA-F]{2})")


@dataclass(frozen=True, slots=True)
class Example:
    """A file tree: path -> text as the page shows it, and path of a link -> where it leads.

    ``repeats``: path -> how many lines of the shown kind the file has. ``modes``: path -> the
    permissions of the file, where they matter.
    """

    files: Mapping[str, str]
    links: Mapping[str, str]
    repeats: Mapping[str, int]
    modes: Mapping[str, int]

    def content(self, path: str) -> bytes:
        """The bytes of a file."""
        if path in self.repeats:
            line = self.files[path]
            count = self.repeats[path]
            return "".join(line.replace("0", str(i)) for i in range(count)).encode()
        return _BYTE.sub(lambda m: bytes.fromhex(m[1].decode()), self.files[path].encode())


@dataclass(frozen=True, slots=True)
class Page:
    """``sections`` are in the order of the page, without their headings."""

    summary: str
    sections: Mapping[str, str]
    bad: Example
    good: Example


def parse(docstring: str) -> Page:
    """Read a page. ValueError where it has no bad and good example."""
    # A heading in an example is one of its file, not of the page.
    text = _FENCE.sub(lambda match: match[0].replace("\n## ", "\n\0## "), docstring.strip() + "\n")
    head, *rest = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    sections = {
        title.strip(): body.replace("\0", "").strip()
        for title, body in zip(rest[::2], rest[1::2], strict=True)
    }
    examples = {match[1]: _example(match[2]) for match in _FENCE.finditer(docstring)}
    if examples.keys() != {"bad", "good"}:
        raise ValueError(f"{head.strip()!r} needs one bad and one good example")
    return Page(head.strip(), sections, examples["bad"], examples["good"])


def render(text: str) -> str:
    """Markdown of a section, each example as the files of its tree."""
    return _FENCE.sub(lambda match: _shown(match[1], _example(match[2])), text)


def _example(body: str) -> Example:
    files: dict[str, str] = {}
    links: dict[str, str] = {}
    repeats: dict[str, int] = {}
    modes: dict[str, int] = {}
    path = ""
    for line in body.splitlines(keepends=True):
        member = _MEMBER.match(line.rstrip("\n"))
        if member and member[2]:
            links[member[1]] = member[2]
        elif member:
            path = member[1]
            files[path] = ""
            if member[3]:
                repeats[path] = int(member[3])
            if member[4]:
                modes[path] = int(member[4], 8)
        elif path:
            files[path] += line
        else:
            raise ValueError(f"an example must begin with a path, not with {line!r}")
    return Example(files, links, repeats, modes)


def _shown(title: str, example: Example) -> str:
    parts = [f"{title.capitalize()}:"]
    for path, text in example.files.items():
        more = example.repeats.get(path, 1) - 1
        note = f" (and {more} more lines like this one)" if more else ""
        note += f" (mode {example.modes[path]:o})" if path in example.modes else ""
        parts.append(f"`{path}`{note}\n\n```text\n{text.rstrip()}\n```")
    parts += (f"`{path}` is a link to `{target}`." for path, target in example.links.items())
    return "\n\n".join(parts)
