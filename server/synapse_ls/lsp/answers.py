"""The answers of the ``synapse/*`` methods: the core's reports in the protocol's terms.

A report has snake_case keys, paths relative to the root and lines from 1. An answer has camelCase
keys, and a ``location`` (LSP ``Location``, or null) wherever the report has a file and a line. Every
field is listed here; what a class does not list is not sent.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import attrs

from synapse_ls.lsp.convert import line_range, plain
from synapse_ls.lsp.custom import camel
from synapse_ls.lsp.uris import uri_in, uri_of

PLACE = "place"
"""Marks a field that joins a report's path, and the key of its line if any, to a location."""


Range = dict[str, Any]
"""LSP ``Range``."""


@attrs.frozen(kw_only=True)
class Location:
    """LSP ``Location``: the file, and the whole of the line."""

    uri: str
    range: Range


@attrs.frozen(kw_only=True)
class Usage:
    """How much of the window is left, in percent and, where known, in tokens."""

    remaining: float
    source: str
    origin: str
    model: str
    used: int | None
    window: int | None
    prompts: int | None


@attrs.frozen(kw_only=True)
class Sourced:
    """An id, and from where it is known."""

    id: str | None
    source: str | None
    phase: str | None = None
    story: str | None = None
    executor: str | None = None


@attrs.frozen(kw_only=True)
class Prompt:
    """What was found in the prompt."""

    commands: list[str]
    mentions: list[str]
    skipped: list[Any]


@attrs.frozen(kw_only=True)
class Entry:
    """A line of a block."""

    text: str
    key: str
    domain: str
    tokens: int
    location: Location | None = attrs.field(default=None, metadata={PLACE: ("file", "line")})


@attrs.frozen(kw_only=True)
class Section:
    """What stands under one heading of a block."""

    id: str
    layer: str
    heading: str
    tokens: int
    entries: list[Entry]


@attrs.frozen(kw_only=True)
class Duplicate:
    """A rule that would stand in two places: where it was left out, and where it stays."""

    left_out: Entry
    stays: Entry


@attrs.frozen(kw_only=True)
class Hint:
    """A memory that is told, or could be: ``text`` is as much as ``level`` tells of it.

    ``factors`` are those of its score by name, and what its rank adds to them. ``reasons`` say why it
    is told; ``reason`` why it is not.
    """

    id: str
    title: str
    text: str
    level: str
    type: str
    sector: str
    tier: str
    tags: list[str]
    agent: str | None
    confidence: float
    explicit: bool
    score: float
    rank: float
    factors: dict[str, float]
    reasons: list[str]
    provider: str | None
    reason: str | None = None
    location: Location | None = attrs.field(default=None, metadata={PLACE: ("file", "line")})


@attrs.frozen(kw_only=True)
class Hints:
    """What of the memories the block tells, best first, and what is left."""

    level: str
    tokens: int
    reason: str | None
    told: list[Hint]
    left: list[Hint]


@attrs.frozen(kw_only=True)
class ContextAnswer:
    """``synapse/context``: the block, what it is made of, and what did not fit."""

    block: str
    bracket: str
    usage: Usage
    budget: int
    tokens: int
    sections: list[Section]
    cuts: list[Entry]
    limited: list[Entry]
    duplicates: list[Duplicate]
    over_budget: bool
    degraded: dict[str, str]
    memory: Hints
    notes: list[str]


@attrs.frozen(kw_only=True)
class Phrase:
    """A reason or a remedy as a code with values, for whoever speaks another language."""

    code: str
    values: list[str]


@attrs.frozen(kw_only=True)
class RuleAccount:
    """What becomes of a rule. ``attempt``: parameters of a question that try the remedy out."""

    key: str
    text: str
    tokens: int
    rendered: bool
    reason: str
    because: list[Phrase]
    remedy: str
    change: Phrase | None
    attempt: dict[str, str] | None
    location: Location | None = attrs.field(default=None, metadata={PLACE: ("file", "line")})


@attrs.frozen(kw_only=True)
class DomainAccount:
    """What becomes of a domain: in by which layer, or why not and what would change that."""

    label: str
    layer: str | None
    reason: str
    because: list[Phrase]
    remedy: str
    change: Phrase | None
    attempt: dict[str, str] | None
    rules: list[RuleAccount]
    location: Location | None = attrs.field(default=None, metadata={PLACE: ("manifest", "line")})
    file: str | None = attrs.field(default=None, metadata={PLACE: ("file", "")})


@attrs.frozen(kw_only=True)
class ExplainAnswer:
    """``synapse/explain``: the situation, and the account of every domain and rule."""

    profile: str
    bracket: str
    usage: Usage
    budget: int
    tokens: int
    agent: Sourced | None
    workflow: Sourced | None
    task: Sourced | None
    squad: Sourced | None
    prompt: Prompt
    awake: list[str]
    cuts: list[Entry]
    over_budget: bool
    degraded: dict[str, str]
    domains: list[DomainAccount]
    memory: Hints
    notes: list[str]


