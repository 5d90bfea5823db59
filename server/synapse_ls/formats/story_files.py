"""A story's file list: which files it touches, and what the story says about each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats.lists import Item, cells, item_of
from synapse_ls.formats.markdown import Outline, Section
from synapse_ls.formats.names import slug
from synapse_ls.formats.problem import Text
from synapse_ls.text.span import Span

HEADINGS = frozenset(
    {
        "file list",
        "files",
        "files list",
        "files modified",
        "modified files",
        "files created",
        "files changed",
        "changed files",
        "files affected",
        "affected files",
        "files to create",
        "files to modify",
        "lista de arquivos",
        "lista de ficheiros",
        "arquivos modificados",
        "arquivos alterados",
        "ficheiros alterados",
    }
)
# A sub-heading that begins with one of these words says what happened to the files below it.
_ACTIONS = {
    **dict.fromkeys(("new", "created", "create", "added", "novo", "novos", "criados"), "new"),
    **dict.fromkeys(
        ("modified", "modify", "changed", "updated", "edited", "modificados", "alterados"),
        "modified",
    ),
    **dict.fromkeys(("deleted", "delete", "removed", "removidos", "excluidos"), "deleted"),
    **dict.fromkeys(("renamed", "moved", "renomeados", "movidos"), "moved"),
}
_NAMES = frozenset(
    {
        *("brewfile", "codeowners", "dockerfile", "gemfile", "jenkinsfile", "justfile", "license"),
        *("makefile", "notice", "procfile", "rakefile", "readme", "vagrantfile"),
    }
)
_COLUMNS = ("action", "status", "change", "type", "acao", "tipo", "estado")
_LINK = re.compile(r"\[([^\[\]]*)\]\(([^()\s]*)[^()]*\)")
_CODE = re.compile(r"`([^`]+)`")
_WORD = re.compile(r"[^\s`|<>\"'()\[\]{},;]+")
_PATH = re.compile(
    r"(?:\.{0,2}/)?(?:[^\s/:]+/)*(?:[^\s/:]*\.[A-Za-z0-9]{1,12}|[^\s/:]+/[^\s/:]*|\.[\w.-]+)/?"
)


@dataclass(frozen=True, slots=True)
class FileItem:
    """A file of the story; ``note`` is what its line says beside the path, e.g. "new"."""

    path: str
    note: str
    span: Span


def files(outline: Outline) -> tuple[FileItem, ...]:
    """The files of every file list in the story, each path once, in text order."""
    found: dict[str, FileItem] = {}
    for section in outline.sections:
        if section.slug in HEADINGS and not _inside(outline, section):
            for part in outline.under(section):
                action = "" if part is section else _action(part.slug)
                for item in _files(part, action):
                    known = found.get(item.path)
                    if known is None or (item.note and not known.note):
                        found[item.path] = item
    return tuple(sorted(found.values(), key=lambda item: item.span))


def _inside(outline: Outline, section: Section) -> bool:
    return any(parent.slug in HEADINGS for parent in outline.parents(section))


def _action(words: str) -> str:
    return next((_ACTIONS[word] for word in words.split() if word in _ACTIONS), "")


def _files(section: Section, action: str) -> Iterator[FileItem]:
    group, column = "", -1
    for line in section.lines:
        if line.fence is not None:
            continue
        item, row = item_of(line), cells(line)
        if item and (path := _path(Text(item.text, item.body))):
            yield FileItem(path.value, _note(item, path) or group or action, path.span)
        elif row:
            paths = [(number, path) for number, cell in enumerate(row) if (path := _path(cell))]
            if not paths:
                column = next((n for n, c in enumerate(row) if slug(c.value) in _COLUMNS), -1)
                continue
            number, path = paths[0]
            after = next((cell.value for cell in row[number + 1 :] if cell.value), "")
            note = row[column].value if 0 <= column < len(row) else after
            yield FileItem(path.value, note or group or action, path.span)
        elif line.text.rstrip().endswith(":"):
            group = _action(slug(line.text))


def _path(text: Text) -> Text | None:
    """The path that a list item or table cell names: as a link, in back-ticks, or bare."""
    value, start = text.value, text.span.start
    link = _LINK.search(value)
    if link:
        label = link.group(1).strip("`* ")
        if label and " " not in label and (_is_path(label) or link.group(2).endswith(label)):
            return _text(label, start + link.start(1) + link.group(1).index(label))
        target = link.group(2).removeprefix("./")
        return _text(target, start + link.end(2) - len(target)) if _is_path(target) else None
    code = _CODE.search(value)
    if code:
        path = code.group(1).strip()
        begin = start + code.start(1) + code.group(1).index(path)
        return _text(path, begin) if path and " " not in path else None
    for word in _WORD.finditer(value):
        path = word.group().strip("*").rstrip(".:")
        if _is_path(path):
            return _text(path, start + word.start() + word.group().index(path))
        if not all(known in _ACTIONS for known in slug(path).split()):
            break
    return None


def _is_path(word: str) -> bool:
    named = word.lower() in _NAMES or _PATH.fullmatch(word)
    return bool(named) and any(c.isalpha() for c in word)


def _text(path: str, start: int) -> Text:
    return Text(path, Span(start, start + len(path)))


def _note(item: Item, path: Text) -> str:
    """What follows the path, without brackets and dashes; else the words before it."""
    offset = path.span.start - item.body.start
    before, after = item.text[:offset], item.text[offset + len(path.value) :]
    after = re.sub(r"^[`*]*(?:\]\([^()]*\)|\))?[`*]*", "", after).strip(" \t:–—-")
    if after.startswith("(") and after.endswith(")") and after.count("(") == 1:
        after = after[1:-1]
    return after.strip() or _action(slug(before))
