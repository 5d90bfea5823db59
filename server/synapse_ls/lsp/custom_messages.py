"""Parameters of ``synapse/*`` methods and commands, checked, and reports in the protocol's terms.

Those are camelCase names, URIs for paths, and a ``location`` for a file with a line. pygls passes
parameters of unknown methods as renamed named tuples, and its converter accepts a number for a
string, so they are read here.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import cache
from types import UnionType
from typing import Any, NamedTuple, TypeVar, get_args, get_origin

import attrs
from lsprotocol.types import Position
from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.lsp import feature_table
from synapse_ls.lsp.convert import (
    Range,
    line_range,
    parse_position,
    path_to_uri,
    to_json,
    uri_below,
)
from synapse_ls.queries.report_model import LEFT_OUT, protocol_fields


@attrs.frozen(kw_only=True)
class TreeParams:
    """The parameters that name the tree that is asked about: ``uri`` is that of its folder or of
    anything in it.

    Without one it is the only tree, or the first of several. ``for_model``: a language model gets
    the answer, so that there is none from a tree that is not as it was pinned.
    """

    uri: str | None = None
    for_model: bool | None = None


P = TypeVar("P", bound=TreeParams)


@attrs.frozen(kw_only=True)
class QuestionParams(TreeParams):
    """The parameters of a question, a prompt and the situation it meets; what is left out is as the
    current session has it.

    ``remaining`` is the percentage of the window that is left. ``session`` is the id of a session;
    "" is a new one, with nothing known of it. ``client``: whose agent gets the block, which leaves
    out what that client reads by itself; "" is nobody's.
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
    client: str | None = None


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

    ``session``: the current one unless it is given, "" for a new one. ``executor``: "Agente",
    "Worker", "Humano" or "Clone". ``occasion``: "new", "existing" or "workflow". ``greeting``:
    "auto", "minimal", "named" or "archetypal". What is not given is found out.
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

    The other fields are those of `CompactionRequest`. ``shape``: what the messages of the answer
    are written as.
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


# The requests by method.
PARAMS: Mapping[str, type[TreeParams]] = {
    **dict.fromkeys(feature_table.METHODS, TreeParams),
    feature_table.CONTEXT: ContextParams,
    feature_table.EXPLAIN: QuestionParams,
    feature_table.STATUS: StatusParams,
    feature_table.WHY: WhyParams,
    feature_table.GUARD: GuardParams,
    feature_table.COMPARE: CompareParams,
    feature_table.RUN_TESTS: RunTestsParams,
    feature_table.INJECTIONS: InjectionsParams,
    feature_table.COMPACT: CompactParams,
    feature_table.MEMORY: MemoryParams,
    feature_table.ACTIVATION: ActivationParams,
    feature_table.AUDIT: AuditParams,
    feature_table.RULE_PAGE: RulePageParams,
}

_PLAIN_TYPES: Mapping[type, tuple[tuple[type, ...], str]] = {
    str: ((str,), "a string"),
    bool: ((bool,), "a boolean"),
    int: ((int,), "an integer"),
    float: ((int, float), "a number"),
}


def to_camel_case(name: str) -> str:
    """Return the name of a custom parameter, ``over_budget``, as the protocol spells it:
    ``overBudget``.
    """
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def parse_params(kind: type[P], data: object) -> P:
    """Parse and check the parameters of a custom method in decoded JSON. Raises TypeError that
    names what is wrong; unknown fields are ignored.
    """
    fields = {} if data is None else data
    if not isinstance(fields, Mapping):
        raise TypeError("the parameters are not an object")
    values: dict[str, Any] = {}
    for field in attrs.fields(kind):
        name = to_camel_case(field.name)
        if (value := fields.get(name)) is not None:
            values[field.name] = _parse_value(field.type, value, name)
        elif field.default is attrs.NOTHING:
            raise TypeError(f"{name} is missing")
    return kind(**values)


def _parse_value(kind: Any, value: object, name: str) -> Any:
    """Return a value as its field has it; raise TypeError where it is of another type."""
    if isinstance(kind, UnionType):  # with None, of a field that may be left out
        kind = get_args(kind)[0]
    if kind is QuestionParams:
        return parse_params(QuestionParams, value)
    if kind is Position:
        position = parse_position(value) if isinstance(value, Mapping) else None
        if position is None:
            raise TypeError(f"{name} is not a position")
        return position
    if get_origin(kind) is list:
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise TypeError(f"{name} is not a list")
        return [_parse_value(get_args(kind)[0], item, name) for item in value]
    if kind is Any:
        return value
    classes, type_phrase = _PLAIN_TYPES[kind]
    if not isinstance(value, classes) or (isinstance(value, bool) and bool not in classes):
        raise TypeError(f"{name} is not {type_phrase}")
    return value


def question_arguments(params: TreeParams) -> dict[str, Any]:
    """Return the custom parameters that were sent, by the core's names."""
    return attrs.asdict(
        params, filter=lambda field, value: field.name != "uri" and value is not None
    )


