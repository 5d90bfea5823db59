"""Compose the block for a situation, with everything that can be explained about it.

For ``synapse context``, ``explain``, ``why`` and ``status``. It does not write into the tree.
"""

import os
from dataclasses import dataclass
from typing import Any

from synapse_ls.engine import block_assembly, context_usage
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.situation import Request, Situation
from synapse_ls.engine.systems.plain.compiler import plan_of_sections
from synapse_ls.formats import config_settings, session_values
from synapse_ls.formats.session_file import SessionState
from synapse_ls.formats.window_state import Delivery, WindowState
from synapse_ls.hooks import window_changes
from synapse_ls.hooks.hook_call import HookCall
from synapse_ls.hooks.session_continuation import forget_others
from synapse_ls.hooks.window_reply import compose_block, load_session, session_request
from synapse_ls.integrations import client_registry, model_windows
from synapse_ls.integrations.hook_event import PROMPT, Event
from synapse_ls.queries.domain_report import empty_tree_note
from synapse_ls.storage import session_settings, trusted_trees
from synapse_ls.storage.current_plan import CurrentPlan, load_plan
from synapse_ls.storage.session_changes import WindowContent, window_content
from synapse_ls.text.fast_json import JsonError, loads
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_reader import RefusedError, read_file
from synapse_ls.workspace.outside_links import is_readable
from synapse_ls.workspace.regular_files import real_path


class Question:
    """A Question asks which block a situation would get as its context in a tree. Empty fields are
    found out as for a prompt in an agent client.

    request: what is said about the prompt, made of the fields of `Request` that are given.
    remaining: percent of the window left, as given by the caller. session: id of a session, "" for
    the virtual one (no prompts, no agent). delivery: the block is what a hook would send now.
    standing: the same where there is a session, to say what its agent has. client: whose window is
    looked at then, "" for the one that got the last reply. plan: one to be named in place of the
    tree's.
    """

    __slots__ = ("client", "delivery", "plan", "profile", "remaining", "request", "root", "session")

    def __init__(
        self,
        root: str,
        prompt: str = "",
        *,
        remaining: float | None = None,
        session: str = "",
        profile: str = "",
        delivery: bool = False,
        standing: bool = False,
        client: str = "",
        plan: CurrentPlan | None = None,
        **said: Any,
    ) -> None:
        self.root = root
        self.request = Request(prompt, **said)
        self.remaining = remaining
        self.session = session
        self.profile = profile
        self.delivery = delivery or (standing and bool(session))
        self.client = client
        self.plan = plan


@dataclass(slots=True)
class Answer:
    """The block that answers a `Question` about the context, with what it was made of. session: the
    document it was answered in, None for the virtual one.

    full_reason: why a hook would send the full block now, "" where it would send a difference.
    """

    plan: Plan
    assembly: block_assembly.Assembly
    session: SessionState | None
    notes: tuple[str, ...]
    full_reason: str


class _Look(HookCall):
    """A look at what a client's transcript shows; nothing is recorded of it."""

    __slots__ = ()

    def log_outcome(self, delivery: Delivery, outcome: str) -> None:
        """Leave the log as it is."""


def follow_transcripts(root: str, session: SessionState) -> None:
    """Have the windows of ``session`` hold what the transcripts of its clients show now, as the
    hook finds out with the next prompt.
    """
    for key in session.window_keys():
        # As for the window of a sub-agent.
        if (host := client_registry.load_client(key)) is None or not host.has_branches:
            continue
        window = session.open_window(key)
        event = Event(PROMPT, next(iter(host.event_names)), {})
        event.session_id, event.transcript = session.id, window.transcript[0]
        look = _Look(event, host, root, lambda _: None, 0.0)
        if window_changes.confirm_arrivals(look, session, window, is_prompt=True):
            window.forget(session_values.COMPACTION)


