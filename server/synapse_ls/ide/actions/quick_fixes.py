"""This module offers quick fixes for lint findings: the fix of one finding, all fixes of a rule
or of the file, missing files, stale synced files, and comments that suppress a finding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from synapse_ls.edits.domain_edits import create_rule_file
from synapse_ls.formats.manifest import Manifest
from synapse_ls.ide.actions.code_action import (
    FIX_ALL,
    QUICK_FIX,
    Action,
    ActionRequest,
    file_findings,
    plan_fix,
    tree_findings,
)
from synapse_ls.integrations.instruction_registry import find_target
from synapse_ls.lint.diagnostic import Diagnostic
from synapse_ls.lint.fix_plan import plan_fixes
from synapse_ls.lint.missing_rule_files import misnamed_rule_files
from synapse_ls.lint.rules.references import (
    domain_without_file,
    file_without_domain,
    stale_synced_file,
)
from synapse_ls.lint.suppressions import file_suppression_edit, suppression_edit
from synapse_ls.lint.tree_lookups import declared_domains, parent_folder
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace.edit_plan import EditPlan, create_file, edit_file, rename_file
from synapse_ls.workspace.naming_conventions import domain_of_file, file_to_create
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain

_CREATE, _RENAME = frozenset(("create",)), frozenset(("rename",))


def missing_rule_files(request: ActionRequest) -> Iterator[Action]:
    """Yields the quick fixes for a domain without a file: rename the file that is meant, or create
    one.
    """
    path = request.facts.path
    for found in request.findings:
        if found.code != domain_without_file.RULE.code:
            continue
        named = (d for d in declared_domains(request.tree, path) if d.declaration)
        domain = next(
            (d for d in named if d.declaration and d.declaration.span == found.span), None
        )
        if domain is None:
            continue
        folder = parent_folder(path)
        target = f"{folder}/{file_to_create(domain.name, folder, in_squad=bool(domain.squad))}"
        meant = misnamed_rule_files(request.tree.home_of(path)).get(domain.name)
        if meant:
            title = f"Rename `{meant.rpartition('/')[2]}` to `{target.rpartition('/')[2]}`"
            plan = partial(_plan_file_rename, request.tree, meant, target)
            alone = found.fix is None
            yield Action(title, QUICK_FIX, plan, (found,), is_preferred=alone, operations=_RENAME)
        title = f"Create `{target}`"
        plan = partial(_plan_rule_file, request.tree, domain, target)
        alone = meant is None and found.fix is None
        yield Action(title, QUICK_FIX, plan, (found,), is_preferred=alone, operations=_CREATE)


def missing_manifests(request: ActionRequest) -> Iterator[Action]:
    """Yields the quick fix for rule files without a manifest beside them: create one that declares
    them all.
    """
    folder = parent_folder(request.facts.path)
    path = f"{folder}/manifest"
    for found in request.findings:
        if (
            found.code == file_without_domain.RULE.code
            and request.tree.snapshot.facts(path) is None
        ):
            orphans = request.tree.home_of(request.facts.path).orphan_files
            names = [domain_of_file(file) for file in orphans if parent_folder(file) == folder]
            plan = partial(_plan_manifest, path, tuple(names))
            yield Action(
                f"Create `{path}`", QUICK_FIX, plan, (found,), is_preferred=True, operations=_CREATE
            )


def _plan_file_rename(tree: Tree, path: str, target: str) -> EditPlan:
    facts = tree.snapshot.facts(path)
    return EditPlan((rename_file(path, target, facts.text if facts else ""),))


def _plan_rule_file(tree: Tree, domain: Domain, path: str) -> EditPlan:
    manifest = tree.snapshot.facts(domain.manifest_path)
    assert manifest is not None
    assert isinstance(manifest.document, Manifest)
    return EditPlan((create_rule_file(tree, path, domain.name, (), manifest),))


def _plan_manifest(path: str, names: tuple[str, ...]) -> EditPlan:
    return EditPlan((create_file(path, "".join(f"{name}_STATE=active\n" for name in names)),))


def finding_fixes(request: ActionRequest) -> Iterator[Action]:
    """Yields the quick fix that each finding brings along, as the preferred action.

    Preferred does not mean safe: nobody applies it unseen (LSP 3.18, "isPreferred").
    """
    snapshot = request.tree.snapshot
    for found in request.findings:
        fix = found.fix
        if fix is None:
            continue
        missing = any(snapshot.facts(path) is None for path, _ in fix.edits)
        yield Action(
            fix.title,
            QUICK_FIX,
            partial(plan_fix, snapshot, fix),
            (found,),
            is_preferred=True,
            operations=frozenset(("create",)) if missing else frozenset(),
        )


def rule_fixes(request: ActionRequest) -> Iterator[Action]:
    """Yields the quick fixes of everything that one rule finds: in the file, where it finds more
    than one, and in the workspace.
    """
    path, tree = request.facts.path, request.tree
    for code, found in _fixable_findings(request).items():
        shown = filter(request.is_shown, file_findings(tree, path))
        like = [one for one in shown if one.code == code and _is_safe(one)]
        what = f"{code} ({found.name})"
        if len(like) > 1:
            plan = partial(_plan_safe_fixes, tree, lambda now: file_findings(now, path), code)
            yield Action(f"Fix all {what} in this file", QUICK_FIX, plan, tuple(like))
        plan = partial(_plan_safe_fixes, tree, tree_findings, code)
        yield Action(f"Fix all {what} in the workspace", QUICK_FIX, plan, (found,))


def file_fixes(request: ActionRequest) -> Iterator[Action]:
    """Yields the quick fix that applies every safe fix of the file."""
    path, tree = request.facts.path, request.tree

    def shown_findings(now: Tree) -> tuple[Diagnostic, ...]:
        return tuple(filter(request.is_shown, file_findings(now, path)))

    if any(map(_is_safe, shown_findings(tree))):
        plan = partial(_plan_safe_fixes, tree, shown_findings, "")
        yield Action("Fix all that Synapse can fix safely", FIX_ALL, plan)


def suppression_comments(request: ActionRequest) -> Iterator[Action]:
    """Yields the quick fixes that suppress a finding by a comment, here or in the whole file."""
    facts = request.facts
    for code, found in {one.code: one for one in reversed(request.findings)}.items():
        for where, change in (
            ("here", suppression_edit(facts, found.span, (code,))),
            ("in this file", file_suppression_edit(facts, (code,))),
        ):
            if change:
                plan = partial(_plan_edit, facts.path, facts.text, change)
                yield Action(f"Ignore {code} ({found.name}) {where}", QUICK_FIX, plan, (found,))


def _fixable_findings(request: ActionRequest) -> dict[str, Diagnostic]:
    """Returns, for each rule code, the first finding here that has a safe fix."""
    return {found.code: found for found in reversed(request.findings) if _is_safe(found)}


def _is_safe(finding: Diagnostic) -> bool:
    return finding.fix is not None and finding.fix.safe


def _plan_safe_fixes(
    tree: Tree, find: Callable[[Tree], Iterable[Diagnostic]], code: str
) -> EditPlan:
    """Returns what `plan_fixes`, the one fixer of all surfaces, plans."""
    return plan_fixes(tree, find, accepts=lambda found: not code or found.code == code).plan


def _plan_edit(path: str, text: str, change: TextEdit) -> EditPlan:
    return EditPlan((edit_file(path, text, (change,)),))


SYNC_COMMAND = "synapse.sync"


def synced_file_fixes(request: ActionRequest) -> Iterator[Action]:
    """Yields the quick fix that runs `synapse sync` for a stale synced file. Where somebody has
    edited the file, giving up that edit is offered as an action of its own.
    """
    target = find_target(request.facts.path)
    for found in request.findings:
        if found.code != stale_synced_file.RULE.code or target is None:
            continue
        if found.remedy == stale_synced_file.RUN_SYNC:
            yield Action(
                "Run `synapse sync`",
                QUICK_FIX,
                EditPlan,
                (found,),
                is_preferred=True,
                command=SYNC_COMMAND,
            )
        elif found.remedy == stale_synced_file.GIVE_UP_EDIT:
            given = {"targets": [target.name], "force": True}
            title = f"Give up the edit: run `synapse sync --force {target.name}`"
            yield Action(
                title, QUICK_FIX, EditPlan, (found,), command=SYNC_COMMAND, arguments=given
            )
