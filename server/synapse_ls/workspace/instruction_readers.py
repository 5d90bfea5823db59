"""Which agent clients read a file of instructions themselves, so that it need not be injected.

Sources: the clients' documentation, and the requests to a model of Claude Code 2.1.330, Copilot CLI
1.0.102, Codex 0.169.0, Gemini CLI 0.61.0, OpenCode 1.18.33, Kilo 7.7.9, Cline 3.0.65 and Kimi Code
2.1.0. A client that is not in the table reads none.
"""

import os
import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from synapse_ls.formats.instruction_scopes import PICOMATCH, imported_paths, read_globs
from synapse_ls.formats.toml_document import load_toml
from synapse_ls.text import fast_json, jsonc_tree, path_globs
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.workspace import outside_links, regular_files, repository_discovery

# Clients, each with whether it applies a file only when the file's own scope says so.
Readers = tuple[tuple[str, bool], ...]
WITHOUT = "!"  # before ``client:agent``, a sub-agent that does not get what its client reads


class _Client(NamedTuple):
    """What a client reads in a project.

    always: what it applies with every prompt. scoped: what it applies when the file's own front
    matter, or a used file in the same folder, says so; what has no such scope always. first_of:
    names in one folder of which it reads the first that is there. unless: files at the root that
    keep it from reading the last of these names. imports: the files that it applies always in which
    ``@path`` brings that file in. without: its sub-agents that get nothing of it.
    """

    always: str = ""
    scoped: str = ""
    first_of: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    imports: str = ""
    without: tuple[str, ...] = ()


_BELOW = r"(?:[^./][^/]*/)+"  # folders that are not hidden
_OPENCODE = _Client(
    always=r"(?:AGENTS|CLAUDE|CONTEXT)\.md",
    scoped=rf"{_BELOW}(?:AGENTS|CLAUDE|CONTEXT)\.md",
    first_of=("AGENTS.md", "CLAUDE.md", "CONTEXT.md"),
)
_CLIENTS: Mapping[str, _Client] = {
    "claude": _Client(
        always=r"CLAUDE(?:\.local)?\.md|\.claude/CLAUDE\.md|AGENTS\.md",
        scoped=rf"\.claude/rules/.+\.md|{_BELOW}(?:CLAUDE(?:\.local)?|AGENTS)\.md",
        first_of=("CLAUDE.md", "AGENTS.md"),
        unless=("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"),
        imports=r".+",
        without=("Explore", "Plan"),
    ),
    "copilot": _Client(
        always=r"(?:AGENTS|CLAUDE|GEMINI)\.md|\.github/copilot-instructions\.md",
        scoped=r"\.claude/rules/.+\.md|\.github/instructions/.+\.instructions\.md"
        rf"|{_BELOW}(?:AGENTS|CLAUDE|GEMINI)\.md",
        imports=r"(?:AGENTS|CLAUDE)\.md",
        without=("explore", "task", "code-review", "research"),
    ),
    "vscode": _Client(
        always=r"(?:AGENTS|CLAUDE)\.md|\.claude/CLAUDE\.md|\.github/copilot-instructions\.md",
        scoped=r"\.claude/rules/.+\.md|\.github/instructions/.+\.instructions\.md",
    ),
    "cursor": _Client(
        always=r"AGENTS\.md|\.cursorrules", scoped=rf"\.cursor/rules/.+\.mdc|{_BELOW}AGENTS\.md"
    ),
    "codex": _Client(
        always=r"AGENTS(?:\.override)?\.md", first_of=("AGENTS.override.md", "AGENTS.md")
    ),
    "gemini": _Client(always=r"GEMINI\.md", scoped=rf"{_BELOW}GEMINI\.md", imports=r".+"),
    "antigravity": _Client(scoped=r"\.agents/rules/.+\.md"),
    "opencode": _OPENCODE,
    "kilo": _OPENCODE._replace(always=rf"{_OPENCODE.always}|\.kilo/rules/.+\.md"),
    "cline": _Client(always=r"AGENTS\.md|\.clinerules(?:/(?!(?:workflows|hooks|skills)/).+\.md)?"),
    "kimi": _Client(always=r"AGENTS\.md|agents\.md"),
}

CODEX_LIMIT = 32_768  # bytes that Codex reads of instructions where no setting says otherwise
# Files at the root of a project that bring others in, or may be a link to another one.
_ENTRY_FILES = (
    "AGENTS.md", "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md",
    "GEMINI.md", ".github/copilot-instructions.md", ".cursorrules",
)  # fmt: skip
_MOST_IMPORTS = 5  # files that follow each other
_MOST_IMPORTED = 50  # files that are read for what they import, of each of those
_MOST_ENTRIES = 100  # of a list in a client's settings
_MOST_BYTES = 300_000  # of a file that is read for what it imports, or of settings


