"""Code actions: quick fixes of findings, other remedies, and refactorings.

Remedies (comment a line out, delete it, declare a domain, move a setting) are offered but are no
fixes, since what they remove may have been meant.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from functools import partial
from weakref import WeakKeyDictionary

from synapse_ls.edits.config_edits import LIVE_PROFILE, choose_profile
from synapse_ls.edits.domain_edits import create_rule_file, toggle_domain
from synapse_ls.formats import config_settings, manifest_settings, rule_syntax, tree_tests
from synapse_ls.formats.brainiac.short_term_edits import change_items
from synapse_ls.formats.brainiac.short_term_memory import ShortTermMemory
from synapse_ls.formats.manifest import DomainDeclaration, Manifest
from synapse_ls.formats.toml_document import key_positions, load_toml
from synapse_ls.ide import position_lookup, tree_view
from synapse_ls.integrations.instruction_files import find_target
from synapse_ls.lint import domain_triggers, rule_selection, suppressions
from synapse_ls.lint.fixes import plan_fixes
from synapse_ls.lint.lint_runner import lint_file, lint_tree
from synapse_ls.lint.rules.references.stale_synced_file import GIVE_UP_EDIT, RUN_SYNC
from synapse_ls.lint.rules.references.unread_client_file import cursor_fixes
from synapse_ls.lint.tree_lookups import (
    declared_domains,
    is_workflow_defined,
    known_agent_ids,
    misnamed_rule_files,
    named_rule_file,
    parent_folder,
)
from synapse_ls.text import text_edit
from synapse_ls.text.finding import Finding, Fix
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span, trim_span
from synapse_ls.text.text_edit import TextEdit, apply_edits, minimal_edit
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import agent_spellings, tree_folders
from synapse_ls.workspace.edit_plan import EditPlan, create_file, edit_file, rename_file
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.naming_conventions import domain_of_file, file_to_create
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree_domains import rules_in

QUICK_FIX, REWRITE, FIX_ALL = "quickfix", "refactor.rewrite", "source.fixAll.synapse"
# The kinds of actions (LSP 3.18, "CodeActionKind").
KINDS = (QUICK_FIX, REWRITE, FIX_ALL)

# A finding as somebody else knows it: code, start and end.
FindingKey = tuple[str, int, int]


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

    view: tree_view.View
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


_FINDINGS: WeakKeyDictionary[Tree, dict[str, tuple[Finding, ...]]] = WeakKeyDictionary()


def file_findings(tree: Tree, path: str) -> tuple[Finding, ...]:
    """Return the lint findings of a file that code actions are offered for, the same as `synapse
    check` reports.
    """
    findings = _FINDINGS.setdefault(tree, {})
    if path not in findings:
        findings[path] = lint_file(tree, path, rule_selection.Policy(tree.snapshot.config.lint))
    return findings[path]


def _plan_fix(snapshot: Snapshot, fix: Fix) -> EditPlan:
    """Return the edits of a fix as a plan; a file that does not exist is created."""
    edits = []
    for path, changes in group_pairs(fix.edits).items():
        if facts := snapshot.facts(path):
            edits.append(edit_file(path, facts.text, changes))
        else:
            edits.append(create_file(path, apply_edits("", changes)))
    return EditPlan(tuple(edits))


def _plan_edits(facts: FileFacts, *changes: TextEdit) -> EditPlan:
    return EditPlan((edit_file(facts.path, facts.text, changes),))


# What a file that its reader passes over is to be called.
_RENAMING = lazy_pattern(r"Rename it to `([^`/]+)`\.")
_CREATE, _RENAME = frozenset(("create",)), frozenset(("rename",))


def _quick_fix(
    title: str,
    finding: Finding,
    plan: EditPlan,
    *,
    preferred: bool = False,
    operations: frozenset[str] = frozenset(),
) -> Action:
    return Action(title, QUICK_FIX, lambda: plan, (finding,), preferred, operations)


def _edit_fix(
    title: str, finding: Finding, facts: FileFacts, *changes: TextEdit, preferred: bool = False
) -> Action:
    return _quick_fix(title, finding, _plan_edits(facts, *changes), preferred=preferred)


def missing_rule_files(request: ActionRequest) -> Iterator[Action]:
    """Yield the quick fixes for a domain without a file: rename the one that is meant or add it."""
    tree, path = request.tree, request.facts.path
    folder = parent_folder(path)
    domains = {d.declaration.span: d for d in declared_domains(tree, path) if d.declaration}
    named_files = {}
    for declared in [*domains.values()]:
        if named := named_rule_file(tree, request.facts, declared.name):
            named_files[declared.name] = named
            domains[named[0].key.span] = declared
    for finding in request.findings:
        domain = domains.get(finding.span)
        if finding.name != "domain-without-file" or domain is None:
            continue
        target = f"{folder}/{file_to_create(domain.name, folder, in_squad=bool(domain.squad))}"
        if named := named_files.get(domain.name):
            entry, source = named
            if moved := tree.snapshot.facts(source):
                gone = text_edit.delete_lines(request.facts.text, entry.span)
                manifest = edit_file(path, request.facts.text, (gone,))
                plan = EditPlan((manifest, rename_file(source, target, moved.text)))
                title = f"Rename `{source}` to `{target}`, and delete this line"
                yield _quick_fix(title, finding, plan, preferred=True, operations=_RENAME)
            continue
        if rule_file := misnamed_rule_files(tree.home_of(path)).get(domain.name):
            facts = tree.snapshot.facts(rule_file)
            title = f"Rename the file `{rule_file}` to `{target}`"
            plan = EditPlan((rename_file(rule_file, target, facts.text if facts else ""),))
            preferred = finding.fix is None
            yield _quick_fix(title, finding, plan, preferred=preferred, operations=_RENAME)
            continue
        create, preferred = partial(_plan_rule_file, request, domain.name, target), not finding.fix
        yield Action(
            f"Create `{target}`", QUICK_FIX, create, (finding,), preferred, operations=_CREATE
        )


def _plan_rule_file(request: ActionRequest, domain: str, path: str) -> EditPlan:
    return EditPlan((create_rule_file(request.tree, path, domain, (), request.facts),))


def missing_manifests(request: ActionRequest) -> Iterator[Action]:
    """Yield the quick fix that creates the manifest which rule files lack, with their domains."""
    folder = parent_folder(request.facts.path)
    path = f"{folder}/manifest"
    for finding in request.findings:
        if _RENAMING.fullmatch(finding.remedy):
            continue
        if finding.name == "file-without-domain" and request.tree.snapshot.facts(path) is None:
            orphans = request.tree.home_of(request.facts.path).orphan_files
            names = [domain_of_file(file) for file in orphans if parent_folder(file) == folder]
            text = "".join(f"{name}_STATE=active\n" for name in names)
            plan = EditPlan((create_file(path, text),))
            title = f"Create `{path}`"
            yield _quick_fix(title, finding, plan, preferred=True, operations=_CREATE)


def finding_fixes(request: ActionRequest) -> Iterator[Action]:
    """Yield the quick fix that each finding brings along, as the preferred action where its remedy
    names no other way.

    Preferred does not mean safe: nobody applies it unseen (LSP 3.18, "isPreferred").
    """
    snapshot = request.tree.snapshot
    for finding in request.findings:
        if fix := finding.fix:
            missing = any(snapshot.facts(path) is None for path, _ in fix.edits)
            operations = _CREATE if missing else frozenset[str]()
            plan, is_only = _plan_fix(snapshot, fix), ", or " not in finding.remedy
            yield _quick_fix(fix.title, finding, plan, preferred=is_only, operations=operations)


def rule_fixes(request: ActionRequest) -> Iterator[Action]:
    """Yield the quick fixes of everything that one rule finds in the file and in the workspace."""
    path, tree = request.facts.path, request.tree
    # For each rule code the first finding here that has a safe fix.
    fixable = {finding.code: finding for finding in reversed(request.findings) if _is_safe(finding)}
    for code, finding in fixable.items():
        findings = filter(request.is_shown, file_findings(tree, path))
        like = [finding for finding in findings if finding.code == code and _is_safe(finding)]
        what = f"{code} ({finding.name})"
        if len(like) > 1:
            plan = partial(_plan_safe_fixes, tree, lambda now: file_findings(now, path), code)
            yield Action(f"Fix all {what} in this file", QUICK_FIX, plan, tuple(like))
        plan = partial(_plan_safe_fixes, tree, lint_tree, code)
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
            ("here", suppressions.suppression_edit(facts, finding.span, (code,))),
            ("in this file", suppressions.file_suppression_edit(facts, (code,))),
        ):
            if change:
                title = f"Ignore {code} ({finding.name}) {where}"
                yield _edit_fix(title, finding, facts, change)


def _is_safe(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.safe


def _plan_safe_fixes(tree: Tree, find: Callable[[Tree], Iterable[Finding]], code: str) -> EditPlan:
    """Return what `plan_fixes`, the one fixer of all surfaces, plans."""
    return plan_fixes(tree, find, accepts=lambda found: not code or found.code == code).plan


def synced_file_fixes(request: ActionRequest) -> Iterator[Action]:
    """Yield the quick fix that runs `synapse sync` for a stale synced file. Where somebody has
    edited the file, giving up that edit is offered as an action of its own.
    """
    target = find_target(request.facts.path)
    sync = partial(Action, kind=QUICK_FIX, plan=EditPlan, command="synapse.sync")
    for finding in request.findings:
        if finding.name != "stale-synced-file" or target is None:
            continue
        if finding.remedy == RUN_SYNC:
            yield sync("Run `synapse sync`", solves=(finding,), is_preferred=True)
        elif finding.remedy == GIVE_UP_EDIT:
            arguments = {"targets": [target.name], "force": True}
            title = f"Give up the edit: run `synapse sync --force {target.name}`"
            yield sync(title, solves=(finding,), arguments=arguments)


# "Write `a` or `b`.", "Write one of `a`, `b`, `c`.": one of them stands in place of what is marked.
_CHOICE = lazy_pattern(r"Write (?:one of )?(`[^`]+`(?:(?:, | or )`[^`]+`)+)(?:,? or delete .*)?\.")
_BRACKET = lazy_pattern(r"`([^`]+)` \(([^()]+%)\)")
_TRIGGER_KEYS = lazy_pattern(
    r"Write `(\w+)` for an agent, `(\w+)` for a workflow, or `(\w+)` for words in a prompt\."
)
_TABLE_ABOVE = lazy_pattern(r"Move its keys below line (\d+), and delete this line\.")
_INSTEAD = lazy_pattern(r"write `(\w+=\w+)` instead\.")

_EITHER_LINE = lazy_pattern(r"Delete line (\d+) or line (\d+)\.")


def remedy_actions(request: ActionRequest) -> Iterator[Action]:
    """Yield a code action for each thing that a finding's remedy tells its reader to do."""
    facts = request.facts
    for finding in request.findings:
        if choice := _CHOICE.fullmatch(finding.remedy):
            for word in re.findall(r"`([^`]+)`", choice[1]):
                yield _edit_fix(f"Write `{word}`", finding, facts, TextEdit(finding.span, word))
        if keys := _TRIGGER_KEYS.fullmatch(finding.remedy):
            yield from _name_trigger(request, finding, *keys.groups())
        if above := _TABLE_ABOVE.fullmatch(finding.remedy):
            yield from _merge_tables(facts, finding, int(above[1]))
        if instead := _INSTEAD.search(finding.remedy):
            yield from _choose_trigger(request, finding, instead[1])
        if finding.remedy.startswith("Write a domain before it"):
            yield from _name_domain(request, finding)
        if "egin the line with `#`" in finding.remedy:
            yield from _comment_out(facts, finding)
        if "elete the line." in finding.remedy and finding.fix is None:
            deletion = text_edit.delete_lines(facts.text, finding.span)
            yield _edit_fix("Delete the line", finding, facts, deletion)
        if either := _EITHER_LINE.fullmatch(finding.remedy):
            for number in map(int, either.groups()):
                deletion = text_edit.delete_lines(facts.text, facts.lines.line_span(number - 1))
                yield _edit_fix(f"Delete line {number}", finding, facts, deletion)
        if renaming := _RENAMING.fullmatch(finding.remedy):
            target = f"{parent_folder(facts.path)}/{renaming[1]}"
            plan = EditPlan((rename_file(facts.path, target, facts.text),))
            title = f"Rename it to `{renaming[1]}`"
            yield _quick_fix(title, finding, plan, preferred=True, operations=_RENAME)


