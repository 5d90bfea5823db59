"""Rename the domain, agent, workflow, squad or command at a place, or follow renamed files.

Both give the same changes as the command line's renames. Linked spans of a domain's name are what
an editor renames while it is typed.
"""

from collections.abc import Iterable

from synapse_ls.edits.rename_plans import RENAMES, EditDraft, put_new_path, rename_domain
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.ide.navigation import FAMILIES, find_highlights
from synapse_ls.ide.position_lookup import Subject, heading_span, subject_at
from synapse_ls.ide.tree_view import View
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import CREATE, EDIT, MOVE, EditPlan, FileEdit
from synapse_ls.workspace.fact_extraction import make_key
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import BUILT_IN, RULE_KINDS, FileKind
from synapse_ls.workspace.naming_conventions import (
    domain_file_names,
    domain_of_file,
    file_stem,
    is_same_id,
    kebab_case,
)
from synapse_ls.workspace.rule_tree import Tree

_AS_WRITTEN = ("agent", "workflow", "task")
_NO_NAME = "Nothing here has a name that can be changed."


def prepare_rename(view: View, path: str, offset: int) -> tuple[Span, str] | None:
    """Return the place of the name at ``offset`` that an editor can rename, and the name as it is
    to be edited; None where there is none.

    Raises UserError for names that are fixed.
    """
    if (subject := subject_at(view, path, offset)) is None or subject.family not in RENAMES:
        return None
    _check_renameable(view, path, subject)
    # A caret before the mark of a star-command is at the command, too.
    span = Span(min(subject.span.start, offset), max(subject.span.end, offset))
    # The name as it stands there; a domain's own name, not the label that squads add to.
    domain = view.tree.domains_by_label.get(subject.name) if subject.family == "domain" else None
    written = _name_in_text(view, path, subject)
    is_name = subject.family in _AS_WRITTEN and is_same_id(written, subject.name)
    if is_name and not _is_heading(view, path, subject):
        return span, written
    return span, domain.name if domain else subject.name


def rename(view: View, path: str, offset: int, new: str) -> EditPlan:
    """Rename what stands at ``offset`` in an editor: plans another name for it everywhere.

    Raises UserError where nothing there can be renamed, or not to that name.
    """
    if (subject := subject_at(view, path, offset)) is None or subject.family not in RENAMES:
        raise UserError(_NO_NAME, "Ask at a domain, an agent, a workflow, a squad or a command.")
    _check_renameable(view, path, subject)
    marks = {"agent": "@", "command": "*"}.get(subject.family, "")
    return RENAMES[subject.family](view.tree, subject.name, new.strip().removeprefix(marks))


def _name_in_text(view: View, path: str, subject: Subject) -> str:
    facts = view.tree.snapshot.facts(path)
    return subject.span.cut(facts.text) if facts else ""


def _is_heading(view: View, path: str, subject: Subject) -> bool:
    facts = view.tree.snapshot.facts(path)
    return facts is not None and subject.span == heading_span(facts.text)


def _check_renameable(view: View, path: str, subject: Subject) -> None:
    """Raise UserError where something cannot be renamed, or not from here."""
    written = _name_in_text(view, path, subject)
    if subject.family == "domain":
        domain = view.tree.domains_by_label.get(subject.name)
        if domain and domain.builtin and domain.name.lower() in BUILT_IN:
            raise UserError(
                f"{domain.name} has a fixed meaning, so it cannot be renamed.",
                "Create another domain and move the rules there.",
            )
        if domain is None or domain.declaration is None:
            raise UserError(
                "No manifest declares this domain, so there is nothing to rename.",
                "Declare it first, or rename its file.",
            )
    elif subject.family == "squad":
        # The names by which it may be renamed: that of its folder, or its key by the prefix.
        squad = next((squad for squad in view.tree.squads if squad.folder == subject.name), None)
        names = (subject.name, squad.namespace if squad else subject.name)
        if kebab_case(written) not in (
            kebab_case(n + end) for n in names for end in ("", "_EXTENDS")
        ):
            raise UserError(
                f"The squad's folder is called {subject.name}, which is the name that counts.",
                "Rename the folder.",
            )
    elif subject.family in _AS_WRITTEN and not (
        is_same_id(written, subject.name) or _is_heading(view, path, subject)
    ):
        raise UserError(
            f"{written} is the file of the {subject.family} {subject.name}.",
            f"Rename the {subject.family} where its id is written, or the file itself.",
        )


_NUMBER = lazy_pattern(r"(?:[A-Za-z][A-Za-z0-9]*-)*[0-9]+(?:\.[0-9]+)*[a-z]?(?![^\W_])")


