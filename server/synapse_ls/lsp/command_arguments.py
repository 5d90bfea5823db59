"""This module defines and checks the arguments of the server commands that change something, such
as ``synapse.newDomain``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.lsp.custom_parameters import P, TreeParams, parse_params


def parse_arguments(kind: type[P], command: str, arguments: Mapping[str, Any]) -> P:
    """Returns the typed argument of a command; raises JsonRpcInvalidParams that says what is wrong
    with it.
    """
    try:
        return parse_params(kind, arguments)
    except TypeError as error:
        raise JsonRpcInvalidParams(f"{command}: {error}.") from error


@attrs.frozen(kw_only=True)
class FixAll(TreeParams):
    """FixAll has the arguments of ``synapse.fixAll``: ``quiet`` is for a client that says itself
    what was fixed.
    """

    quiet: bool | None = None


@attrs.frozen(kw_only=True)
class NewDomain(TreeParams):
    """NewDomain has the arguments of ``synapse.newDomain``: the domain's name in kebab-case, its
    triggers, and its first rules.
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
    """NewRule has the arguments of ``synapse.newRule``: a domain in any spelling and the text of
    the rule.

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
    """ToggleDomain has the arguments of ``synapse.toggleDomain``: a domain in any spelling; without
    ``active`` it is switched over.
    """

    domain: str
    active: bool | None = None


@attrs.frozen(kw_only=True)
class SetSession(TreeParams):
    """SetSession has the arguments of ``synapse.setSession``: the current session unless it is
    named; "" clears a field.
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
    """Pin has the arguments of ``synapse.pin``: the session to follow, the newest again without
    one.
    """

    session: str | None = None


@attrs.frozen(kw_only=True)
class Sync(TreeParams):
    """Sync has the arguments of ``synapse.sync``: the targets to write; without any, those that are
    kept already.
    """

    targets: list[str] | None = None
    force: bool | None = None


@attrs.frozen(kw_only=True)
class Migrate(TreeParams):
    """Migrate has the arguments of ``synapse.migrate``: the step of the migration.

    "ask" (the default) shows the person what would be done and then does it, "plan" only answers
    what it is, "migrate", "texts", "finish" and "rollback" do it.
    """

    step: str | None = None
    words: bool | None = None
    user: bool | None = None
    force: bool | None = None