def rule_remedies(request: ActionRequest) -> Iterator[Action]:
    """Yield the quick fixes of findings whose rule, not their remedy, says what can be done."""
    facts = request.facts
    for finding in request.findings:
        match finding.name:
            case "unknown-bracket-key":
                for word, share in _BRACKET.findall(finding.remedy):
                    title = f"Write `{word}` ({share} of the context left)"
                    yield _edit_fix(title, finding, facts, TextEdit(finding.span, word))
            case "empty-domain":
                yield from _delete_domains(request, finding)
            case "manifest-key-in-rules":
                yield from _move_setting(request, finding)
            case "bad-config" | "invalid-test":
                yield from _delete_setting(facts, finding)
            case "repeated-rule":
                rules = (r for r in rules_in(facts.document) if r.text_span == finding.span)
                if rule := next(rules, None):
                    deletion = text_edit.delete_lines(facts.text, rule.span)
                    yield _edit_fix("Delete this rule", finding, facts, deletion)
            case "file-without-domain":
                yield from _declare_domain(request, finding)
            case "unread-client-file" if finding.fix in (fixes := cursor_fixes(facts)):
                for fix in fixes:
                    yield _quick_fix(fix.title, finding, _plan_fix(request.tree.snapshot, fix))


def _choose_trigger(request: ActionRequest, finding: Finding, always: str) -> Iterator[Action]:
    """Offer to keep one of several ids, to add a domain with the same rules for each other, or to
    inject the domain with every prompt.
    """
    tree, facts, span = request.tree, request.facts, finding.span
    line = facts.lines.line_span(facts.lines.line_of(span.start))
    domain, setting = manifest_settings.split_key(line.cut(facts.text).partition("=")[0].strip())
    first, *others = domain_triggers.split_ids(span.cut(facts.text))
    files = {declared.name: declared.file for declared in declared_domains(tree, facts.path)}
    if rules := tree.snapshot.facts(files.get(domain) or ""):
        lines, copies, folder = [], [], parent_folder(facts.path)
        for word in others:
            key = f"{domain}_{rule_syntax.to_upper_snake(word)}"
            lines += [f"{key}_STATE=active", f"{key}_{setting}={word}"]
            target = f"{folder}/{file_to_create(key, folder, in_squad=False)}"
            text = re.sub(rf"(?m)^([ \t]*){domain}_", rf"\1{key}_", rules.text)
            copies.append(create_file(target, text))
        changes = TextEdit(span, first), text_edit.append_lines(facts.text, lines)
        plan = EditPlan((edit_file(facts.path, facts.text, changes), *copies))
        title = f"Keep `{first}`, and add a domain with these rules for `{'`, `'.join(others)}`"
        if not any(tree.snapshot.facts(copy.path) for copy in copies):
            yield _quick_fix(title, finding, plan, operations=_CREATE)
    for word in (first, *others):
        rest = "`, `".join(other for other in (first, *others) if other != word)
        title = f"Keep only `{word}`: `{rest}` will not activate {domain}"
        yield _edit_fix(title, finding, facts, TextEdit(span, word))
    title = f"Write `{always}`, for every prompt"
    yield _edit_fix(title, finding, facts, TextEdit(line, always))


