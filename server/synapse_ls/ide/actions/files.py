"""Quick fixes that create or rename files: no edit inside a file could mend what is found."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from synapse_ls.formats.manifest import Manifest
from synapse_ls.ide.actions.action import QUICK_FIX, Action, Asked
from synapse_ls.lint.lookup import declared, folder_of, misnamed
from synapse_ls.lint.rules import domain_without_file, file_without_domain
from synapse_ls.manage.domains import new_rule_file
from synapse_ls.manage.plan import Plan, create, rename
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.naming import candidates, domain_of_file
from synapse_ls.workspace.tree import Tree

_CREATE, _RENAME = frozenset(("create",)), frozenset(("rename",))


def rule_files(asked: Asked) -> Iterator[Action]:
    """For a domain without a file: rename the file that is meant, or create one."""
    path = asked.facts.path
    for found in asked.found:
        if found.code != domain_without_file.RULE.code:
            continue
        named = (d for d in declared(asked.tree, path) if d.declaration)
        domain = next(
            (d for d in named if d.declaration and d.declaration.span == found.span), None
        )
        if domain is None:
            continue
        folder = folder_of(path)
        target = f"{folder}/{candidates(domain.name, folder)[0]}"
        meant = misnamed(asked.tree.home_of(path)).get(domain.name)
        if meant:
            title = f"Rename `{meant.rpartition('/')[2]}` to `{target.rpartition('/')[2]}`"
            plan = partial(_renamed, asked.tree, meant, target)
            alone = found.fix is None
            yield Action(title, QUICK_FIX, plan, (found,), preferred=alone, operations=_RENAME)
        title = f"Create `{target}`"
        plan = partial(_created, asked.tree, domain, target)
        alone = meant is None and found.fix is None
        yield Action(title, QUICK_FIX, plan, (found,), preferred=alone, operations=_CREATE)


def manifests(asked: Asked) -> Iterator[Action]:
    """For rule files beside which there is no manifest: one that declares them all."""
    folder = folder_of(asked.facts.path)
    path = f"{folder}/manifest"
    for found in asked.found:
        if found.code == file_without_domain.RULE.code and asked.tree.snapshot.facts(path) is None:
            orphans = asked.tree.home_of(asked.facts.path).orphans
            names = [domain_of_file(file) for file in orphans if folder_of(file) == folder]
            plan = partial(_manifest, path, tuple(names))
            yield Action(
                f"Create `{path}`", QUICK_FIX, plan, (found,), preferred=True, operations=_CREATE
            )


def _renamed(tree: Tree, path: str, target: str) -> Plan:
    facts = tree.snapshot.facts(path)
    return Plan((rename(path, target, facts.text if facts else ""),))


def _created(tree: Tree, domain: Domain, path: str) -> Plan:
    manifest = tree.snapshot.facts(domain.manifest_path)
    assert manifest is not None
    assert isinstance(manifest.document, Manifest)
    return Plan((new_rule_file(tree, path, domain.name, (), manifest),))


def _manifest(path: str, names: tuple[str, ...]) -> Plan:
    return Plan((create(path, "".join(f"{name}_STATE=active\n" for name in names)),))
