"""Bringing an agent up: everything about it at once, a greeting, and a note in the session.

Behind ``synapse activate``, the editor's command, the MCP tool and the start of a session. Not on
the way of a prompt.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from synapse_ls.activation import loaders
from synapse_ls.activation.facts import AGENTE, EXECUTORS, Facts
from synapse_ls.activation.files import KIND, Files
from synapse_ls.activation.greeting import Greeting, greet
from synapse_ls.activation.loaders import CRITICAL, LATE, LOADED, Loader, Outcome, Slot
from synapse_ls.activation.occasion import History, history_of, occasion_of
from synapse_ls.activation.repository import find, head
from synapse_ls.activation.sources import (
    definition,
    handoff,
    memories,
    permission,
    preferences,
    project,
    stories,
)
from synapse_ls.activation.sources.definition import Agent
from synapse_ls.activation.whereabouts import Whereabouts, roughly
from synapse_ls.activation.whereabouts import find as find_whereabouts
from synapse_ls.engine.situation import Request, resolve
from synapse_ls.service import cache
from synapse_ls.service.activation_metrics import loader_rows
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.inventory import sessions_folder
from synapse_ls.service.plans import planned
from synapse_ls.service.tasks import task_facts
from synapse_ls.service.usage import usage_of
from synapse_ls.sessions import changes
from synapse_ls.sessions.store import SessionStore
from synapse_ls.workspace.naming import near_misses, stem

if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.situation import Situation
    from synapse_ls.engine.task import TaskFacts
    from synapse_ls.service.plans import Planned

HIGH, BEST_EFFORT = "high", "best effort"
TREE = "tree"
PATIENCE = 1.0  # seconds that the tree may take where it has changed since it was last read
LEAST = 0.1  # seconds that loaders get however late it is
TIMEOUT = "SYNAPSE_ACTIVATION_TIMEOUT_MS"
"""Variable that wins over ``[activation] timeout_ms``, for machines that are slow or busy."""
FULL, PARTIAL, FALLBACK = "full", "partial", "fallback"
"""Qualities of an activation: all is known, something is missing, the definition is."""

# Share of the time that a loader may take; what only adds to the greeting gives way first.
_SHARES = {
    "definition": (CRITICAL, 1.0),
    "permission": (HIGH, 0.9),
    "project": (HIGH, 0.9),
    "preferences": (BEST_EFFORT, 0.8),
    "story": (BEST_EFFORT, 0.8),
    "workflow": (BEST_EFFORT, 0.8),
    "handoff": (BEST_EFFORT, 0.8),
    "memory": (BEST_EFFORT, 0.5),
}
LOADERS = tuple(_SHARES)


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted beside the agent; "" is found out. ``session``: its id, "" for none.

    ``greeting``: a preference for this once. ``spent``: seconds of the time for all of it that have gone by already.
    """

    session: str = ""
    executor: str = ""
    occasion: str = ""
    greeting: str = ""
    spent: float = 0.0


@dataclass(frozen=True, slots=True)
class Activation:
    """An agent brought up. ``milliseconds``: how long the loaders were waited for."""

    facts: Facts
    greeting: Greeting
    outcomes: Mapping[str, Outcome]
    quality: str
    session: str
    why: str
    milliseconds: float
    notes: tuple[str, ...]

    @property
    def agent(self) -> str:
        """The agent's id."""
        return self.facts.agent.id

    def report(self) -> dict[str, Any]:
        """It as plain values, as `service.reports` gives them."""
        facts = self.facts
        return {
            "agent": facts.agent.report(),
            "session": self.session or None,
            "occasion": facts.occasion,
            "occasion_why": self.why,
            "executor": facts.executor,
            "quality": self.quality,
            "greeting": self.greeting.text,
            "kind": self.greeting.kind,
            "sections": [
                {"name": part.name, "text": part.text, "why": part.why or None}
                for part in self.greeting.parts
            ],
            "permission": facts.permission.report(),
            "preferences": facts.preferences.report(),
            "project": facts.project.report() if facts.project else None,
            "story": facts.story.report() if facts.story else None,
            "workflow": facts.whereabouts.report() if facts.whereabouts else None,
            "handoff": facts.handoff.report() if facts.handoff else None,
            "memories": facts.memories.report(),
            "loaders": loader_rows(metrics(self.outcomes)),
            "milliseconds": round(self.milliseconds, 1),
            "missing": list(facts.missing),
            "notes": list(self.notes),
        }