def _name_trigger(
    request: ActionRequest, finding: Finding, agent: str, workflow: str, recall: str
) -> Iterator[Action]:
    """Offer the key for what the value of the line names in this tree; else one for each kind."""
    facts, tree = request.facts, request.tree
    line = facts.lines.line_span(facts.lines.line_of(finding.span.start))
    value = line.cut(facts.text).partition("=")[2].strip().removeprefix("@")
    titles = {
        agent: f"Write `{agent}` for an agent",
        workflow: f"Write `{workflow}` for a workflow",
        recall: f"Write `{recall}` for words in a prompt",
    }
    if any(spelling in known_agent_ids(tree) for spelling in agent_spellings.possible_names(value)):
        titles = {agent: f"Write `{agent}`: `{value}` is an agent"}
    elif is_workflow_defined(tree, value):
        titles = {workflow: f"Write `{workflow}`: `{value}` is a workflow"}
    elif value:
        by_words = f"Write `{recall}`, because no agent or workflow is called `{value}`"
        del titles[recall]
        titles = {recall: by_words, **titles}
    for key, title in titles.items():
        yield _edit_fix(title, finding, facts, TextEdit(finding.span, key))


def _merge_tables(facts: FileFacts, finding: Finding, number: int) -> Iterator[Action]:
    """Offer to move the keys of a TOML table to the one of its name that begins on an earlier
    line, where that can be read.
    """
    lines = facts.text.splitlines(keepends=True)
    first, second = number - 1, facts.lines.line_of(finding.span.start)
    headers = [place for place, line in enumerate(lines) if line.startswith("[")]
    end = next((place for place in headers if place > second), len(lines))
    target = next(place for place in headers if place > first)
    while not lines[target - 1].strip():
        target -= 1
    if (moved := lines[second + 1 : end]) and not moved[-1].endswith("\n"):
        moved[-1] += "\n"
    text = "".join((*lines[:target], *moved, *lines[target:second], *lines[end:]))
    if not load_toml(text, "", "")[1]:
        title = f"Move its keys below line {number}, and delete this line"
        yield _edit_fix(title, finding, facts, minimal_edit(facts.text, text))


