"""What follows from files and folders that somebody renames: whatever names them is changed too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from synapse_ls.formats.squad import SquadDocument
from synapse_ls.formats.story import StoryDocument
from synapse_ls.manage.domains import rename as rename_domain
from synapse_ls.manage.draft import Draft
from synapse_ls.manage.moved import put_moved
from synapse_ls.manage.plan import CREATE, EDIT, MOVE, FileEdit, ManageError, Plan
from synapse_ls.manage.rename import RENAMES
from synapse_ls.text.edit import TextEdit
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.keys import key
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.naming import (
    candidates,
    domain_of_file,
    kebab,
    same_id,
    stem,
)
from synapse_ls.workspace.tree import Tree

_NUMBER = re.compile(r"(?:[A-Za-z][A-Za-z0-9]*-)*[0-9]+(?:\.[0-9]+)*[a-z]?(?![^\W_])")
_FAMILIES: Mapping[FileKind, str] = {
    FileKind.AGENT: "agent",
    FileKind.WORKFLOW: "workflow",
    FileKind.TASK: "task",
}


def follow(tree: Tree, moves: Iterable[tuple[str, str]]) -> tuple[Plan, tuple[str, ...]]:
    """The changes that keep the tree whole while paths become others, and why some are not made.

    ``moves`` are (old path, new path), both relative to the root; the plan leaves these renames to
    whoever makes them and speaks of the paths before: a file that gets another name inside a folder
    that is renamed gets it first.
    """
    given = dict(moves)
    found: dict[str, FileEdit] = {}
    refused = []
    for old, new in given.items():
        try:
            plan = _follow(tree, old, new)
        except ManageError as error:
            refused.append(f"{old}: {error}")
            continue
        for made in plan.edits:
            if made.action == MOVE:
                continue
            change = replace(made, action=EDIT, target="") if made.path in given else made
            found[change.path] = _merged(found.get(change.path), change)
    return Plan(tuple(e for e in found.values() if e.edits or e.target)), tuple(refused)


def _merged(known: FileEdit | None, change: FileEdit) -> FileEdit:
    """Both changes of a file; where they disagree the first one counts."""
    if known is None or change.action == CREATE:
        return change
    edits = list(known.edits)
    for one in change.edits:
        if not any(_overlap(one, other) for other in edits):
            edits.append(one)
    return replace(known, edits=tuple(edits))


def _overlap(one: TextEdit, other: TextEdit) -> bool:
    return one.span == other.span or (
        one.span.start < other.span.end and other.span.start < one.span.end
    )


def _follow(tree: Tree, old: str, new: str) -> Plan:
    facts = tree.snapshot.facts(old)
    squad = next((squad for squad in tree.squads if squad.path == old), None)
    if squad and new.rpartition("/")[0] == old.rpartition("/")[0]:
        return RENAMES["squad"](tree, squad.folder, new.rpartition("/")[2])
    plan = _named(tree, facts, new) if facts else Plan()
    if plan:
        return plan
    draft = Draft(tree)
    put_moved(draft, tree, old, new)
    _put_component(draft, tree, old, new)
    _put_story(draft, tree, old, new)
    return draft.plan()


def _named(tree: Tree, facts: FileFacts, new: str) -> Plan:
    """The renaming of what goes by its file's name; empty where it does not, or moves elsewhere."""
    if facts.path.rpartition("/")[0] != new.rpartition("/")[0]:
        return Plan()
    if facts.kind in RULE_KINDS:
        serving = tree.home_of(facts.path).served.get(facts.path, ())
        name = facts.path.rpartition("/")[2]
        key = domain_of_file(new)
        folder = facts.path.rpartition("/")[0]
        if len(serving) != 1 or name not in candidates(serving[0].name, folder):
            return Plan()
        return Plan() if key == serving[0].name else rename_domain(tree, serving[0].label, key)
    family, before, after = _FAMILIES.get(facts.kind), stem(facts.path), stem(new)
    if family is None or not same_id(facts.id, before) or before == after:
        return Plan()
    if kebab(before) == kebab(after):
        return Plan()
    return RENAMES[family](tree, facts.id, after)


def _put_component(draft: Draft, tree: Tree, old: str, new: str) -> None:
    """The name of a component's file in the ``squad.yaml`` of its squad."""
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
            bare = facts.text.find(stem(before), *item.span)
            if at >= 0 and item.value.endswith(before):
                draft.put(facts.path, Span(at, at + len(before)), after)
            elif item.value == stem(before) and bare >= 0:
                draft.put(facts.path, Span(bare, bare + len(stem(before))), stem(after))


def _put_story(draft: Draft, tree: Tree, old: str, new: str) -> None:
    """What a story goes by where others say which one they mean: its path, its file, its number.

    Its own heading has the number too. Raises ManageError where the new one is another story's.
    """
    facts = tree.snapshot.facts(old)
    if facts is None or facts.kind is not FileKind.STORY:
        return
    names = {old: new, stem(old): stem(new)}
    number = _number(stem(old))
    if number and same_id(number, facts.id):
        after = _number(stem(new))
        others = set(tree.snapshot.definers(key("story", after))) - {old} if after else ()
        if others and not same_id(after, number):
            raise ManageError(
                f"{min(others)} is already the story {after}.", "Choose another number."
            )
        names[facts.id] = after or stem(new)
        for span in facts.document.numbered if isinstance(facts.document, StoryDocument) else ():
            if after:
                draft.put(old, span, after)
    for before, after in names.items():
        for path, reference in tree.snapshot.references(key("story", before)):
            known = tree.snapshot.facts(path)
            at = known.text.find(before, *reference.span) if known else -1
            if known and at >= 0 and reference.span.cut(known.text).strip("\"'") == before:
                draft.put(path, Span(at, at + len(before)), after)


def _number(name: str) -> str:
    """The number that the name of a story's file begins with: ``STORY-42``, ``1.2``; else ""."""
    found = _NUMBER.match(name)
    return found[0] if found else ""
