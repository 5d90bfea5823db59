"""A new name for a squad, which is part of the names of its domains."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from synapse_ls.formats.manifest import Manifest
from synapse_ls.manage.domains import put_domain
from synapse_ls.manage.draft import Draft
from synapse_ls.manage.lookup import find_squad
from synapse_ls.manage.moved import put_moved
from synapse_ls.manage.plan import ManageError, Plan
from synapse_ls.manage.renaming import check_id, put_label, put_names
from synapse_ls.text.span import Span
from synapse_ls.workspace.mentions import domain_span
from synapse_ls.workspace.naming import namespace, same_id, squad_prefix, upper_snake

if TYPE_CHECKING:
    from synapse_ls.workspace.domains import Domain
    from synapse_ls.workspace.squads import Squad
    from synapse_ls.workspace.tree import Tree

_LONGEST = 50  # AIOX squad-schema


def rename_squad(tree: Tree, old: str, new: str) -> Plan:
    """Rename a squad: its folder, its name in ``squad.yaml``, its prefix, and what names it.

    A name in ``squad.yaml`` that is another than the folder's stays: the folder is what counts.
    Raises ManageError where there is no such squad, where the new name is no name or is taken, and
    where domains would have one label.
    """
    squad = find_squad(tree, old)
    check_id(new, "a squad")
    if len(new) > _LONGEST or "_" in new:
        raise ManageError(
            f'"{new}" cannot name a squad: its schema asks for at most {_LONGEST} lower-case letters, '
            "digits and hyphens.",
            "Choose another name.",
        )
    if new == squad.folder:
        return Plan()
    _check_free(tree, squad, new)
    draft = Draft(tree)
    put_names(draft, tree, "squad", squad.folder, new)
    _put_extends(draft, tree, squad, new)
    for domain in _domains(tree, squad):
        _put_label(draft, tree, domain, squad, new)
    target = f"{squad.path.rpartition('/')[0]}/{new}"
    put_moved(draft, tree, squad.path, target)
    draft.move(squad.path, target)
    return draft.plan()


def _domains(tree: Tree, squad: Squad) -> Iterator[Domain]:
    return (domain for domain in tree.domains if domain.manifest_path == squad.manifest_path != "")


def _check_free(tree: Tree, squad: Squad, new: str) -> None:
    for other in tree.squads:
        if other.folder != squad.folder and (same_id(other.folder, new) or other.name == new):
            raise ManageError(f"{other.path} is already called {new}.", "Choose another name.")
    prefix = squad_prefix(new)
    if prefix == squad.namespace:
        return
    others = {domain.label for domain in tree.domains if domain.squad != squad.folder}
    for domain in _domains(tree, squad):
        name = _renamed(domain, squad, new)
        label = namespace(new, name)
        if name == domain.name == label:
            raise ManageError(
                f"{squad.manifest_path} has a domain {domain.name}, which would be taken for one that "
                f"carries the squad's new name already.",
                "Rename that domain first, or choose another name.",
            )
        if label in others:
            raise ManageError(
                f"{tree.labels[label].manifest_path} already declares {label}, as which {domain.label} "
                "would be known.",
                "Choose another name.",
            )


def _renamed(domain: Domain, squad: Squad, new: str) -> str:
    """A domain's own name: one that carries the squad's prefix gets the new one."""
    if domain.name == domain.label:
        return squad_prefix(new) + domain.name.removeprefix(squad.namespace)
    return domain.name


def _put_label(draft: Draft, tree: Tree, domain: Domain, squad: Squad, new: str) -> None:
    """The prefix in the name of a domain, or in the keys that carry its label."""
    name = _renamed(domain, squad, new)
    if name != domain.name:
        put_domain(draft, tree, domain, name)
        return
    put_label(draft, tree, domain.label, namespace(new, name))
    for rule in tree.rules_of(domain):
        if domain.file and rule.domain == domain.label != domain.name:
            draft.put(domain.file, domain_span(rule), namespace(new, name))


def _put_extends(draft: Draft, tree: Tree, squad: Squad, new: str) -> None:
    """``{SQUAD}_EXTENDS``, which may carry the prefix or the whole name of the folder."""
    facts = tree.snapshot.facts(squad.manifest_path)
    if facts is None or not isinstance(facts.document, Manifest):
        return
    for entry in facts.document.entries:
        if entry.setting != "EXTENDS":
            continue
        start = entry.key.span.start
        span = Span(start, start + len(entry.domain))
        if same_id(entry.domain, squad.namespace):
            draft.put(facts.path, span, squad_prefix(new))
        elif same_id(entry.domain, squad.folder):
            draft.put(facts.path, span, upper_snake(new))