def _delete_domains(request: ActionRequest, finding: Finding) -> Iterator[Action]:
    """Offer to delete the lines of the domains that a rule file without rules serves."""
    path = request.facts.path
    manifest = request.tree.snapshot.facts(f"{parent_folder(path)}/manifest")
    served = request.tree.domains_of_file(path)
    entries = [
        entry
        for domain in served
        if domain.declaration
        for entry in domain.declaration.entries.values()
    ]
    if manifest and entries:
        gone = (text_edit.delete_lines(manifest.text, entry.span) for entry in entries)
        names = " and ".join(domain.name for domain in served)
        yield _edit_fix(f"Delete the lines of {names} in the manifest", finding, manifest, *gone)


def _name_domain(request: ActionRequest, finding: Finding) -> Iterator[Action]:
    """Offer to write each domain that does not have the setting yet before its bare name."""
    text, span = request.facts.text, finding.span
    names = dict.fromkeys(d.name for d in request.tree.home_of(request.facts.path).domains)
    for key in (f"{name}_{rule_syntax.to_upper_snake(span.cut(text))}" for name in names):
        if not re.search(rf"(?m)^[ \t]*{key}[ \t]*=", text):
            yield _edit_fix(f"Write `{key}`", finding, request.facts, TextEdit(span, key))


