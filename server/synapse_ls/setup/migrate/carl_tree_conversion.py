"""Conversion of a CARL tree as a whole, of either format, with remarks on what changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.formats.carl import carl_json as carl_document
from synapse_ls.formats.carl import manifest as carl_manifest
from synapse_ls.formats.carl.carl_json import CarlDocument
from synapse_ls.formats.manifest import DomainDeclaration, Manifest
from synapse_ls.setup.migrate import carl_file_conversion
from synapse_ls.setup.migrate.carl_file_conversion import (
    ConvertedFile,
    domain_file,
    is_always_told,
    new_domain_names,
)
from synapse_ls.setup.migrate.carl_installation import (
    CARL,
    CARL_JSON,
    CARL_MANIFEST,
    KEPT_FOLDER,
    CarlFile,
    CarlTree,
    kept_files,
    read_carl,
    read_text,
    shorten_list,
)
from synapse_ls.setup.migrate.migration_journal import KEPT, MigrationChange
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import tree_folders
from synapse_ls.workspace.file_scanner import ancestor_files

_MISREAD_KINDS = ("bad-state", "bad-boolean", "inline-comment")


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to know about the conversion of a line of the CARL tree; ``line`` counts from 1, 0
    is the whole file.
    """

    path: str
    line: int
    sentence: str


@dataclass(frozen=True, slots=True)
class CarlConversion:
    """A CARL tree with what it becomes. ``always_domains``: domains whose only keyword is the empty
    one, which CARL finds in every prompt; ``waiting_domains``: those that have others beside it.
    ``floors``: where its brackets begin, in percent left, None for where those of a tree do.
    ``names``: new names of its domains. ``texts``: the files that its rules become, by path, the
    manifest last. ``kept``: what is kept to be read. ``left``: (file, why) of the rest.
    """

    always_domains: tuple[str, ...]
    waiting_domains: tuple[str, ...]
    floors: Mapping[str, int] | None
    names: Mapping[str, str]
    texts: Mapping[str, ConvertedFile]
    kept: tuple[MigrationChange, ...]
    remarks: tuple[Remark, ...]
    left: tuple[tuple[str, str], ...]


def convert_tree(root: Path) -> CarlConversion:
    """Convert the CARL tree in ``root``, CARL v2's where it has both. UserError where there is
    none.
    """
    if (root / CARL_JSON).is_file():
        return _convert_version2(root)
    if (root / CARL_MANIFEST).is_file():
        return _convert_version1(root)
    raise UserError(
        f"There is no {CARL_MANIFEST} in {root}, so there is nothing to migrate.",
        "Name the folder that has one: `synapse migrate DIR`.",
    )


def _convert_version1(root: Path) -> CarlConversion:
    carl = read_carl(root)
    names = new_domain_names(dict.fromkeys((*carl.rules, *carl.document.domains)))
    texts = dict(_converted_files(carl, names))
    left = ((f"{CARL}/{name}", why) for name, why in carl.left.items())
    remarks = (
        *_rename_remarks(CARL_MANIFEST, names),
        *_keyword_remarks(carl.manifest, carl.document),
        *_misread_remarks(carl.manifest),
        *_unread_remarks(texts),
    )
    pages = tuple(kept_files(root, carl))
    domains = carl.document.domains.items()
    always = tuple(name for name, declared in domains if is_always_told(declared))
    waiting = tuple(
        name for name, declared in domains if name in carl.rules and _has_empty_keyword(declared)
    )
    return CarlConversion(always, waiting, None, names, texts, pages, remarks, tuple(left))


def _converted_files(
    carl: CarlTree, names: Mapping[str, str]
) -> Iterator[tuple[str, ConvertedFile]]:
    """Yield the files of the new tree, by path."""
    for name, source in carl.rules.items():
        path = f"{tree_folders.TREE}/{domain_file(names[name])}"
        sharing = [n for n, s in carl.rules.items() if s.path == source.path and n != name]
        yield path, carl_file_conversion.convert_domain(source, name, names[name], sharing)
    if carl.context is not None:
        yield f"{tree_folders.TREE}/context", carl_file_conversion.convert_context(carl.context)
    if carl.commands is not None:
        yield f"{tree_folders.TREE}/commands", carl_file_conversion.convert_commands(carl.commands)
    yield (
        tree_folders.MANIFEST,
        carl_file_conversion.convert_manifest(carl.manifest, carl.document, names),
    )


