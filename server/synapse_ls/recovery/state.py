"""Where a session stands: its situation, the workflow's steps, what it counts, and its continuation."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from synapse_ls.engine.plan import Plan
from synapse_ls.engine.situation import Situation
from synapse_ls.formats.continuation import Continuation
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.formats.workflow_state import parse as parse_state
from synapse_ls.memory.score import attention
from synapse_ls.memory.store import MemoryStore
from synapse_ls.recovery import file
from synapse_ls.recovery.carry import line_of
from synapse_ls.recovery.decision import Counters
from synapse_ls.service import compactions
from synapse_ls.service.answer import Question, answer
from synapse_ls.service.building import find_libraries
from synapse_ls.service.keeping import CARRIED, STREAK, peek
from synapse_ls.sessions.changes import timestamp
from synapse_ls.sessions.files import SessionError, read_bytes

DAY = 86_400
STEPS = 40  # of a workflow that a continuation lists
IDS = 20
_LIMIT = 2_000_000  # bytes of a workflow state file
_DONE = ("completed", "complete", "done", "success", "skipped")


@dataclass(frozen=True, slots=True)
class Standing:
    """A session as it stands. workflow: the state file of its workflow, None for none."""

    session: dict[str, Any]
    plan: Plan
    situation: Situation
    workflow: WorkflowState | None


def standing(root: str, session_id: str) -> Standing:
    """Where the session stands; raises ServiceError and SessionError as `answer` does."""
    find_libraries()
    found = answer(Question(root, session=session_id))
    assert found.session is not None
    situation = found.assembly.situation
    return Standing(found.session, found.plan, situation, workflow_of(found.plan, situation))


def counters_of(standing: Standing) -> Counters:
    """What the session counts towards a new one."""
    session, situation = standing.session, standing.situation
    context = _object(session, "context")
    recovery = peek(session)
    scores = _object(recovery, "scores")
    same = scores.get("agent", situation.agent) == situation.agent  # another one's is no measure
    before = scores.get("before") if same else None
    return Counters(
        compactions=_whole(context.get("compactions")) + _is_compacting(context),
        critical_streak=_whole(recovery.get(STREAK)),
        score_before=_score(before),
        score_after=score_of(standing.plan, situation.agent),
        agent_done=is_agent_done(standing),
        critical=situation.bracket.handoff,
    )


def _is_compacting(context: Mapping[str, Any]) -> bool:
    """Whether a compaction has begun that is not counted yet."""
    kept = context.get(compactions.FIELD)
    return isinstance(kept, list) and kept[:1] == [compactions.BEGUN]


def score_of(plan: Plan, agent: str) -> float | None:
    """What the tree's own state says of an agent's score, None where it says nothing."""
    scores = plan.extra.get("scores")
    return _score(scores.get(agent)) if isinstance(scores, dict) and agent else None


def is_agent_done(standing: Standing) -> bool:
    """Whether the active agent has done its part, and the workflow's next step is another's."""
    agent, state = standing.situation.agent, standing.workflow
    step = state.current_step if state else None
    if not agent or state is None or step is None or not step.agent or step.agent == agent:
        return False
    before = state.steps[: step.index]
    return any(one.agent == agent and one.status.lower() in _DONE for one in before)


def continuation_of(
    root: str,
    standing: Standing,
    *,
    client: str,
    reason: str,
    now: float,
    told: Mapping[str, Any],
    unfinished: bool = True,
) -> Continuation:
    """The continuation of the session; ``told``: lists of a digest that go beyond what is carried."""
    session, situation = standing.session, standing.situation
    carried = _object(peek(session), CARRIED)
    facts = situation.task_facts
    left = situation.usage
    step = standing.workflow.current_step if standing.workflow else None
    before = file.read(file.path_of(root))
    return Continuation(
        session=str(session.get("uuid") or ""),
        created=timestamp(now),
        reason=reason,
        bracket=situation.bracket.name,
        remaining=round(left.remaining, 1),
        compactions=_whole(_object(session, "context").get("compactions")),
        project=os.path.basename(os.path.normpath(root)),
        state="unfinished" if unfinished else file.FINISHED,
        client=client,
        agent=situation.agent or _text(carried, "agent"),
        workflow=situation.workflow_written,
        step=(f"{step.step_id or step.phase or step.action}" if step else situation.phase),
        task=situation.task,
        story=(facts.story if facts else "") or situation.story,
        last_handoff=before.created if before else "",
        resume=_resume(situation, carried),
        pipeline=_pipeline(standing.workflow),
        decisions=_texts(told, "decisions") or _texts(carried, "decisions"),
        open_items=(*_criteria(situation), *(_texts(told, "open") or _texts(carried, "open"))),
        errors=_errors(_texts(told, "errors"), carried),
        memories=_memories(root, situation.agent, now),
        artifacts=_texts(told, "files") or _texts(carried, "files") or situation.files,
    )


def _errors(told: tuple[str, ...], carried: Mapping[str, Any]) -> tuple[str, ...]:
    """Those of the digest in full, and those that the session carries beside them, each once."""
    short = {line_of(error) for error in told}
    solved, waiting = (
        [error for error in _texts(carried, name) if error not in short]
        for name in ("solved", "errors")
    )
    return tuple(dict.fromkeys((*solved, *told, *waiting)))


def _resume(situation: Situation, carried: Mapping[str, Any]) -> tuple[str, ...]:
    """What whoever goes on is told first."""
    who = [
        f"as @{situation.agent}" if situation.agent else "",
        f"on task {situation.task}" if situation.task else "",
        f"in workflow {situation.workflow_written}" if situation.workflow else "",
        f"(phase {situation.phase})" if situation.phase else "",
    ]
    first = " ".join(filter(None, ("Go on", *who))) + "."
    more = (_text(carried, "advice"), _text(carried, "next"))
    said = (f"Next: {more[1]}" if more[1] else "", more[0])
    return (first, *filter(None, said))


def _criteria(situation: Situation) -> tuple[str, ...]:
    facts = situation.task_facts
    return tuple(
        f"Acceptance criterion: {text}"
        for text, ticked in (facts.criteria if facts else ())
        if not ticked
    )


def _pipeline(state: WorkflowState | None) -> tuple[str, ...]:
    if state is None:
        return ()
    current = state.current_step
    lines = [
        f"{step.agent or step.raw_agent}: {step.action or step.step_id or step.phase}"
        f" ({step.status or 'pending'})" + (" ← here" if step == current else "")
        for step in state.steps
        if step.raw_agent
    ]
    return tuple(lines[:STEPS])


def _memories(root: str, agent: str, now: float) -> tuple[str, ...]:
    """The HOT and WARM memories that the agent may see, by what they are worth."""
    store = MemoryStore(root)
    if not store.exists():
        return ()
    today = int(now // DAY)
    try:
        scored = [(attention(record, today), record) for record in store.records(agent)]
    except SessionError:
        return ()
    kept = [(score, record) for score, record in scored if score.tier != "cold"]
    kept.sort(key=lambda pair: (-pair[0].value, pair[1].id))
    return tuple(f"{r.id} [{s.tier}] {r.title}" for s, r in kept[:IDS])


def workflow_of(plan: Plan, situation: Situation) -> WorkflowState | None:
    if not situation.workflow:
        return None
    for state in plan.states:
        if plan.workflow_id(state.id) == situation.workflow:
            try:
                data = read_bytes(os.path.join(plan.root, state.path), _LIMIT)
            except SessionError:
                return None
            return parse_state(data.decode("utf-8", "replace")).document if data else None
    return None


def _object(holder: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = holder.get(name)
    return value if isinstance(value, dict) else {}


def _text(holder: Mapping[str, Any], name: str) -> str:
    value = holder.get(name)
    return value if isinstance(value, str) else ""


def _texts(holder: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = holder.get(name)
    if not isinstance(value, list | tuple):
        return ()
    return tuple(item for item in value if isinstance(item, str))


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value)
