"""This module reports the status of a tree, the state that the next prompt would meet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from synapse_ls.queries.answer_lines import answer_notes
from synapse_ls.queries.delivery_report import DeliveryReport
from synapse_ls.queries.guard_clients import GuardClient, RegisteredHooks, describe_effect
from synapse_ls.queries.navigation_report import NavigationReport, navigation_report
from synapse_ls.queries.report_model import INLINE, ROOT_URI
from synapse_ls.queries.session_report import format_time
from synapse_ls.queries.situation_report import (
    SituationReport,
    UsageReport,
    situation_report,
    usage_report,
)
from synapse_ls.storage.session_archive import parse_moment
from synapse_ls.workspace.served_system import unserved_systems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from synapse_ls.engine.rule_account import DomainAccount
    from synapse_ls.queries.context_question import Answer
    from synapse_ls.storage.session_state import SessionState


@dataclass(frozen=True, kw_only=True)
class CurrentSession:
    """The session that is followed, in a status report."""

    id: str | None
    title: str | None
    prompts: int | None
    last_activity: str | None


@dataclass(frozen=True, kw_only=True)
class BlockShare:
    """How many domains or rules a status report counts, and how many of them have a rule in the
    block.
    """

    total: int
    in_block: int


@dataclass(frozen=True, kw_only=True)
class StatusReport:
    """The status of a tree: the state that the next prompt would meet. `cuts`: how many entries do
    not fit. `hooks`: the settings in which an agent's hook is registered. `delivery`: what it has
    handed over. `guard`: the mode of the guard, "off", "warn" or "enforce"; `guard_clients`: the
    clients that call the hook, and whether they ask it; `guard_effect`: what it does with these.
    """

    root: str = field(metadata=ROOT_URI)
    profile: str
    bracket: str
    usage: UsageReport
    tokens: int
    budget: int
    cuts: int
    over_budget: bool
    situation: SituationReport = field(metadata=INLINE)
    navigation: NavigationReport | None
    session: CurrentSession | None
    domains: BlockShare
    rules: BlockShare
    hooks: list[str]
    delivery: DeliveryReport
    guard: str
    guard_clients: list[GuardClient]
    guard_effect: str
    notes: list[str]


def status_report(
    answer: Answer,
    accounts: tuple[DomainAccount, ...],
    hooks: RegisteredHooks,
    delivery: DeliveryReport,
) -> StatusReport:
    """Returns the status of a tree, what the next prompt would be answered with; ``hooks`` are
    those of ours that are registered, ``delivery`` what they have handed over.
    """
    assembly = answer.assembly
    mode = answer.plan.settings["guard"]
    inside = [domain.rendered_count for domain in accounts]
    return StatusReport(
        root=answer.plan.root,
        profile=answer.plan.profile.name,
        bracket=assembly.situation.bracket.name,
        usage=usage_report(assembly.situation.usage),
        tokens=assembly.tokens,
        budget=assembly.budget,
        cuts=len(assembly.cut_entries),
        over_budget=assembly.is_over_budget,
        situation=situation_report(assembly.situation),
        navigation=navigation_report(answer),
        session=_current_session(answer.session) if answer.session else None,
        domains=BlockShare(total=len(accounts), in_block=sum(count > 0 for count in inside)),
        rules=BlockShare(total=sum(len(domain.rules) for domain in accounts), in_block=sum(inside)),
        hooks=list(hooks.files),
        delivery=delivery,
        guard=mode,
        guard_clients=list(hooks.clients),
        guard_effect=describe_effect(mode, hooks.clients),
        notes=list(status_notes(answer)),
    )


def status_notes(answer: Answer) -> Iterator[str]:
    """Yields the notes of a status report, and a sentence for each other system that has rules in
    the same folder.
    """
    yield from answer_notes(answer)
    plan = answer.plan
    for _, other in unserved_systems(plan.root, plan.profile_table.get("source", "")):
        yield f"{other.place} has rules of {other.title}, which are not served beside these"


def _current_session(session: SessionState) -> CurrentSession:
    at = parse_moment(session.last_activity)
    return CurrentSession(
        id=session.id,
        title=session.title,
        prompts=session.prompt_count,
        last_activity=None if at is None else format_time(at),
    )
