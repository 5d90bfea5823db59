"""This module reports deliveries of the hook: whether it hands anything over, when it last did, and
what shows that it cannot, or that nobody calls it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.integrations.client_definition import TIMEOUT, Client, Surroundings
from synapse_ls.integrations.client_registrations import Registration, find_registrations
from synapse_ls.integrations.hook_programs import MissingProgram, missing_program
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.vscode import chat_prompts
from synapse_ls.queries.session_report import format_time
from synapse_ls.storage import injection_log

NO_PROGRAM, NOT_REGISTERED, NOT_CALLED = "no-program", "not-registered", "not-called"

_EDITOR = "vscode"
_RECENT_SECONDS = 3600.0  # a client that called the hook since then finds its program


@dataclass(frozen=True, kw_only=True)
class DeliveryProblem:
    """Why the hook's deliveries bring no rules to agents, and what to do. `code`: "no-program" for
    a hook that cannot be started; for a prompt in the editor's chat on which no hook was called,
    "not-registered" or "not-called" where nothing says why. `client`: the agent client.
    """

    code: str
    client: str
    sentence: str
    remedy: str


@dataclass(frozen=True, kw_only=True)
class DeliveryReport:
    """What the hook has handed over in its deliveries. `last`: when it last gave an agent anything,
    null for never; `client`: to which client.
    """

    last: str | None
    client: str | None
    problem: DeliveryProblem | None


@dataclass(frozen=True, slots=True)
class _Calls:
    """When each client last called the hook with a prompt or was told something, in seconds since
    1970, and the last moment at which one was told something.
    """

    by_client: dict[str, float]
    told: float = 0.0
    told_client: str = ""


def delivery_report(root: str, chats: str = "", *, home: str = "") -> DeliveryReport:
    """Returns the report of a delivery: what the hook of the tree ``root`` has handed over.

    chats: the folder in which an editor keeps the chats of this workspace, "" where that is not
    known. home: the home folder, the user's unless given.
    """
    around = Surroundings(Path(root), Path(home or Path.home()))
    calls = _logged_calls(root)
    return DeliveryReport(
        last=format_time(calls.told) if calls.told else None,
        client=calls.told_client or None,
        problem=_unheard_prompt(around, chats, calls) or _missing_program(around, chats, calls),
    )


def delivery_notes(found: DeliveryReport) -> list[str]:
    """Returns what is wrong with the delivery as a note: none or one."""
    problem = found.problem
    return [f"{problem.sentence}. {problem.remedy}"] if problem else []


def _logged_calls(root: str) -> _Calls:
    by_client: dict[str, float] = {}
    told, told_client = 0.0, ""
    for record in injection_log.read_replies(root):
        by_client.setdefault(record["client"], record["time"])
        if record["tokens"]:
            told, told_client = record["time"], record["client"]
            break
    return _Calls(by_client, told, told_client)


def _unheard_prompt(around: Surroundings, chats: str, calls: _Calls) -> DeliveryProblem | None:
    prompt = chat_prompts.last_chat_prompt(chats) if chats else None
    heard = max(calls.by_client.values(), default=0.0)
    if prompt is None or prompt.time <= heard:
        return None
    if not prompt.answered and time.time() - prompt.time < TIMEOUT:
        return None  # the hook may be at work on it
    client = CLIENTS[_EDITOR]
    said = f"the last prompt in {client.title} called no hook, so its agent was not told the rules"
    registered = _prompt_registrations(around, client)
    if not registered:
        code, remedy = NOT_REGISTERED, f"Run `synapse install --client {client.name}`."
    elif why := _common_obstacle(registered, around):
        code, said, remedy = NO_PROGRAM, f"{said}: {why.reason}", why.remedy
    else:
        code, remedy = (
            NOT_CALLED,
            (
                "See that `chat.useHooks` is on and the workspace is trusted, run `synapse trust` for a "
                "hook of yours alone, then ask `synapse doctor`."
            ),
        )
    return DeliveryProblem(code=code, client=client.name, sentence=said, remedy=remedy)


def _missing_program(around: Surroundings, chats: str, calls: _Calls) -> DeliveryProblem | None:
    """Returns that no hook can be started: none of the editor's own agent where that has one, else
    none at all. A project may well register it with clients that nobody uses here.
    """
    registered = {
        name: lines
        for name, client in CLIENTS.items()
        if (lines := _prompt_registrations(around, client))
    }
    if chats and _EDITOR in registered:
        registered = {_EDITOR: registered[_EDITOR]}
    since = time.time() - _RECENT_SECONDS
    if any(calls.by_client.get(name, 0.0) >= since for name in registered):
        return None
    found = {name: _common_obstacle(lines, around) for name, lines in registered.items()}
    stuck = [(name, why) for name, why in found.items() if why is not None]
    if not stuck or len(stuck) < len(found):
        return None
    name, why = stuck[0]
    said = f"the hook in {registered[name][0].name} cannot be started: {why.reason}"
    return DeliveryProblem(code=NO_PROGRAM, client=name, sentence=said, remedy=why.remedy)


def _prompt_registrations(around: Surroundings, client: Client) -> list[Registration]:
    return [r for r in find_registrations(around, client) if r.event == client.prompt]


def _common_obstacle(registered: list[Registration], around: Surroundings) -> MissingProgram | None:
    """Returns why none of the lines finds its program, None where one does."""
    found = [missing_program(registration, around) for registration in registered]
    return found[0] if found and all(found) else None
