"""Find imports such as ``@docs/style.md``, in files of instructions, whose file is missing.

A path is relative to the file's folder, as for Claude Code and Gemini CLI, or to the root, as for
Cursor. One that leaves the project need not exist for everybody.
"""

import os
import posixpath
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from synapse_ls.text.finding import Finding, problem_data
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.workspace import naming_conventions, outside_links
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind

_KINDS = frozenset({FileKind.SYNCED, FileKind.INSTRUCTIONS})
# A word in a sentence that begins with ``@`` names a file if it ends so: ``@app.route`` is none.
_TEXT_SUFFIXES = (".md", ".mdc", ".markdown", ".txt")


# The files of Claude Code, which puts another file in the place of ``@path``.
_IMPORTERS = lazy_pattern(r"(?:.*/)?(?:CLAUDE(?:\.local)?\.md|\.claude/rules/.+)")
# A rule that sends an agent to a file: "Follow `docs/style.md`".
_READ_FILE = lazy_pattern(
    r"(?i)\b(?:see|read|follow|consult|veja|leia|siga|consulte|lee|sigue)\b[^`\n.]{0,40}"
    r"`((?:[\w-][\w.-]*/)+[\w-][\w.-]*\.(?:md|mdc|txt|ya?ml|json|toml))`"
)

# From as many imports of a file on that lead nowhere, they have one cause and are one problem.
_MANY = 4


class ImportedFile(NamedTuple):
    """A mention of a file: its target as written, its place, and the paths, relative to the root,
    of which one has to be there. is_followed: whether clients put the file in its place.
    """

    target: str
    span: Span
    paths: frozenset[str]
    is_followed: bool


def imported_files(facts: FileFacts) -> Iterator[ImportedFile]:
    """Yield the files of the project that a file of instructions imports, dead ones too, in text
    order.
    """
    if facts.kind in RULE_KINDS:
        for match in _READ_FILE.finditer(facts.text):
            paths = frozenset((match[1], posixpath.join(posixpath.dirname(facts.path), match[1])))
            yield ImportedFile(match[1], Span(*match.span(1)), paths, is_followed=True)
    if facts.kind not in _KINDS or "@" not in facts.text:
        return
    from synapse_ls.formats.instruction_rules import read_source

    for mention in read_source(facts.path, facts.text).imports:
        line = facts.lines.line_span(mention.line - 1)
        target, span = mention.target, mention.span
        if target.startswith(("~", "/")) or facts.text[span.start - 1] != "@":
            continue
        # Surely a file: by its ending or its dots, or because it is all that its line has.
        is_file = target.lower().endswith(_TEXT_SUFFIXES) or target.startswith(("./", "../"))
        if not is_file and line.cut(facts.text).strip().lstrip("-*+ ") != f"@{target}":
            continue
        # Where it may be, relative to the root; nothing outside of the project.
        homes = (posixpath.dirname(facts.path), "")
        inside = {posixpath.normpath(posixpath.join(home, target)) for home in homes}
        paths = frozenset(p for p in inside if p != ".." and not p.startswith("../"))
        if paths:
            yield ImportedFile(target, span, paths, mention.is_followed)


def _nearest_file(root: str, target: str) -> str:
    """Return the file that ``target``, relative to the root, misspells; "" where none is near."""
    folder, _, name = target.rpartition("/")
    if ".." in target.split("/"):
        return ""
    near_names = naming_conventions.near_misses(name, outside_links.list_names(root, folder))
    return f"{folder}/{near_names[0]}" if folder and near_names else "".join(near_names[:1])


def with_dead_imports(root: str, facts: FileFacts) -> FileFacts:
    """Return the facts of a file with a problem for each import that leads to no file, or that no
    client follows.
    """
    dead: list[ImportedFile] = []
    unfollowed: list[ImportedFile] = []
    for imported in imported_files(facts):
        if not any(os.path.exists(os.path.join(root, path)) for path in imported.paths):
            dead.append(imported)
        elif not imported.is_followed and _IMPORTERS.fullmatch(facts.path):
            unfollowed.append(imported)
    if not (dead or unfollowed):
        return facts
    sentences = {
        file: f"There is no file `{file.target}`, so a client that follows imports gets nothing "
        "for it."
        if facts.kind in _KINDS
        else f"There is no file `{file.target}`, so an agent that follows this rule reads nothing."
        for file in dead
    }
    near = {file: _nearest_file(root, file.target) for file in dead}
    remedy = "Correct the path, or take it out of the rule."
    if facts.kind in _KINDS:
        remedy = "Correct the path, or delete the import."
    if len(dead) >= _MANY:
        first, second, *more = dead
        message = (
            f"{len(dead)} files that are imported here are not there, so a client that follows "
            f"imports gets nothing for them: `{first.target}`, `{second.target}` and {len(more)} "
            "more."
        )
        sentences, remedy = {first: message}, "Correct the paths, or delete the imports."
    new = [
        Finding(
            file.span,
            sentence,
            f"Write `{near[file]}`." if near[file] and len(sentences) == len(dead) else remedy,
            kind="dead-import",
            data=problem_data(target=file.target, suggestion=near[file]),
        )
        for file, sentence in sentences.items()
    ]
    new += (
        Finding(
            file.span,
            f"Claude Code takes the characters beside `{file.target}` for a part of the path, so "
            "it does not import the file.",
            "Put a space before and behind the import.",
            kind="dead-import",
            data=(("target", file.target),),
        )
        for file in unfollowed
    )
    problems = sorted((*facts.problems, *new), key=lambda problem: problem.span)
    return replace(facts, problems=tuple(problems))
