"""Compose the block for a request, inject what the window lacks, and record it.

Files are read as they are now.
"""

from __future__ import annotations

import os

from synapse_ls.engine.block_assembly import Assembly, assemble_block
from synapse_ls.engine.context_usage import Usage, has_been_compacted, shrink_reason
from synapse_ls.engine.delivery_difference import next_change_tokens
from synapse_ls.engine.prompt_parser import EXECUTED_COMMAND, is_executed_command
from synapse_ls.engine.situation import Request, Situation, add_task_facts, resolve_situation
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.formats.session_file import ProposedEdit, SessionState
from synapse_ls.formats.session_values import COMPACTION
from synapse_ls.formats.window_state import WindowState
from synapse_ls.hooks import hook_call, reply_freshness, session_upkeep, window_changes
from synapse_ls.integrations.model_windows import measure_window_usage
from synapse_ls.integrations.transcript_tail import file_size
from synapse_ls.memory import situation_memories
from synapse_ls.storage import plan_cache, session_changes, session_store
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.text.lazy_import import load_module, registered_module
from synapse_ls.text.record import Record
from synapse_ls.text.user_error import UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.integrations.hook_event import Event
    from synapse_ls.storage.current_plan import CurrentPlan


def session_request(
    plan: Plan,
    session: SessionState | None,
    window_key: str,
    request: Request | None = None,
    *,
    is_delivery: bool = False,
) -> Request:
    """Return ``request`` (default: an empty prompt) as the next prompt of ``session``.

    session: None for a new one. window_key: whose window it is asked in. is_delivery: the request
    is for what a hook would send.
    """
    turn = (session.prompt_count if session else 0) + 1
    window = session.find_window(window_key) if session else WindowState()
    resumes = is_delivery and session is not None and lacks_history(session, window)
    client, _, subagent = window_key.partition(":")
    reader = f"{client}:{window.agent}" if subagent else client
    request = request or Request()
    request = request.with_values(hosted=is_delivery, resumes=resumes, reader=reader)
    return hook_call.window_request(plan, session, window, turn, request)


def lacks_history(session: SessionState, window: WindowState) -> bool:
    """Return whether the window has nothing of the work so far: the session's first prompt is
    answered, or the history was compacted and nothing was said since.
    """
    return window.is_compacted or not session.prompt_count


def load_session(plan: Plan, session_id: str) -> SessionState:
    """Return the session that a request is about, by its id; where only CARL has one, the session
    that a prompt in it would begin.
    """
    session = session_store.SessionStore(session_store.sessions_folder(plan.root)).load(session_id)
    is_carl = plan.profile.source == "carl"
    if session is None and is_carl and session_store.has_carl_session(plan.root, session_id):
        session = SessionState()
        session.id = session_id
    if session is None:
        raise UserError(
            f'There is no session "{session_id}" that can be read.',
            "`synapse session list` shows those there are.",
        )
    return session


# The role of the module that answers ``*synapse …``: an entry point registers it, since it asks
# packages above this one.
CONVERSATION = "conversation"
ASKED = (EXECUTED_COMMAND, "carl")  # star-commands that it looks at, whoever they are for


class TypedPrompt(Record):
    """A prompt that a person wrote in the main window of a session: what is asked in it may propose
    a change of the tree, and confirm one.

    window: the key of the window. is_certain: whether the client tells the words of its person from
    the text of a command of the repository. waiting: the change that waits for a yes. proposal: the
    one that this prompt leaves waiting. outcome: what came of a yes; it is carried out once,
    however often the block is composed.
    """

    window: str
    waiting: ProposedEdit | None
    is_certain: bool
    proposal: ProposedEdit | None = None
    outcome: list[str] | None = None


class ComposedBlock(Record):
    """A block that was composed: an assembly with the plan it was made by."""

    plan: Plan
    assembly: Assembly
    notes: tuple[str, ...]


def complete_request(plan: Plan, request: Request) -> Request:
    """Return ``request`` with what only files say: what CARL's session overrides, and the workflow
    that star-commands belong to.
    """
    if plan.profile.source == "carl" and request.session:
        overridden = session_store.with_carl_overrides(plan.root, request.session)
        request = request.with_values(session=overridden)
    session, places = request.session, plan.settings.get("places", {})
    named = request.workflow or (session and session.workflow) or plan.states
    # Where nobody says which workflow is under way, commands may, in a tree that has patterns.
    patterns = () if named or "*" not in request.prompt else places.get("patterns", ())
    if any(os.path.exists(f"{plan.root}/{path}") for path in patterns):
        from synapse_ls.activation.workflow_files import with_recognised_workflow

        request = with_recognised_workflow(plan, request)
    return request