def activate(
    root: str, agent: str, wish: Wish | None = None, *, now: float, deadline: float | None = None
) -> Activation:
    """Bring ``agent`` up in the tree at ``root``; changes nothing: `record` does.

    now: seconds since 1970. deadline: seconds for all loaders, else as configured. ServiceError
    where there is no such agent; SessionError where the session cannot be read.
    """
    wish = wish or Wish()
    plan, tree = _plan(root)
    files = Files(root, plan.settings.get("places", {}), cache.read_memo(root, KIND))
    id = _identified(plan, files, agent)
    session = SessionStore(sessions_folder(root)).load(wish.session) if wish.session else None
    return bring_up(plan, files, id, session, wish, tree, now=now, deadline=deadline)


def bring_up(
    plan: Plan,
    files: Files,
    agent: str,
    session: dict[str, Any] | None,
    wish: Wish,
    tree: Outcome,
    *,
    now: float,
    deadline: float | None = None,
) -> Activation:
    """The same for an agent by its id, in a session that is at hand; None for a new one.

    tree: what became of reading the tree, see `tree_outcome`.
    """
    request = Request(agent=agent, session=session)
    situation = resolve(plan, request, usage_of(plan, session))
    history = history_of(session, agent, now)
    budget = max(LEAST, _budget(plan) - wish.spent) if deadline is None else deadline
    began = time.monotonic()
    wanted = _loaders(plan, files, agent, situation, history, now, budget)
    outcomes = {TREE: tree, **loaders.run(wanted, budget, place=plan.root)}
    spent = (time.monotonic() - began + tree.seconds) * 1000
    if files.is_changed:
        cache.write_memo(plan.root, KIND, files.kept())
    facts, why = _facts(agent, situation, history, outcomes, wish)
    notes = [note for outcome in outcomes.values() for note in outcome.notes]
    notes += [note for note in situation.notes if note not in notes]
    quality = quality_of(outcomes)
    return Activation(
        facts, greet(facts), outcomes, quality, wish.session, why, spent, tuple(notes)
    )


def record(root: str, activation: Activation, *, now: float) -> tuple[str, ...]:
    """Note in its session who is active now, how well that went and what took how long.

    Sentences about session files that stood in the way. SessionError where it cannot be written.
    """
    transaction = SessionStore(sessions_folder(root)).update(
        activation.session, lambda session: note(session, activation, now), cwd=root, now=now
    )
    return transaction.notes


def note(session: dict[str, Any], activation: Activation, now: float) -> None:
    """Note it in a session that is at hand."""
    changes.activate_agent(session, activation.agent, quality=activation.quality, now=now)
    session["active_agent"]["loaders"] = metrics(activation.outcomes)
    session["active_agent"]["milliseconds"] = round(activation.milliseconds, 1)


def metrics(outcomes: Mapping[str, Outcome]) -> dict[str, dict[str, Any]]:
    """What became of each loader, as a session keeps it."""
    return {
        name: {
            "state": one.state,
            "tier": one.tier,
            "milliseconds": round(one.seconds * 1000, 1),
            **({"why": one.why} if one.why else {}),
        }
        for name, one in outcomes.items()
    }


def quality_of(outcomes: Mapping[str, Outcome]) -> str:
    """The quality of an activation, by what its loaders came to."""
    if outcomes["definition"].state != LOADED:
        return FALLBACK
    return FULL if all(one.state == LOADED for one in outcomes.values()) else PARTIAL


def tree_outcome(found: Planned, seconds: float) -> Outcome:
    """What became of reading the tree, which took so long."""
    if not found.incomplete:
        return Outcome(TREE, HIGH, LOADED, seconds=seconds)
    listed = "; ".join(found.notes[:2])
    why = "not all of it was read in time" + (f" ({listed})" if listed else "")
    return Outcome(TREE, HIGH, LATE, why=why, seconds=seconds)


def agents(root: str) -> tuple[list[Agent], list[str]]:
    """Every agent that has a definition, and the ids of those that only rules know."""
    plan, _ = _plan(root)
    files = Files(root, plan.settings.get("places", {}), cache.read_memo(root, KIND))
    found = [one for one in definition.everyone(files) if _is_known(plan, one)]
    if files.is_changed:
        cache.write_memo(root, KIND, files.kept())
    defined = {agent.id for agent in found}
    known = {plan.agents.get(agent.lower(), agent) for agent in defined}
    return found, sorted(set(plan.agents.values()) - defined - known)


def _is_known(plan: Plan, agent: Agent) -> bool:
    """Whether the tree takes a file for an agent, and not for a text about the folder."""
    names = (agent.id.lower(), stem(agent.path).lower())
    return any(name in plan.agents for name in names)


def _plan(root: str) -> tuple[Plan, Outcome]:
    began = time.monotonic()
    found = planned(root, patience=max(PATIENCE, _given()))
    if found.incomplete:
        found.finish()  # so that the next one has all of it
    return found.plan, tree_outcome(found, time.monotonic() - began)


