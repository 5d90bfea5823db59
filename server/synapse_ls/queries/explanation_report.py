"""This module reports the explanation of a block: why each domain and rule of a tree is in it or
left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from synapse_ls.queries.answer_lines import answer_notes
from synapse_ls.queries.context_report import EntryReport, entry_reports
from synapse_ls.queries.reason_report import ReasonReport, reason_report
from synapse_ls.queries.report_model import INLINE, LINE, MANIFEST_LINE, URI
from synapse_ls.queries.situation_report import (
    HintsReport,
    SituationReport,
    UsageReport,
    hints_report,
    situation_report,
    usage_report,
)

if TYPE_CHECKING:
    from synapse_ls.engine.rule_account import DomainAccount
    from synapse_ls.queries.context_question import Answer


@dataclass(frozen=True, kw_only=True)
class RuleAccountReport:
    """What an explanation says of a rule: whether it is in the block, and why."""

    key: str
    text: str
    file: str
    line: int = field(metadata=LINE)
    tokens: int
    rendered: bool
    explanation: ReasonReport = field(metadata=INLINE)


@dataclass(frozen=True, kw_only=True)
class DomainAccountReport:
    """What an explanation says of a domain: by which layer it takes part (null: by none), or why
    not and what would change that.
    """

    label: str
    layer: str | None
    explanation: ReasonReport = field(metadata=INLINE)
    file: str = field(metadata=URI)
    manifest: str
    line: int = field(metadata=MANIFEST_LINE)
    rules: list[RuleAccountReport]


@dataclass(frozen=True, kw_only=True)
class ExplanationReport:
    """The report that explains a block: the situation, the layers that are awake in it, and the
    account of every domain and rule.
    """

    profile: str
    bracket: str
    usage: UsageReport
    budget: int
    tokens: int
    situation: SituationReport = field(metadata=INLINE)
    awake: list[str]
    cuts: list[EntryReport]
    over_budget: bool
    degraded: dict[str, str]
    domains: list[DomainAccountReport]
    memory: HintsReport
    notes: list[str]


def explain_report(answer: Answer, accounts: tuple[DomainAccount, ...]) -> ExplanationReport:
    """Returns the report of an explanation: the situation, and the account of every domain and
    rule.
    """
    assembly = answer.assembly
    return ExplanationReport(
        profile=answer.plan.profile.name,
        bracket=assembly.situation.bracket.name,
        usage=usage_report(assembly.situation.usage),
        budget=assembly.budget,
        tokens=assembly.tokens,
        situation=situation_report(assembly.situation),
        awake=sorted(assembly.selection.awake),
        cuts=entry_reports(assembly.cut_entries),
        over_budget=assembly.is_over_budget,
        degraded=dict(assembly.degraded_layers),
        domains=[_domain_account_report(account) for account in accounts],
        memory=hints_report(assembly.situation),
        notes=list(answer_notes(answer)),
    )


def _domain_account_report(account: DomainAccount) -> DomainAccountReport:
    return DomainAccountReport(
        label=account.label,
        layer=account.layer or None,
        explanation=reason_report(account.explanation),
        file=account.file,
        manifest=account.manifest,
        line=account.line,
        rules=[
            RuleAccountReport(
                key=rule.key,
                text=rule.text,
                file=rule.file,
                line=rule.line,
                tokens=rule.tokens,
                rendered=rule.is_rendered,
                explanation=reason_report(rule.explanation),
            )
            for rule in account.rules
        ],
    )
