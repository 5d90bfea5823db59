"""This module examines whether the tree says what it is meant to say: findings, and domains that
can never be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from synapse_ls.lint.diagnostic import Diagnostic, Severity
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.setup.diagnosis.diagnosis_report import Check, SectionResult
from synapse_ls.setup.diagnosis.diagnosis_subject import Subject
from synapse_ls.text.plural_counts import format_count
from synapse_ls.workspace.tree_folders import CONFIG

_MOST_FINDINGS = 5  # findings that are told one by one
_STATUS = {Severity.ERROR: "error", Severity.WARNING: "warning"}


def examine(subject: Subject) -> SectionResult:
    """Examines the tree with the linter, and tells the worst of it in full."""
    findings = lint_tree(subject.tree, notes=subject.loaded_tree.notes)
    plan = subject.plan
    domains = plan.domains()
    data = {
        "profile": plan.profile.name,
        "domains": len(domains),
        "rules": sum(len(domain.rows) for domain in domains),
        "squads": len(plan.squads),
        "findings": {s.value: sum(f.severity is s for f in findings) for s in Severity},
        "codes": dict(Counter(finding.code for finding in findings)),
    }
    return SectionResult(tuple(_tree_checks(subject, findings)), data)


def _tree_checks(subject: Subject, findings: tuple[Diagnostic, ...]) -> Iterator[Check]:
    plan = subject.plan
    domains = plan.domains()
    rules = sum(len(domain.rows) for domain in domains)
    said = f"{format_count(len(domains), 'domain')} with {format_count(rules, 'rule')} (profile {plan.profile.name})"
    if domains:
        yield Check("ok", said)
    else:
        yield Check("error", "the tree has no domain, so nothing is told", "Run `synapse init`.")
    for notice in (one for one in plan.notices if not one.startswith(CONFIG)):
        yield Check("error", notice.removesuffix("."), "Mend the file; `synapse check` says where.")
    grave = [finding for finding in findings if finding.severity in _STATUS]
    for finding in sorted(grave, key=lambda found: found.severity.rank)[:_MOST_FINDINGS]:
        yield Check(
            "error" if finding.severity is Severity.ERROR else "warning",
            f"{finding.code} {finding.message.removesuffix('.')}",
            finding.remedy or "Run `synapse check`.",
            _finding_place(subject, finding),
        )
    more = len(grave) - _MOST_FINDINGS
    if more > 0:
        yield Check("warning", f"{more} more of the linter's warnings", "Run `synapse check`.")
    if not grave:
        mild = len(findings)
        also = f", and {format_count(mild, 'hint')}" if mild else ""
        yield Check("ok", f"the linter finds nothing that is lost or dead{also}")


def _finding_place(subject: Subject, finding: Diagnostic) -> str:
    facts = subject.tree.snapshot.facts(finding.path)
    line = facts.lines.line_of(finding.span.start) + 1 if facts else 1
    return f"{finding.path}:{line}"