def compose_block(
    plan: CurrentPlan,
    request: Request,
    usage: Usage,
    *,
    window: Callable[[Plan, Situation], session_changes.WindowContent] | None = None,
    limit: int = 0,
    whole: bool = False,
    typed: TypedPrompt | None = None,
) -> ComposedBlock:
    """Return the block for ``request``.

    Only the files of domains that take part are looked at; where one has changed since the plan
    was made, the plan is made again. What the prompt asks with ``*synapse …`` is answered in the
    block. window: what the agent's window holds, asked once the situation is known. limit, whole:
    as in `assemble_block`. typed: what the person may confirm.
    """
    request = complete_request(plan.plan, request)
    while True:
        situation = resolve_situation(plan.plan, request, usage)
        if situation.task or situation.story:
            from synapse_ls.storage.task_cache import load_task_facts

            add_task_facts(situation, load_task_facts(plan.plan, situation.task, situation.story))
        content = window(plan.plan, situation) if window else None
        can_withdraw = situation_memories.fill_memories(
            plan.plan,
            request,
            situation,
            held=content.memory_identities if content else (),
            files=(content and content.files) or {},
            # The memories that begin a window are due where it holds nothing, or lacks them.
            begins=content is not None
            and (content.owed or not (content.stands or content.uncertain)),
            enters=content is not None and content.is_new_agent,
            hurry=plan.is_for_prompt,
        )
        notes = (*plan.plan.notices, *plan.notes)
        if any(is_executed_command(command.name, ASKED) for command in situation.prompt.commands):
            commands, called = registered_module(CONVERSATION), plan.plan.profile.called
            if commands and plan.cached and commands.wants_reload(situation.prompt, called):
                plan = plan.recompile()
                continue
            if commands:
                commands.apply_switches(plan.plan, situation)
                first = _assemble(plan, situation, content, can_withdraw, limit, whole)
                is_done = typed is not None and typed.outcome is not None
                commands.answer_commands(
                    ComposedBlock(plan.plan, first, notes), request.session, typed
                )
                if typed and typed.outcome is not None and not is_done:
                    plan = plan.recompile()  # what was confirmed holds for this prompt
                    continue
        assembly = _assemble(plan, situation, content, can_withdraw, limit, whole)
        if plan.is_current_for(assembly.rule_files()):
            left_out = (*assembly.cut_entries, *assembly.limited_entries)
            if typed and any(entry.domain == "SYNAPSE" for entry in left_out):
                typed.proposal = None  # nobody confirms what was not shown
            return ComposedBlock(plan.plan, assembly, notes)
        plan = plan.follow_files(assembly.rule_files())


def _assemble(
    plan: CurrentPlan,
    situation: Situation,
    held: session_changes.WindowContent | None,
    can_withdraw_memories: bool,
    limit: int,
    whole: bool,
) -> Assembly:
    """Return the block for a window that holds ``held``, None where no window is asked about."""
    stands, maybe = (held.stands, held.uncertain) if held else (None, None)
    if held and not can_withdraw_memories:
        # What nobody has looked at stands on: only who has looked can take it back.
        stands, maybe = held.without_memories()
    return assemble_block(
        plan.plan,
        situation,
        standing=stands,
        doubtful=maybe,
        repeat=held.repeat if held else "",
        told_bracket=held.bracket if held else "",
        limit=limit,
        ignore_budget=whole or bool(held and held.is_compacted),
        is_partial=plan.incomplete,
        follows=held is not None
        and held.keeps
        and not whole
        and plan.plan.settings["injection"] != "always",
    )


