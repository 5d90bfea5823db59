"""Plan the fixes of what the linter found: the one fixer of the command line and of
editors. No IO.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from synapse_ls.edits.edit_targets import plan_between
from synapse_ls.text.finding import Finding, Fix
from synapse_ls.text.text_edit import TextEdit, apply_edits
from synapse_ls.workspace.edit_plan import EditPlan
from synapse_ls.workspace.rule_tree import Tree

_MOST_ROUNDS = 20  # a fix may bring up another one; what goes on longer than this is a defect


# Problems of files that could not be written back as they were.
_ENCODING_PROBLEMS = frozenset({"not-utf8", "invalid-utf8"})


def is_rewritable(tree: Tree, path: str) -> bool:
    """Check whether a fix can write a file with another text and leave it elsewhere as it is."""
    facts = tree.snapshot.facts(path)
    return facts is None or not any(
        problem.kind in _ENCODING_PROBLEMS for problem in facts.problems
    )


@dataclass(frozen=True, slots=True)
class FixOutcome:
    """The plan, how many findings it mends, and the tree as it will be."""

    plan: EditPlan
    count: int
    tree: Tree


def plan_fixes(
    tree: Tree,
    check: Callable[[Tree], Iterable[Finding]],
    *,
    unsafe: bool = False,
    accepts: Callable[[Finding], bool] = lambda _: True,
) -> FixOutcome:
    """Plan the safe fixes of what ``check`` finds, until it finds none that is left.

    ``unsafe`` applies those too that may change what is injected; ``accepts`` leaves findings out.
    Of two fixes that touch each other the first is applied; the other one is looked at again in the
    text that results. A fix is applied whole or not at all, and taken back where the finding that
    it is for is still there afterwards. Where fixes lead back to a text that was there before, it
    stays as it was then, and none of them counts.
    """
    now, count = tree, 0
    visited: list[tuple[Tree, int]] = [(tree, 0)]
    futile: set[_FindingKey] = set()
    applied: Counter[_FindingKey] = Counter()
    counts: Counter[_FindingKey] = Counter()
    before, is_other_text = now, False
    for _ in range(_MOST_ROUNDS):
        fixable_findings = [
            finding
            for finding in check(now)
            if finding.fix and accepts(finding) and (unsafe or finding.fix.safe)
        ]
        left = Counter(map(_finding_key, fixable_findings))
        useless = {same for same in applied if left[same] >= counts[same]}
        is_other_text = is_other_text or (bool(applied) and not useless and bool(futile))
        if useless:
            # The others of the round are due again, in the text as it was.
            futile |= useless
            now, count = before, count - applied.total()
            visited.pop()
            applied = Counter()
            continue
        edits: dict[str, list[TextEdit]] = {}
        fixes = ((d, d.fix) for d in fixable_findings if d.fix and _finding_key(d) not in futile)
        applied = Counter(_finding_key(d) for d, fix in fixes if _collect_edits(fix, edits))
        if not applied:
            if not is_other_text:
                break
            # What was of no use may be of use in the text that others made.
            futile, is_other_text = set(), False
            continue
        before, counts = now, left
        snapshot = now.snapshot
        for path, own in edits.items():
            facts = snapshot.facts(path)
            snapshot = snapshot.with_text(path, apply_edits(facts.text if facts else "", own))
        now, count = Tree(snapshot), count + applied.total()
        earlier = next((visit for visit in visited if not plan_between(visit[0], now)), None)
        if earlier:
            now, count = earlier
            break
        visited.append((now, count))
    return FixOutcome(plan_between(tree, now), count, now)


_FindingKey: TypeAlias = tuple[str, str, str]


def _finding_key(found: Finding) -> _FindingKey:
    """Return what stays of a finding while its place moves."""
    return found.code, found.path, found.message


def _collect_edits(fix: Fix, edits: dict[str, list[TextEdit]]) -> bool:
    """Add the edits of a fix to those by path, unless one of them touches another."""
    for path, (start, end) in ((path, edit.span) for path, edit in fix.edits):
        if any(
            start <= other.span.end and other.span.start <= end for other in edits.get(path, ())
        ):
            return False
    for path, edit in fix.edits:
        edits.setdefault(path, []).append(edit)
    return True
