"""This module plans what follows when files or folders are renamed: everything in the tree that
names them is changed too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from synapse_ls.edits.edit_draft import EditDraft
from synapse_ls.edits.path_references import put_new_path
from synapse_ls.edits.rename_plans import RENAMES, rename_domain
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace.edit_plan import CREATE, EDIT, MOVE, EditError, EditPlan, FileEdit
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.index_keys import make_key
from synapse_ls.workspace.naming_conventions import (
    domain_file_names,
    domain_of_file,
    file_stem,
    is_same_id,
    kebab_case,
)
from synapse_ls.workspace.rule_tree import Tree

_NUMBER = re.compile(r"(?:[A-Za-z][A-Za-z0-9]*-)*[0-9]+(?:\.[0-9]+)*[a-z]?(?![^\W_])")
_FAMILIES: Mapping[FileKind, str] = {
    FileKind.AGENT: "agent",
    FileKind.WORKFLOW: "workflow",
    FileKind.TASK: "task",
}


def plan_file_renames(
    tree: Tree, moves: Iterable[tuple[str, str]]
) -> tuple[EditPlan, tuple[str, ...]]:
    """Returns the changes that keep the tree whole while files are renamed, and the reasons why
    some are not made.

    ``moves`` are (old path, new path), both relative to the root; the plan leaves these renames to
    whoever makes them and speaks of the paths before: a file that gets another name inside a
    folder that is renamed gets it first.
    """
    given = dict(moves)
    found: dict[str, FileEdit] = {}
    refused = []
    for old, new in given.items():
        try:
            plan = _plan_file_rename(tree, old, new)
        except EditError as error:
            refused.append(f"{old}: {error}")
            continue
        for made in plan.edits:
            if made.action == MOVE:
                continue
            change = replace(made, action=EDIT, target="") if made.path in given else made
            found[change.path] = _merge_edits(found.get(change.path), change)
    return EditPlan(tuple(e for e in found.values() if e.edits or e.target)), tuple(refused)


def _merge_edits(earlier: FileEdit | None, change: FileEdit) -> FileEdit:
    """Returns both changes of a file as one; where they disagree the first one counts."""
    if earlier is None or change.action == CREATE:
        return change
    edits = list(earlier.edits)
    for one in change.edits:
        if not any(_edits_overlap(one, other) for other in edits):
            edits.append(one)
    return replace(earlier, edits=tuple(edits))


def _edits_overlap(one: TextEdit, other: TextEdit) -> bool:
    return one.span == other.span or (
        one.span.start < other.span.end and other.span.start < one.span.end
    )


def _plan_file_rename(tree: Tree, old: str, new: str) -> EditPlan:
    facts = tree.snapshot.facts(old)
    squad = next((squad for squad in tree.squads if squad.path == old), None)
    if squad and new.rpartition("/")[0] == old.rpartition("/")[0]:
        return RENAMES["squad"](tree, squad.folder, new.rpartition("/")[2])
    plan = _plan_id_rename(tree, facts, new) if facts else EditPlan()
    if plan:
        return plan
    draft = EditDraft(tree)
    put_new_path(draft, tree, old, new)
    _put_component(draft, tree, old, new)
    _put_story(draft, tree, old, new)
    return draft.plan()


def _plan_id_rename(tree: Tree, facts: FileFacts, new: str) -> EditPlan:
    """Returns the renaming of a thing that is called after its file; empty where it is not, or the
    file moves to another folder.
    """
    if facts.path.rpartition("/")[0] != new.rpartition("/")[0]:
        return EditPlan()
    if facts.kind in RULE_KINDS:
        serving = tree.home_of(facts.path).domains_by_file.get(facts.path, ())
        name = facts.path.rpartition("/")[2]
        key = domain_of_file(new)
        folder = facts.path.rpartition("/")[0]
        if len(serving) != 1 or name not in domain_file_names(serving[0].name, folder):
            return EditPlan()
        return EditPlan() if key == serving[0].name else rename_domain(tree, serving[0].label, key)
    family, before, after = _FAMILIES.get(facts.kind), file_stem(facts.path), file_stem(new)
    if family is None or not is_same_id(facts.id, before) or before == after:
        return EditPlan()
    if kebab_case(before) == kebab_case(after):
        return EditPlan()
    return RENAMES[family](tree, facts.id, after)


def _put_component(draft: EditDraft, tree: Tree, old: str, new: str) -> None:
    """Changes the name of a component's file in the ``squad.yaml`` of its squad."""
    squad = tree.home_of(old).squad
    facts = tree.snapshot.facts(squad.yaml_path) if squad else None
    if squad is None or facts is None or not isinstance(facts.document, SquadDocument):
        return
    for kind, items in facts.document.components.items():
        folder = f"{squad.path}/{kind}/"
        if not (old.startswith(folder) and new.startswith(folder)):
            continue
        before, after = old[len(folder) :], new[len(folder) :]
        for item in items:
            at = facts.text.find(before, *item.span)
            bare = facts.text.find(file_stem(before), *item.span)
            if at >= 0 and item.value.endswith(before):
                draft.put(facts.path, Span(at, at + len(before)), after)
            elif item.value == file_stem(before) and bare >= 0:
                draft.put(facts.path, Span(bare, bare + len(file_stem(before))), file_stem(after))


def _put_story(draft: EditDraft, tree: Tree, old: str, new: str) -> None:
    """Changes a story's path, file name and number wherever others refer to the story.

    Its own heading has the number too. Raises EditError where the new one is another story's.
    """
    facts = tree.snapshot.facts(old)
    if facts is None or facts.kind is not FileKind.STORY:
        return
    names = {old: new, file_stem(old): file_stem(new)}
    number = _story_number(file_stem(old))
    if number and is_same_id(number, facts.id):
        after = _story_number(file_stem(new))
        others = (
            set(tree.snapshot.defining_paths(make_key("story", after))) - {old} if after else ()
        )
        if others and not is_same_id(after, number):
            raise EditError(
                f"{min(others)} is already the story {after}.", "Choose another number."
            )
        names[facts.id] = after or file_stem(new)
        for span in facts.document.id_spans if isinstance(facts.document, StoryDocument) else ():
            if after:
                draft.put(old, span, after)
    for before, after in names.items():
        for path, reference in tree.snapshot.references(make_key("story", before)):
            known = tree.snapshot.facts(path)
            at = known.text.find(before, *reference.span) if known else -1
            if known and at >= 0 and reference.span.cut(known.text).strip("\"'") == before:
                draft.put(path, Span(at, at + len(before)), after)


def _story_number(name: str) -> str:
    """Returns the number that the name of a story's file begins with: ``STORY-42``, ``1.2``; else
    "".
    """
    found = _NUMBER.match(name)
    return found[0] if found else ""
