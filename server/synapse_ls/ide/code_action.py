"""Offer quick fixes for the other remedies that a finding names: comment a line out, delete it,
declare a domain, move a setting.

They are somebody's choice and no fixes: what they delete or comment out may have been meant.

Define a code action, the change that an editor offers at a place, and the request
for such actions.

Offer quick fixes for lint findings: the fix of one finding, all fixes of a rule
or of the file, missing files, stale synced files, and comments that suppress a finding.

Offer refactorings as code actions: switch a domain on or off, write missing states,
use another profile, migrate a CARL tree, tick a short-term memory item.

The registry of code actions: its table lists every source, whose actions are
collected for a place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial

from synapse_ls.edits.configuration import LIVE_PROFILE, choose_profile
from synapse_ls.edits.domain_edits import create_rule_file, toggle_domain
from synapse_ls.edits.line_edits import (
    append_lines,
    delete_lines,
    insert_line_after,
    insert_line_before,
    line_break_at,
)
from synapse_ls.formats.brainiac.short_term_edits import remove_item, tick_item
from synapse_ls.formats.brainiac.short_term_memory import ShortTermMemory
from synapse_ls.formats.config_settings import Config
from synapse_ls.formats.manifest import Manifest, split_key
from synapse_ls.formats.toml_document import TomlPath, key_positions, load_toml
from synapse_ls.formats.tree_tests import BY_NAME
from synapse_ls.ide.position_lookup import domain_label
from synapse_ls.ide.tree_view import View
from synapse_ls.integrations.instruction_files import find_target
from synapse_ls.lint.fix_plan import plan_fixes
from synapse_ls.lint.lint_rule import weak_cache
from synapse_ls.lint.lint_runner import lint_file, lint_tree
from synapse_ls.lint.rule_selection import Policy
from synapse_ls.lint.rules.references.stale_synced_file import GIVE_UP_EDIT, RUN_SYNC
from synapse_ls.lint.suppressions import file_suppression_edit, suppression_edit
from synapse_ls.lint.tree_lookups import declared_domains, misnamed_rule_files, parent_folder
from synapse_ls.text.finding import Finding, Fix
from synapse_ls.text.span import Span, trim_span
from synapse_ls.text.text_edit import TextEdit, apply_edits, minimal_edit
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import EditPlan, FileEdit, create_file, edit_file, rename_file
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.naming_conventions import domain_of_file, file_to_create
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree_domains import Domain, rules_in
from synapse_ls.workspace.tree_folders import CARL, CARL_FILE, CONFIG

QUICK_FIX, REWRITE, FIX_ALL = "quickfix", "refactor.rewrite", "source.fixAll.synapse"
KINDS = (QUICK_FIX, REWRITE, FIX_ALL)
"""The kinds of actions (LSP 3.18, "CodeActionKind")."""

FindingKey = tuple[str, int, int]
"""A finding as somebody else knows it: code, start and end."""


@dataclass(frozen=True, slots=True)
class Action:
    """One change that an editor offers (LSP "CodeAction").

    ``plan`` computes the edits. ``solves`` are the findings that the change removes.
    ``is_preferred`` marks the action that is applied when somebody just wants the finding fixed.
    ``operations`` are what it does to whole files, "create" or "rename". ``command`` is a command
    of the server that runs with ``arguments`` and does what no edit could do; then there is nothing
    to plan.
    """

    title: str
    kind: str
    plan: Callable[[], EditPlan]
    solves: tuple[Finding, ...] = ()
    is_preferred: bool = False
    operations: frozenset[str] = frozenset()
    command: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """Where and for what an editor asks for code actions.

    ``kinds`` are the kinds of actions that are wanted; none means all. ``named_findings`` are
    findings, by code and place, that are meant besides those that touch ``span``. ``is_shown``:
    whether the editor shows a finding; no other is fixed.
    """

    view: View
    facts: FileFacts
    span: Span
    kinds: tuple[str, ...] = ()
    named_findings: frozenset[FindingKey] = frozenset()
    is_shown: Callable[[Finding], bool] = lambda _: True

    def wants(self, kind: str) -> bool:
        """Return whether actions of a kind are wanted; a kind stands for all kinds that begin with
        it.
        """
        return not self.kinds or any(
            kind == other or kind.startswith(f"{other}.") or not other for other in self.kinds
        )

    @property
    def tree(self) -> Tree:
        """The tree of the view."""
        return self.view.tree

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings that the request is about."""
        start, end = self.span
        return tuple(
            file_finding
            for file_finding in filter(self.is_shown, file_findings(self.tree, self.facts.path))
            if (file_finding.span.start <= end and start <= file_finding.span.end)
            or (file_finding.code, *file_finding.span) in self.named_findings
        )