def prepare_window(
    call: hook_call.HookCall, session: SessionState, window: WindowState, *, is_prompt: bool = False
) -> Mapping[str, object] | None:
    """Prepare a window for a reply: note what became of it since the last one, as a compaction, or
    of the last ones, as with a rewind; return what the client says of its usage.
    """
    event = call.event
    main = not event.subagent
    if main:
        if is_prompt and call.host.reports_stops:
            window_changes.doubt_replies(window)
            window.deliveries = ()
        compacted = window_changes.confirm_arrivals(call, session, window, is_prompt=is_prompt)
        last = window.last_prompt if is_prompt and call.host.shows_rewinds_late else None
        if last and reply_freshness.is_last_prompt(window, event):
            window_changes.doubt_replies(window, format_timestamp(last[2]))
        is_announced = window_changes.is_announced(session)
        # What was announced is over because something else happens; what comes next is another one.
        shown = window_changes.shows_compactions(call.host, event)
        if session.context.is_compacting and not shown:
            session_changes.record_compaction(session, call.now)
            if call.host.has_branches and session.context.compaction:
                window_changes.keep_tail(call, window, session.context.compaction[1])
        if compacted or is_prompt or not shown:
            session.context.compaction = None
    figures = window_changes.current_figures(call, session)
    if main:
        now = measure_window_usage(call.current_plan.plan, session, figures)
        summarized = reply_freshness.note_summary(call.host, window, event)
        if window.newest_message and shrink_reason(window, now):
            window.used = None  # where the messages are known, a figure that falls says nothing
        if (
            compacted
            or summarized
            or reply_freshness.is_transcript_shorter(window, event)
            or has_been_compacted(window, now)
        ):
            window_changes.record_unannounced(session, call.now)
            window_changes.keep_tail(call, window)
            if not is_announced:
                session_upkeep.mark_digest_due(session, event, "compact", call.now)
    elif reply_freshness.is_transcript_shorter(window, event):
        window.forget(COMPACTION)
    return figures


def reply_to_window(
    call: hook_call.HookCall,
    session: SessionState,
    window: WindowState,
    prompt: str,
    turn: int,
    client_figures: Mapping[str, object] | None,
    *,
    within_turn: bool = False,
    whole: bool = False,
    extra_text: str = "",
    before_block: Callable[[Plan, Situation], None] | None = None,
    before_reply: Callable[[Situation], None] | None = None,
    typed: TypedPrompt | None = None,
) -> Assembly:
    """Reply with what ``window`` lacks and return the assembly.

    client_figures: what the client says of usage. within_turn: this is no prompt, but something
    that happens while one is worked on. whole: there will be no other reply that could bring what
    the budget leaves over. extra_text: text for the agent that is delivered whatever the window
    holds. before_block: called before the block is composed; it may add remarks to the situation.
    before_reply: called with the situation before anything is said of it. typed: what the
    person may confirm.
    """
    event, host = call.event, call.host
    limit = host.limit_of(event.kind)
    main = not event.subagent
    before = session_changes.WindowContent({}, "", {})

    warnings = map(neutralise_text, window.warnings)  # with names of files of the repository
    extra_text = "\n\n".join(filter(None, (extra_text, *warnings)))

    def read_content(current: Plan, situation: Situation) -> session_changes.WindowContent:
        nonlocal before
        before = session_changes.window_content(
            current, situation, window, keeps=host.keeps_context, within_turn=within_turn
        )
        if before_block is not None:
            before_block(current, situation)
        return before

    plan = call.current_plan.plan
    hook_call.remember_files(window, hook_call.event_files(call.root, event), turn)
    request = _build_request(call, session, window, prompt, turn)
    usage = measure_window_usage(plan, session if main else None, client_figures)
    block = compose_block(
        call.current_plan,
        request,
        usage,
        window=read_content,
        limit=max(1, limit - len(extra_text) - 2) if extra_text else limit,
        whole=whole or host.takes_whole(event, stands=bool(window.standing)),
        typed=typed,
    )
    assembly = block.assembly
    # Who is at work on what: in the session, or in the window of a sub-agent.
    if main:
        session_changes.record_work(session, block.plan, assembly.situation, call.now)
    elif assembly.situation.prompt.text:
        session_changes.record_window_task(
            session, call.window_key, block.plan, assembly.situation, call.now
        )
    text = f"{assembly.text}\n\n{extra_text}".strip() if extra_text else assembly.text
    if before_reply is not None:
        before_reply(assembly.situation)
    is_passed_on = call.reply_text(text)
    if is_passed_on:
        is_expected = bool(text) and host.keeps_context and main
        without = window.copy() if is_expected else window
        window.warnings = _memory_warnings(call, assembly)
        window.follow_ups += within_turn
        session_changes.record_delivery(window, assembly, before, host.reply_certainty(event))
        cached = call.current_plan.cached
        written = cached.written if cached is not None and cached.plan is block.plan else 0
        _remember_sources(window, session, event, block.plan, written, assembly)
        if text or event.prompt:
            why = before.full_reason if text else ""
            call.log_reply(block.plan, assembly, text, why, tuple(window.files))
        situation_memories.record_delivered(call.root, window, assembly, call.now)
        if is_expected:
            window_changes.expect_arrival(call, window, without, text)
        elif not host.keeps_context and not within_turn:
            window.turn_reply = text
            if assembly.situation.answers or assembly.situation.remarks:  # which quote the prompt
                masking = load_module("synapse_ls.text.secret_masking")
                window.turn_reply = masking.mask_secrets(text)
    if main:
        _record_state(session, assembly, client_figures)
    return assembly


