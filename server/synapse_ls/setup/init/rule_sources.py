"""The files that rules are adopted from (CLAUDE.md …), and rules that are served already."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.formats.instruction_rules import FileMention, read_source
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.file_reader import RefusedError, read_file
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.served_system import chosen_system, find_systems
from synapse_ls.workspace.tree_loader import load_tree
from synapse_ls.workspace.trusted_places import (
    LEADS_INTO_GIT,
    LEADS_OUT,
    find_outside_link,
    is_gits_own,
    trust_remedy,
)

# Where projects keep rules for agents before they have a tree; see `load_sources`.
KNOWN_SOURCES = (
    "CLAUDE.md", ".claude/CLAUDE.md", ".claude/rules", "AGENTS.md", "GEMINI.md", ".cursor/rules",
    ".cursorrules", ".github/copilot-instructions.md", ".github/instructions",
)  # fmt: skip

# The folder of a CARL tree (CARL v1).
CARL_FOLDER = ".carl"

_RULE_SUFFIXES = (".mdc", ".md")
_MOST_NAMES = 4  # file names in a message

# The files whose readers put another file in the place of ``@path``; others only mention it.
_IMPORTERS = ("CLAUDE.md", "CLAUDE.local.md", "GEMINI.md")

# How deep Claude Code follows imports ("Manage Claude's memory").
_MOST_HOPS = 5

_IMPORTED_SUFFIXES = (".md", ".mdc", ".txt")
# These describe the project to people; their lists are no rules for agents.
_DESCRIPTIONS = ("readme", "changelog", "history", "license", "contributors", "authors")


def load_sources(root: Path, names: Iterable[str]) -> Mapping[str, str]:
    """Load the texts of the sources that rules are taken over from, by path relative to ``root``.

    A name is a file, or a folder whose Markdown and ``.mdc`` files are taken, sub-folders included.
    What a file imports (``@docs/style.md``) follows it, as far as it is in the project. A file that
    is there under two names is taken once. Raises UserError where there is nothing of that name or
    no rule file in a folder, where it cannot be read, for a link that leads out of the project, and
    for a CARL tree.
    """
    texts: dict[str, str] = {}
    real: set[str] = set()
    for name in names:
        path = root / name
        if not path.exists():
            raise UserError(f"There is no {name} to take rules from.", "Name a file or a folder.")
        # Raise UserError where a name in the project is a link, or behind one, that leads out of
        # it.
        full = os.path.normpath(root / name)
        for base in (os.path.normpath(root), os.path.realpath(root)):
            inside = os.path.relpath(full, base).replace(os.sep, "/")
            if inside.startswith("../") or os.path.realpath(full) == os.path.normpath(
                f"{base}/{inside}"
            ):
                continue
            outside = find_outside_link(str(base), inside)
            if outside is not None:
                into_git = is_gits_own(outside[1], os.path.realpath(root))
                raise UserError(
                    f"Cannot read {name}: {LEADS_INTO_GIT if into_git else LEADS_OUT}.",
                    "Delete the link." if into_git else trust_remedy(outside[1]),
                )
        files = sorted(_rule_files(path, root)) if path.is_dir() else [path]
        if path.name == CARL_FOLDER and path.is_dir():
            names_inside = sorted(entry.name for entry in path.iterdir() if entry.is_file())
            listed = ", ".join(names_inside[:_MOST_NAMES])
            more = ", …" * (len(names_inside) > _MOST_NAMES)
            listed = f" ({listed}{more})" if listed else ""
            raise UserError(
                f"{name.rstrip('/')}/ is a CARL tree{listed}, which becomes a tree as a whole.",
                "Run `synapse migrate`; with --dry-run it only shows what would become of it.",
            )
        if not files:
            raise UserError(
                f"The folder {name} has no rule files ({' or '.join(_RULE_SUFFIXES)}).",
                "Name a file or another folder.",
            )
        for file in files:
            path_name = (file.relative_to(root) if file.is_relative_to(root) else file).as_posix()
            _load_file(root, path_name, texts, real, hops=0)
    return texts


def _load_file(root: Path, path: str, texts: dict[str, str], real: set[str], *, hops: int) -> None:
    """Put the text of a file into ``texts``, and those of what it imports."""
    real_path = os.path.realpath(root / path)
    if real_path in real:
        return
    real.add(real_path)
    texts[path] = _read_text(root / path, path)
    text = texts[path]
    if "\n" not in text and text.endswith(_RULE_SUFFIXES):
        # A link that git has written as a file with the path alone, where a system has none.
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), text))
        if not target.startswith("../") and _is_importable(root, target):
            texts[path] = _read_text(root / target, target)
    if hops >= _MOST_HOPS or not (hops or posixpath.basename(path) in _IMPORTERS):
        return
    for mention in read_source(path, texts[path]).imports:
        target = imported_path(mention)
        if target and _is_importable(root, target):
            _load_file(root, target, texts, real, hops=hops + 1)


def imported_path(mention: FileMention) -> str:
    """Return where a file that a source of rules imports is, relative to the root; "" outside of
    the project, for what can be no file of rules, and for a mention that no client follows.
    """
    target = mention.target if mention.is_followed else ""
    name = posixpath.basename(target).lower()
    if target.startswith(("~", "/")) or not name.endswith(_IMPORTED_SUFFIXES):
        return ""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(mention.path), target))
    return "" if path.startswith("../") or name.startswith(_DESCRIPTIONS) else path


def _is_importable(root: Path, path: str) -> bool:
    file = root / path
    return file.is_file() and file.resolve().is_relative_to(root.resolve())


def existing_sources(root: Path) -> tuple[str, ...]:
    """Return those of `KNOWN_SOURCES` that the project has; not what is the user's own, or stands
    elsewhere.
    """
    real = root.resolve()
    at_home = real == Path.home().resolve()
    names = []
    for name in KNOWN_SOURCES:
        path = root / name
        if path.resolve().is_relative_to(real) and not (at_home and name.startswith(".claude/")):
            has_rules = any(_rule_files(path, root)) if path.is_dir() else path.exists()
            names += [name] * has_rules
    return tuple(names)


def existing_paths(root: Path, paths: Collection[str]) -> frozenset[str]:
    """Return those of the paths of rule sources below ``root`` at which there is anything, a
    dangling link included.
    """
    return frozenset(p for p in paths if (root / p).exists() or (root / p).is_symlink())


def skipped_links(root: Path, names: Iterable[str]) -> list[str]:
    """Return the links to rule files, below the folders ``names``, that lead out of the project or
    into a repository's own folder: these files are not read.
    """
    return [
        file.relative_to(root).as_posix()
        for name in names
        if (root / name).is_dir() and (root / name).resolve().is_relative_to(root.resolve())
        for file in sorted(_files_of_rules(root / name))
        if _leads_elsewhere(file, root)
    ]


def _rule_files(folder: Path, root: Path) -> Iterator[Path]:
    """Yield Markdown and ``.mdc`` files in a folder and its sub-folders; links to folders are
    skipped, and those that lead out of the project.
    """
    return (file for file in _files_of_rules(folder) if not _leads_elsewhere(file, root))


def _files_of_rules(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            yield from _files_of_rules(entry)
        elif entry.is_file() and entry.suffix in _RULE_SUFFIXES:
            yield entry


def _leads_elsewhere(file: Path, root: Path) -> bool:
    """Return whether a file is a link out of the project, or out of its folder where that is no
    part of the project.
    """
    if not file.is_symlink():
        return False
    inside = file.parent.resolve().is_relative_to(root.resolve())
    base = root if inside else file.parent
    return find_outside_link(str(base), os.path.relpath(file, base)) is not None


def _read_text(file: Path, shown: str) -> str:
    try:
        content = read_file(str(file))
    except RefusedError as error:
        raise UserError(f"No rules can be taken from {shown}. {error.sentence}", "") from error
    if content is None:
        raise UserError(f"{shown} disappeared while it was read.", "Run the command again.")
    return content.decoded.text


@dataclass(frozen=True, slots=True)
class ServedRules:
    """The existing rules that a folder serves. name: that of their rule system; place: where they
    are. said: all of it in a few words.
    """

    name: str
    place: str
    said: str


def find_served_rules(tree: Tree, root: str) -> ServedRules | None:
    """Return the existing rules that ``root`` serves already; None where there are none, or a
    ``.synapse/`` that has no rule yet.
    """
    systems = find_systems(root)
    chosen = chosen_system(tree.snapshot.config)
    # That of the configuration stands first, else the first of all.
    served = next(iter(sorted(systems, key=lambda system: system.name != chosen)), None)
    if served is None:
        return None
    name, place = served.name, served.place
    if chosen not in ("", name):
        clause = f"{place} has rules of {served.title}, none of which the profile"
        return ServedRules(name, place, f"{clause} {tree.snapshot.config.profile} serves")
    plan = compile_plan(Tree(load_tree(root, LoadScope.PROMPT).index.snapshot()), root)
    domains = [domain for domain in plan.domains() if domain.rules]
    rules = sum(len(domain.rules) for domain in domains)
    if name == "synapse" and not rules:
        return None
    counts = f"{format_count(len(domains), 'domain')}, {format_count(rules, 'rule')}"
    return ServedRules(name, place, f"{place} is served here as {served.title}: {counts}")
