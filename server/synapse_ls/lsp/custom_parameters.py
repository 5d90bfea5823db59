"""This module defines the parameters of the custom ``synapse/*`` methods, typed and checked.

pygls hands the parameters of methods it does not know over as named tuples with other names, and
its converter takes a number for a string; so these are read here, field by field.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import attrs
from lsprotocol.types import Position

from synapse_ls.lsp import custom_methods
from synapse_ls.lsp.convert import parse_position


@attrs.frozen(kw_only=True)
class TreeParams:
    """The parameters that name the tree that is asked about: ``uri`` is that of its folder or of
    anything in it.

    Without one it is the only tree, or the first of several.
    """

    uri: str | None = None


P = TypeVar("P", bound=TreeParams)


@attrs.frozen(kw_only=True)
class QuestionParams(TreeParams):
    """The parameters of a question, a prompt and the situation it meets; what is left out is as the
    current session has it.

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
    """The parameters of ``synapse/context``. ``delivery``: only what a hook would send now, which
    leaves out what the window holds.
    """

    delivery: bool | None = None


@attrs.frozen(kw_only=True)
class StatusParams(QuestionParams):
    """The parameters of ``synapse/status``. ``chats``: the path of the folder in which the editor
    keeps the chats of this workspace; a prompt there on which no hook was called is reported.
    """

    chats: str | None = None


@attrs.frozen(kw_only=True)
class WhyParams(TreeParams):
    """The parameters of ``synapse/why``: the key of a ``rule``, or a ``position`` in the file that
    ``uri`` names.

    Where both are sent, the rule counts.
    """

    rule: str | None = None
    position: Position | None = None
    prompt: str | None = None


@attrs.frozen(kw_only=True)
class GuardParams(TreeParams):
    """The parameters of ``synapse/guard``, what an agent is about to do: a ``command`` line,
    files, or a ``tool`` of its client.

    ``agent``: who does it; the active one unless it is sent.
    """

    command: str | None = None
    read: list[str] | None = None
    write: list[str] | None = None
    delete: list[str] | None = None
    tool: str | None = None
    agent: str | None = None


@attrs.frozen(kw_only=True)
class CompareParams(TreeParams):
    """The parameters of ``synapse/compare``, two questions to one tree; what is left out of either
    is as the current session has it.
    """

    before: QuestionParams | None = None
    after: QuestionParams | None = None


@attrs.frozen(kw_only=True)
class RunTestsParams(TreeParams):
    """The parameters of ``synapse/runTests``. ``uri``: a file of tests, or anything else in the
    tree for all of its files.

    ``cases``: the numbers of those to run, in a file of tests.
    """

    cases: list[int] | None = None


@attrs.frozen(kw_only=True)
class InjectionsParams(TreeParams):
    """The parameters of ``synapse/injections``. ``session``: only those of this one. ``limit``: how
    many at most.

    ``hash``: only blocks whose hash begins so. ``texts``: with the exact blocks.
    """

    session: str | None = None
    limit: int | None = None
    hash: str | None = None
    texts: bool | None = None


@attrs.frozen(kw_only=True)
class AuditParams(TreeParams):
    """The parameters of ``synapse/audit``. ``days``: how long ago a session may have been used
    last; 7 unless given.
    """

    days: float | None = None


@attrs.frozen(kw_only=True)
class RulePageParams(TreeParams):
    """The parameters of ``synapse/rulePage``: the code or the name of a lint ``rule``."""

    rule: str


@attrs.frozen(kw_only=True)
class ActivationParams(TreeParams):
    """The parameters of ``synapse/activation``: the ``agent`` to bring up, by its id, an alias or
    its name.

    ``session``: the current one unless it is given, "" for a new one. ``executor``: "Agente", "Worker",
    "Humano" or "Clone". ``occasion``: "new", "existing" or "workflow". ``greeting``: "auto", "minimal",
    "named" or "archetypal". What is not given is found out.
    """

    agent: str
    session: str | None = None
    executor: str | None = None
    occasion: str | None = None
    greeting: str | None = None


