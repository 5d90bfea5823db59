"""This module reports the guard's verdict on what an agent is about to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, cast

from synapse_ls.queries.report_model import JSON_ONLY, LINE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.guard.action_verdict import Verdict


Decision = Literal["allow", "ask", "deny"]


@dataclass(frozen=True, kw_only=True)
class GuardRule:
    """The authority boundary that decided, and the pattern that it names."""

    name: str
    file: str
    line: int = field(metadata=LINE)
    pattern: str


@dataclass(frozen=True, kw_only=True)
class UnreadableRule:
    """A rule that the guard cannot enforce, because it does not understand the action in it."""

    name: str
    file: str
    line: int = field(metadata=LINE)
    action: str


@dataclass(frozen=True, kw_only=True)
class VerdictReport:
    """What the guard says: `decision` is "allow", "ask" or "deny", `what` the part that this is
    about, `delegate` the agent that may do it.

    `mode` is "off", "warn" or "enforce"; `agent` is null where none is active.
    """

    decision: Decision
    agent: str | None
    mode: str
    what: str | None
    reason: str | None
    delegate: str | None
    rule: GuardRule | None
    unread: list[UnreadableRule] = field(metadata=JSON_ONLY)


def verdict_report(
    verdict: Verdict, agent: str, mode: str, unreadable: Iterable[tuple[str, str, int, str]] = ()
) -> VerdictReport:
    """Returns a verdict on what ``agent`` is about to do; ``unreadable`` are the rules that the
    guard cannot enforce.
    """
    clause = verdict.clause
    return VerdictReport(
        decision=cast(Decision, verdict.decision),
        agent=agent or None,
        mode=mode,
        what=verdict.subject or None,
        reason=verdict.reason or None,
        delegate=(clause.delegate or clause.owner or None) if clause else None,
        rule=GuardRule(
            name=clause.key, file=clause.file, line=clause.line + 1, pattern=clause.pattern.text
        )
        if clause and clause.file
        else None,
        unread=[
            UnreadableRule(name=key, file=file, line=line + 1, action=action)
            for key, file, line, action in unreadable
        ],
    )
