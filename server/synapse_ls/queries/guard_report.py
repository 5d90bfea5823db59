"""The guard's verdict on an agent's action, and which clients ask for it."""

import re
from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import Literal, cast

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.guard import action_verdict, boundary_patterns
from synapse_ls.guard.agent_action import ENFORCE, OFF, AgentAction
from synapse_ls.integrations.client_settings import USER, Client, Surroundings
from synapse_ls.integrations.hook_registrations import foreign_engines, registered_events
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.queries.report_model import JSON_ONLY, LINE
from synapse_ls.storage.trusted_trees import is_trusted
from synapse_ls.text.phrases import join_names

# Mode of the guard -> what it does, and what that means for an agent whose client asks it.
MODE_EFFECTS = {
    "off": ("off", "nothing is asked or reported"),
    "warn": ("warns", "an agent is warned of what it may not do, but not stopped"),
    "enforce": ("enforces", "an agent is stopped where it may not do something"),
}

Decision = Literal["allow", "ask", "deny"]


@dataclass(frozen=True, kw_only=True)
class GuardRule:
    """The authority boundary behind a guard's verdict, with the pattern that it names."""

    name: str
    file: str
    line: int = field(metadata=LINE)
    pattern: str


@dataclass(frozen=True, kw_only=True)
class UnreadableRule:
    """A rule in the guard's report that the guard cannot enforce, because it does not understand
    the action in it.
    """

    name: str
    file: str
    line: int = field(metadata=LINE)
    action: str


@dataclass(frozen=True, kw_only=True)
class VerdictReport:
    """The report of the guard's verdict, what it says: `decision` is "allow", "ask" or "deny",
    `what` the part that this is about, `delegate` the agent that may do it.

    `mode` is "off", "warn" or "enforce"; `agent` is null where none is active; `policy` names the
    policies that hold over the tree's own settings.
    """

    decision: Decision
    agent: str | None
    mode: str
    policy: str | None
    what: str | None
    reason: str | None
    delegate: str | None
    rule: GuardRule | None
    unread: list[UnreadableRule] = field(metadata=JSON_ONLY)


