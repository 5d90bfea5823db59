"""The ``synapse/*`` methods: their names and what they are asked with, typed and checked.

pygls hands the parameters of methods it does not know over as named tuples with other names, and
its converter takes a number for a string; so these are read here, field by field.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import attrs

CONTEXT = "synapse/context"
EXPLAIN = "synapse/explain"
STATUS = "synapse/status"
DOMAINS = "synapse/domains"
SESSIONS = "synapse/sessions"
DID_CHANGE_CONTEXT = "synapse/didChangeContext"


@attrs.frozen(kw_only=True)
class TreeParams:
    """Which tree is meant: ``uri`` is that of its folder or of anything in it.

    Without one it is the only tree, or the first of several.
    """

    uri: str | None = None


P = TypeVar("P", bound=TreeParams)


@attrs.frozen(kw_only=True)
class QuestionParams(TreeParams):
    """A prompt and the situation it meets; what is left out is as the current session has it.

    ``remaining`` is the percentage of the window that is left. ``session`` is the id of a session;
    "" is a new one, with nothing known of it.
    """

    prompt: str | None = None
    agent: str | None = None
    workflow: str | None = None
    phase: str | None = None
    task: str | None = None
    story: str | None = None
    squad: str | None = None
    bracket: str | None = None
    remaining: float | None = None
    session: str | None = None
    profile: str | None = None


@attrs.frozen(kw_only=True)
class ContextParams(QuestionParams):
    """``delivery``: only what a hook would send now, which leaves out what the window holds."""

    delivery: bool | None = None


PARAMS: Mapping[str, type[TreeParams]] = {
    CONTEXT: ContextParams,
    EXPLAIN: QuestionParams,
    STATUS: QuestionParams,
    DOMAINS: TreeParams,
    SESSIONS: TreeParams,
}
"""The requests by method."""

_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "str | None": ((str,), "a string"),
    "bool | None": ((bool,), "a boolean"),
    "float | None": ((int, float), "a number"),
}


def camel(name: str) -> str:
    """``over_budget`` as the protocol spells it: ``overBudget``."""
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def read(kind: type[P], data: object) -> P:
    """The parameters in decoded JSON. TypeError names what is wrong; unknown fields are ignored."""
    if data is None:
        data = {}
    if not isinstance(data, Mapping):
        raise TypeError("the parameters are not an object")
    values: dict[str, Any] = {}
    for field in attrs.fields(kind):
        value = data.get(camel(field.name))
        if value is None:
            continue
        types, wanted = _TYPES[str(field.type)]
        if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
            raise TypeError(f"{camel(field.name)} is not {wanted}")
        values[field.name] = value
    return kind(**values)


def question(params: TreeParams) -> dict[str, Any]:
    """What was given, by the core's names."""
    given = attrs.asdict(params)
    given.pop("uri")
    return {name: value for name, value in given.items() if value is not None}
