"""The conversion of a tree into which an earlier version copied the rules of CLAUDE.md and its
like: the copies go, the files are again what they were, and the tree refers to them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from synapse_ls.edits.line_edits import delete_lines
from synapse_ls.edits.repeated_rules import told_form
from synapse_ls.formats.managed_block import is_managed
from synapse_ls.integrations.client_definition import PROJECT, Surroundings
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.setup.init.file_restoration import plan_restoration, text_beside_block
from synapse_ls.setup.init.rule_sources import SourceSurvey, survey_sources
from synapse_ls.setup.planned_changes import FileChange
from synapse_ls.text.text_edit import apply_edits
from synapse_ls.workspace.regular_files import read_whole
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import MANIFEST

_LINE_MARKS = re.compile(r"^[ \t>]*(?:#{1,6}[ \t]+|(?:[-*+]|\d+[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?")
_JOINTS = re.compile(r"[:;] ")
# What an earlier version wrote above the domains that it made.
_OWN_COMMENT = re.compile(
    r"#(?: Domains taken over from |$| A domain that is _ALWAYS_ON | when a )"
)


class TreeConversion(NamedTuple):
    """The changes by which copies go, and files are restored. copies: how many rules go. notes:
    sentences about files that are left alone. survey: the files, as they are then.
    """

    changes: list[FileChange]
    copies: int
    notes: list[str]
    survey: SourceSurvey


def plan_conversion(root: Path, tree: Tree) -> TreeConversion:
    """Plan the conversion of the tree at ``root``; without changes where nothing was copied."""
    restored = plan_restoration(Surroundings.of_process(str(root)), CLIENTS.values(), (PROJECT,))
    survey = survey_sources(root)
    for change in restored.changes:
        survey.replace_text(change.path, (change.after or b"").decode("utf-8", "replace"))
    restored.notes.extend(_unrecorded_notes(survey, {change.path for change in restored.changes}))
    forms = frozenset(form for path in survey.sources for form in _source_forms(survey, path))
    changes: list[FileChange] = list(restored.changes)
    copies, emptied = 0, list[str]()
    for domain in tree.domains:
        is_special = domain.builtin and domain.label != "GLOBAL"
        if is_special or domain.squad or domain.adopted or not domain.file:
            continue
        facts = tree.snapshot.facts(domain.file)
        copied = [rule for rule in tree.rules_of(domain) if _is_copy(rule.text, forms)]
        if facts is None or not copied:
            continue
        copies += len(copied)
        rest = apply_edits(facts.text, [delete_lines(facts.text, rule.span) for rule in copied])
        if len(copied) == len(tree.rules_of(domain)):
            emptied.append(domain.label)
            rest = ""
        changes.append(_tree_change(root, domain.file, rest))
    if emptied:
        changes.append(_tree_change(root, MANIFEST, _manifest_without(tree, emptied)))
    return TreeConversion(changes if copies else [], copies, restored.notes, survey)


def _unrecorded_notes(survey: SourceSurvey, restored: Collection[str]) -> Iterator[str]:
    """Yield the files with a part of ours of which nothing here says what they were."""
    for path, text in survey.texts.items():
        if path not in restored and is_managed(text):
            yield (
                f"{path} stays as it is: no copy of what it was before its rules were taken out is "
                "kept on this computer; version control may have one"
            )


def _source_forms(survey: SourceSurvey, path: str) -> Iterator[str]:
    """Yield what rules that were copied from a file can be made of: its rules, lines, headings."""
    for heading in survey.sources[path].headings:
        yield told_form(heading.title)
        yield from (told_form(rule.text) for rule in heading.rules)
    for line in text_beside_block(
        survey.texts[path].encode("utf-8", "surrogateescape")
    ).splitlines():
        yield told_form(_LINE_MARKS.sub("", line).strip().rstrip(":"))


def _is_copy(text: str, forms: Collection[str]) -> bool:
    """Return whether a rule is one of ``forms``, or joined of several, as short rules were with
    their headings and items with what is nested in them.
    """
    if told_form(text) in forms:
        return True
    return any(
        told_form(text[: joint.start()]) in forms and _is_copy(text[joint.end() :], forms)
        for joint in _JOINTS.finditer(text)
    )


def _manifest_without(tree: Tree, labels: Collection[str]) -> str:
    """Return the manifest without the declarations of domains, "" where nothing else is in it."""
    facts = tree.snapshot.facts(MANIFEST)
    text = facts.text if facts else ""
    own = tuple(f"{label}_" for label in labels)
    lines = [
        line
        for line in text.splitlines(keepends=True)
        if not line.lstrip("# ").startswith(own) and not _OWN_COMMENT.match(line.strip())
    ]
    rest = "".join(lines)
    return rest if any(line.strip() and not line.startswith("#") for line in lines) else ""


def _tree_change(root: Path, path: str, text: str) -> FileChange:
    before = read_whole(root / path)
    after = text.encode("utf-8", "surrogateescape") if text.strip() else None
    return FileChange(path, root / path, before, after, within=str(root))
