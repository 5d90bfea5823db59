"""What a CARL tree becomes, whichever of CARL's two formats it has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.formats.carl import document as carl_document
from synapse_ls.formats.carl import manifest as carl_manifest
from synapse_ls.formats.carl.document import CarlDocument
from synapse_ls.formats.manifest import Declaration, Manifest
from synapse_ls.manage.migrate import convert, version2
from synapse_ls.manage.migrate.change import KEPT, Change
from synapse_ls.manage.migrate.convert import Converted, always_told
from synapse_ls.manage.migrate.kept import FOLDER, kept_files
from synapse_ls.manage.migrate.names import file_of, new_names
from synapse_ls.manage.migrate.reading import (
    CARL,
    MANIFEST,
    V2,
    Carl,
    Source,
    read_carl,
    read_text,
    shorten,
)
from synapse_ls.manage.plan import ManageError
from synapse_ls.text.counted import counted
from synapse_ls.text.lines import LineIndex
from synapse_ls.workspace import folders
from synapse_ls.workspace.above import above

_MISREAD = ("bad-state", "bad-boolean", "inline-comment")


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to know about a line of the old tree; ``line`` counts from 1, 0 is the whole file."""

    path: str
    line: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Old:
    """A CARL tree. ``always``: domains whose only keyword is the empty one, which CARL finds in every
    prompt; ``waiting``: those that have others beside it. ``floors``: where its brackets begin, in
    percent left, None for where those of a tree do.
    ``names``: new names of its domains. ``texts``: the files that its rules become, by path, the
    manifest last. ``kept``: what is kept to be read. ``left``: (file, why) of the rest."""

    always: tuple[str, ...]
    waiting: tuple[str, ...]
    floors: Mapping[str, int] | None
    names: Mapping[str, str]
    texts: Mapping[str, Converted]
    kept: tuple[Change, ...]
    remarks: tuple[Remark, ...]
    left: tuple[tuple[str, str], ...]


def read_old(root: Path) -> Old:
    """The tree in ``root``, CARL v2's where it has both. ManageError where there is none."""
    if (root / V2).is_file():
        return _version2(root)
    if (root / MANIFEST).is_file():
        return _version1(root)
    raise ManageError(
        f"There is no {MANIFEST} in {root}, so there is nothing to migrate.",
        "Name the folder that has one: `synapse migrate DIR`.",
    )


def _version1(root: Path) -> Old:
    carl = read_carl(root)
    names = new_names(dict.fromkeys((*carl.rules, *carl.document.domains)))
    texts = dict(_converted(carl, names))
    left = ((f"{CARL}/{name}", why) for name, why in carl.left.items())
    remarks = (
        *_renamed(MANIFEST, names),
        *_keywords(carl.manifest, carl.document),
        *_misread(carl.manifest),
        *_unread(texts),
    )
    kept = tuple(kept_files(root, carl))
    domains = carl.document.domains.items()
    always = tuple(name for name, declared in domains if always_told(declared))
    waiting = tuple(name for name, declared in domains if name in carl.rules and _waits(declared))
    return Old(always, waiting, None, names, texts, kept, remarks, tuple(left))


def _converted(carl: Carl, names: Mapping[str, str]) -> Iterator[tuple[str, Converted]]:
    """The files of the new tree, by path."""
    for name, source in carl.rules.items():
        path = f"{folders.TREE}/{file_of(names[name])}"
        others = [n for n, s in carl.rules.items() if s.path == source.path and n != name]
        yield path, convert.domain(source, name, names[name], others)
    if carl.context is not None:
        yield f"{folders.TREE}/context", convert.context(carl.context)
    if carl.commands is not None:
        yield f"{folders.TREE}/commands", convert.commands(carl.commands)
    yield folders.MANIFEST, convert.manifest(carl.manifest, carl.document, names)