def plan_file_renames(
    tree: Tree, moves: Iterable[tuple[str, str]]
) -> tuple[EditPlan, tuple[str, ...]]:
    """Return the changes that keep the tree whole while files are renamed, and the reasons why some
    are not made.

    ``moves`` are (old path, new path), both relative to the root; the plan leaves these renames to
    whoever makes them and speaks of the paths before: a file that gets another name inside a
    folder that is renamed gets it first.
    """
    paths_by_old = dict(moves)
    file_edits: dict[str, FileEdit] = {}
    refused = []
    for old, new in paths_by_old.items():
        try:
            plan = _plan_file_rename(tree, old, new)
        except UserError as error:
            refused.append(f"{old}: {error}")
            continue
        for edit in plan.edits:
            if edit.action == MOVE:
                continue
            change = edit._replace(action=EDIT, target="") if edit.path in paths_by_old else edit
            if (earlier := file_edits.get(change.path)) and change.action != CREATE:
                # Both changes as one; where they disagree the first one counts.
                edits = list(earlier.edits)
                for text_edit in change.edits:
                    start, end = text_edit.span
                    if not any(
                        text_edit.span == span or (start < span.end and span.start < end)
                        for span in (other.span for other in edits)
                    ):
                        edits.append(text_edit)
                change = earlier._replace(edits=tuple(edits))
            file_edits[change.path] = change
    return EditPlan(tuple(e for e in file_edits.values() if e.edits or e.target)), tuple(refused)


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
    """Return the renaming of a thing that is called after its file; empty where it is not, or the
    file moves to another folder.
    """
    folder, _, name = facts.path.rpartition("/")
    if folder != new.rpartition("/")[0]:
        return EditPlan()
    if facts.kind in RULE_KINDS:
        serving = tree.domains_of_file(facts.path)
        key = domain_of_file(new)
        if len(serving) != 1 or name not in domain_file_names(serving[0].name, folder):
            return EditPlan()
        return EditPlan() if key == serving[0].name else rename_domain(tree, serving[0].label, key)
    family, before, after = FAMILIES.get(facts.kind), file_stem(facts.path), file_stem(new)
    is_other = kebab_case(before) != kebab_case(after)
    if family is None or not is_same_id(facts.id, before) or not is_other:
        return EditPlan()
    return RENAMES[family](tree, facts.id, after)


def _put_component(draft: EditDraft, tree: Tree, old: str, new: str) -> None:
    """Change the name of a component's file in the ``squad.yaml`` of its squad."""
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
            if item.value.endswith(before):
                name, new_name = before, after
            elif item.value == file_stem(before):
                name, new_name = file_stem(before), file_stem(after)
            else:
                continue
            if (at := facts.text.find(name, *item.span)) >= 0:
                draft.put(facts.path, Span(at, at + len(name)), new_name)


def _put_story(draft: EditDraft, tree: Tree, old: str, new: str) -> None:
    """Change a story's path, file name and number wherever others refer to the story.

    Its own heading has the number too. Raises UserError where the new one is another story's.
    """
    if (facts := tree.snapshot.facts(old)) is None or facts.kind is not FileKind.STORY:
        return
    names = {old: new, file_stem(old): file_stem(new)}
    if (number := _story_number(file_stem(old))) and is_same_id(number, facts.id):
        after = _story_number(file_stem(new))
        other_defining_paths = (
            set(tree.snapshot.defining_paths(make_key("story", after))) - {old} if after else ()
        )
        if other_defining_paths and not is_same_id(after, number):
            raise UserError(
                f"{min(other_defining_paths)} is already the story {after}.",
                "Choose another number.",
            )
        names[facts.id] = after or file_stem(new)
        for span in facts.document.id_spans if isinstance(facts.document, StoryDocument) else ():
            if after:
                draft.put(old, span, after)
    for before, after in names.items():
        for path, reference in tree.snapshot.references(make_key("story", before)):
            file_facts = tree.snapshot.facts(path)
            at = file_facts.text.find(before, *reference.span) if file_facts else -1
            if (
                file_facts
                and at >= 0
                and reference.span.cut(file_facts.text).strip("\"'") == before
            ):
                draft.put(path, Span(at, at + len(before)), after)


def _story_number(name: str) -> str:
    """Return the number that the name of a story's file begins with: ``STORY-42``, ``1.2``; else
    "".
    """
    return match[0] if (match := _NUMBER.match(name)) else ""


def find_linked_spans(view: View, path: str, offset: int) -> tuple[Span, ...]:
    """Return the places of a file where the name of the domain at ``offset`` stands, which change
    together while it is typed; nothing where there is no second one.
    """
    facts = view.tree.snapshot.facts(path)
    subject = subject_at(view, path, offset)
    if not (facts and subject and subject.family == "domain" and subject.span.touches(offset)):
        return ()
    name = subject.span.cut(facts.text)
    spans = [place.span for place in find_highlights(view, path, offset)]
    same = tuple(span for span in spans if span.cut(facts.text) == name)
    return same if len(same) > 1 and subject.span in same else ()