def parse_arguments(kind: type[P], command: str, arguments: Mapping[str, Any]) -> P:
    """Return the typed argument of a command; raise JsonRpcInvalidParams that says what is wrong
    with it.
    """
    try:
        return parse_params(kind, arguments)
    except TypeError as error:
        raise JsonRpcInvalidParams(f"{command}: {error}.") from error


@attrs.frozen(kw_only=True)
class FixAll(TreeParams):
    """The arguments of ``synapse.fixAll``: ``quiet`` is for a client that says itself what was
    fixed.
    """

    quiet: bool | None = None


@attrs.frozen(kw_only=True)
class NewDomain(TreeParams):
    """The arguments of ``synapse.newDomain``: the domain's name in kebab-case, its triggers, and
    its first rules.
    """

    name: str
    keywords: list[str] | None = None
    agent: str | None = None
    workflow: str | None = None
    paths: list[str] | None = None
    always_on: bool | None = None
    rules: list[str] | None = None
    squad: str | None = None


@attrs.frozen(kw_only=True)
class NewRule(TreeParams):
    """The arguments of ``synapse.newRule``: a domain in any spelling and the text of the rule.

    ``bracket``, ``command`` or ``article`` (its number): the list that the rule belongs to, if it
    is one of these.
    """

    domain: str
    text: str
    bracket: str | None = None
    command: str | None = None
    article: int | None = None


@attrs.frozen(kw_only=True)
class ToggleDomain(TreeParams):
    """The arguments of ``synapse.toggleDomain``: a domain in any spelling; without ``active`` it is
    switched over.
    """

    domain: str
    active: bool | None = None


@attrs.frozen(kw_only=True)
class SetSession(TreeParams):
    """The arguments of ``synapse.setSession``: the current session unless it is named; "" clears a
    field.
    """

    session: str | None = None
    agent: str | None = None
    workflow: str | None = None
    phase: str | None = None
    task: str | None = None
    story: str | None = None
    squad: str | None = None


@attrs.frozen(kw_only=True)
class Pin(TreeParams):
    """The arguments of ``synapse.pin``: the session to follow, the newest again without one."""

    session: str | None = None


@attrs.frozen(kw_only=True)
class Sync(TreeParams):
    """The arguments of ``synapse.sync``: the targets to write; without any, those that are kept
    already.
    """

    targets: list[str] | None = None
    force: bool | None = None


@attrs.frozen(kw_only=True)
class Migrate(TreeParams):
    """The arguments of ``synapse.migrate``: the step of the migration.

    "ask" (the default) shows the person what would be done and then does it, "plan" only answers
    what it is, "migrate", "texts", "finish" and "rollback" do it.
    """

    step: str | None = None
    words: bool | None = None
    user: bool | None = None
    force: bool | None = None


# How a field is written; see the metadata in `synapse_ls.queries.report_model`.
VALUE, INLINE, ROOT_URI, URI, LOCATION = "value", "inline", "root", "path", "location"


class ProtocolField(NamedTuple):
    """A field of a report as it is encoded for the protocol.

    attribute: where its value is. file: of a location, the attribute with the path.
    """

    name: str
    attribute: str
    form: str
    file: str = ""


def encode_report(report: object, root: str = "") -> dict[str, Any]:
    """Encode a report as a JSON object. ``root`` is the tree's folder."""
    return dict(_encoded_fields(report, root))


def _encode_value(value: Any, root: str) -> Any:
    if isinstance(value, list | tuple):
        return [_encode_value(item, root) for item in value]
    if isinstance(value, Range):
        return to_json(value)
    if is_dataclass(value):
        return encode_report(value, root)
    return None if value is LEFT_OUT else value


def _encoded_fields(report: Any, root: str) -> Iterator[tuple[str, Any]]:
    for field in encoded_fields(report.__class__):
        value = getattr(report, field.attribute)
        if field.form == INLINE:
            yield from _encoded_fields(value, root)
        elif field.form == ROOT_URI:
            yield field.name, path_to_uri(value)
        elif field.form == URI:
            yield field.name, uri_below(root, value) if value else None
        elif field.form == LOCATION:
            # An LSP `Location` of the whole line, which is counted from 1.
            path, range_ = getattr(report, field.file), to_json(line_range((value or 1) - 1))
            yield field.name, {"uri": uri_below(root, path), "range": range_} if path else None
        else:
            yield field.name, _encode_value(value, root)


@cache
def encoded_fields(kind: type[Any]) -> tuple[ProtocolField, ...]:
    """Return the fields of a class of reports as they are encoded for the protocol."""
    fields = []
    for field in protocol_fields(kind):
        name, form = to_camel_case(field.name), INLINE if "inline" in field.metadata else VALUE
        if file := field.metadata.get("file", ""):
            name = form = LOCATION
        form = field.metadata.get("uri", form)
        fields.append(ProtocolField(name, field.name, form, file))
    return tuple(fields)