def _convert_version2(root: Path) -> CarlConversion:
    source = read_text(root, CARL_JSON)
    document, problems = carl_document.parse(source.text)
    if document.root is None:
        line, column = LineIndex(source.text).position(problems[0].span.start)
        raise UserError(
            f"{CARL_JSON}:{line + 1}:{column + 1} {problems[0].message}", "Mend the file."
        )
    names = new_domain_names(
        dict.fromkeys(
            (
                *document.manifest.domains,
                *(rule.domain for rule in document.rules.rules),
                *(decision.domain for decision in document.decisions),
            )
        )
    )
    pages = {
        path: text.encode("utf-8", "replace")
        for path, text in carl_file_conversion.kept_pages(document)
    }
    pages[f"{KEPT_FOLDER}/carl.json"] = source.data
    kept = (
        MigrationChange(p, root / p, None, data, KEPT, f"from {CARL_JSON}")
        for p, data in pages.items()
    )
    lines = LineIndex(source.text)
    remarks = (
        *_rename_remarks(CARL_JSON, names),
        *(Remark(CARL_JSON, lines.line_of(p.span.start) + 1, p.message) for p in problems),
        *_count_remarks(document),
        *_ancestor_remarks(root),
    )
    left = ((name, f"CARL v2 reads {CARL_JSON} alone") for name in _other_files(root))
    texts = dict(carl_file_conversion.convert_document(document, names))
    return CarlConversion(
        (), (), carl_file_conversion.BRACKET_FLOORS, names, texts, tuple(kept), remarks, tuple(left)
    )


def _ancestor_remarks(root: Path) -> Iterator[Remark]:
    """Yield remarks on the files that CARL merges with this one."""
    for ancestor in ancestor_files(str(root)):
        if (root / ancestor.path).is_file():
            sentence = (
                "CARL tells its domains here too; a tree of .synapse/ takes nothing from above."
            )
            yield Remark(ancestor.path, 0, sentence)


def _other_files(root: Path) -> Iterator[str]:
    """Yield what else lies in the folder of a tree of CARL v2."""
    for entry in sorted((root / CARL).iterdir()):
        if entry.name not in ("carl.json", "sessions"):
            yield f"{CARL}/{entry.name}{'/' * entry.is_dir()}"


def _rename_remarks(path: str, names: Mapping[str, str]) -> Iterator[Remark]:
    for name, new in names.items():
        if new != name:
            yield Remark(path, 0, f"The domain {name} is called {new} here.")


def _count_remarks(document: CarlDocument) -> Iterator[Remark]:
    """Yield remarks on what has no counterpart."""
    if count := len(document.decisions):
        rules = sum(bool(decision.agent_text) for decision in document.decisions)
        yield Remark(
            CARL_JSON,
            0,
            f"{format_count(count, 'decision')}, {rules} of them held and became rules; their ids, "
            f"reasons, dates and words are kept in {carl_file_conversion.DECISIONS_PATH}.",
        )
    if count := len(document.staging):
        yield Remark(
            CARL_JSON,
            0,
            f"{format_count(count, 'staged rule')}: kept in {carl_file_conversion.STAGING_PATH}, "
            "told to nobody.",
        )
    if document.post_compact_gate is not None:
        yield Remark(
            CARL_JSON,
            0,
            "`post_compact_gate` has no counterpart: after a compaction the block is always told "
            "anew.",
        )


def _has_empty_keyword(declared: DomainDeclaration) -> bool:
    """Return whether a domain has an empty keyword beside others."""
    recall = declared.entries.get("RECALL")
    if recall is None or not recall.line.items or declared.always_on or not declared.is_active:
        return False
    return any(problem.kind == "empty-recall-item" for problem in recall.line.problems)


def _keyword_remarks(source: CarlFile, manifest: Manifest) -> Iterator[Remark]:
    """Yield remarks on what becomes of empty keywords."""
    lines = LineIndex(source.text)
    for name, declared in manifest.domains.items():
        recall = declared.entries.get("RECALL")
        if recall is None or not declared.is_active or declared.always_on:
            continue
        line = lines.line_of(recall.key_start) + 1
        if is_always_told(declared):
            yield Remark(
                source.path,
                line,
                f"{name} was told with every prompt, because its keyword is empty; it is always on "
                "now. Give it keywords instead if that was not meant.",
            )
        elif _has_empty_keyword(declared):
            yield Remark(
                source.path,
                line,
                f"{name} was told with every prompt, because one of its keywords is empty; now the "
                f"others count. Write {name}_ALWAYS_ON=true to have it told always.",
            )


def _misread_remarks(source: CarlFile) -> Iterator[Remark]:
    """Yield remarks on values that CARL takes for something else than they seem to say."""
    lines = LineIndex(source.text)
    for problem in carl_manifest.parse(source.text).problems:
        if problem.kind in _MISREAD_KINDS:
            line = lines.line_of(problem.span.start) + 1
            yield Remark(source.path, line, f"{problem.message} It stays so.")


def _unread_remarks(texts: Mapping[str, ConvertedFile]) -> Iterator[Remark]:
    for file in texts.values():
        if file.unread:
            lines = [str(line + 1) for line in file.unread]
            several = len(lines) > 1
            yield Remark(
                file.source,
                file.unread[0] + 1,
                f"CARL never read line{'s' * several} {shorten_list(lines)}; "
                f"{'they are comments' if several else 'it is a comment'} now.",
            )