def _version2(root: Path) -> Old:
    source = read_text(root, V2)
    document, problems = carl_document.parse(source.text)
    if document.root is None:
        line, column = LineIndex(source.text).position(problems[0].span.start)
        raise ManageError(f"{V2}:{line + 1}:{column + 1} {problems[0].message}", "Mend the file.")
    names = new_names(
        dict.fromkeys(
            (
                *document.manifest.domains,
                *(rule.domain for rule in document.rules.rules),
                *(decision.domain for decision in document.decisions),
            )
        )
    )
    pages = {path: text.encode("utf-8", "replace") for path, text in version2.pages(document)}
    pages[f"{FOLDER}/carl.json"] = source.data
    kept = (Change(KEPT, p, root / p, None, data, f"from {V2}") for p, data in pages.items())
    lines = LineIndex(source.text)
    remarks = (
        *_renamed(V2, names),
        *(Remark(V2, lines.line_of(p.span.start) + 1, p.message) for p in problems),
        *_counted(document),
        *_above(root),
    )
    left = ((name, f"CARL v2 reads {V2} alone") for name in _others(root))
    texts = dict(version2.converted(document, names))
    return Old((), (), version2.FLOORS, names, texts, tuple(kept), remarks, tuple(left))


def _above(root: Path) -> Iterator[Remark]:
    """The files that CARL merges with this one."""
    for one in above(str(root)):
        if (root / one.path).is_file():
            sentence = (
                "CARL tells its domains here too; a tree of .synapse/ takes nothing from above."
            )
            yield Remark(one.path, 0, sentence)


def _others(root: Path) -> Iterator[str]:
    """What else lies in the folder of a tree of CARL v2."""
    for entry in sorted((root / CARL).iterdir()):
        if entry.name not in ("carl.json", "sessions"):
            yield f"{CARL}/{entry.name}{'/' * entry.is_dir()}"


def _renamed(path: str, names: Mapping[str, str]) -> Iterator[Remark]:
    for name, new in names.items():
        if new != name:
            yield Remark(path, 0, f"The domain {name} is called {new} here.")


def _counted(document: CarlDocument) -> Iterator[Remark]:
    """What there is that has no counterpart."""
    if count := len(document.decisions):
        told = sum(bool(one.told) for one in document.decisions)
        yield Remark(
            V2,
            0,
            f"{counted(count, 'decision')}, {told} of them held and became rules; their ids, reasons, "
            f"dates and words are kept in {version2.DECISIONS}.",
        )
    if count := len(document.staging):
        yield Remark(
            V2, 0, f"{counted(count, 'staged rule')}: kept in {version2.STAGING}, told to nobody."
        )
    if document.post_compact_gate is not None:
        yield Remark(
            V2,
            0,
            "`post_compact_gate` has no counterpart: after a compaction the block is always told anew.",
        )


def _waits(declared: Declaration) -> bool:
    """Whether a domain has an empty keyword beside others."""
    recall = declared.entries.get("RECALL")
    if recall is None or not recall.line.items or declared.always_on or not declared.active:
        return False
    return any(problem.kind == "empty-recall-item" for problem in recall.line.problems)


def _keywords(source: Source, manifest: Manifest) -> Iterator[Remark]:
    """What becomes of empty keywords."""
    lines = LineIndex(source.text)
    for name, declared in manifest.domains.items():
        recall = declared.entries.get("RECALL")
        if recall is None or not declared.active or declared.always_on:
            continue
        line = lines.line_of(recall.key_start) + 1
        if always_told(declared):
            yield Remark(
                source.path,
                line,
                f"{name} was told with every prompt, because its keyword is empty; it is always on "
                "now. Give it keywords instead if that was not meant.",
            )
        elif _waits(declared):
            yield Remark(
                source.path,
                line,
                f"{name} was told with every prompt, because one of its keywords is empty; now the "
                f"others count. Write {name}_ALWAYS_ON=true to have it told always.",
            )


def _misread(source: Source) -> Iterator[Remark]:
    """Values that CARL takes for something else than they seem to say."""
    lines = LineIndex(source.text)
    for problem in carl_manifest.parse(source.text).problems:
        if problem.kind in _MISREAD:
            line = lines.line_of(problem.span.start) + 1
            yield Remark(source.path, line, f"{problem.message} It stays so.")


def _unread(texts: Mapping[str, Converted]) -> Iterator[Remark]:
    for found in texts.values():
        if found.unread:
            lines = [str(line + 1) for line in found.unread]
            several = len(lines) > 1
            yield Remark(
                found.source,
                found.unread[0] + 1,
                f"CARL never read line{'s' * several} {shorten(lines)}; "
                f"{'they are comments' if several else 'it is a comment'} now.",
            )