def _remember_sources(
    window: WindowState,
    session: SessionState,
    event: Event,
    plan: Plan,
    plan_time: int,
    assembly: Assembly,
) -> None:
    """Note what the reply was made of, by which it is known to be fresh later; ``plan_time``: time
    of the plan's file, 0 for none.
    """
    window.sources = plan_time, tuple(sorted(assembly.rule_files()))
    reply_freshness.remember_session(window, session)
    window.transcript = event.transcript, file_size(event.transcript)
    thresholds = [t for p in plan.periodic if (t := plan.domain(p).on_tokens)]
    full = window.full_block_remaining
    window.next_change = next_change_tokens(
        assembly.situation.usage, plan.profile.brackets, full, thresholds
    )


_UNREAD_MEMO = "unread-memories"
_MOST_TOLD = 500  # warnings that are known as told


def _memory_warnings(call: hook_call.HookCall, assembly: Assembly) -> tuple[str, ...]:
    """Return what is still to be said of memories, with the next reply: once in a session that one
    cannot be read.
    """
    memories = assembly.situation.memories
    if memories is None or not memories.unread:
        return ()
    unread = {f"{call.event.session_id}:{note}": note for note in memories.unread}
    new = plan_cache.add_names(call.root, _UNREAD_MEMO, unread, _MOST_TOLD)
    return tuple(f"Synapse LS: {unread[name]}" for name in new)


def _build_request(
    call: hook_call.HookCall, session: SessionState, window: WindowState, prompt: str, turn: int
) -> Request:
    """Return what is asked for; a sub-agent goes on with the task of its own prompt."""
    plan, event, main = call.current_plan.plan, call.event, not call.event.subagent
    task = None if main or prompt else session.window_tasks.get(call.window_key)
    request = Request(
        prompt,
        agent=plan.find_agent(event.agent),
        task=(task.id or "") if task else "",
        story=(task.story or "") if task else "",
        resumes=main and lacks_history(session, window),
        hosted=True,
        reader=call.reader(event.agent or window.agent),
    )
    return hook_call.window_request(plan, session, window, turn, request)


def reply_after_compaction(
    call: hook_call.HookCall, session: SessionState, window: WindowState
) -> None:
    """Reply with the block at once after a compaction, with the matches of the prompt that is
    worked on.
    """
    if not call.takes_context or window.standing:
        call.reply_text()
        return
    figures = window_changes.current_figures(call, session)
    prompt = " ".join(f"*{name}" for name in window.commands)
    reply_to_window(
        call,
        session,
        window,
        prompt,
        hook_call.turn_number(call, session, window),
        figures,
        within_turn=True,
    )


def _record_state(
    session: SessionState, assembly: Assembly, client_figures: Mapping[str, object] | None
) -> None:
    situation = assembly.situation
    usage = situation.usage
    session.context.keep_figures(client_figures)
    session_changes.record_usage(session, situation.bracket.name, usage.used, usage.remaining)
    labels = [
        domain.label
        for layer, domains in sorted(assembly.selection.by_layer.items())
        for domain, verdict in domains
        if verdict.code != "on-command"
    ]
    # In place of those of the prompt before.
    session.history.domains = tuple(dict.fromkeys(labels))[: session_changes.LEDGER_LENGTH]
