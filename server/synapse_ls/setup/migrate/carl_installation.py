"""Find and convert CARL's installation in a project: folder, hook, managed block, and mentions.

Only mentions that a program or agent acts on are replaced: tags, commands, paths, a tool's name; a
person decides about the rest. Files without a counterpart are kept in ``.synapse/carl/``, where
nothing reads them.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.edits.config_edits import LIVE_PROFILE
from synapse_ls.engine import compiled_plan, profiles
from synapse_ls.formats.carl import manifest as carl_manifest
from synapse_ls.formats.managed_block import HOOK, render_managed_block
from synapse_ls.formats.manifest import Manifest
from synapse_ls.guard.agent_action import OFF
from synapse_ls.integrations import settings_registry, settings_syntax
from synapse_ls.integrations.client_settings import USER, Surroundings, shown_path
from synapse_ls.integrations.hook_commands import is_carl_command
from synapse_ls.integrations.instruction_files import render_hook_note
from synapse_ls.setup import planned_changes, sync_plan
from synapse_ls.setup.install import settings_backup, settings_merge
from synapse_ls.setup.migrate import migration_journal
from synapse_ls.setup.migrate.migration_journal import GUIDE, TEXT, Chapter, MigrationChange
from synapse_ls.setup.migrate.migration_journal import HOOK as SETTINGS_PART
from synapse_ls.setup.tree_configuration import tree_guard_mode
from synapse_ls.text.decoding import decode_text
from synapse_ls.text.finding import Finding
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.outside_links import find_outside_link, find_refusal, list_names
from synapse_ls.workspace.tree_folders import TREE

BLOCK_BEGIN = "<!-- CARL-MANAGED"
BLOCK_END = "<!-- END CARL-MANAGED -->"
GUIDE_FILES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")

# From the last line that begins a block to the first that ends it.
_CARL_BLOCK = re.compile(
    r"<!-- CARL-MANAGED(?:(?!<!--)[^\r\n])*?-->"
    r"(?:(?!<!-- CARL-MANAGED).)*?<!-- END CARL-MANAGED -->",
    re.DOTALL,
)


def guide_changes(
    around: Surroundings, *, user: bool
) -> tuple[list[MigrationChange], list[tuple[str, str]]]:
    """Return the files without CARL's managed block, and (file, why) of those that are left alone.

    ``user``: in the file that holds for all projects of this user, too.
    """
    changes: list[MigrationChange] = []
    left_alone: list[tuple[str, str]] = []
    files: set[Path] = set()
    mine = settings_registry.CLIENTS["claude"].user_folder.resolve(around.home)
    for folder, name in (*((around.root, name) for name in GUIDE_FILES), (mine, GUIDE_FILES[0])):
        document = sync_plan.read_document(folder, name)
        path = shown_path(folder / name, around)
        if (document.data is None and not document.refusal) or document.real in files:
            continue
        files.add(document.real)
        if document.refusal:
            left_alone.append((path, document.refusal))
            continue
        # Our block stands in the place of the first of CARL's; others go.
        table = profiles.load_profile_table(LIVE_PROFILE)
        assert table is not None
        block = render_managed_block(HOOK, render_hook_note(compiled_plan.Profile(table)))
        ours = [] if document.managed is not None else [document.with_newlines(block)]
        places = [Span(*match.span()) for match in _CARL_BLOCK.finditer(document.text)]
        edits = [TextEdit(place, ours.pop() if ours else "") for place in places]
        text = apply_edits(document.text, edits)
        if folder == mine and not user:
            if text != document.text:
                left_alone.append(
                    (path, "it holds for all projects; --user replaces CARL's block there")
                )
            continue
        if text != document.text:
            data, why = document.encode(text), "CARL's block"
            changes.append(MigrationChange(path, document.real, document.data, data, GUIDE, why))
        if BLOCK_BEGIN in text or BLOCK_END in text:
            at = text.find(BLOCK_BEGIN if BLOCK_BEGIN in text else BLOCK_END)
            line = text.count("\n", 0, at) + 1
            left_alone.append(
                (f"{path}:{line}", "CARL's block begins and does not end, or the reverse")
            )
    return changes, left_alone


_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".cursorrules")
_FOLDERS = (".claude", ".cursor/rules", ".github", TREE)
_SUFFIXES = (".md", ".mdc", "")
# What CARL brought along goes with it; what is kept to be read is not touched.
CARL_OWN_FILES = (
    ".claude/commands/carl",
    ".claude/skills/carl-help",
    ".claude/skills/carl-manager",
)
_SKIPPED = (*CARL_OWN_FILES, f"{TREE}/carl", f"{TREE}/sessions", f"{TREE}/config.toml")
_MOST_ENTRIES = 20_000  # entries of a folder that are looked at

_REPLACEMENTS = (
    (re.compile(r"(?<=<)(/?)carl-rules\b"), r"\1synapse-rules"),
    (re.compile(r"(?<![\w*\\])\*carl\b(?![\w*-])"), "*synapse"),
    (re.compile(r"\bdrl_get_domain_rules\(([\w-]+)\)"), r"synapse domain show \1"),
    (re.compile(r"\bdrl_get_domain_rules\b(?:\(\))?"), "synapse domain show"),
    (re.compile(r"(?<![\w~/.-])\.carl/"), ".synapse/"),
)
_MENTION = re.compile(r"\bcarl\b", re.IGNORECASE)
_KEPT_LINE = re.compile(r"^((?:[ \t]*#|COMMANDS_RULE_CARL_)[^\n]*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mention:
    """A line that still mentions CARL. ``line`` counts from 1."""

    path: str
    line: int
    text: str


def text_changes(
    root: Path, planned: Mapping[str, bytes]
) -> tuple[list[MigrationChange], list[Mention]]:
    """Return the texts that mention CARL as they could read, and what still mentions it then.

    ``planned``: what files will hold by then, by path.
    """
    changes: list[MigrationChange] = []
    mentions: list[Mention] = []
    files: set[Path] = set()
    paths = {name for name in _FILES if (root / name).is_file()}
    paths.update(*(_text_paths_below(root, root / folder) for folder in _FOLDERS))
    for path in sorted(paths.union(filter(_is_agent_text, planned))):
        document = sync_plan.read_document(root, path)
        if document.refusal or document.real in files:
            continue
        files.add(document.real)
        data = planned.get(path, document.data)
        if data is None or b"\0" in data or BLOCK_BEGIN.encode() in data:
            continue
        if (text := planned_changes.file_text(data)).encode() not in data:
            continue
        # In a rule file, comments stay, which no agent is told, and so do the rules of a command
        # ``*carl``, which a tree may go on having.
        in_tree = path.startswith(f"{TREE}/")
        parts = _KEPT_LINE.split(text) if in_tree else [text]
        for pattern, name in _REPLACEMENTS:
            parts[::2] = [pattern.sub(name, part) for part in parts[::2]]
        if (new := "".join(parts)) != text:
            head = data[: len(data) - len(text.encode())]
            changes.append(MigrationChange(path, document.real, data, head + new.encode(), TEXT))
        lines = LineIndex(new)
        numbers = {lines.line_of(m.start()) for m in _MENTION.finditer(new)}
        remaining = ((n, lines.line_span(n).cut(new).strip()) for n in sorted(numbers))
        # No agent is told the comments of a rule file.
        telling = ((n, t) for n, t in remaining if not (in_tree and t.startswith("#")))
        mentions += (Mention(path, n + 1, t) for n, t in telling)
    return changes, mentions


def _text_paths_below(root: Path, folder: Path) -> Iterator[str]:
    """Yield the texts in a folder and its sub-folders; links to folders are not followed."""
    try:
        entries = sorted(folder.iterdir())[:_MOST_ENTRIES]
    except OSError:
        return
    for entry in entries:
        path = entry.relative_to(root).as_posix()
        if entry.is_dir() and not entry.is_symlink():
            if path not in _SKIPPED and entry.name != "node_modules":
                yield from _text_paths_below(root, entry)
        elif entry.is_file() and _is_agent_text(path):
            yield path


def _is_agent_text(path: str) -> bool:
    suffix = Path(path).suffix
    named = suffix in _SUFFIXES if path.startswith(f"{TREE}/") else suffix in _SUFFIXES[:2]
    skipped = any(path == place or path.startswith(f"{place}/") for place in _SKIPPED)
    hidden = path.rpartition("/")[2].startswith(".") and path not in _FILES
    return (named or path in _FILES) and not skipped and not hidden


_CARL_HOOK_FILE = "carl-hook.py"  # settings without it are none of our business, readable or not


@dataclass(frozen=True, slots=True)
class CarlRegistration:
    """CARL's hook in a settings file; ``line`` counts from 1. ``replaced``: by a planned
    change.
    """

    path: str
    line: int
    scope: str
    command: str
    replaced: bool


def hook_changes(
    around: Surroundings, *, user: bool
) -> tuple[list[MigrationChange], list[CarlRegistration]]:
    """Return the settings with our hook in the place of CARL's, and where CARL's is.

    ``user``: in the settings that hold for all projects of this user, too. Raises UserError for
    settings that Claude Code could not read.
    """
    client = settings_registry.CLIENTS["claude"].with_guard(tree_guard_mode(around) != OFF)
    changes: list[MigrationChange] = []
    registrations: list[CarlRegistration] = []
    for place in client.places:
        whose = USER if client.is_of_user(place, around) else place.scope
        file = client.path_of(place, around)
        if place.scope != USER and whose == USER:
            continue  # the home folder's project settings are the user's, which come last
        name = shown_path(file, around)
        current = settings_syntax.read_settings(file, name)
        if current is None or _CARL_HOOK_FILE not in current.text:
            continue
        settings = settings_syntax.parse_settings(client, current.text, name)
        carl = [*filter(_is_of_carl, settings_syntax.find_hooks(client, settings))]
        replaced = user or place.scope != USER
        lines = LineIndex(current.text)
        for hook in carl:
            line = lines.line_of(hook.offset) + 1
            registrations.append(CarlRegistration(name, line, place.scope, hook.command, replaced))
        if carl and replaced:
            text = settings_merge.add_hooks(client, place, current.text, name)
            text, _ = settings_merge.remove_hooks(client, text, name, _is_of_carl)
            after = current.with_text(text).data
            why = f"our hook in the place of CARL's ({place.scope})"
            changes.append(MigrationChange(name, file, current.data, after, SETTINGS_PART, why))
    return changes, registrations


def record_backup(around: Surroundings, chapter: Chapter) -> None:
    """Have ``synapse uninstall`` know, after CARL's hook was replaced, what the settings are
    without us: they have no CARL either.
    """
    client = settings_registry.CLIENTS["claude"]
    places = {client.path_of(place, around): place for place in client.places}
    for number, entry in enumerate(chapter.entries):
        place = places.get(entry.file)
        if entry.part != SETTINGS_PART or place is None:
            continue
        data = chapter.read_copy("after", number)
        try:
            text = data.decode("utf-8-sig")
            left = settings_merge.remove_entries(client, place, text, place.path)
            left = left or settings_merge.EMPTY_SETTINGS
            before = data[: len(data) - len(text.encode())] + left.encode()
            settings_backup.save_record(
                entry.file, settings_backup.SettingsRecord(before, entry.after)
            )
        except (UserError, OSError):
            # Without it the entries are still found and taken out; only empty places are not known.
            return


def _is_of_carl(hook: settings_syntax.SettingsHook) -> bool:
    return any(is_carl_command(command) for _, command in hook.commands)


CARL = ".carl"
CARL_MANIFEST = f"{CARL}/manifest"
CARL_JSON = f"{CARL}/carl.json"

_FILE_LIMIT = 4_000_000  # bytes; CARL reads every file with every prompt
_SUFFIX = ".env"
_OWN_FILES = ("manifest", "commands", "context")
_UNREAD_REASON = "it is no file that CARL reads"


@dataclass(frozen=True, slots=True)
class CarlFile:
    """A file of the folder; ``path`` is relative to the root, ``text`` without byte order mark."""

    path: str
    data: bytes
    text: str
    newline: str


@dataclass(frozen=True, slots=True)
class CarlTree:
    """A tree of CARL v1.

    ``rules`` are the files of its domains by the name in the manifest. ``others`` are files that no
    domain has, ``left`` names of what is not taken over, but for the sessions, and why.
    """

    manifest: CarlFile
    document: Manifest
    rules: Mapping[str, CarlFile]
    commands: CarlFile | None
    context: CarlFile | None
    others: tuple[CarlFile, ...]
    left: Mapping[str, str]


def read_carl(root: Path) -> CarlTree:
    """Read the CARL tree in ``root``. Raises UserError, with the place, for what cannot be read
    whole.
    """
    by_name, left = _list_names(root)
    # A file of the very name is preferred to one with a suffix.
    stems = {name.removesuffix(_SUFFIX): name for name in by_name if name.endswith(_SUFFIX)}
    stems |= {name: name for name in by_name}
    manifest = read_text(root, CARL_MANIFEST)
    document = carl_manifest.parse(manifest.text).document
    served = {
        name: stems[name.lower()]
        for name in dict.fromkeys(("GLOBAL", *document.domains))
        if name.lower() in stems and name.lower() not in _OWN_FILES
    }
    own_files = {own: stems[own] for own in _OWN_FILES if own in stems}
    own_names = {*served.values(), *own_files.values()}
    commands, context = (
        read_text(root, f"{CARL}/{own_files[own]}") if own in own_files else None
        for own in ("commands", "context")
    )
    unused = [name for name in by_name if name not in own_names]
    for file in (root / CARL / name for name in unused):
        if not (file.is_file() and os.access(file, os.R_OK) and file.stat().st_size <= _FILE_LIMIT):
            left[file.name] = _UNREAD_REASON
    return CarlTree(
        manifest,
        document,
        {name: read_text(root, f"{CARL}/{file}") for name, file in served.items()},
        commands,
        context,
        tuple(_read_file(root, f"{CARL}/{name}")[0] for name in unused if name not in left),
        {name: why for name, why in left.items() if name != "sessions"},
    )


def _list_names(root: Path) -> tuple[list[str], dict[str, str]]:
    """Return the names of the files in the tree, and what else is in it: name -> why it is left."""
    names: list[str] = []
    left: dict[str, str] = {}
    for path in (root / CARL / name for name in list_names(str(root), CARL)):
        if refusal := find_refusal(str(root), f"{CARL}/{path.name}"):
            left[path.name] = refusal[0]
        elif path.is_dir():
            left[path.name] = _UNREAD_REASON
        elif not path.name.startswith("."):
            names.append(path.name)
    return names, left


def read_text(root: Path, path: str) -> CarlFile:
    """Read a file of CARL's that has to be text."""
    file, problems = _read_file(root, path)
    for problem in problems:
        if problem.kind != "foreign-encoding" and "\ufffd" in problem.span.cut(file.text):
            line, column = LineIndex(file.text).position(problem.span.start)
            raise UserError(
                f"{path}:{line + 1}:{column + 1} is not UTF-8, so what it says is not known for "
                "certain.",
                "Save the file as UTF-8 first.",
            )
    return file


