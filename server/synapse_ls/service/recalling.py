"""Finding the memories of a prompt; loaded only where there are any."""

from __future__ import annotations

import time

from synapse_ls.memory import uses
from synapse_ls.memory.index import Row, look
from synapse_ls.memory.recall import OTHER_SECTOR, RELEVANT, Asked, Candidate, choose
from synapse_ls.memory.score import Constants
from synapse_ls.memory.search import query
from synapse_ls.memory.sectors import preferred
from synapse_ls.service import memory
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from synapse_ls.engine.disclosure import Disclosure
    from synapse_ls.engine.hints import Memories
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.situation import Request, Situation
    from synapse_ls.memory.recall import Chosen


def recall(
    plan: Plan,
    request: Request,
    situation: Situation,
    how: Disclosure,
    recalled: Memories,
    *,
    told: Mapping[str, str | None],
    hurry: bool,
) -> Chosen:
    """What of all that is known is told; told: identity -> file of what the window holds, None
    where that is not known. See `service.memory.fill`.
    """
    settings = plan.settings.get("memory", {})
    patience = settings.get("patience_ms", memory.PATIENCE_MS) / 1000
    deadline = time.monotonic() + patience if hurry else None
    agent = situation.agent
    index = look(plan.root, deadline=deadline, chati=plan.profile.source == "chati")
    known = uses.read(plan.root)
    candidates = [
        Candidate(Row(uses.with_uses(row.record, known), row.words)) for row in index.rows(agent)
    ]
    recalled.notes += index.notes
    if not index.complete:
        recalled.notes.append(
            "memories changed and could not all be read in time: what was known before counts"
        )
    names = tuple(settings.get("providers", ()))
    due: tuple[str, ...] = ()
    if names:
        others = load("synapse_ls.memory.provider").known(plan.root, names, agent, request.prompt)
        candidates += others.candidates
        recalled.notes += others.notes
        due = others.due
    if due or not index.complete:
        question = load("synapse_ls.memory.provider").Question(
            plan.root, agent=agent, prompt=request.prompt, files=situation.files
        )
        recalled.pending = (question, due)
    asked = Asked(
        agent=agent,
        own=how.own,
        level=how.level if how.level != "none" else "summary",
        tokens=how.tokens,
        hot_only=how.hot_only,
        terms=_terms(request, situation),
        told=frozenset(told),
        paths=None if None in told.values() else frozenset(filter(None, told.values())),
        today=memory.today(),
        sectors=preferred(agent, settings.get("sectors", {})),
        constants=Constants(settings),
        relevant=settings.get("relevant", RELEVANT),
        other_sector=settings.get("other_sector", OTHER_SECTOR),
    )
    return choose(candidates, asked, brief=hurry)


def _terms(request: Request, situation: Situation) -> tuple[str, ...]:
    """The words of the prompt, and of what is at work."""
    facts = situation.task_facts
    names = [situation.task, situation.story, *situation.files]
    if facts is not None:
        names += [path for path, _ in facts.files]
    return query(request.prompt, filter(None, names))