class ProjectReaders:
    """What the clients read in the project at ``root``, a folder; ``stamped`` is called with each
    path that the answers depend on, relative to the root.
    """

    def __init__(self, root: str, stamped: Callable[[str], object] = lambda _: None) -> None:
        self._root = root
        self._stamped = stamped
        self._imported: dict[str, Collection[str]] = {}

    def readers(self, path: str) -> Readers:
        """Return the clients that apply the file at ``path`` by themselves, each with whether it
        does so only when the file's own scope says so.
        """
        names = {path, *self._links_to(path)}
        readers: list[tuple[str, bool]] = []
        for name, client in _CLIENTS.items():
            ways = {self._applies_in_scope(name, client, other) for other in names} - {None}
            if False not in ways and path in self._imported_files(name, client):
                ways.add(False)
            if ways:
                readers.append((name, False not in ways))
        return tuple(readers)

    def _applies_in_scope(self, name: str, client: _Client, path: str) -> bool | None:
        """Return whether a client that applies a file at a path does so only in its own scope; None
        where it does not apply it.
        """
        folder, _, base = path.rpartition("/")
        first_of = client.first_of
        if name == "codex":
            first_of = (*first_of, *self._codex_names)
        named = name == "codex" and not folder and base in first_of
        if named or re.fullmatch(client.always, path) or self._is_named(name, path):
            in_scope = False
        elif client.scoped and re.fullmatch(client.scoped, path):
            in_scope = True
        else:
            return None
        if base in first_of:
            earlier = [posixpath.join(folder, n) for n in first_of[: first_of.index(base)]]
            others = (*earlier, *client.unless) if base == first_of[-1] else tuple(earlier)
            if any(map(self._exists, others)):
                return None
        globs = self._claude_excludes if name == "claude" else ()
        if path_globs.first_matching_path(globs, (f"{self._root}/{path}",)):
            return None
        return None if name == "vscode" and self._is_switched_off(path) else in_scope

    def _imported_files(self, name: str, client: _Client) -> Collection[str]:
        """Return the files that those which the client applies always import, themselves or by
        another one.
        """
        if client.imports and name not in self._imported:
            entries = (*_ENTRY_FILES, *(self._gemini_names if name == "gemini" else ()))
            reached = [
                entry
                for entry in dict.fromkeys(entries)
                if re.fullmatch(client.imports, entry)
                and self._applies_in_scope(name, client, entry) is False
            ]
            imported: dict[str, None] = {}
            for _ in range(_MOST_IMPORTS):
                further = (other for entry in reached for other in self._imports_of(entry))
                new = dict.fromkeys(other for other in further if other not in imported)
                imported |= new
                reached = list(islice(new, _MOST_IMPORTED))
            self._imported[name] = imported
        return self._imported.get(name, ())

    def _imports_of(self, path: str) -> Iterator[str]:
        self._stamped(f"./{path}")  # its text counts, and not only its rules
        for imported in imported_paths(self._read(f"{self._root}/{path}")):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(path), imported))
            if not target.startswith("../"):
                yield target

    def _links_to(self, path: str) -> Iterator[str]:
        """Yield the names at the root and in the same folder under which a client may read the same
        file.
        """
        folder = posixpath.dirname(path)
        names = (*_ENTRY_FILES, *self._codex_names)
        beside = (posixpath.join(folder, name) for name in names if "/" not in name)
        for other in dict.fromkeys((*names, *beside)):
            if other == path:
                continue
            self._stamped(other)
            if os.path.islink(f"{self._root}/{other}") or os.path.islink(f"{self._root}/{path}"):
                try:
                    if os.path.samefile(f"{self._root}/{other}", f"{self._root}/{path}"):
                        yield other
                except OSError:
                    continue

    def _exists(self, path: str) -> bool:
        self._stamped(path)
        return os.path.exists(f"{self._root}/{path}")

    def _is_named(self, client: str, path: str) -> bool:
        """Check whether the client's own settings name a file as instructions."""
        if client == "gemini":
            return path in self._gemini_names
        in_globs = client in ("opencode", "kilo")
        return in_globs and bool(path_globs.first_matching_path(self._opencode_globs, (path,)))

    @cached_property
    def _gemini_names(self) -> tuple[str, ...]:
        names: list[str] = []
        for settings in self._json_settings("~/.gemini/settings.json", ".gemini/settings.json"):
            context = settings.get("context")
            named = context.get("fileName") if isinstance(context, dict) else None
            names += _texts([named] if isinstance(named, str) else named)
        return tuple(names)

    @cached_property
    def _opencode_globs(self) -> list[str]:
        files = ("~/.config/opencode/opencode.json", "opencode.json", "opencode.jsonc")
        settings = self._json_settings(*files)
        globs = chain.from_iterable(_texts(each.get("instructions")) for each in settings)
        return _manifest_globs(posixpath.normpath(g) for g in globs if g[:1] not in ("/", "~"))

    @cached_property
    def _codex_settings(self) -> Mapping[str, Any]:
        merged: dict[str, Any] = {}
        for path in ("~/.codex/config.toml", ".codex/config.toml"):
            if text := self._settings_text(path):
                merged |= load_toml(text, "", "")[0] or {}
        return merged

    @cached_property
    def _codex_names(self) -> tuple[str, ...]:
        return tuple(_texts(self._codex_settings.get("project_doc_fallback_filenames")))

    @cached_property
    def _claude_excludes(self) -> list[str]:
        files = ("~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json")
        settings = self._json_settings(*files)
        return _manifest_globs(
            chain.from_iterable(_texts(each.get("claudeMdExcludes")) for each in settings)
        )

    @cached_property
    def _vscode_settings(self) -> Mapping[str, Any]:
        return next(iter(self._json_settings(".vscode/settings.json")), {})

    def _is_switched_off(self, path: str) -> bool:
        """Check whether VS Code's settings of the project keep it from reading a file."""
        base = posixpath.basename(path)
        if base == "AGENTS.md":
            return self._vscode_settings.get("chat.useAgentsMdFile") is False
        if base == "CLAUDE.md":
            return self._vscode_settings.get("chat.useClaudeMdFile") is False
        name = "github.copilot.chat.codeGeneration.useInstructionFiles"
        is_ours = path == ".github/copilot-instructions.md"
        return is_ours and self._vscode_settings.get(name) is False

    def _json_settings(self, *paths: str) -> Iterator[Mapping[str, Any]]:
        for text in filter(None, map(self._settings_text, paths)):
            try:
                value = jsonc_tree.parse_jsonc(text).root.value
            except (fast_json.JsonError, RecursionError):
                continue
            if isinstance(value, dict):
                yield value

    def _settings_text(self, path: str) -> str:
        full = os.path.expanduser(path) if path.startswith("~") else f"{self._root}/{path}"
        try:
            self._stamped(os.path.relpath(full, self._root).replace(os.sep, "/"))
        except ValueError:  # on another drive
            return ""
        return self._read(full)

    def _read(self, full: str) -> str:
        real, inside = regular_files.real_path(full), full.removeprefix(f"{self._root}/")
        if inside != full and outside_links.find_refusal(self._root, inside, real):
            return ""
        try:
            data = regular_files.read_whole(real, _MOST_BYTES, within=os.sep)
            return data.decode("utf-8", "replace")
        except OSError:
            return ""


