"""Answers as plain values, for whoever shows them: command line, language server, MCP.

Keys are never renamed or removed; lines count from 1, tokens are the unit of budgets.
"""

from __future__ import annotations

from synapse_ls.engine.phrases import phrase
from synapse_ls.engine.plan import slug_of
from synapse_ls.engine.render import section_text
from synapse_ls.engine.tokens import estimate, tokens_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from synapse_ls.engine.account import DomainAccount
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.section import Entry, Section
    from synapse_ls.engine.situation import Situation
    from synapse_ls.engine.usage import Usage
    from synapse_ls.guard.judge import Verdict
    from synapse_ls.service.answer import Answer
    from synapse_ls.service.compose import Composed

_STATE_FILE = "the workflow's state file"
_SOURCES = {
    "given": "given",
    "prompt": "from the prompt",
    "session": "from the session",
    "agent": "the agent's own",
    "command": "from the prompt's command",
}


def context_report(answer: Answer) -> dict[str, Any]:
    """The block, what it is made of, and what did not fit."""
    assembly = answer.assembly
    return {
        "block": assembly.text,
        "bracket": assembly.situation.bracket.name,
        "usage": usage_report(assembly.situation.usage),
        "budget": assembly.budget,
        "tokens": assembly.tokens,
        "sections": [_section(section) for section in assembly.sent],
        "cuts": [entry_report(entry) for entry in assembly.cut],
        "limited": [entry_report(entry) for entry in assembly.limited],
        "duplicates": [
            {"left_out": entry_report(loser), "stays": entry_report(winner)}
            for loser, winner in assembly.duplicates
        ],
        "over_budget": assembly.over_budget,
        "degraded": dict(assembly.degraded),
        "memory": memories_report(assembly.situation),
        "notes": list(notes_of(answer)),
    }


def explain_report(answer: Answer, accounts: tuple[DomainAccount, ...]) -> dict[str, Any]:
    """The situation, and the account of every domain and rule."""
    assembly = answer.assembly
    return {
        "profile": answer.plan.profile.name,
        "bracket": assembly.situation.bracket.name,
        "usage": usage_report(assembly.situation.usage),
        "budget": assembly.budget,
        "tokens": assembly.tokens,
        **situation_report(assembly.situation),
        "awake": sorted(assembly.selection.awake),
        "cuts": [entry_report(entry) for entry in assembly.cut],
        "over_budget": assembly.over_budget,
        "degraded": dict(assembly.degraded),
        "domains": [_domain(account) for account in accounts],
        "memory": memories_report(assembly.situation),
        "notes": list(notes_of(answer)),
    }


def situation_report(situation: Situation) -> dict[str, Any]:
    """Who is at work on what, each with the source it is known from; None for what is not known."""
    return {
        "agent": _sourced(situation.agent, situation.agent_source),
        "workflow": _sourced(
            situation.workflow_written,
            situation.workflow_source,
            phase=situation.phase or None,
        ),
        "task": _sourced(
            situation.task,
            situation.task_source,
            story=story_of(situation) or None,
            executor=situation.executor or None,
        ),
        "squad": _sourced(situation.squad, situation.squad_source),
        "prompt": {
            "commands": [command.name for command in situation.prompt.commands],
            "mentions": list(situation.prompt.mentions),
            "skipped": list(situation.prompt.skipped),
        },
    }


def memories_report(situation: Situation) -> dict[str, Any]:
    """What of the memories is told, and of those that are not, why."""
    found = situation.memories
    return {
        "level": found.level if found else "none",
        "tokens": found.tokens if found else 0,
        "reason": (found.why or None) if found else None,
        "told": [hint.report() for hint in situation.hints],
        "left": [
            {**hint.report(), "reason": phrase(*why).sentence}
            for hint, why in (found.left if found else ())
        ],
    }


def usage_report(usage: Usage) -> dict[str, Any]:
    """How much of the window is left: percent, and tokens where they are known."""
    return {
        "remaining": usage.remaining,
        "source": usage.source,
        "origin": usage.origin,
        "model": usage.model,
        "used": usage.used,
        "window": usage.window,
        "prompts": usage.prompts,
    }


