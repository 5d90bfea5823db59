"""This module renames what a place speaks of (a domain, agent, workflow, squad or command), with
the same changes that the command line makes.
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.edits.rename_plans import RENAMES
from synapse_ls.ide.named_subject import Subject, heading_span, subject_at
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.edit_plan import EditError, EditPlan
from synapse_ls.workspace.file_kinds import BUILT_IN
from synapse_ls.workspace.naming_conventions import is_same_id, kebab_case

_AS_WRITTEN = ("agent", "workflow", "task")
_NO_NAME = "Nothing here has a name that can be changed."


@dataclass(frozen=True, slots=True)
class Renameable:
    """A Renameable is the place of a name that can be renamed, and the name as it is to be edited."""

    span: Span
    name: str


def prepare_rename(view: View, path: str, offset: int) -> Renameable | None:
    """Returns the name at ``offset`` that an editor can rename; None where there is none.

    Raises EditError for names that are fixed.
    """
    subject = subject_at(view, path, offset)
    if subject is None or subject.family not in RENAMES:
        return None
    _check_renameable(view, path, subject)
    # A caret before the mark of a star-command is at the command, too.
    span = Span(min(subject.span.start, offset), max(subject.span.end, offset))
    return Renameable(span, _editable_name(view, path, subject))


def rename(view: View, path: str, offset: int, new: str) -> EditPlan:
    """Renames what stands at ``offset`` in an editor: plans another name for it everywhere.

    Raises EditError where nothing there can be renamed, or not to that name.
    """
    subject = subject_at(view, path, offset)
    if subject is None or subject.family not in RENAMES:
        raise EditError(_NO_NAME, "Ask at a domain, an agent, a workflow, a squad or a command.")
    _check_renameable(view, path, subject)
    marks = {"agent": "@", "command": "*"}.get(subject.family, "")
    return RENAMES[subject.family](view.tree, subject.name, new.strip().removeprefix(marks))


def _editable_name(view: View, path: str, subject: Subject) -> str:
    """Returns the name as it stands there; a domain's own name, not the label that squads add to."""
    domain = view.tree.domains_by_label.get(subject.name) if subject.family == "domain" else None
    if domain:
        return domain.name
    written = _name_in_text(view, path, subject)
    is_name = subject.family in _AS_WRITTEN and is_same_id(written, subject.name)
    return written if is_name and not _is_heading(view, path, subject) else subject.name


def _name_in_text(view: View, path: str, subject: Subject) -> str:
    facts = view.tree.snapshot.facts(path)
    return subject.span.cut(facts.text) if facts else ""


def _is_heading(view: View, path: str, subject: Subject) -> bool:
    facts = view.tree.snapshot.facts(path)
    return facts is not None and subject.span == heading_span(facts.text)


def _check_renameable(view: View, path: str, subject: Subject) -> None:
    """Raises EditError where something cannot be renamed, or not from here."""
    written = _name_in_text(view, path, subject)
    if subject.family == "domain":
        domain = view.tree.domains_by_label.get(subject.name)
        if domain and domain.builtin and domain.name.lower() in BUILT_IN:
            raise EditError(
                f"{domain.name} has a fixed meaning, so it cannot be renamed.",
                "Create another domain and move the rules there.",
            )
        if domain is None or domain.declaration is None:
            raise EditError(
                "No manifest declares this domain, so there is nothing to rename.",
                "Declare it first, or rename its file.",
            )
    elif subject.family == "squad" and not (
        _squad_names(view, subject.name) & {kebab_case(written)}
    ):
        raise EditError(
            f"The squad's folder is called {subject.name}, which is the name that counts.",
            "Rename the folder.",
        )
    elif subject.family in _AS_WRITTEN and not (
        is_same_id(written, subject.name) or _is_heading(view, path, subject)
    ):
        raise EditError(
            f"{written} is the file of the {subject.family} {subject.name}.",
            f"Rename the {subject.family} where its id stands, or the file itself.",
        )


def _squad_names(view: View, folder: str) -> frozenset[str]:
    """Returns the names by which a squad may be renamed: that of its folder, or its key by the
    prefix.
    """
    squad = next((squad for squad in view.tree.squads if squad.folder == folder), None)
    names = (folder, squad.namespace if squad else folder)
    return frozenset(kebab_case(name + end) for name in names for end in ("", "_EXTENDS"))
