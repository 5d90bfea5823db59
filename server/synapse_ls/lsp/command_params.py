"""What the commands that change something are given, typed and checked as `custom` does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.lsp.custom import P, TreeParams, read


def asked(kind: type[P], command: str, given: Mapping[str, Any]) -> P:
    """The argument of a command; JsonRpcInvalidParams says what is wrong with it."""
    try:
        return read(kind, given)
    except TypeError as error:
        raise JsonRpcInvalidParams(f"{command}: {error}.") from error


@attrs.frozen(kw_only=True)
class NewDomain(TreeParams):
    """``synapse.newDomain``: its name in kebab-case, what brings it in, and its first rules."""

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
    """``synapse.newRule``: a domain in any spelling, the text, and where it belongs to one, the
    bracket, the star-command or the number of the article."""

    domain: str
    text: str
    bracket: str | None = None
    command: str | None = None
    article: int | None = None


@attrs.frozen(kw_only=True)
class ToggleDomain(TreeParams):
    """``synapse.toggleDomain``: a domain in any spelling; without ``active`` it is switched over."""

    domain: str
    active: bool | None = None


@attrs.frozen(kw_only=True)
class SetSession(TreeParams):
    """``synapse.setSession``: the current session unless it is named; "" clears a field."""

    session: str | None = None
    agent: str | None = None
    workflow: str | None = None
    phase: str | None = None
    task: str | None = None
    story: str | None = None
    squad: str | None = None


@attrs.frozen(kw_only=True)
class Pin(TreeParams):
    """``synapse.pin``: the session to follow, the newest again without one."""

    session: str | None = None


@attrs.frozen(kw_only=True)
class Sync(TreeParams):
    """``synapse.sync``: the targets, those that are kept already without any."""

    targets: list[str] | None = None
    force: bool | None = None


@attrs.frozen(kw_only=True)
class Migrate(TreeParams):
    """``synapse.migrate``: "ask" (the default) shows the person what would be done and does it then,
    "plan" only answers what it is, "migrate", "texts", "finish" and "rollback" do it."""

    step: str | None = None
    words: bool | None = None
    user: bool | None = None
    force: bool | None = None