def answer_question(question: Question) -> Answer:
    """Answer a question about the context of a situation; raise UserError where it cannot be
    answered at all.
    """
    root = question.root
    if question.remaining is not None:
        try:
            context_usage.check_percent(question.remaining)
        except ValueError as error:
            raise UserError(f"remaining is {error}.", "Say how much is left.") from error
    plan = question.plan or load_plan(root, question.profile).with_all_files()
    profile, bracket = plan.plan.profile, question.request.bracket
    if bracket and profile.find_bracket(bracket) is None:
        names = ", ".join(row.name for row in profile.brackets)
        raise UserError(
            f'The profile {profile.name} has no bracket "{bracket}".', f"Choose one of {names}."
        )
    session = load_session(plan.plan, question.session) if question.session else None
    if session:
        forget_others(root, session)
        follow_transcripts(root, session)
    request = build_request(plan.plan, question, session)
    content = WindowContent({}, "", {})
    # The client in whose window it is named: what a prompt there is given depends on it.
    name = question.client or (session.latest_window_key() if session else "")
    host = client_registry.load_client(name) or client_registry.load_client(
        client_registry.FALLBACK_CLIENT
    )
    assert host is not None
    window = session.find_window(host.name) if session else WindowState()

    def read_content(current: Plan, situation: Situation) -> WindowContent:
        nonlocal content
        return window_content(current, situation, window, keeps=host.keeps_context)

    usage = model_windows.measure_window_usage(plan.plan, session, remaining=question.remaining)
    if question.delivery:
        composed = compose_block(
            plan,
            request,
            usage,
            window=read_content,
            limit=host.limit_of(PROMPT),
            whole=host.takes_whole(Event(PROMPT, "", {}), stands=bool(window.standing)),
        )
    else:
        composed = compose_block(plan, request, usage)
    notes = [*composed.notes]
    if (named := question.request).workflow or named.story:
        notes += session_settings.unknown_name_notes(
            composed.plan, composed.assembly.situation, workflow=named.workflow, story=named.story
        )
    if note := trusted_trees.change_note(root):
        notes.append(note)
    if not composed.plan.packed and question.plan is None:
        notes.append(empty_tree_note(composed.plan))
    return Answer(composed.plan, composed.assembly, session, tuple(notes), content.full_reason)


def build_request(plan: Plan, question: Question, session: SessionState | None) -> Request:
    """Return the request for a context that ``question`` makes, in the state that ``session``
    (None: a new one) is in.
    """
    window = question.client or (session.latest_window_key() if session else "")
    return session_request(plan, session, window, question.request, is_delivery=question.delivery)


SECTIONS_REMEDY = 'Give a list such as [{"label": "Identity", "content": "…", "priority": 0}].'


def load_section_plan(path: str, root: str, text: str | None = None) -> CurrentPlan:
    """Return the plan of the sections in the file ``path``, or in ``text``, which ``path`` is then
    the name of; raise UserError where they cannot be read.

    Files that sections name are looked for beside it, and no further.
    """
    folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))

    def read_beside(name: str) -> str:
        if not is_readable(real := real_path(os.path.join(folder, name)), folder):
            raise UserError(
                f"{path} names {name}, which leads out of its folder, or holds secrets.",
                "Put a file of rules beside it.",
            )
        return _read_sections(real, f"{path} names {name}, which", within=os.sep)

    if text is None:
        text = _read_sections(path, path)
    try:
        sections = parse_sections(text)
    except UserError as error:
        raise UserError(f"{path}: {error.sentence}", SECTIONS_REMEDY) from error
    plan = plan_of_sections(sections, root, read_beside, os.path.basename(path))
    notes = () if sections else (f"{path} lists no sections",)
    return CurrentPlan(plan, None, notes, profile="plain", patience=None)


def parse_sections(text: str) -> tuple[config_settings.SectionSpec, ...]:
    """Parse plain sections from a JSON list of objects with the keys of `SECTION_FIELDS`; raise
    `UserError`, with one sentence, for anything else.
    """
    try:
        data = loads(text)
    except JsonError as error:
        raise UserError(f"It is not valid JSON: {error}.") from error
    if isinstance(data, dict):
        data = data.get("sections", data.get("section"))
    if not isinstance(data, list):
        raise UserError("It is no list of sections.")
    return tuple(_parse_section(number, item) for number, item in enumerate(data, 1))


def _parse_section(number: int, item: object) -> config_settings.SectionSpec:
    if not isinstance(item, dict):
        raise UserError(f"Section {number} is no object.")
    options = {option.path: option for option in config_settings.SECTION_FIELDS}
    for key, value in item.items():
        if key not in options:
            names = ", ".join(f"`{name}`" for name in options)
            raise UserError(f"Section {number} has no field `{key}`; there are {names}.")
        is_number, minimum = options[key].kind == "int", options[key].minimum
        if not isinstance(value, int if is_number else str) or isinstance(value, bool):
            kind = "a whole number" if is_number else "a text"
            raise UserError(f"`{key}` of section {number} is not {kind}.")
        if minimum is not None and int(value) < minimum:
            raise UserError(f"`{key}` of section {number} is too small.")
    if "label" not in item:
        raise UserError(f"Section {number} has no `label`.")
    if ("content" in item) == ("file" in item):
        raise UserError(f"Section {number} needs either `content` or `file`.")
    return config_settings.SectionSpec(**item)


def _read_sections(path: str, description: str, *, within: str = "") -> str:
    try:
        content = read_file(path, within=within)
    except RefusedError as refused:
        raise UserError(
            f"{description} cannot be read: {refused.sentence}", SECTIONS_REMEDY
        ) from refused
    if content is None:
        raise UserError(f"{description} does not exist.", SECTIONS_REMEDY)
    return content.decoded.text