_SOLE_AGENT = re.compile(
    r"\b(?:only|apenas|somente|só|sólo|solo|solamente|nur|seuls?|soltanto)\s+@[\w-]+", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+")


def unread_about(
    plan: Plan, use: AgentAction, unreadable: Iterable[tuple[str, str, int, str]]
) -> Iterator[tuple[str, str, int, str]]:
    """Yield ``(key, file, line, text)`` of rules that the guard cannot judge, for its report, and
    that share a word with what an agent is about to do: some of its own, and sentences of the
    constitution that leave something to one agent.
    """
    sentences = " ".join(
        (use.command.strip().partition(" ")[2], use.tool, *(path for _, path in use.files))
    )
    words = _stems(sentences)
    yield from (row for row in unreadable if words & _stems(row[3]))
    judged = {
        key
        for _, owner, effect, action, machine, _, key, *_ in plan.boundaries
        if any(map(plan.find_agent, owner.split(", @")))
        and boundary_patterns.parse_clause(effect, action, is_pattern=machine)
    }
    for domain in plan.domains():
        for row in domain.rules if domain.role == "constitution" else ():
            is_open = row.key not in judged and _SOLE_AGENT.search(row.text)
            if is_open and words & _stems(row.text):
                yield row.key, domain.file, row.line, row.text


def _stems(text: str) -> set[str]:
    """Return the words of a text in lower case, without the s of a plural."""
    return {word.lower().rstrip("s") for word in _WORD.findall(text) if len(word) > 2}


def describe_mode(mode: str) -> str:
    """Return, for the report of the guard, what it does in a mode where a client asks it, in a few
    words.
    """
    return ": ".join(MODE_EFFECTS[mode])


def describe_guarding(mode: str) -> str:
    """Return, for the report of the guard, what it does to an agent that does what it may not do,
    as a participle.
    """
    return "stopped" if mode == ENFORCE else f"{mode}ed"


def verdict_report(
    verdict: action_verdict.Verdict,
    agent: str,
    mode: str,
    policy: str,
    unreadable: Iterable[tuple[str, str, int, str]] = (),
) -> VerdictReport:
    """Return the report of the guard's verdict on what ``agent`` is about to do; ``unreadable`` are
    the rules that the guard cannot enforce; ``policy`` names those that hold over the tree.
    """
    clause = verdict.clause
    return VerdictReport(
        decision=cast(Decision, verdict.decision),
        agent=agent or None,
        mode=mode,
        policy=policy or None,
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


YES, PARTLY, UNTRUSTED, NO, CANNOT = "yes", "partly", "untrusted", "no", "cannot"

_ASKING = (YES, PARTLY)
# How a client asks the guard -> what is said of one such client, and of several.
_CLAUSES = {
    PARTLY: ("asks it only about some tools", "ask it only about some tools"),
    UNTRUSTED: (
        "asks it once this tree is trusted (`synapse trust`)",
        "ask it once this tree is trusted (`synapse trust`)",
    ),
    NO: ("does not ask it", "do not ask it"),
    CANNOT: ("cannot ask it", "cannot ask it"),
}


@dataclass(frozen=True, kw_only=True)
class GuardClient:
    """A client in a report that calls the hook, and whether it `asks` the guard before a tool is
    used: "yes", "partly" (about some tools), "untrusted" (not before this tree is trusted), "no",
    or "cannot".
    """

    client: str
    asks: str


@dataclass(frozen=True, slots=True)
class RegisteredHooks:
    """The settings files that register the hook, by the names that people know, and the clients
    that call it, for the report of the guard. ``others``: other engines whose hooks are called.
    """

    files: tuple[str, ...]
    clients: tuple[GuardClient, ...]
    others: tuple[str, ...] = ()


def registered_hooks(root: str) -> RegisteredHooks:
    """Return what registers the hook for a tree, of the project and of the user, for reports."""
    around = Surroundings.of_process(root)
    registered_files = list(registered_events(around))
    events = {file: file_events for file, _, file_events in registered_files}
    # The clients that read one of the files.
    trusts = is_trusted(str(around.root))
    clients = []
    for client in CLIENTS.values() if events else ():
        heard, later = set[str](), set[str]()
        for place in client.places:
            registered = events.get(client.path_of(place, around), frozenset())
            if registered and not client.is_of_user(place, around):
                (heard if trusts or place.scope != USER else later).update(registered)
        if heard or later:
            clients.append(GuardClient(client=client.name, asks=_how_it_asks(client, heard, later)))
    names = tuple(name for _, name, _ in registered_files)
    return RegisteredHooks(names, tuple(clients), tuple(foreign_engines(around)))


def _how_it_asks(client: Client, heard: Set[str], later: Set[str]) -> str:
    """Return how a client asks the guard; ``heard`` are the events that the hook answers here,
    ``later`` those that it answers once the tree is trusted.
    """
    if not (wanted := frozenset(client.tool_events)):
        return CANNOT
    if wanted <= heard:
        return YES
    if wanted <= heard | later:
        return UNTRUSTED
    return PARTLY if wanted & heard else NO


def describe_effect(mode: str, clients: Collection[GuardClient]) -> str:
    """Return, for the report of the guard, what it does in a mode with the clients that call the
    hook, in a few words.
    """
    if mode == OFF or (clients and all(singular.asks == YES for singular in clients)):
        return describe_mode(mode)
    if not clients:
        return f"set to {mode}, but no registered client asks it"
    clauses = [
        f"{join_names(names)} {plural if len(names) > 1 else singular}"
        for how, (singular, plural) in _CLAUSES.items()
        if (names := _titles(clients, (how,)))
    ]
    if not (asking := _titles(clients, _ASKING)):
        return f"set to {mode}, but nobody is {describe_guarding(mode)}: {'; '.join(clauses)}"
    verb, effect = MODE_EFFECTS[mode]
    return "; ".join((f"{verb} in {join_names(asking)}: {effect}", *clauses))


def _titles(clients: Collection[GuardClient], ways: Collection[str]) -> list[str]:
    return [CLIENTS[client.client].title for client in clients if client.asks in ways]
