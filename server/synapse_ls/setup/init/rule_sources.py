"""The files of instructions that a project has (CLAUDE.md …), and rule systems already served."""

import os
import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.formats.instruction_rules import FileMention, RuleSource, read_source
from synapse_ls.text.phrases import format_count, join_names
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import instruction_readers, outside_links, rule_systems
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.file_reader import RefusedError, read_inside
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree

# The folder of a CARL tree (CARL v1).
CARL_FOLDER = ".carl"

_RULE_SUFFIXES = (".mdc", ".md")
_MOST_NAMES = 4  # file names in a message
_MOST_HOPS = 5  # how deep Claude Code follows imports ("Manage Claude's memory")
_IMPORTING_FILES = ("CLAUDE.md", "GEMINI.md", "AGENTS.md")

# Folders of rule files: the tree refers to each as a whole, so that new files count, too.
_RULE_FOLDERS = (
    ".agents/rules", ".amazonq/rules", ".claude/rules", ".clinerules", ".cursor/rules",
    ".github/instructions", ".kilo/rules", ".kiro/steering", ".windsurf/rules",
)  # fmt: skip
_HIDDEN_FOLDERS = frozenset(folder.partition("/")[0] for folder in _RULE_FOLDERS)
# Folders whose files are of other projects, or made.
NOT_OURS = frozenset((
    "node_modules", "bower_components", "vendor", "third_party", "dist", "build", "target", "venv",
    "site-packages", "__pycache__",
))  # fmt: skip
_DEEPEST = 8  # folders below the root

_IMPORTED_SUFFIXES = (".md", ".mdc", ".txt")
# These describe the project to people; their lists are no rules for agents.
_DESCRIPTIONS = ("readme", "changelog", "history", "license", "contributors", "authors")


class SkippedFile(NamedTuple):
    """A file of instructions that is not read: its path and why, a clause of which it is the
    subject.
    """

    path: str
    why: str


@dataclass(slots=True)
class SourceSurvey:
    """The files of instructions of a project.

    ``sources``: by path, each file once, whatever its names. ``entries``: path -> the file or
    folder that a tree names for it, in the order of the names. ``links``: path -> its other names.
    """

    sources: dict[str, RuleSource] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    entries: dict[str, str] = field(default_factory=dict)
    skipped: list[SkippedFile] = field(default_factory=list)
    links: dict[str, list[str]] = field(default_factory=dict)
    _real: dict[str, str] = field(default_factory=dict)

    def has_rules(self, path: str) -> bool:
        """Return whether a file says anything that is a rule."""
        return any(heading.rules for heading in self.sources[path].headings)

    @property
    def names(self) -> tuple[str, ...]:
        """The files and folders with rules that anybody may get, as a tree names them."""
        paths = (path for path, source in self.sources.items() if not source.scope.why)
        return tuple(dict.fromkeys(self.entries[path] for path in paths if self.has_rules(path)))

    def unused(self) -> Iterator[SkippedFile]:
        """Yield the files to which a tree does not refer, beside those that cannot be read."""
        names = self.names
        for path, source in self.sources.items():
            if not self.has_rules(path):
                kinds = ", ".join(dict.fromkeys(part.why for part in source.left_out))
                yield SkippedFile(path, f"has no rules (only {kinds})" if kinds else "has no rules")
            elif self.entries[path] not in names:
                yield SkippedFile(path, f"is not referred to: {source.scope.why}")

    def wider(self) -> Iterator[SkippedFile]:
        """Yield the files of which a glob matches more here than in their client."""
        for path, source in self.sources.items():
            if globs := [f"`{glob}`" for glob in source.scope.wider]:
                verb = "matches" if len(globs) == 1 else "match"
                why = (
                    "counts for more files than in its client: "
                    f"{join_names(globs)} {verb} less there"
                )
                yield SkippedFile(path, why)

    def add(self, root: Path, path: str, entry: str, *, hops: int = 0) -> None:
        """Read the file at ``path``, which the tree names by ``entry``, and what it imports."""
        if (real := os.path.realpath(root / path)) in self._real:
            if (first := self._real[real]) != path:
                self.links.setdefault(first, []).append(path)
            return
        self._real[real] = path
        try:
            content = read_inside(str(root), path)
        except RefusedError as refused:
            self.skipped.append(SkippedFile(path, f"cannot be read: {refused.sentence}"))
            return
        if content is None:
            return
        self.texts[path] = content.decoded.text
        self.sources[path] = source = read_source(path, content.decoded.text)
        self.entries[path] = entry
        # Clients put another file in the place of `@path` in these.
        if hops >= _MOST_HOPS or not (hops > 0 or posixpath.basename(path) in _IMPORTING_FILES):
            return
        for mention in source.imports:
            target = imported_path(mention)
            file = root / target
            if target and file.is_file() and not _leads_elsewhere(file, root):
                self.add(root, target, target, hops=hops + 1)


