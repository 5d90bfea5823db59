"""This module says what the hook adds to the first turn of a session in a tree, which may only be
planned: the turn is replayed by what answers the hook.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from synapse_ls.engine.compiled_plan import load_plan
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.integrations.client_registry import load_client
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.transcript_turn import ToolMoment, Turn
from synapse_ls.queries.session_replay import replay_plan
from synapse_ls.text.plural_counts import format_count
from synapse_ls.workspace.rule_tree import Tree

TOOL_USES = 6
_PROMPT = "Say hello."
_USUAL_CLIENT = "claude"


@dataclass(frozen=True, slots=True)
class FirstTurn:
    """A FirstTurn is what the hook adds to a session's first turn: a prompt, which says no word that
    a domain waits for, and `TOOL_USES` uses of tools.

    tokens: in all. rules: how many apply; late: how many of them the first reply has no room for,
    since a block may have ``budget`` tokens.
    """

    client: str
    tokens: int
    rules: int
    late: int
    budget: int


def replay_first_turns(
    tree: Tree, root: str, clients: Collection[str], prompt: str = _PROMPT
) -> tuple[FirstTurn, ...]:
    """Replays a first turn in each of ``clients``, or in the usual one where there is none."""
    plan = load_plan(*compile_plan(tree, root).to_bytes())
    assert plan is not None
    turns = []
    for name in [one for one in CLIENTS if one in clients] or [_USUAL_CLIENT]:
        host = load_client(name)
        assert host is not None
        (step,) = replay_plan(plan, [Turn(prompt, moments=(ToolMoment(),) * TOOL_USES)], host)
        block = step.assembly
        assert block is not None
        rules = [e for part in block.wanted_sections for e in part.entries if e.file]
        late = [e for e in (*block.cut_entries, *block.limited_entries) if e.file]
        turns.append(FirstTurn(name, step.tokens, len(rules), len(late), block.budget))
    return tuple(turns)


def describe_first_turns(turns: Collection[FirstTurn]) -> str:
    """Returns what the hook adds to a first turn in each client, as a clause."""
    clients = ", ".join(
        f"{format_count(turn.tokens, 'token')} in {CLIENTS[turn.client].title}" for turn in turns
    )
    return (
        f"the hook adds {clients} to the first turn of a session (a prompt that says no word that rules "
        f"wait for, and {TOOL_USES} uses of tools)"
    )
