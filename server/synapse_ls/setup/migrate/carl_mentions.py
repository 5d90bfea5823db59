"""This module finds mentions of CARL in texts for agents, and rewords them: offered, never done
unasked.

Only what means something to a program or an agent is replaced: tags, commands, paths, the name of a
tool. Where the text only talks of CARL, a person has to decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.setup.migrate.carl_managed_block import BLOCK_BEGIN
from synapse_ls.setup.migrate.migration_change import TEXT, MigrationChange, file_text
from synapse_ls.setup.sync.block_placement import read_document
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.tree_folders import TREE

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
_KEPT_LINE = re.compile(r"^(?:[ \t]*#|COMMANDS_RULE_CARL_)[^\n]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mention:
    """A Mention is a line that still mentions CARL. ``line`` counts from 1."""

    path: str
    line: int
    text: str


def text_changes(
    root: Path, planned: Mapping[str, bytes]
) -> tuple[list[MigrationChange], list[Mention]]:
    """Returns the texts that mention CARL as they could read, and what still mentions it then.

    ``planned``: what files will hold by then, by path.
    """
    changes: list[MigrationChange] = []
    mentions: list[Mention] = []
    seen: set[Path] = set()
    for path in sorted({*_text_paths(root), *(p for p in planned if _is_agent_text(p))}):
        document = read_document(root, path)
        if document.refusal or document.real in seen:
            continue
        seen.add(document.real)
        data = planned.get(path, document.data)
        if data is None or b"\0" in data or BLOCK_BEGIN.encode() in data:
            continue
        text = file_text(data)
        if text.encode() not in data:
            continue
        new = _reword_text(text, path)
        if new != text:
            head = data[: len(data) - len(text.encode())]
            changes.append(MigrationChange(TEXT, path, document.real, data, head + new.encode()))
        lines = LineIndex(new)
        told = {lines.line_of(m.start()) for m in _MENTION.finditer(new)}
        said = ((n, lines.line_span(n).cut(new).strip()) for n in sorted(told))
        # No agent is told the comments of a rule file.
        ours = path.startswith(f"{TREE}/")
        mentions += (Mention(path, n + 1, t) for n, t in said if not (ours and t.startswith("#")))
    return changes, mentions


def _reword_text(text: str, path: str) -> str:
    """Rewords the text; of a rule file neither comments, which no agent is told, nor the rules of a
    command ``*carl``, which a tree may go on having.
    """
    if not path.startswith(f"{TREE}/"):
        return _replace_mentions(text)
    parts: list[str] = []
    at = 0
    for kept in _KEPT_LINE.finditer(text):
        parts += (_replace_mentions(text[at : kept.start()]), kept[0])
        at = kept.end()
    return "".join([*parts, _replace_mentions(text[at:])])


def _replace_mentions(text: str) -> str:
    for pattern, new in _REPLACEMENTS:
        text = pattern.sub(new, text)
    return text


def _text_paths(root: Path) -> Iterator[str]:
    yield from (name for name in _FILES if (root / name).is_file())
    for folder in _FOLDERS:
        yield from _text_paths_below(root, root / folder)


def _text_paths_below(root: Path, folder: Path) -> Iterator[str]:
    """Yields the texts in a folder and its sub-folders; links to folders are not followed."""
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
