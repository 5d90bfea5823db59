"""Build a session's continuation, and start a new session that continues from it, where allowed.

``[recovery] spawn = "run"`` allows it, only in a tree that the user trusts. A session that was
started this way starts no other: its environment says so.
"""

import os
import shutil
import subprocess
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from synapse_ls.activation.activation_files import TreeFiles
from synapse_ls.activation.workflow_files import find_definition
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.continuation_lines import next_step, open_story_criteria
from synapse_ls.engine.situation import Situation
from synapse_ls.engine.workflow_route import workflow_route
from synapse_ls.formats.continuation_file import CRITERION, Continuation
from synapse_ls.formats.session_file import RecoveryMarks, SessionState
from synapse_ls.formats.session_values import read_text, read_texts
from synapse_ls.formats.workflow_state import WorkflowState, WorkflowStep
from synapse_ls.formats.workflow_state import parse as parse_state
from synapse_ls.hooks import session_recovery
from synapse_ls.hooks.window_reply import compose_block, load_session, session_request
from synapse_ls.integrations import session_commands
from synapse_ls.integrations.model_windows import measure_window_usage
from synapse_ls.memory import continuations, session_digest
from synapse_ls.memory.attention_score import score_attention
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage import hook_log, injection_log, program_start, trusted_trees
from synapse_ls.storage.atomic_files import StorageError, read_bytes
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.program_search import safe_environment, safe_search_path

DAY = 86_400
MAX_STEPS = 40  # of a workflow that a continuation lists
MAX_MEMORIES = 20
_LIMIT = 2_000_000  # bytes of a workflow state file
_DONE_STATES = ("completed", "complete", "done", "success", "skipped")


@dataclass(frozen=True, slots=True)
class SessionStanding:
    """A session with its plan and situation as they are now. workflow: the state file of its
    workflow, None for none.
    """

    session: SessionState
    plan: Plan
    situation: Situation
    workflow: WorkflowState | None


def read_standing(root: str, session_id: str) -> SessionStanding:
    """Return how the session stands; raise UserError where there is no such session and
    StorageError where it cannot be read.
    """
    program_start.enable_site_packages()
    current = load_plan(root).with_all_files()
    session = load_session(current.plan, session_id)
    request = session_request(current.plan, session, session.latest_window_key())
    block = compose_block(current, request, measure_window_usage(current.plan, session))
    situation = block.assembly.situation
    return SessionStanding(session, block.plan, situation, read_workflow(block.plan, situation))


def forget_others(root: str, session: SessionState) -> SessionState:
    """Return a session without what was carried over from its transcripts, if it is none of this
    user's: it came with the repository.
    """
    if session.id not in injection_log.known_sessions(root):
        session.recovery = RecoveryMarks()
    return session


def count_for_handoff(standing: SessionStanding) -> session_recovery.SessionCounters:
    """Return the counters of a session by which it is decided whether its continuation is another
    session.
    """
    session, situation = standing.session, standing.situation
    return session_recovery.SessionCounters(
        compactions=session.context.compactions + session.context.is_compacting,
        critical_streak=session.recovery.critical_streak or 0,
        score_before=session.recovery.score_before(situation.agent),
        score_after=session_recovery.agent_score(standing.plan, situation.agent),
        agent_done=is_agent_done(standing),
        critical=situation.bracket.handoff,
    )


def is_agent_done(standing: SessionStanding) -> bool:
    """Return whether a session should be continued by another agent: the active one has done its
    part, and the workflow's next step is another's. It has not where two agents take turns, as in a
    review that sends work back.
    """
    agent, state = standing.situation.agent, standing.workflow
    step = state.current_step if state else None
    if not agent or state is None or step is None or not step.agent or step.agent == agent:
        return False
    # Its own steps by their index: whether they are done.
    own = {
        row.index: row.status.lower() in _DONE_STATES for row in state.steps if row.agent == agent
    }
    if any(index >= step.index and not is_done for index, is_done in own.items()):
        return False
    if step.agent in standing.session.history.agents:  # the other has had its turn in this session
        return False
    has_done = any(index < step.index and is_done for index, is_done in own.items())
    return has_done and not _may_send_back(standing, step, own)