def _given() -> float:
    """Seconds for all of it that the environment allows, 0 where it does not say."""
    given = os.environ.get(TIMEOUT, "")
    return int(given) / 1000 if given.isascii() and given.isdigit() else 0.0


def _budget(plan: Plan) -> float:
    """Seconds for all of it, as the environment or the tree has it."""
    if given := _given():
        return given
    milliseconds: int = plan.settings.get("activation", {}).get("timeout_ms", 350)
    return milliseconds / 1000


def identified(root: str, agent: str) -> str:
    """The id of the agent that is meant; ServiceError where the tree at ``root`` has none."""
    plan, _ = _plan(root)
    files = Files(root, plan.settings.get("places", {}), cache.read_memo(root, KIND))
    return _identified(plan, files, agent)


def _identified(plan: Plan, files: Files, written: str) -> str:
    """The id of the agent that is meant; ServiceError with those there are, near misses first."""
    name = written.strip().removeprefix("@")
    known = plan.agents.get(name.lower())
    if known:
        return known
    id, file = definition.called(files, name)
    if id:  # the rules may know it by its own id or by the name of its file
        return plan.agents.get(id.lower()) or plan.agents.get(file.lower()) or id
    everyone = sorted(set(plan.agents.values()))
    near = near_misses(name, everyone)
    listed = ", ".join(sorted(everyone, key=lambda one: one not in near)) or "none"
    meant = f"Did you mean {' or '.join(near)}? " if near else ""
    raise ServiceError(f'There is no agent "{name}".', f"{meant}The tree has {listed}.")


def _loaders(
    plan: Plan,
    files: Files,
    agent: str,
    situation: Situation,
    history: History,
    now: float,
    budget: float,
) -> list[Loader]:
    configured = plan.settings.get("activation", {})

    def work(slot: Slot) -> None:
        facts = None
        if situation.task or situation.story:
            facts = task_facts(plan, situation.task, situation.story)
            slot.put((facts, None))
        inner = Slot(slot.ends)
        repository = find(plan.root)
        branch = head(repository).branch if repository else ""
        story = (facts.story if facts else "") or situation.story
        path = facts.story_path if facts else ""
        try:
            stories.load(files, plan.stories, story, path, branch, inner)
        finally:
            slot.notes += inner.notes
            slot.put((facts, inner.value))

    def workflow(slot: Slot) -> None:
        slot.put(roughly(situation))
        used, running = history.used, history.running
        slot.put(find_whereabouts(files, plan, situation, used=used, running=running))

    wanted = {
        "definition": lambda slot: definition.load(files, agent, slot),
        "permission": lambda slot: permission.load(files, slot),
        "project": lambda slot: project.load(plan.root, slot),
        "preferences": lambda slot: preferences.load(
            files, configured.get("greeting", ""), configured.get("user_profile", ""), slot
        ),
        "story": work,
        "workflow": workflow,
        "handoff": lambda slot: handoff.load(files, agent, slot),
        "memory": lambda slot: memories.load(plan.root, agent, now, slot),
    }
    return [
        Loader(name, tier, budget * share, wanted[name]) for name, (tier, share) in _SHARES.items()
    ]


def _facts(
    agent: str,
    situation: Situation,
    history: History,
    outcomes: Mapping[str, Outcome],
    wish: Wish,
) -> tuple[Facts, str]:
    """What was found, with what stands in for what was not; and why it is this occasion."""

    def found(name: str, otherwise: Any) -> Any:
        value = outcomes[name].value
        return otherwise if value is None else value

    task, story = found("story", (None, None))
    whereabouts: Whereabouts | None = found("workflow", None)
    occasion, why = occasion_of(
        history, in_workflow=whereabouts is not None and whereabouts.is_under_way
    )
    if wish.occasion:
        occasion, why = wish.occasion, "it is given"
    preference = found("preferences", preferences.Preferences())
    if wish.greeting:
        preference = preferences.Preferences(wish.greeting, preference.profile)
    facts = Facts(
        agent=found("definition", Agent(agent)),
        occasion=occasion,
        executor=_executor(wish.executor, situation, task),
        permission=found("permission", permission.Permission()),
        preferences=preference,
        project=found("project", None),
        story=story,
        whereabouts=whereabouts,
        handoff=found("handoff", None),
        task=task,
        memories=found("memory", memories.Memories()),
        history=history,
        missing=tuple(f"{one.name}: {one.why}" for one in outcomes.values() if one.why),
    )
    return facts, why


def _executor(given: str, situation: Situation, task: TaskFacts | None) -> str:
    """The executor of the task at hand: given, as the session has it, as the task says (ADR-001 E7)."""
    said = given or situation.executor or (task.executor if task else "")
    return said if said in EXECUTORS else AGENTE