def _comment_out(facts: FileFacts, finding: Finding) -> Iterator[Action]:
    first, last = (facts.lines.line_of(offset) for offset in finding.span)
    bodies = (trim_span(facts.text, *facts.lines.line_span(n)) for n in range(first, last + 1))
    edits = tuple(TextEdit(Span(b.start, b.start), "# ") for b in bodies if b.length)
    title = "Begin the line with `#`" if len(edits) == 1 else "Begin the lines with `#`"
    yield _edit_fix(title, finding, facts, *edits)


def _declare_domain(request: ActionRequest, finding: Finding) -> Iterator[Action]:
    """Offer to declare the domain of a rule file, switched on; its triggers are left to
    its author.
    """
    path = request.facts.path
    domain = domain_of_file(path)
    manifest = request.tree.snapshot.facts(f"{parent_folder(path)}/manifest")
    if manifest and all(other.name != domain for other in request.tree.home_of(path).domains):
        change = text_edit.append_lines(manifest.text, (f"{domain}_STATE=active",))
        title = f"Declare {domain} in the manifest"
        yield _edit_fix(title, finding, manifest, change, preferred=True)


def _delete_setting(facts: FileFacts, finding: Finding) -> Iterator[Action]:
    """Offer to delete the setting or the table with the finding; in a file of tests only one that
    is no field.
    """
    text, (start, end) = facts.text, finding.span
    positions = key_positions(text)
    paths = (
        path
        for path, place in positions.items()
        if isinstance(path[-1], str)
        and any(part.start <= start and end <= part.end for part in place)
    )
    path = max(paths, key=len, default=())
    if not path or (finding.name == "invalid-test" and path[-1] in tree_tests.BY_NAME):
        return
    end = max(place.value.end for at, place in positions.items() if at[: len(path)] == path)
    change = text_edit.delete_lines(text, Span(positions[path].key.start, end))
    # Offered where the text without these lines has the same data but for the setting.
    before, problem = load_toml(text, "", "")
    after, problem_after = load_toml(apply_edits(text, (change,)), "", "")
    if problem or problem_after:
        return
    expected = inner = deepcopy(before)
    for part in path[:-1]:
        inner = inner[part]  # type: ignore[index]
    del inner[path[-1]]  # type: ignore[arg-type]
    if after == expected:
        yield _edit_fix(f"Delete `{path[-1]}`", finding, facts, change)