@attrs.frozen(kw_only=True)
class DomainInfo:
    """A domain as it is declared; ``layer`` is the one that it takes part in, or would."""

    label: str
    name: str
    squad: str | None
    active: bool
    always_on: bool
    non_negotiable: bool
    agent: str | None
    workflow: str | None
    recall: list[str]
    exclude: list[str]
    paths: list[str]
    every_n_turns: int | None
    on_tokens: int | None
    layer: str
    wakes_by: str | None
    rules: int
    tokens: int
    location: Location | None = attrs.field(default=None, metadata={PLACE: ("manifest", "line")})
    file: str | None = attrs.field(default=None, metadata={PLACE: ("file", "")})


@attrs.frozen(kw_only=True)
class DomainsAnswer:
    """``synapse/domains``: every domain, in the order of the manifests."""

    domains: list[DomainInfo]


@attrs.frozen(kw_only=True)
class UsagePoint:
    """What a session's window had left at a prompt, and what the prompt was told."""

    time: str
    remaining: float
    source: str
    used: int | None
    tokens: int


@attrs.frozen(kw_only=True)
class SessionInfo:
    """A session in short; ``history`` has its last prompts, the oldest first."""

    id: str | None
    title: str | None
    label: str | None
    last_activity: str
    prompts: int
    bracket: str | None
    agent: str | None
    problem: str | None
    history: list[UsagePoint]
    file: str | None = attrs.field(default=None, metadata={PLACE: ("file", "")})


@attrs.frozen(kw_only=True)
class SessionsAnswer:
    """``synapse/sessions``: the sessions, the latest first, and which one is followed."""

    sessions: list[SessionInfo]
    current: str | None
    pinned: str | None


@attrs.frozen(kw_only=True)
class SquadInfo:
    """A squad: how its domains stand beside the root's, and whether it is at work now."""

    folder: str
    name: str
    mode: str
    active: bool
    source: str | None
    domains: list[str]
    rules: int
    tokens: int
    location: Location | None = attrs.field(default=None, metadata={PLACE: ("file", "line")})


@attrs.frozen(kw_only=True)
class SquadsAnswer:
    """``synapse/squads``: the squads, sorted by folder."""

    squads: list[SquadInfo]


@attrs.frozen(kw_only=True)
class LayerText:
    """What a layer contributes to the block, byte for byte; "" where it no longer does."""

    id: str
    text: str


@attrs.frozen(kw_only=True)
class ContextChange:
    """``synapse/didChangeContext``: what the next prompt would get has changed, or the state has.

    ``layers`` are those whose text is another than before, null where none is. ``reason``:
    "loaded", "buffer", "files", "session" or "configuration".
    """

    root: str
    hash: str
    bracket: str
    remaining: float
    source: str
    tokens: int
    budget: int
    agent: str | None
    session: str | None
    layers: list[LayerText] | None
    reason: str


def answer(kind: type[Any], report: Mapping[str, Any], root: str) -> dict[str, Any]:
    """A report as the JSON value of ``kind``; ``root`` is the tree's folder."""
    made: dict[str, Any] = {}
    for field in attrs.fields(kind):
        place = field.metadata.get(PLACE)
        if place is None:
            given = report.get(field.name) if field.default is None else report[field.name]
            value = _value(str(field.type), given, root, vars(sys.modules[kind.__module__]))
        else:
            file, line = place
            value = _located(report, file, line, root)
        made[camel(field.name)] = value
    return made


def written(value: Any) -> Any:
    """An instance of one of these classes as a JSON value."""
    if isinstance(value, list):
        return [written(item) for item in value]
    if not attrs.has(type(value)):
        return value
    fields = attrs.fields(type(value))
    return {camel(field.name): written(getattr(value, field.name)) for field in fields}


def _value(kind: str, value: Any, root: str, names: Mapping[str, Any]) -> Any:
    """A value of the type that is called ``kind`` among ``names``."""
    inner = kind.removesuffix(" | None")
    if value is None:
        return None
    if inner.startswith("list["):
        return [_value(inner[5:-1], item, root, names) for item in value]
    made = names.get(inner)
    if isinstance(made, type) and attrs.has(made):
        return answer(made, value, root)
    return value


def _located(report: Mapping[str, Any], file: str, line: str, root: str) -> Any:
    path = report.get(file)
    if not path:
        return None
    uri = uri_of(path) if path == root else uri_in(root, path)
    if not line:
        return uri
    number = report.get(line) or 1
    return {"uri": uri, "range": plain(line_range(number - 1))}
