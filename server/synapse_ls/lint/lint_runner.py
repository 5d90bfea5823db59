"""Run the lint rules on a whole tree or on one of its files.

A file's diagnostics depend only on the tree and the policy.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain

from synapse_ls.formats.carl.carl_json import CarlDocument
from synapse_ls.formats.context_file import unknown_bracket_problem
from synapse_ls.formats.rule_syntax import BRACKETS
from synapse_ls.lint import fixes, suppressions, tree_lookups
from synapse_ls.lint.lint_rule import FileRule, Findings, LintRule, ProblemRule, TreeRule
from synapse_ls.lint.rule_registry import all_rules, rule_module, rules_by_problem_kind
from synapse_ls.lint.rule_selection import Policy, matches_selector
from synapse_ls.lint.rules.syntax import MERGE_CONFLICT, UNUSED_SUPPRESSION
from synapse_ls.text.finding import Finding, Related, Severity
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import is_above_root


def carl_file_parts(facts: FileFacts) -> Iterator[FileFacts]:
    """Yield the parts of ``carl.json`` as files on which lint rules run; nothing where the file is
    not one of CARL v2.
    """
    if isinstance(document := facts.document, CarlDocument):
        for kind, part in (
            (FileKind.MANIFEST, document.manifest),
            (FileKind.RULES, document.rules),
            (FileKind.COMMANDS, document.commands),
            (FileKind.CONTEXT, document.context),
        ):
            yield replace(facts, kind=kind, document=part, problems=())


RuleFinding = tuple[LintRule, Finding]
RuleFindings = Iterator[RuleFinding]


def lint_tree(
    tree: Tree,
    *,
    notes: Iterable[Finding] = (),
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    named_paths: Iterable[str] = (),
    policy: Policy | None = None,
    progress: Callable[[int, int], object] = lambda _done, _total: None,
) -> tuple[Finding, ...]:
    """Run the lint rules on a whole tree; return its diagnostics, sorted by path, place and code.

    ``notes`` are those of the loader; ``select``, ``ignore`` and ``named_paths`` are as in
    `Policy`, where none is given. ``progress`` is called before each file with how many of how many
    are done.
    """
    policy = policy or Policy(tree.snapshot.config.lint, select, ignore, named_paths=named_paths)
    by_path = group_notes(notes)
    findings: list[Finding] = []
    paths = sorted({*tree.snapshot.paths(), *by_path})
    for done, path in enumerate(paths):
        progress(done, len(paths))
        findings += lint_file(tree, path, policy, by_path.get(path, ()))
    return tuple(findings)


def lint_file(
    tree: Tree, path: str, policy: Policy, notes: Iterable[Finding] = ()
) -> tuple[Finding, ...]:
    """Run the lint rules on one file; return its diagnostics, sorted by place and code; ``notes``
    are the loader's on that file.
    """
    facts = tree.snapshot.facts(path)
    from_file = file_findings(facts, path, policy, notes)
    return combine_findings(facts, from_file, tree_findings(tree, path, policy), policy)


def file_findings(
    facts: FileFacts | None, path: str, policy: Policy, notes: Iterable[Finding] = ()
) -> tuple[Finding, ...]:
    """Run the lint rules that need no other file; return the diagnostics of a file alone, those of
    loader and parser included.
    """
    rules = rules_by_problem_kind()
    of_notes = []
    for note in notes:
        # Its own place, as long as the text has it.
        has_place = facts is not None and 0 < note.span.end <= len(facts.text)
        span = note.span if has_place else tree_lookups.first_line_span(facts)
        rule = rules[note.kind]
        of_notes.append((rule, Finding(span, note.message, note.remedy or rule.remedy)))
    return _permitted_findings(path, policy, chain(of_notes, _file_findings(facts, policy)))


class CheckStopped(Exception):  # noqa: N818
    """Raised where a run of the linter is given up before its end."""


def tree_findings(
    tree: Tree, path: str, policy: Policy, stop: Callable[[], bool] = bool
) -> tuple[Finding, ...]:
    """Run the lint rules that need the other files of the tree on one file; return the diagnostics.

    Raises CheckStopped when ``stop``, which is asked before each rule, returns true.
    """
    if (facts := tree.snapshot.facts(path)) is None or is_above_root(path):
        return ()
    return _permitted_findings(path, policy, _tree_findings(tree, facts, policy, stop))


def combine_findings(
    facts: FileFacts | None,
    from_file: Sequence[Finding],
    from_tree: Iterable[Finding],
    policy: Policy,
) -> tuple[Finding, ...]:
    """Return all diagnostics of two lint runs on a file, of the file alone and of what depends on
    the tree.

    What the file's comments suppress is left out, and comments that suppress nothing are reported.
    In a file with a merge conflict only the conflict is reported.
    """
    conflict = tuple(finding for finding in from_file if finding.code == MERGE_CONFLICT.code)
    if facts is not None and (
        alone := suppressions.apply_suppressions(conflict, facts, policy)[0] if conflict else ()
    ):
        return alone
    diagnostics: tuple[Finding, ...] = (*from_file, *from_tree)
    if facts is not None:
        diagnostics, unused = suppressions.apply_suppressions(diagnostics, facts, policy)
        diagnostics += _permitted_findings(
            facts.path, policy, ((UNUSED_SUPPRESSION, finding) for finding in unused)
        )
    return tuple(sorted(diagnostics, key=lambda d: (d.span, d.code, d.message)))


def group_notes(notes: Iterable[Finding]) -> Mapping[str, tuple[Finding, ...]]:
    """Return the loader's notes by path, each of them once, for a lint run."""
    notes_by_path = group_pairs((note.path, note) for note in dict.fromkeys(notes))
    return {path: tuple(group) for path, group in notes_by_path.items()}