@weak_cache
def _findings_by_path(tree: Tree) -> dict[str, tuple[Finding, ...]]:
    """Return the cache of findings by path; it lives as long as the tree."""
    del tree
    return {}


def file_findings(tree: Tree, path: str) -> tuple[Finding, ...]:
    """Return the lint findings of a file that code actions are offered for, the same as `synapse
    check` reports.
    """
    findings = _findings_by_path(tree)
    if path not in findings:
        findings[path] = lint_file(tree, path, Policy(tree.snapshot.config.lint))
    return findings[path]


def tree_findings(tree: Tree) -> tuple[Finding, ...]:
    """Return the lint findings of all files of the tree that code actions are offered for."""
    return lint_tree(tree)


def plan_fix(snapshot: Snapshot, fix: Fix) -> EditPlan:
    """Return the edits of the fix that a code action makes as a plan; a file that does not exist is
    created.
    """
    by_path: dict[str, list[TextEdit]] = {}
    for path, change in fix.edits:
        by_path.setdefault(path, []).append(change)
    return EditPlan(tuple(_file_edit(snapshot, path, edits) for path, edits in by_path.items()))


def _file_edit(snapshot: Snapshot, path: str, edits: Iterable[TextEdit]) -> FileEdit:
    facts = snapshot.facts(path)
    return (
        edit_file(path, facts.text, edits) if facts else create_file(path, apply_edits("", edits))
    )


_CREATE, _RENAME = frozenset(("create",)), frozenset(("rename",))


def missing_rule_files(request: ActionRequest) -> Iterator[Action]:
    """Yield the quick fixes for a domain without a file: rename the file that is meant, or create
    one.
    """
    path = request.facts.path
    for finding in request.findings:
        if finding.name != "domain-without-file":
            continue
        named = (d for d in declared_domains(request.tree, path) if d.declaration)
        domain = next(
            (d for d in named if d.declaration and d.declaration.span == finding.span), None
        )
        if domain is None:
            continue
        folder = parent_folder(path)
        target = f"{folder}/{file_to_create(domain.name, folder, in_squad=bool(domain.squad))}"
        rule_file = misnamed_rule_files(request.tree.home_of(path)).get(domain.name)
        if rule_file:
            title = f"Rename `{rule_file.rpartition('/')[2]}` to `{target.rpartition('/')[2]}`"
            plan = partial(_plan_file_rename, request.tree, rule_file, target)
            alone = finding.fix is None
            yield Action(title, QUICK_FIX, plan, (finding,), is_preferred=alone, operations=_RENAME)
        title = f"Create `{target}`"
        plan = partial(_plan_rule_file, request.tree, domain, target)
        alone = rule_file is None and finding.fix is None
        yield Action(title, QUICK_FIX, plan, (finding,), is_preferred=alone, operations=_CREATE)


