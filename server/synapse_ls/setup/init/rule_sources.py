"""This module reads the files that rules are taken over from: ``CLAUDE.md``, ``AGENTS.md``, Cursor
rules.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.file_reader import RefusedError, read_file

KNOWN_SOURCES = (
    "CLAUDE.md",
    "AGENTS.md",
    ".cursor/rules",
    ".cursorrules",
    ".github/copilot-instructions.md",
)
"""Where projects keep rules for agents before they have a tree; see `load_sources`."""

CARL_FOLDER = ".carl"
"""The folder of a CARL tree (CARL v1)."""

_RULE_SUFFIXES = (".mdc", ".md")
_MOST_NAMES = 4  # file names in a message


def load_sources(root: Path, names: Iterable[str]) -> Mapping[str, str]:
    """Loads the texts of rule files for agents, by path relative to ``root``.

    A name is a file, or a folder whose Markdown and ``.mdc`` files are taken, sub-folders included.
    Raises EditError where there is nothing of that name or no rule file in a folder, where it
    cannot be read, and for a CARL tree.
    """
    texts: dict[str, str] = {}
    for name in names:
        path = root / name
        if not path.exists():
            raise EditError(f"There is no {name} to take rules from.", "Name a file or a folder.")
        files = sorted(_rule_files(path)) if path.is_dir() else [path]
        if path.name == CARL_FOLDER and path.is_dir():
            raise _carl_tree_error(name, path)
        if not files:
            raise EditError(
                f"The folder {name} has no rule files ({' or '.join(_RULE_SUFFIXES)}).",
                "Name a file or another folder.",
            )
        for file in files:
            shown = (file.relative_to(root) if file.is_relative_to(root) else file).as_posix()
            texts[shown] = _read_text(file, shown)
    return texts


def existing_sources(root: Path) -> tuple[str, ...]:
    """Returns those of `KNOWN_SOURCES` that the project has."""
    return tuple(name for name in KNOWN_SOURCES if (root / name).exists())


def existing_paths(root: Path, paths: Collection[str]) -> frozenset[str]:
    """Returns those of ``paths`` below ``root`` at which there is anything, a dangling link
    included.
    """
    return frozenset(p for p in paths if (root / p).exists() or (root / p).is_symlink())


def has_carl_tree(root: Path) -> bool:
    """Tells whether the project has a CARL tree."""
    return (root / CARL_FOLDER).is_dir()


def _carl_tree_error(name: str, folder: Path) -> EditError:
    found = sorted(entry.name for entry in folder.iterdir() if entry.is_file())
    files = (
        f" ({', '.join(found[:_MOST_NAMES])}{', …' * (len(found) > _MOST_NAMES)})" if found else ""
    )
    return EditError(
        f"{name.rstrip('/')}/ is a CARL tree{files}, which becomes a tree as a whole.",
        "Run `synapse migrate`; with --dry-run it only shows what would become of it.",
    )


def _rule_files(folder: Path) -> Iterator[Path]:
    """Yields Markdown and ``.mdc`` files in a folder and its sub-folders; links to folders are
    skipped.
    """
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            yield from _rule_files(entry)
        elif entry.is_file() and entry.suffix in _RULE_SUFFIXES:
            yield entry


def _read_text(file: Path, shown: str) -> str:
    try:
        content = read_file(str(file))
    except RefusedError as error:
        raise EditError(f"No rules can be taken from {shown}. {error.message}", "") from error
    if content is None:
        raise EditError(f"{shown} disappeared while it was read.", "Run the command again.")
    return content.decoded.text
