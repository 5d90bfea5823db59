"""What an argument of a prompt or of a resource template can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from synapse_ls.engine.account import LAYER_NAMES
from synapse_ls.engine.plan import Plan

MOST = 100  # values in an answer, by the protocol

VALUES: dict[str, Callable[[Plan], Iterable[str]]] = {
    "agent": lambda plan: {*plan.agents.values(), *plan.by_agent},
    "task": lambda plan: plan.tasks,
    "label": lambda plan: plan.labels,
    "layer": lambda _: LAYER_NAMES,
    "prompt": lambda plan: (f"*{name}" for name in plan.commands),
}
"""Name of an argument -> its values."""


def complete(plan: Plan, argument: str, written: str) -> list[str]:
    """What ``written`` can become: first what begins so, then what has it elsewhere."""
    find = VALUES.get(argument)
    wanted = written.removeprefix("@" if argument == "agent" else "").casefold()
    known = sorted(find(plan)) if find else []
    fitting = [value for value in known if wanted in value.casefold()]
    return sorted(fitting, key=lambda value: not value.casefold().startswith(wanted))