def entry_report(entry: Entry) -> dict[str, Any]:
    """One line of a block; ``file`` is "" and ``line`` None for what no file says."""
    return {
        "text": entry.text,
        "key": entry.key,
        "domain": entry.domain,
        "file": entry.file,
        "line": entry.line + 1 if entry.file else None,
        "tokens": tokens_of(len(entry.prefix) + len(entry.text) + 1),
    }


def story_of(situation: Situation) -> str:
    """The story at work, as it calls itself where that is known."""
    facts = situation.task_facts
    return (facts.story if facts else "") or situation.story


def workflow_of(situation: Situation) -> str:
    """The workflow as it was written, with the id that triggers know it by where that is another."""
    written, known = situation.workflow_written, situation.workflow
    return f"{written} ({known})" if known and slug_of(written) != known else written


def at_work(plan: Plan, situation: Situation) -> Iterator[tuple[str, str, str]]:
    """(what, value, where it is known from) of who is at work on what, "" where nothing is known."""
    s = situation
    sources = {**_SOURCES, "state": f"from {plan.extra.get('state') or _STATE_FILE}"}
    phase = f"phase {s.phase}" if s.phase else ""
    story = story_of(s)
    story = f"story {story}" if story and story != s.task else ""
    executor = f"executor {s.executor}" if s.executor else ""
    for what, named, source, more in (
        ("agent", f"@{s.agent}" if s.agent else "", s.agent_source, ()),
        ("workflow", workflow_of(s), s.workflow_source, (phase,)),
        ("task", s.task, s.task_source, (story, executor)),
        ("squad", s.squad, s.squad_source, ()),
    ):
        value = ", ".join(part for part in (named, *more) if part)
        yield what, value, sources.get(source, source) if named else ""


def notes_of(answer: Answer | Composed) -> tuple[str, ...]:
    """Sentences about what is odd: usage, situation, sources, layers, budget."""
    assembly = answer.assembly
    situation = assembly.situation
    facts = situation.task_facts
    notes = [*answer.notes, *situation.usage.notes, *situation.notes]
    if facts is not None and facts.problem:
        notes.append(f"task {facts.id}: {facts.problem}")
    notes += situation.memories.notes if situation.memories else ()
    notes += [f"{layer} could not contribute: {why}" for layer, why in assembly.degraded.items()]
    if assembly.over_budget:
        notes.append(
            f"what may not be cut takes more than the {assembly.budget} tokens of "
            f"{situation.bracket.name}"
        )
    return tuple(dict.fromkeys(notes))


def verdict_report(
    found: Verdict, agent: str, mode: str, blind: list[tuple[str, str, int, str]]
) -> dict[str, Any]:
    """A verdict of the guard on what ``agent`` is about to do; ``blind`` is what it cannot see to."""
    clause = found.clause
    return {
        "decision": found.decision,
        "agent": agent or None,
        "mode": mode,
        "what": found.what or None,
        "reason": found.why or None,
        "delegate": (clause.delegate or clause.owner or None) if clause else None,
        "rule": {
            "name": clause.key,
            "file": clause.file,
            "line": clause.line + 1,
            "pattern": clause.pattern.text,
        }
        if clause and clause.file
        else None,
        "unread": [
            {"name": key, "file": file, "line": line + 1, "action": action}
            for key, file, line, action in blind
        ],
    }


def _section(section: Section) -> dict[str, Any]:
    return {
        "id": section.id,
        "layer": section.layer,
        "heading": section.heading,
        "tokens": estimate(section_text(section)),
        "entries": [entry_report(entry) for entry in section.entries],
    }


def _sourced(value: str, source: str, **more: object) -> dict[str, Any] | None:
    if not value and not any(more.values()):
        return None
    return {"id": value or None, "source": source or None, **more}


def _domain(account: DomainAccount) -> dict[str, Any]:
    return {
        "label": account.label,
        "layer": account.layer or None,
        **account.told.report(),
        "file": account.file,
        "manifest": account.manifest,
        "line": account.line,
        "rules": [
            {
                "key": rule.key,
                "text": rule.text,
                "file": rule.file,
                "line": rule.line,
                "tokens": rule.tokens,
                "rendered": rule.rendered,
                **rule.told.report(),
            }
            for rule in account.rules
        ],
    }
