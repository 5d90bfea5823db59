"""This module reports the navigation in a workflow, the position of an answer's session: where the
work is, what is next and who does it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from synapse_ls.activation.activation_loaders import UnavailableError
from synapse_ls.activation.greeting_occasion import read_history
from synapse_ls.activation.tree_files import MEMO_KIND, TreeFiles
from synapse_ls.activation.workflow_position import (
    WorkflowPosition,
    find_workflow_position,
    position_from_session,
    resting_position,
)
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.queries.report_model import LINE
from synapse_ls.storage import plan_cache

if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.workflow_route import RouteStep
    from synapse_ls.queries.context_question import Answer


@dataclass(frozen=True, kw_only=True)
class WorkflowStep:
    """A step of a workflow in the report of the navigation; `number` counts those that belong to
    somebody, null for any other.
    """

    number: int | None
    name: str
    agent: str | None
    phase: str | None
    action: str | None
    task: str | None
    status: str | None
    optional: bool


@dataclass(frozen=True, kw_only=True)
class NextCommand:
    """A star-command that may follow, in the report of the navigation, without its star, and the
    agent that has it.
    """

    command: str
    agent: str | None
    arguments: str | None
    description: str | None


@dataclass(frozen=True, kw_only=True)
class NavigationReport:
    """The report for navigation, finding one's way in a workflow: where the work is, what comes
    next and who does it.

    `source`: "state", "session", "given", "commands", "chain", "story" or "handoff". `where`
    and `then` are sentences without a full stop; `turn` is the agent whose turn it is.
    `begun` is the command that is at work, `why` how a place in a chain is known, `state`
    what commands show.
    """

    workflow: str
    source: str
    where: str
    then: str | None
    turn: str | None
    status: str | None
    step: WorkflowStep | None
    begun: str | None
    why: str | None
    done: int | None
    total: int | None
    finished: bool
    following: list[WorkflowStep]
    failing: WorkflowStep | None
    waiting: list[WorkflowStep]
    state: str | None
    commands: list[NextCommand]
    file: str | None
    line: int | None = field(metadata=LINE)
    notes: list[str]


def find_position(answer: Answer) -> WorkflowPosition | None:
    """Finds, for the report of the navigation, the position in the workflow: where the work is,
    what is next and who does it; None where nothing is under way.
    """
    situation, plan = answer.assembly.situation, answer.plan
    history = read_history(answer.session, situation.agent, time.time())
    is_busy = situation.workflow or history.used or situation.story or situation.agent
    files = TreeFiles(
        plan.root, plan.settings.get("places", {}), plan_cache.read_memo(plan.root, MEMO_KIND)
    )
    try:
        found = (
            resting_position(files, plan, situation)
            if not is_busy
            else find_workflow_position(
                files, plan, situation, used=history.used, running=history.running
            )
        )
    except UnavailableError as error:
        rough = position_from_session(situation)
        return replace(rough, notes=(str(error),)) if rough else None
    if files.is_changed:
        plan_cache.write_memo(plan.root, MEMO_KIND, files.newest_memo())
    return found


def navigation_report(answer: Answer) -> NavigationReport | None:
    """Returns the report of the navigation in a workflow, the position of an answer's session; None
    where nothing is under way.
    """
    found = find_position(answer)
    return position_report(found) if found else None


def position_report(found: WorkflowPosition) -> NavigationReport:
    """Returns the report of the navigation from a position in a workflow."""
    position, detected = found.position, found.detected
    return NavigationReport(
        workflow=found.workflow,
        source=found.source,
        where=found.location,
        then=found.following_text or None,
        turn=found.agent_on_turn or None,
        status=(position.route.status or None) if position else None,
        step=_workflow_step(position.step) if position else None,
        begun=found.begun_command or None,
        why=found.why or None,
        done=position.done_count if position else None,
        total=position.total if position else None,
        finished=position.is_finished if position else False,
        following=_workflow_steps(position.next_steps) if position else [],
        failing=_workflow_step(position.failure_step) if position else None,
        waiting=_workflow_steps(position.missing_steps) if position else [],
        state=(detected.state or None) if detected else None,
        commands=[
            NextCommand(
                command=one.command,
                agent=one.agent or None,
                arguments=one.arguments or None,
                description=one.description or None,
            )
            for one in found.next
        ],
        file=found.path or None,
        line=found.line or None,
        notes=list(found.notes),
    )


def _workflow_steps(steps: Iterable[RouteStep]) -> list[WorkflowStep]:
    return [step for step in map(_workflow_step, steps) if step]


def _workflow_step(step: RouteStep | None) -> WorkflowStep | None:
    if step is None:
        return None
    return WorkflowStep(
        number=step.number or None,
        name=neutralise_text(step.label),
        agent=step.agent or None,
        phase=neutralise_text(step.phase) or None,
        action=neutralise_text(step.action) or None,
        task=step.task or None,
        status=step.status or None,
        optional=step.optional,
    )
