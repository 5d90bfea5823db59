"""This module finds what files of instructions were before their rules were taken over, in a folder
that has been moved since, too; and the rules of a tree that they do not have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from synapse_ls.edits.told_rules import repeated_rules, told_form, told_texts
from synapse_ls.formats.instruction_context import add_context
from synapse_ls.formats.instruction_rules import read_source
from synapse_ls.integrations.instruction_registry import TARGETS
from synapse_ls.setup.init.rule_sources import existing_sources, load_sources
from synapse_ls.setup.install import settings_backup
from synapse_ls.setup.install.settings_backup import SettingsRecord
from synapse_ls.setup.sync.managed_document import read_document
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import LoadScope, load_tree


def find_records(root: Path) -> Iterator[tuple[Path, SettingsRecord]]:
    """Yields the files of a project whose rules were taken over, with the records of what they were.

    A folder that was moved or copied has the records of its former place: these are about files of
    the same names whose rules its tree tells.
    """
    known = dict(settings_backup.recorded_instructions(root))
    yield from known.items()
    here = root.resolve()
    former = None if known else _find_former_place(here)
    if former is not None:
        for file, record in settings_backup.recorded_instructions(former):
            yield here / file.relative_to(former), record


def _find_former_place(root: Path) -> Path | None:
    """Returns the folder from which a project's files with a part of ours came, None for no such."""
    held = [
        path
        for target in TARGETS.values()
        if read_document(root, path := target.main_place.path).managed is not None
    ]
    if not held:
        return None
    told = told_texts(_read_tree(root))
    best: tuple[float, Path | None] = (0.5, None)  # most of what it had has to be told here
    for file, record in settings_backup.recorded_instructions(None):
        path = next((one for one in held if file.as_posix().endswith(f"/{one}")), "")
        if path:
            share = _told_share(path, record, told)
            place = file.parents[path.count("/")]
            best = max(best, (share, place), key=lambda one: one[0])
    return best[1]


def _told_share(path: str, record: SettingsRecord, told: Collection[str]) -> float:
    """Returns which part of the rules that a file had are among ``told``."""
    source = read_source(path, (record.before or b"").decode("utf-8", "replace"))
    number = sum(len(heading.rules) for heading in source.headings)
    return len(list(repeated_rules(source, told))) / number if number else 0.0


def rules_only_in_tree(root: Path) -> list[tuple[str, str]]:
    """Returns the rules of a tree that no file of instructions has: (path of the rule's file, text)."""
    try:
        sources = load_sources(root, existing_sources(root))
    except EditError:
        return []
    there = {
        told_form(rule.text)
        for path, text in sources.items()
        for heading in read_source(path, text).headings
        for rule in (*heading.rules, *add_context(heading).rules)
    }
    tree = _read_tree(root)
    return [
        (domain.file or "", rule.text)
        for domain in tree.domains
        if domain.is_active
        for rule in tree.rules_of(domain)
        if told_form(rule.text) not in there
    ]


def _read_tree(root: Path) -> Tree:
    return Tree(load_tree(str(root), LoadScope.PROMPT).index.snapshot())