def _move_setting(request: ActionRequest, finding: Finding) -> Iterator[Action]:
    """Offer to move a setting from a rule file to the manifest, or to delete it where the manifest
    has one, which counts already.
    """
    facts = request.facts
    line = facts.lines.line_span(facts.lines.line_of(finding.span.start)).cut(facts.text).strip()
    manifest = request.tree.snapshot.facts(f"{parent_folder(facts.path)}/manifest")
    if manifest is None or not isinstance(manifest.document, Manifest):
        return
    gone = edit_file(facts.path, facts.text, (text_edit.delete_lines(facts.text, finding.span),))
    key, document = finding.span.cut(facts.text), manifest.document
    if any(entry.key.value == key for entry in document.entries):
        yield _quick_fix(f"Delete `{key}`: the manifest sets it", finding, EditPlan((gone,)))
        return
    domain = document.domains.get(manifest_settings.split_key(key)[0])
    ends = [entry.span.end for entry in domain.entries.values()] if domain else []
    change = text_edit.append_lines(manifest.text, (line,))
    if ends:
        change = text_edit.insert_line_after(manifest.text, max(ends), line)
    plan = EditPlan((edit_file(manifest.path, manifest.text, (change,)), gone))
    yield _quick_fix(f"Move `{key}` to the manifest", finding, plan, preferred=True)


def short_term_items(request: ActionRequest) -> Iterator[Action]:
    """Yield the refactorings of the short-term memory item under the caret: tick its box, or remove
    it.
    """
    memory, text = request.facts.document, request.facts.text
    items = memory.items if isinstance(memory, ShortTermMemory) else ()
    item = next((item for item in items if item.span.touches(request.span.start)), None)
    if item is None or not isinstance(memory, ShortTermMemory):
        return
    texts_by_title = {}
    if item.box is not None:
        title = "Untick it" if item.checked else "Tick it"
        change = "unticked" if item.checked else "ticked"
        texts_by_title[title] = change_items(memory, **{change: (item,)})
    texts_by_title["Take it out"] = change_items(memory, removed=(item,))
    for title, after in texts_by_title.items():
        yield Action(title, REWRITE, partial(_plan_edits, request.facts, minimal_edit(text, after)))