def _may_send_back(standing: SessionStanding, step: WorkflowStep, own: Collection[int]) -> bool:
    """Return whether a step may lead back to one of ``own``, by the definition of its workflow."""
    plan, state = standing.plan, standing.workflow
    if state is None:
        return False
    places = plan.settings.get("places", {})
    found = find_definition(TreeFiles(plan.root, places, {}), plan, state.workflow_id)
    if found is None:
        return False
    definition = found[1]
    if definition.type == "loop":
        return True
    route = workflow_route(state, definition)
    here = next((stop for stop in route.stops if stop.index == step.index), None)
    named = here.on_failure.removeprefix("return_to_") if here else ""
    before = route.find_step(named) if named else None
    return before is not None and before.index in own


def build_continuation(
    root: str,
    standing: SessionStanding,
    *,
    client: str,
    reason: str,
    now: float,
    digest_lists: Mapping[str, Any],
    unfinished: bool = True,
) -> Continuation:
    """Return the continuation of the session. digest_lists: lists of a digest that go beyond what
    the session carries.
    """
    session, situation = standing.session, standing.situation
    carried = session.recovery.notes
    facts = situation.task_facts
    usage = situation.usage
    step = standing.workflow.current_step if standing.workflow else None
    steps = [
        f"{row.agent or row.raw_agent}: {row.action or row.step_id or row.phase}"
        f" ({row.status or 'pending'})" + (" ← here" if row == step else "")
        for row in (standing.workflow.steps if standing.workflow else ())
        if row.raw_agent
    ]
    before = continuations.latest_continuation(root)
    still = [text for text, ticked in (facts.all_criteria if facts else ()) if not ticked]

    def texts(name: str) -> tuple[str, ...]:
        return read_texts(digest_lists.get(name)) or read_texts(carried.get(name))

    # What whoever goes on reads first.
    who = [
        f"as @{situation.agent}" if situation.agent else "",
        f"on task {situation.task}" if situation.task else "",
        f"in workflow {situation.workflow_written}" if situation.workflow else "",
        f"(phase {situation.phase})" if situation.phase else "",
    ]
    first_line = " ".join(filter(None, ("Go on", *who))) + "."
    following = next_step(open_story_criteria(situation), carried)
    # The errors of the digest in full, and those that the session carries beside them, each once.
    errors = read_texts(digest_lists.get("errors"))
    short = {session_digest.shorten_note(error) for error in errors}
    solved, waiting = (
        [error for error in read_texts(carried.get(name)) if error not in short]
        for name in ("solved", "errors")
    )
    return Continuation(
        session=session.id,
        created=format_timestamp(now),
        reason=reason,
        bracket=situation.bracket.name,
        remaining=round(usage.remaining, 1),
        compactions=session.context.compactions,
        project=os.path.basename(os.path.normpath(root)),
        state="unfinished" if unfinished else continuations.FINISHED,
        client=client,
        agent=situation.agent or read_text(carried.get("agent")),
        workflow=situation.workflow_written,
        step=(f"{step.step_id or step.phase or step.action}" if step else situation.phase),
        task=situation.task,
        story=(facts.story if facts else "") or situation.story,
        last_handoff=before.created if before else "",
        resume=(first_line, f"Next: {following}") if following else (first_line,),
        pipeline=tuple(steps[:MAX_STEPS])
        or read_texts(standing.plan.extra.get("pipeline"))[:MAX_STEPS],
        decisions=texts("decisions"),
        open_items=(
            *(f"{CRITERION}{text}" for text in still),
            *texts("open"),
            *read_texts(standing.plan.extra.get("backlog")),
        ),
        errors=tuple(dict.fromkeys((*solved, *errors, *waiting))),
        memories=_memory_lines(standing.plan, situation.agent, now),
        artifacts=texts("files") or situation.files,
    )