def _manifest_globs(globs: Iterable[str]) -> list[str]:
    """Return the globs of a manifest that match what those of a client's settings do."""
    return list(islice(read_globs(tuple(globs), PICOMATCH)[0], _MOST_ENTRIES))


def _texts(value: object) -> list[str]:
    items = value[:_MOST_ENTRIES] if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str) and regular_files.is_possible(item)]


def native_clients(readers: Readers, *, is_own_scope: bool) -> tuple[str, ...]:
    """Return the clients that apply a file by themselves as its domain has it, and with the mark
    `WITHOUT` their sub-agents that do not get it. is_own_scope: whether the domain counts when the
    file itself says so.
    """
    clients = [name for name, in_scope in readers if is_own_scope or not in_scope]
    agents = (f"{WITHOUT}{name}:{agent}" for name in clients for agent in _CLIENTS[name].without)
    return (*clients, *agents)


_INSTRUCTION_FILES = lazy_pattern(
    r"(?:.*/)?(?:AGENTS(?:\.override)?|CLAUDE(?:\.local)?|GEMINI|CONVENTIONS)\.md"
    r"|(?:.*/)?\.(?:cursorrules|windsurfrules|clinerules|rules)"
    r"|(?:.*/)?\.github/copilot-instructions\.md"
    r"|(?:.*/)?\.github/instructions/(?:.*/)?[^/]+\.instructions\.md"
    r"|(?:.*/)?\.cursor/rules/(?:.*/)?[^/]+\.mdc?"
    r"|(?:.*/)?\.claude/rules/(?:.*/)?[^/]+\.md"
    r"|(?:.*/)?\.(?:windsurf/rules|clinerules|kiro/steering|junie|amazonq/rules)/(?:.*/)?[^/]+\.md"
)


def is_instruction_path(path: str) -> bool:
    """Check whether a client takes instructions from a file with this path, as its documentation
    says.
    """
    return _INSTRUCTION_FILES.fullmatch(path) is not None


def instruction_paths(root: str) -> Iterator[str]:
    """Yield the files of instructions that hold for the whole of a project, relative to it."""
    for folder in _FOLDERS:
        if folder and outside_links.find_outside_link(root, folder):
            continue
        for at, _, names in os.walk(os.path.join(root, folder)):
            inside = os.path.relpath(at, root).replace(os.sep, "/")
            for name in sorted(names):
                path = name if inside == "." else f"{inside}/{name}"
                if is_instruction_path(path):
                    yield path
            if not folder:
                break


def project_of_instructions(path: Path) -> str:
    """Return the repository that a file of instructions lies in, else the nearest folder that it
    holds for.
    """
    inner = ((folder, path.relative_to(folder).as_posix()) for folder in path.parents)
    return repository_discovery.find_top_folder(str(path.parent)) or str(
        next(f for f, name in inner if is_instruction_path(name))
    )


_FOLDERS = (
    "",
    *[".github", ".cursor", ".claude", ".windsurf", ".clinerules", ".kiro", ".junie", ".amazonq"],
)