def _read_file(root: Path, path: str) -> tuple[CarlFile, tuple[Finding, ...]]:
    """Read a file of CARL's; return it with the problems of its encoding."""
    file = Path(os.path.realpath(root / path))
    if refusal := find_refusal(str(root), path, str(file)):
        raise UserError(f"{path} is not read: {refusal[0]}.", "Put the file itself there.")
    if not file.is_file():
        raise UserError(f"{path} is not a file that can be read.", "Move it away.")
    if file.stat().st_size > _FILE_LIMIT:
        raise UserError(
            f"{path} has more than {_FILE_LIMIT:,} bytes, which no prompt could hold.",
            "Move it away.",
        )
    data = migration_journal.read_file(file, within=os.sep) or b""
    decoded = decode_text(data)
    return CarlFile(path, data, decoded.text, decoded.newline), decoded.problems


KEPT_FOLDER = f"{TREE}/carl"


# What CARL brought into a project, which goes with ``--finish``.
CARL_FILES = (CARL, ".claude/hooks/carl-hook.py", *CARL_OWN_FILES)


def existing_removals(root: Path, *, linked: bool = False) -> list[str]:
    """Return the files of CARL that are still in the project, of those that CARL has brought into
    it; with ``linked``, those that only a link leads to, which are left alone.
    """
    return [
        path
        for path in CARL_FILES
        if os.path.lexists(root / path)
        and linked
        == bool(
            migration_journal.is_in_linked_folder(root, root / path)
            or find_outside_link(str(root), path)
        )
    ]