def _memory_lines(plan: Plan, agent: str, now: float) -> tuple[str, ...]:
    """Return the HOT and WARM memories that the agent may see, the best first."""
    store = MemoryStore(plan.root, chati=plan.profile.source == "chati")
    if not store.exists():
        return ()
    today = int(now // DAY)
    try:
        scored = [(score_attention(record, today), record) for record in store.records(agent)]
    except StorageError:
        return ()
    warm = [(score, record) for score, record in scored if score.tier != "cold"]
    warm.sort(key=lambda pair: (-pair[0].value, pair[1].id))
    return tuple(f"{r.id} [{s.tier}] {r.title}" for s, r in warm[:MAX_MEMORIES])


def read_workflow(plan: Plan, situation: Situation) -> WorkflowState | None:
    if not situation.workflow:
        return None
    for state in plan.states:
        if plan.workflow_id(state.id) == situation.workflow:
            try:
                data = read_bytes(os.path.join(plan.root, state.path), _LIMIT, within=plan.root)
            except StorageError:
                return None
            return parse_state(data.decode("utf-8", "replace")).document if data else None
    return None


SPAWN_ALLOWED = "run"
# Set in the environment of a session that was begun by another one.
SPAWNED_VARIABLE = "SYNAPSE_LS_SPAWNED"


def spawn_refusal(root: str, setting: str, environment: Mapping[str, str]) -> str:
    """Return why no new session may be spawned from here, "" where one may."""
    if setting != SPAWN_ALLOWED:
        return '[recovery] spawn is not "run" in .synapse/config.toml.'
    if not trusted_trees.is_trusted(root):
        return f"{root} is not trusted; `synapse trust` says that it is."
    if changes := trusted_trees.find_changes(root):
        return f"the tree {changes.reason}. {trusted_trees.REMEDY}"
    if environment.get(SPAWNED_VARIABLE):
        return "This session was begun by another one already."
    return ""


def spawn_session(root: str, standing: SessionStanding, client: str, file: str) -> bool:
    """Spawn a session in the background that goes on with ``file``, once for each session; return
    whether one was started.
    """
    setting = str(standing.plan.settings.get("spawn", ""))
    if (
        spawn_refusal(root, setting, os.environ)
        or standing.session.recovery.spawned
        or not (words := start_command(root, client, file, headless=True))
    ):
        return False
    try:
        subprocess.Popen(
            words,
            cwd=root,
            env={**safe_environment(root), SPAWNED_VARIABLE: "1"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        hook_log.log_error(error)
        return False
    hook_log.log_line(
        f"{root}: began {session_commands.session_start_of(client).title} to go on with {file}"
    )
    return True


def run_session(root: str, client: str) -> int:
    """Run the client of a spawned session in this terminal until the person leaves it; return its
    exit code.

    Raises UserError where the client has no command, or it is not installed.
    """
    place = continuations.continuation_place(root)
    if not (words := start_command(root, client, place)):
        row = session_commands.session_start_of(client)
        what = f"{row.program[0]} is not installed" if row.program else "it has no command for that"
        raise UserError(
            f"{row.title} cannot be started from here: {what}.",
            session_commands.start_instruction(row, place),
        )
    environment = {**safe_environment(root), SPAWNED_VARIABLE: "1"}
    return subprocess.run(words, cwd=root, env=environment, check=False).returncode


def start_command(root: str, client: str, file: str, *, headless: bool = False) -> list[str]:
    """Return the command that spawns a client's session, with the program's full path; [] where
    there is none. One of the project around ``root``, or a link to one, does not count.
    """
    words = session_commands.start_command(
        session_commands.session_start_of(client), file, headless=headless
    )
    program = shutil.which(words[0], path=safe_search_path(root, words[0])) if words else None
    # On Windows the working folder is looked into first, and what is found there is relative.
    return [program, *words[1:]] if program and os.path.isabs(program) else []
