"""This module finds what a change edits (domain, squad, manifest, rule file), or says why it is not
there.

It also gives the tree as it will be after a plan, and the plan between two trees.
"""

from __future__ import annotations

from synapse_ls.formats.manifest import Manifest
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.name_suggestions import suggest_names
from synapse_ls.workspace.naming_conventions import (
    file_to_create,
    is_same_id,
    kebab_case,
    upper_snake,
)
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain
from synapse_ls.workspace.tree_squads import Squad


def find_domain(tree: Tree, name: str) -> Domain:
    """Finds the domain that an edit is about by its label in any spelling, a squad's with its
    namespace.

    Raises EditError where there is none.
    """
    found = tree.domains_by_label.get(name) or tree.domains_by_label.get(upper_snake(name))
    if found is not None:
        return found
    require_manifest(tree)
    raise EditError(
        f"There is no domain {upper_snake(name) or repr(name)} in {tree.manifest_path} or in a squad.",
        suggest_names(
            upper_snake(name),
            tree.domains_by_label,
            f"`synapse domains` lists them; `synapse domain new {kebab_case(name)}` makes it.",
        ),
    )


def find_squad(tree: Tree, name: str) -> Squad:
    """Finds the squad that an edit is about by its folder or name in any spelling; raises EditError
    where there is none.
    """
    for squad in tree.squads:
        if is_same_id(name, squad.folder) or is_same_id(name, squad.name):
            return squad
    folders = (squad.folder for squad in tree.squads)
    raise EditError(f'There is no squad "{name}".', suggest_names(name, folders))


def require_manifest(tree: Tree, path: str = "") -> tuple[FileFacts, Manifest]:
    """Returns the manifest that is to be edited, at ``path``, the root's for ""; raises EditError
    where there is none.
    """
    path = path or tree.manifest_path
    facts = tree.snapshot.facts(path)
    if facts is None:
        raise EditError(
            f"There is no {path}, so no domain is declared.",
            "Run `synapse init` to create a tree."
            if path == tree.manifest_path
            else "Create it with one line, such as MY_DOMAIN_STATE=active.",
        )
    document = _require_editable(facts).document
    assert isinstance(document, Manifest)
    return facts, document


def require_rule_file(tree: Tree, domain: Domain) -> FileFacts:
    """Returns the rule file that is to be edited, which serves a domain; raises EditError where
    there is none.
    """
    facts = tree.snapshot.facts(domain.file or "")
    if facts is None:
        home = domain.manifest_path.rpartition("/")[0] or tree.folder
        raise EditError(
            f"{domain.label} is declared, but its file {home}/{file_to_create(domain.name, home, in_squad=bool(domain.squad))} does "
            "not exist.",
            "Create the file, or take the domain out of the manifest.",
        )
    return _require_editable(facts)


def _require_editable(facts: FileFacts) -> FileFacts:
    if facts.kind is FileKind.CARL:
        raise EditError(
            f"{facts.path} is CARL's own, whose tools change it; a tree of files is what can be changed here.",
            "Change it by hand or with CARL, or run `synapse migrate` to make such a tree of it.",
        )
    if not facts.is_read:
        raise EditError(
            f"{facts.path} was not read, so it cannot be changed.", "`synapse check` says why."
        )
    return facts