def survey_sources(root: Path) -> SourceSurvey:
    """Read the files of instructions below ``root``, not what is the user's own; what cannot be
    read is skipped.
    """
    at_home = root.resolve() == Path.home().resolve()
    names: dict[str, str] = {}  # file -> the name that a tree has for it
    folders = [("", 0)]
    while folders:
        folder, depth = folders.pop(0)
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            path = posixpath.join(folder, entry.name)
            rules = next((f for f in _RULE_FOLDERS if f"/{path}/".endswith(f"/{f}/")), "")
            if entry.is_dir(follow_symlinks=bool(rules)):
                if at_home and entry.name.startswith("."):
                    continue
                if rules and _leads_elsewhere(root / path, root):
                    names[path] = path
                elif rules:
                    files = sorted(_files_of_rules(root / path))
                    names |= {file.relative_to(root).as_posix(): path for file in files}
                # No other repository, nothing that is installed or hidden.
                elif depth < _DEEPEST and (
                    entry.name in _HIDDEN_FOLDERS
                    if entry.name.startswith(".")
                    else entry.name not in NOT_OURS and not (root / path / ".git").exists()
                ):
                    folders.append((path, depth + 1))
            elif instruction_readers.is_instruction_path(path) and entry.name != "CLAUDE.local.md":
                names[path] = path
    survey = SourceSurvey()
    # A file under two names is read by the one that is no link.
    for path, name in sorted(names.items(), key=lambda item: (root / item[0]).is_symlink()):
        if why := _leads_elsewhere(root / path, root):
            survey.skipped.append(SkippedFile(path, why))
        else:
            survey.add(root, path, name)
    return survey


def survey_names(root: Path, names: Iterable[str]) -> SourceSurvey:
    """Read the files, and the rule files of folders, that a person names.

    Raises UserError where there is nothing of that name or no rule file in a folder, where it
    cannot be read, for what leads out of the project, and for a CARL tree.
    """
    survey = SourceSurvey()
    for name in names:
        if not (path := root / name).exists():
            raise UserError(f"There is no {name} to refer to.", "Name a file or a folder.")
        inside = os.path.relpath(os.path.normpath(path), root).replace(os.sep, "/")
        if inside.startswith("../"):
            raise UserError(f"{name} is outside of {root}.", "Name a file of this project.")
        if refusal := outside_links.find_refusal(str(root), inside):
            raise UserError(f"Cannot read {name}: {refusal[0]}.", refusal[1])
        if path.name == CARL_FOLDER and path.is_dir():
            files_there = sorted(entry.name for entry in path.iterdir() if entry.is_file())
            listed = ", ".join(files_there[:_MOST_NAMES])
            listed += ", …" * (len(files_there) > _MOST_NAMES)
            listed = f" ({listed})" if listed else ""
            raise UserError(
                f"{name.rstrip('/')}/ is a CARL tree{listed}, which becomes a tree as a whole.",
                "Run `synapse migrate`; with --dry-run it only shows what would become of it.",
            )
        files = sorted(_files_of_rules(path)) if path.is_dir() else [path]
        if not files:
            raise UserError(
                f"The folder {name} has no rule files ({' or '.join(_RULE_SUFFIXES)}).",
                "Name a file or another folder.",
            )
        for file in files:
            relative = file.relative_to(root).as_posix() if path.is_dir() else inside
            if why := _leads_elsewhere(file, root):
                survey.skipped.append(SkippedFile(relative, why))
            else:
                survey.add(root, relative, inside)
        for skipped in survey.skipped if not path.is_dir() else ():
            if skipped.path == inside:
                raise UserError(f"{inside} {skipped.why}", "")
    return survey


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


def _files_of_rules(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            yield from _files_of_rules(entry)
        elif entry.suffix in _RULE_SUFFIXES and entry.is_file():
            yield entry


def _leads_elsewhere(file: Path, root: Path) -> str:
    """Return why a file is left alone that a link leads out of the project, or to secrets; "" for
    any other.
    """
    refusal = outside_links.find_refusal(str(root), file.relative_to(root).as_posix())
    return f"is left alone: {refusal[0]}" if refusal else ""


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
    systems = rule_systems.find_systems(root)
    chosen = rule_systems.chosen_system(tree.snapshot.config)
    # That of the configuration stands first, else the first of all.
    served = next(iter(sorted(systems, key=lambda system: system.name != chosen)), None)
    if served is None:
        return None
    name, place = served.name, served.place
    if chosen not in ("", name):
        clause = f"{place} has rules of {served.title}, none of which the profile"
        return ServedRules(name, place, f"{clause} {tree.snapshot.config.profile} serves")
    plan = compile_plan(load_tree(root, LoadScope.PROMPT).tree, root)
    domains = [domain for domain in plan.domains() if domain.rules]
    rules = sum(len(domain.rules) for domain in domains)
    if name == "synapse" and not rules:
        return None
    counts = f"{format_count(len(domains), 'domain')}, {format_count(rules, 'rule')}"
    return ServedRules(name, place, f"{place} is served here as {served.title}: {counts}")
