"""This module offers quick fixes for the other remedies that a finding names: comment a line out,
delete it, declare a domain, move a setting.

They are somebody's choice and no fixes: what they delete or comment out may have been meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import partial

from synapse_ls.edits.line_edits import append_lines, delete_lines, insert_line_after
from synapse_ls.formats.manifest import Manifest, split_key
from synapse_ls.formats.toml_document import TomlPath, key_positions, load_toml
from synapse_ls.formats.tree_tests import BY_NAME
from synapse_ls.ide.actions.code_action import QUICK_FIX, Action, ActionRequest
from synapse_ls.lint.diagnostic import Diagnostic
from synapse_ls.lint.rules.references import file_without_domain
from synapse_ls.lint.rules.rule_content import repeated_rule
from synapse_ls.lint.rules.syntax import (
    bad_config,
    invalid_test,
    malformed_line,
    manifest_key_in_rules,
    prose_in_keyvalue,
)
from synapse_ls.lint.tree_lookups import parent_folder
from synapse_ls.text.span import Span, trim_span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.workspace.edit_plan import EditPlan, edit_file
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.naming_conventions import domain_of_file
from synapse_ls.workspace.tree_domains import rules_in

_RemedyOffer = Callable[[ActionRequest, Diagnostic], Iterator[Action]]


def remedy_actions(request: ActionRequest) -> Iterator[Action]:
    """Yields a code action for each thing that a finding's remedy tells its reader to do."""
    for found in request.findings:
        for way in _OFFERS_BY_CODE.get(found.code, ()):
            yield from way(request, found)


def _comment_out(request: ActionRequest, finding: Diagnostic) -> Iterator[Action]:
    if "`#`" not in finding.remedy:
        return
    facts = request.facts
    first, last = (facts.lines.line_of(offset) for offset in finding.span)
    bodies = (trim_span(facts.text, *facts.lines.line_span(n)) for n in range(first, last + 1))
    edits = tuple(TextEdit(Span(b.start, b.start), "# ") for b in bodies if b.length)
    title = "Begin the line with `#`" if len(edits) == 1 else "Begin the lines with `#`"
    yield _quick_fix(title, finding, _plan_edits(facts, *edits))


def _delete_line(request: ActionRequest, finding: Diagnostic) -> Iterator[Action]:
    if "or delete the " in finding.remedy:
        change = delete_lines(request.facts.text, finding.span)
        yield _quick_fix("Delete the line", finding, _plan_edits(request.facts, change))


def _declare_domain(request: ActionRequest, finding: Diagnostic) -> Iterator[Action]:
    """Offers to declare the domain of a rule file, switched on; its triggers are left to its
    author.
    """
    path = request.facts.path
    domain = domain_of_file(path)
    manifest = request.tree.snapshot.facts(f"{parent_folder(path)}/manifest")
    if manifest and all(known.name != domain for known in request.tree.home_of(path).domains):
        change = append_lines(manifest.text, (f"{domain}_STATE=active",))
        plan = EditPlan((edit_file(manifest.path, manifest.text, (change,)),))
        yield _quick_fix(f"Declare {domain} in the manifest", finding, plan, preferred=True)


def _delete_rule(request: ActionRequest, finding: Diagnostic) -> Iterator[Action]:
    facts = request.facts
    rule = next((one for one in rules_in(facts.document) if one.text_span == finding.span), None)
    if rule:
        yield _quick_fix(
            "Delete this rule", finding, _plan_edits(facts, delete_lines(facts.text, rule.span))
        )


def _delete_setting(request: ActionRequest, finding: Diagnostic) -> Iterator[Action]:
    """Offers to delete the setting or the table with the finding; in a file of tests only one
    that is no field.
    """
    text = request.facts.text
    where = key_positions(text)
    named = [
        path
        for path, place in where.items()
        if isinstance(path[-1], str) and any(map(partial(_covers_span, finding.span), place))
    ]
    path = max(named, key=len, default=())
    if not path or (finding.code == invalid_test.RULE.code and path[-1] in BY_NAME):
        return
    end = max(place.value.end for at, place in where.items() if at[: len(path)] == path)
    change = delete_lines(text, Span(where[path].key.start, end))
    if _removes_only(text, change, path):
        yield _quick_fix(f"Delete `{path[-1]}`", finding, _plan_edits(request.facts, change))


def _covers_span(span: Span, part: Span) -> bool:
    return part.start <= span.start and span.end <= part.end


def _removes_only(text: str, change: TextEdit, path: TomlPath) -> bool:
    """Returns whether the text without some lines has the same data except for the setting at
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


def _move_setting(request: ActionRequest, finding: Diagnostic) -> Iterator[Action]:
    """Offers to move a setting from a rule file to the manifest, or to delete it where the manifest
    has one, which counts already.
    """
    facts = request.facts
    line = facts.lines.line_span(facts.lines.line_of(finding.span.start)).cut(facts.text).strip()
    manifest = request.tree.snapshot.facts(f"{parent_folder(facts.path)}/manifest")
    if manifest is None or not isinstance(manifest.document, Manifest):
        return
    gone = edit_file(facts.path, facts.text, (delete_lines(facts.text, finding.span),))
    key, known = finding.span.cut(facts.text), manifest.document
    if any(entry.key.value == key for entry in known.entries):
        yield _quick_fix(f"Delete `{key}`: the manifest sets it", finding, EditPlan((gone,)))
        return
    own = known.domains.get(split_key(key)[0])
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


def _quick_fix(
    title: str, finding: Diagnostic, plan: EditPlan, *, preferred: bool = False
) -> Action:
    return Action(title, QUICK_FIX, lambda: plan, (finding,), preferred)


_OFFERS_BY_CODE: Mapping[str, tuple[_RemedyOffer, ...]] = {
    malformed_line.RULE.code: (_comment_out, _delete_line),
    prose_in_keyvalue.RULE.code: (_comment_out,),
    manifest_key_in_rules.RULE.code: (_move_setting,),
    bad_config.RULE.code: (_delete_setting,),
    invalid_test.RULE.code: (_delete_setting,),
    repeated_rule.RULE.code: (_delete_rule,),
    file_without_domain.RULE.code: (_declare_domain,),
}