def manifest_rewrites(request: ActionRequest) -> Iterator[Action]:
    """Yield the refactorings of a manifest: switch the domain of the line on or off, write the
    missing `_STATE` keys, and run `synapse migrate` in a CARL tree, which asks before it changes
    anything.
    """
    manifest = request.facts.document
    if isinstance(manifest, Manifest):
        if (entry := manifest.entry_at(request.span.start)) and entry.domain:
            label = position_lookup.domain_label(request.tree, request.facts.path, entry.domain)
            domain = request.tree.domains_by_label.get(label)
            # What cannot be switched is not offered.
            with suppress(UserError):
                if domain and (plan := toggle_domain(request.tree, label, not domain.is_active)):
                    title = f"Switch {entry.domain} {'off' if domain.is_active else 'on'}"
                    yield Action(title, REWRITE, lambda: plan)
        missing = [d for d in manifest.domains.values() if "STATE" not in d.entries]
        if here := [d for d in missing if entry and d.name == entry.domain]:
            yield _write_states(f"Write {here[0].name}_STATE=active", request.facts, here)
        if here and len(missing) > 1:
            title = f"Write the missing _STATE of {len(missing)} domains"
            yield _write_states(title, request.facts, missing)
    if request.facts.path in (f"{tree_folders.CARL}/manifest", tree_folders.CARL_FILE):
        title = "Make a tree of .synapse/ of this (synapse migrate)"
        yield Action(title, REWRITE, EditPlan, command="synapse.migrate")


def _write_states(title: str, facts: FileFacts, domains: list[DomainDeclaration]) -> Action:
    lines = [(domain.span.start, f"{domain.name}_STATE=active") for domain in domains]
    edits = (text_edit.insert_line_before(facts.text, start, line) for start, line in lines)
    plan = _plan_edits(facts, *edits)
    return Action(title, REWRITE, lambda: plan)


def live_profile(request: ActionRequest) -> Iterator[Action]:
    """Yield the refactoring that sets the profile which keeps every layer awake, at the `profile`
    line of the configuration or its first line.
    """
    facts, config = request.facts, request.facts.document
    if not isinstance(config, config_settings.Config) or config.profile == LIVE_PROFILE:
        return
    place = key_positions(facts.text).get(("profile",))
    line = facts.lines.line_of(place.key.start) if place else 0
    is_readable = all(problem.kind != "invalid-toml" for problem in facts.problems)
    if is_readable and facts.lines.line_of(request.span.start) == line:
        plan = partial(choose_profile, request.tree, LIVE_PROFILE)
        yield Action(f"Use the profile {LIVE_PROFILE}", REWRITE, plan)


def live_profile_fix(request: ActionRequest) -> Iterator[Action]:
    """Yield the refactoring that sets the profile which keeps every layer awake where triggers
    sleep. It is a choice for the whole tree, so it is no fix of the finding itself.
    """
    findings = tuple(finding for finding in request.findings if finding.name == "sleeping-trigger")
    if not findings:
        return
    with suppress(UserError):  # the configuration may have to be mended first
        plan = choose_profile(request.tree, LIVE_PROFILE)
        missing = request.tree.snapshot.facts(tree_folders.CONFIG) is None
        operations = _CREATE if missing else frozenset[str]()
        title = f"Use the profile {LIVE_PROFILE}"
        yield Action(title, QUICK_FIX, lambda: plan, findings, operations=operations)


# What makes actions of which kind, in the order in which they are offered.
_OFFERS: tuple[tuple[str, Callable[[ActionRequest], Iterator[Action]]], ...] = (
    (QUICK_FIX, finding_fixes), (QUICK_FIX, missing_rule_files), (QUICK_FIX, missing_manifests),
    (QUICK_FIX, remedy_actions), (QUICK_FIX, rule_remedies), (QUICK_FIX, synced_file_fixes),
    (QUICK_FIX, live_profile_fix), (QUICK_FIX, rule_fixes), (QUICK_FIX, suppression_comments),
    (REWRITE, manifest_rewrites), (REWRITE, live_profile), (REWRITE, short_term_items),
    (FIX_ALL, file_fixes),
)  # fmt: skip


def code_actions(
    view: tree_view.View,
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
    if (facts := view.readable_facts(path)) is None:
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