def missing_manifests(request: ActionRequest) -> Iterator[Action]:
    """Yield the quick fix for rule files without a manifest beside them: create one that declares
    them all.
    """
    folder = parent_folder(request.facts.path)
    path = f"{folder}/manifest"
    for finding in request.findings:
        if finding.name == "file-without-domain" and request.tree.snapshot.facts(path) is None:
            orphans = request.tree.home_of(request.facts.path).orphan_files
            names = [domain_of_file(file) for file in orphans if parent_folder(file) == folder]
            plan = partial(_plan_manifest, path, tuple(names))
            yield Action(
                f"Create `{path}`",
                QUICK_FIX,
                plan,
                (finding,),
                is_preferred=True,
                operations=_CREATE,
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
    """Yield the quick fix that each finding brings along, as the preferred action.

    Preferred does not mean safe: nobody applies it unseen (LSP 3.18, "isPreferred").
    """
    snapshot = request.tree.snapshot
    for finding in request.findings:
        fix = finding.fix
        if fix is None:
            continue
        missing = any(snapshot.facts(path) is None for path, _ in fix.edits)
        yield Action(
            fix.title,
            QUICK_FIX,
            partial(plan_fix, snapshot, fix),
            (finding,),
            is_preferred=True,
            operations=frozenset(("create",)) if missing else frozenset(),
        )


def rule_fixes(request: ActionRequest) -> Iterator[Action]:
    """Yield the quick fixes of everything that one rule finds: in the file, where it finds more
    than one, and in the workspace.
    """
    path, tree = request.facts.path, request.tree
    for code, finding in _fixable_findings(request).items():
        findings = filter(request.is_shown, file_findings(tree, path))
        like = [finding for finding in findings if finding.code == code and _is_safe(finding)]
        what = f"{code} ({finding.name})"
        if len(like) > 1:
            plan = partial(_plan_safe_fixes, tree, lambda now: file_findings(now, path), code)
            yield Action(f"Fix all {what} in this file", QUICK_FIX, plan, tuple(like))
        plan = partial(_plan_safe_fixes, tree, tree_findings, code)
        yield Action(f"Fix all {what} in the workspace", QUICK_FIX, plan, (finding,))


def file_fixes(request: ActionRequest) -> Iterator[Action]:
    """Yield the quick fix that applies every safe fix of the file."""
    path, tree = request.facts.path, request.tree

    def shown_findings(now: Tree) -> tuple[Finding, ...]:
        return tuple(filter(request.is_shown, file_findings(now, path)))

    if any(map(_is_safe, shown_findings(tree))):
        plan = partial(_plan_safe_fixes, tree, shown_findings, "")
        yield Action("Fix all that Synapse can fix safely", FIX_ALL, plan)


def suppression_comments(request: ActionRequest) -> Iterator[Action]:
    """Yield the quick fixes that suppress a finding by a comment, here or in the whole file."""
    facts = request.facts
    for code, finding in {finding.code: finding for finding in reversed(request.findings)}.items():
        for where, change in (
            ("here", suppression_edit(facts, finding.span, (code,))),
            ("in this file", file_suppression_edit(facts, (code,))),
        ):
            if change:
                plan = partial(_plan_edit, facts.path, facts.text, change)
                yield Action(f"Ignore {code} ({finding.name}) {where}", QUICK_FIX, plan, (finding,))


def _fixable_findings(request: ActionRequest) -> dict[str, Finding]:
    """Return, for each rule code, the first finding here that has a safe fix."""
    return {finding.code: finding for finding in reversed(request.findings) if _is_safe(finding)}


def _is_safe(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.safe


def _plan_safe_fixes(tree: Tree, find: Callable[[Tree], Iterable[Finding]], code: str) -> EditPlan:
    """Return what `plan_fixes`, the one fixer of all surfaces, plans."""
    return plan_fixes(tree, find, accepts=lambda found: not code or found.code == code).plan


def _plan_edit(path: str, text: str, change: TextEdit) -> EditPlan:
    return EditPlan((edit_file(path, text, (change,)),))


SYNC_COMMAND = "synapse.sync"


def synced_file_fixes(request: ActionRequest) -> Iterator[Action]:
    """Yield the quick fix that runs `synapse sync` for a stale synced file. Where somebody has
    edited the file, giving up that edit is offered as an action of its own.
    """
    target = find_target(request.facts.path)
    for finding in request.findings:
        if finding.name != "stale-synced-file" or target is None:
            continue
        if finding.remedy == RUN_SYNC:
            yield Action(
                "Run `synapse sync`",
                QUICK_FIX,
                EditPlan,
                (finding,),
                is_preferred=True,
                command=SYNC_COMMAND,
            )
        elif finding.remedy == GIVE_UP_EDIT:
            arguments = {"targets": [target.name], "force": True}
            title = f"Give up the edit: run `synapse sync --force {target.name}`"
            yield Action(
                title, QUICK_FIX, EditPlan, (finding,), command=SYNC_COMMAND, arguments=arguments
            )


_RemedyOffer = Callable[[ActionRequest, Finding], Iterator[Action]]


def remedy_actions(request: ActionRequest) -> Iterator[Action]:
    """Yield a code action for each thing that a finding's remedy tells its reader to do."""
    for finding in request.findings:
        for way in _OFFERS_BY_RULE.get(finding.name, ()):
            yield from way(request, finding)


def _comment_out(request: ActionRequest, finding: Finding) -> Iterator[Action]:
    if "`#`" not in finding.remedy:
        return
    facts = request.facts
    first, last = (facts.lines.line_of(offset) for offset in finding.span)
    bodies = (trim_span(facts.text, *facts.lines.line_span(n)) for n in range(first, last + 1))
    edits = tuple(TextEdit(Span(b.start, b.start), "# ") for b in bodies if b.length)
    title = "Begin the line with `#`" if len(edits) == 1 else "Begin the lines with `#`"
    yield _quick_fix(title, finding, _plan_edits(facts, *edits))


def _delete_line(request: ActionRequest, finding: Finding) -> Iterator[Action]:
    if "or delete the " in finding.remedy:
        change = delete_lines(request.facts.text, finding.span)
        yield _quick_fix("Delete the line", finding, _plan_edits(request.facts, change))


def _declare_domain(request: ActionRequest, finding: Finding) -> Iterator[Action]:
    """Offer to declare the domain of a rule file, switched on; its triggers are left to
    its author.
    """
    path = request.facts.path
    domain = domain_of_file(path)
    manifest = request.tree.snapshot.facts(f"{parent_folder(path)}/manifest")
    if manifest and all(other.name != domain for other in request.tree.home_of(path).domains):
        change = append_lines(manifest.text, (f"{domain}_STATE=active",))
        plan = EditPlan((edit_file(manifest.path, manifest.text, (change,)),))
        yield _quick_fix(f"Declare {domain} in the manifest", finding, plan, preferred=True)


def _delete_rule(request: ActionRequest, finding: Finding) -> Iterator[Action]:
    facts = request.facts
    rule = next((rule for rule in rules_in(facts.document) if rule.text_span == finding.span), None)
    if rule:
        yield _quick_fix(
            "Delete this rule", finding, _plan_edits(facts, delete_lines(facts.text, rule.span))
        )


def _delete_setting(request: ActionRequest, finding: Finding) -> Iterator[Action]:
    """Offer to delete the setting or the table with the finding; in a file of tests only one that
    is no field.
    """
    text = request.facts.text
    where = key_positions(text)
    named = [
        path
        for path, place in where.items()
        if isinstance(path[-1], str) and any(map(partial(_covers_span, finding.span), place))
    ]
    path = max(named, key=len, default=())
    if not path or (finding.name == "invalid-test" and path[-1] in BY_NAME):
        return
    end = max(place.value.end for at, place in where.items() if at[: len(path)] == path)
    change = delete_lines(text, Span(where[path].key.start, end))
    if _removes_only(text, change, path):
        yield _quick_fix(f"Delete `{path[-1]}`", finding, _plan_edits(request.facts, change))


def _covers_span(span: Span, part: Span) -> bool:
    return part.start <= span.start and span.end <= part.end


def _removes_only(text: str, change: TextEdit, path: TomlPath) -> bool:
    """Return whether the text without some lines has the same data except for the setting at
    ``path``.
    """
    data, problem = load_toml(text, "", "")
    if problem:
        return False
    wanted = inner = deepcopy(data)
    for part in path[:-1]:
        inner = inner[part]  # type: ignore[index]
    del inner[path[-1]]  # type: ignore[arg-type]
    after, problem = load_toml(text[: change.span.start] + text[change.span.end :], "", "")
    return problem is None and after == wanted


def _move_setting(request: ActionRequest, finding: Finding) -> Iterator[Action]:
    """Offer to move a setting from a rule file to the manifest, or to delete it where the manifest
    has one, which counts already.
    """
    facts = request.facts
    line = facts.lines.line_span(facts.lines.line_of(finding.span.start)).cut(facts.text).strip()
    manifest = request.tree.snapshot.facts(f"{parent_folder(facts.path)}/manifest")
    if manifest is None or not isinstance(manifest.document, Manifest):
        return
    gone = edit_file(facts.path, facts.text, (delete_lines(facts.text, finding.span),))
    key, document = finding.span.cut(facts.text), manifest.document
    if any(entry.key.value == key for entry in document.entries):
        yield _quick_fix(f"Delete `{key}`: the manifest sets it", finding, EditPlan((gone,)))
        return
    own = document.domains.get(split_key(key)[0])
    last = max((entry.span.end for entry in own.entries.values()), default=-1) if own else -1
    change = (
        append_lines(manifest.text, (line,))
        if last < 0
        else insert_line_after(manifest.text, last, line)
    )
    plan = EditPlan((edit_file(manifest.path, manifest.text, (change,)), gone))
    yield _quick_fix(f"Move `{key}` to the manifest", finding, plan, preferred=True)


def _plan_edits(facts: FileFacts, *changes: TextEdit) -> EditPlan:
    return EditPlan((edit_file(facts.path, facts.text, changes),))


def _quick_fix(title: str, finding: Finding, plan: EditPlan, *, preferred: bool = False) -> Action:
    return Action(title, QUICK_FIX, lambda: plan, (finding,), preferred)


_OFFERS_BY_RULE: Mapping[str, tuple[_RemedyOffer, ...]] = {
    "malformed-line": (_comment_out, _delete_line),
    "prose-in-keyvalue": (_comment_out,),
    "manifest-key-in-rules": (_move_setting,),
    "bad-config": (_delete_setting,),
    "invalid-test": (_delete_setting,),
    "repeated-rule": (_delete_rule,),
    "file-without-domain": (_declare_domain,),
}


def short_term_items(request: ActionRequest) -> Iterator[Action]:
    """Yield the refactorings of the short-term memory item under the caret: tick its box, or remove
    it.
    """
    memory = request.facts.document
    if not isinstance(memory, ShortTermMemory):
        return
    item = next((item for item in memory.items if item.span.touches(request.span.start)), None)
    if item is None:
        return
    path = request.facts.path
    if item.box is not None:
        title = "Untick it" if item.checked else "Tick it"
        after = tick_item(memory, item, checked=not item.checked)
        yield Action(title, REWRITE, partial(_plan_text_change, path, memory.text, after))
    after = remove_item(memory, item)
    yield Action("Take it out", REWRITE, partial(_plan_text_change, path, memory.text, after))


def _plan_text_change(path: str, before: str, after: str) -> EditPlan:
    return EditPlan((edit_file(path, before, (minimal_edit(before, after),)),))


_CARL_MANIFESTS = (f"{CARL}/manifest", CARL_FILE)


def carl_migration(request: ActionRequest) -> Iterator[Action]:
    """Yield the refactoring that runs `synapse migrate` in the manifest of a CARL tree; the command
    asks before it changes anything.
    """
    if request.facts.path in _CARL_MANIFESTS:
        title = "Make a tree of .synapse/ of this (synapse migrate)"
        yield Action(title, REWRITE, EditPlan, command="synapse.migrate")


def domain_switches(request: ActionRequest) -> Iterator[Action]:
    """Yield the refactoring that switches the domain of a manifest line on or off."""
    manifest = request.facts.document
    entry = manifest.entry_at(request.span.start) if isinstance(manifest, Manifest) else None
    if entry is None or not entry.domain:
        return
    label = domain_label(request.tree, request.facts.path, entry.domain)
    domain = request.tree.domains_by_label.get(label)
    if domain is None:
        return
    try:
        plan = toggle_domain(request.tree, label, not domain.is_active)
    except UserError:
        return  # it cannot be switched, so there is nothing to offer
    if plan:
        title = f"Switch {entry.domain} {'off' if domain.is_active else 'on'}"
        yield Action(title, REWRITE, lambda: plan)


def missing_states(request: ActionRequest) -> Iterator[Action]:
    """Yield the refactorings that write the missing `_STATE` keys: for the domain at the caret, for
    all domains.
    """
    manifest = request.facts.document
    if not isinstance(manifest, Manifest):
        return
    missing = [d for d in manifest.domains.values() if "STATE" not in d.entries]
    entry = manifest.entry_at(request.span.start)
    here = [d for d in missing if entry and d.name == entry.domain]
    every = f"Write the missing _STATE of {len(missing)} domains"
    for title, domains in (
        (f"Write {here[0].name}_STATE=active" if here else "", here),
        (every if here and len(missing) > 1 else "", missing),
    ):
        if title:
            spans = tuple((domain.name, domain.span) for domain in domains)
            yield Action(
                title, REWRITE, partial(_plan_states, request.facts.path, manifest.text, spans)
            )


def _plan_states(path: str, text: str, domains: tuple[tuple[str, Span], ...]) -> EditPlan:
    lines = (insert_line_before(text, span.start, f"{name}_STATE=active") for name, span in domains)
    return EditPlan((edit_file(path, text, lines),))


def live_profile(request: ActionRequest) -> Iterator[Action]:
    """Yield the refactoring that sets the profile which keeps every layer awake, at the `profile`
    line of the configuration or its first line.
    """
    config = request.facts.document
    if not isinstance(config, Config) or config.profile == LIVE_PROFILE:
        return
    text = request.facts.text
    place = key_positions(text).get(("profile",))
    lines = request.facts.lines
    at = lines.line_of(place.key.start) if place else 0
    if lines.line_of(request.span.start) != at or any(
        p.kind == "invalid-toml" for p in request.facts.problems
    ):
        return
    change = (
        TextEdit(place.value, f'"{LIVE_PROFILE}"')
        if place
        else TextEdit(Span(0, 0), f'profile = "{LIVE_PROFILE}"{line_break_at(text, len(text))}')
    )
    plan = EditPlan((edit_file(request.facts.path, text, (change,)),))
    yield Action(f"Use the profile {LIVE_PROFILE}", REWRITE, lambda: plan)


def live_profile_fix(request: ActionRequest) -> Iterator[Action]:
    """Yield the refactoring that sets the profile which keeps every layer awake where triggers
    sleep. It is a choice for the whole tree, so it is no fix of the finding itself.
    """
    findings = tuple(finding for finding in request.findings if finding.name == "sleeping-trigger")
    if not findings:
        return
    try:
        plan = choose_profile(request.tree, LIVE_PROFILE)
    except UserError:
        return  # the configuration has to be mended first
    missing = request.tree.snapshot.facts(CONFIG) is None
    operations = frozenset(("create",)) if missing else frozenset[str]()
    yield Action(
        f"Use the profile {LIVE_PROFILE}", QUICK_FIX, lambda: plan, findings, operations=operations
    )


_OFFERS: tuple[tuple[str, Callable[[ActionRequest], Iterator[Action]]], ...] = (
    (QUICK_FIX, finding_fixes),
    (QUICK_FIX, missing_rule_files),
    (QUICK_FIX, missing_manifests),
    (QUICK_FIX, remedy_actions),
    (QUICK_FIX, synced_file_fixes),
    (QUICK_FIX, live_profile_fix),
    (QUICK_FIX, rule_fixes),
    (QUICK_FIX, suppression_comments),
    (REWRITE, domain_switches),
    (REWRITE, missing_states),
    (REWRITE, live_profile),
    (REWRITE, short_term_items),
    (REWRITE, carl_migration),
    (FIX_ALL, file_fixes),
)
"""What makes actions of which kind, in the order in which they are offered."""


def code_actions(
    view: View,
    path: str,
    span: Span,
    kinds: Sequence[str] = (),
    named_findings: Iterable[FindingKey] = (),
    is_shown: Callable[[Finding], bool] = lambda _: True,
) -> tuple[Action, ...]:
    """Collect the code actions of every source in the table, for a part of the file ``path`` and
    for the findings in ``named_findings``.

    ``kinds`` are the kinds of actions that are wanted, none means all. ``is_shown``: whether the
    editor shows a finding. A title stands for one
    action: of several that would do the same at once the first counts.
    """
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.is_read:
        return ()
    action_request = ActionRequest(
        view, facts, span, tuple(kinds), frozenset(named_findings), is_shown
    )
    actions: dict[tuple[str, str], Action] = {}
    for kind, offer in _OFFERS:
        if action_request.wants(kind):
            for action in offer(action_request):
                actions.setdefault(
                    (action.title, str(action.solves[0].span) if action.solves else ""), action
                )
    return tuple(actions.values())