@attrs.frozen(kw_only=True)
class MemoryParams(TreeParams):
    """The parameters of ``synapse/memory``: what the memories are about (``query``), and their
    ``tier``, ``sector`` and ``tags``.

    ``agent``: as this agent sees them; without it, all. ``archived``: those that were put away.
    """

    query: str | None = None
    agent: str | None = None
    tier: str | None = None
    sector: str | None = None
    tags: list[str] | None = None
    archived: bool | None = None


@attrs.frozen(kw_only=True)
class CompactParams(TreeParams):
    """The parameters of ``synapse/compact``: a history, the file that ``uri`` names, or
    ``messages``; and what is wanted of it.

    The other fields are those of `CompactionRequest`. ``shape``: what the messages of the answer are
    written as.
    """

    messages: list[Any] | None = None
    strategy: str | None = None
    limit: int | None = None
    keep_last: int | None = None
    keep_first: int | None = None
    keep_results: int | None = None
    force: bool | None = None
    ratio: float | None = None
    unit: str | None = None
    shape: str | None = None


PARAMS: Mapping[str, type[TreeParams]] = {
    custom_methods.CONTEXT: ContextParams,
    custom_methods.EXPLAIN: QuestionParams,
    custom_methods.STATUS: StatusParams,
    custom_methods.DOMAINS: TreeParams,
    custom_methods.SESSIONS: TreeParams,
    custom_methods.CHOICES: TreeParams,
    custom_methods.SQUADS: TreeParams,
    custom_methods.WHY: WhyParams,
    custom_methods.GUARD: GuardParams,
    custom_methods.COMPARE: CompareParams,
    custom_methods.TESTS: TreeParams,
    custom_methods.RUN_TESTS: RunTestsParams,
    custom_methods.INJECTIONS: InjectionsParams,
    custom_methods.COMPACT: CompactParams,
    custom_methods.MEMORY: MemoryParams,
    custom_methods.ACTIVATION: ActivationParams,
    custom_methods.AUDIT: AuditParams,
    custom_methods.RULE_PAGE: RulePageParams,
}
"""The requests by method."""

_PLAIN_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "str": ((str,), "a string"),
    "bool": ((bool,), "a boolean"),
    "int": ((int,), "an integer"),
    "float": ((int, float), "a number"),
}


def to_camel_case(name: str) -> str:
    """Returns the name of a custom parameter, ``over_budget``, as the protocol spells it:
    ``overBudget``.
    """
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def parse_params(kind: type[P], data: object) -> P:
    """Parses and checks the parameters of a custom method in decoded JSON. Raises TypeError that
    names what is wrong; unknown fields are ignored.
    """
    if data is None:
        data = {}
    if not isinstance(data, Mapping):
        raise TypeError("the parameters are not an object")
    values: dict[str, Any] = {}
    for field in attrs.fields(kind):
        value = data.get(to_camel_case(field.name))
        if value is None:
            if field.default is attrs.NOTHING:
                raise TypeError(f"{to_camel_case(field.name)} is missing")
            continue
        values[field.name] = _parse_value(
            str(field.type).removesuffix(" | None"), value, field.name
        )
    return kind(**values)


def _parse_value(kind: str, value: object, name: str) -> Any:
    """Returns a value as its field has it; raises TypeError where it is of another type."""
    if kind == "QuestionParams":
        return parse_params(QuestionParams, value)
    if kind == "Position":
        position = parse_position(value) if isinstance(value, Mapping) else None
        if position is None:
            raise TypeError(f"{to_camel_case(name)} is not a position")
        return position
    if kind.startswith("list["):
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise TypeError(f"{to_camel_case(name)} is not a list")
        return [_parse_value(kind[5:-1], item, name) for item in value]
    if kind == "Any":
        return value
    classes, wanted = _PLAIN_TYPES[kind]
    if not isinstance(value, classes) or (isinstance(value, bool) and bool not in classes):
        raise TypeError(f"{to_camel_case(name)} is not {wanted}")
    return value


def question_arguments(params: TreeParams) -> dict[str, Any]:
    """Returns the custom parameters that were sent, by the core's names."""
    given = {name: getattr(params, name) for name in attrs.fields_dict(type(params))}
    given.pop("uri")
    return {
        name: question_arguments(value) if isinstance(value, TreeParams) else value
        for name, value in given.items()
        if value is not None
    }