def _permitted_findings(
    path: str, policy: Policy, findings: Iterable[RuleFinding]
) -> tuple[Finding, ...]:
    """Return the diagnostics of the findings that the policy lets through, with its severities."""
    if not policy.lints(path):
        return ()
    ignored = policy.ignored_selectors(path)
    return tuple(
        finding._replace(
            path=path,
            code=rule.code,
            name=rule.name,
            severity=policy.severity(rule) or finding.own_severity or rule.severity,
            # What only its way here needed is no part of what two reports are compared by.
            own_severity=None,
            kind="",
            data=(),
        )
        for rule, finding in findings
        if policy.runs(rule) and not matches_selector(ignored, rule)
    )


def _file_findings(facts: FileFacts | None, policy: Policy) -> RuleFindings:
    """Yield what the parsers and the file rules find in a file."""
    if facts is None or is_above_root(facts.path):  # it is looked at where it belongs
        return
    for problem in facts.problems:
        if rules_by_problem_kind()[problem.kind].told_only:
            continue
        word = problem.span.cut(facts.text) if problem.kind == "unknown-bracket-key" else ""
        if not (word and policy.brackets):
            yield _claim_problem(facts, problem)
        elif word not in policy.brackets:
            names = tuple(dict.fromkeys((*BRACKETS, *sorted(policy.brackets))))
            yield _claim_problem(facts, unknown_bracket_problem(word, problem.span, names))
    if facts.kind is FileKind.SYNCED and facts.document is None:
        return  # somebody else's file: how it is written is none of our business
    yield from _rule_findings(facts, policy)


def _tree_findings(
    tree: Tree, facts: FileFacts, policy: Policy, stop: Callable[[], bool]
) -> RuleFindings:
    """Yield what the tree rules find in a file, and the problems that matter only where it is
    told.
    """
    if facts.kind is not FileKind.RULES or tree.domains_of_file(facts.path):
        for problem in facts.problems:
            if rules_by_problem_kind()[problem.kind].told_only:
                yield _claim_problem(facts, problem)
    yield from _rule_findings(facts, policy, tree, stop)


def _rule_findings(
    facts: FileFacts, policy: Policy, tree: Tree | None = None, stop: Callable[[], bool] = bool
) -> RuleFindings:
    """Yield what the file rules find in a file, or given its tree the tree rules. In the parts of
    ``carl.json`` it is those that read text, without their fixes, since these are edits of lines.

    Raises CheckStopped when ``stop`` returns true.
    """
    for part in (facts, *carl_file_parts(facts)):
        for rule, check in _checks(policy, part.kind, in_tree=tree is not None):
            if part is facts or rule.reads_text:
                if stop():
                    raise CheckStopped
                for finding in check(part) if tree is None else check(tree, part):
                    yield rule, finding if part is facts else finding._replace(fix=None)


@lru_cache(maxsize=512)
def _checks(
    policy: Policy, kind: FileKind, *, in_tree: bool
) -> tuple[tuple[FileRule | TreeRule, Callable[..., Findings]], ...]:
    """Return the file rules, or the tree rules, that check files of a kind and run under the
    policy, with their checks.
    """
    return tuple(
        (rule, rule_module(rule).check)
        for rule in all_rules()
        if isinstance(rule, TreeRule if in_tree else FileRule)
        and kind in rule.kinds
        and policy.runs(rule)
    )


# The key of a rule whose number is not known: "Write TESTING_RULE_n.".
_PLACEHOLDER = lazy_pattern(r"_n(?:`?\.|,)")


def _claim_problem(facts: FileFacts, problem: Finding) -> tuple[ProblemRule, Finding]:
    """Return the rule that reports a parser's problem, with the finding made of it."""
    rule = rules_by_problem_kind()[problem.kind]
    data = dict(problem.data)
    related: tuple[Related, ...] = ()
    if "first_start" in data:
        span = Span(int(data["first_start"]), int(data["first_end"]))
        related = (Related(facts.path, span, "The first one is here."),)
    fix = rule.fix(facts, problem) if rule.fix else None
    remedy = problem.remedy or rule.remedy
    if fix and _PLACEHOLDER.search(remedy):  # only the fix knows the number
        remedy = f"{fix.title}."
    if fix and (field := data.get("missing")):
        remedy = remedy.replace(f"Add `{field}`", fix.title)
    severity = rule.severity_if_understood if fixes.is_understood_value(problem) else None
    return rule, problem._replace(
        remedy=remedy,
        fix=fix,
        related=related,
        own_severity=Severity.HINT if problem.kind in rule.hints else severity,
    )
