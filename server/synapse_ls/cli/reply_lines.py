"""This module renders a logged reply of the hook in a few lines, as `log` and `replay` show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from time import localtime, strftime
from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled
from synapse_ls.engine.block_renderer import summarize_keys
from synapse_ls.queries.injection_report import (
    DomainPart,
    cut_rules,
    domains_in_reply,
    limited_rules,
    withdrawn_headings,
)

if TYPE_CHECKING:
    from synapse_ls.storage.injection_log import Record

    Line = list[Part]

HASH_LENGTH = 8
"""Characters of a block's hash by which it is called."""

_PLAIN_REASONS = ("constitution", "global", "context")  # reasons that the layer's name says
_ALWAYS_REASONS = (*_PLAIN_REASONS, "always-on")


def reply_heading(record: Record, name: str, *about: str) -> Line:
    """Returns the first line about a logged reply: what it is called, when it was, and more about
    it.
    """
    when = strftime("%Y-%m-%d %H:%M:%S", localtime(record["time"])) if record["time"] else "-"
    return [Styled(f"{name:<{HASH_LENGTH}}", "title"), f"  {when}", *_dim_parts(about)]


Named = dict[tuple[str, str], frozenset[str]]
"""Session and window -> the always-on domains that the reply shown last named or had."""


def reply_body(record: Record, named: Named) -> Iterator[Line]:
    """Yields the other lines about a logged reply: what was known of the window, what was sent and
    why, and what was cut.

    Domains that are always on are named with a full block, and where they are others than in the reply
    to the same window that was shown before; ``named`` is brought up to date.
    """
    yield ["  ", *_window_parts(record)]
    took = _domain_parts(record, named)
    if took and record["hash"] and record["tokens"]:
        yield ["  ", *took]
    if gone := withdrawn_headings(record):
        yield ["  ", Styled("withdrawn, all or in part:", "name"), f" {', '.join(gone)}"]
    for what, names in (
        ("cut", cut_rules(record)),
        ("cut by the client's limit", limited_rules(record)),
    ):
        if names:
            yield ["  ", Styled(f"{what}:", "warn"), f" {summarize_keys(names)} ({len(names)})"]


def block_name(record: Record) -> str:
    """Returns how the block of a reply is called, "-" where there was nothing to send."""
    return str(record["hash"][:HASH_LENGTH]) if record["tokens"] else "-"


def _window_parts(record: Record) -> Iterator[Part]:
    left = f"{record['remaining']:.1f}".removesuffix(".0")
    yield f"{record['bracket']} · {left}% left ({record['source']})"
    if not record["tokens"]:
        yield Styled(" · nothing new", "dim")
        return
    yield f" · {record['tokens']} of {record['budget']} tokens"
    yield f" · full block: {record['why']}" if record["why"] else " · the difference"
    if record["cancelled"]:
        yield Styled(" · cancelled", "dim")
    elif record["arrived"] is not None:
        yield " · arrived" if record["arrived"] else Styled(" · did not arrive", "bad")


def _domain_parts(record: Record, named: Named) -> Line:
    """Returns the domains that took part, by layer, with reasons where the layer does not say it;
    of those that told nothing only the names, behind the others.
    """
    found = domains_in_reply(record)
    window = record["session"], record["window"]
    always = frozenset(took.label for took in found if took.reason_phrase.code in _ALWAYS_REASONS)
    is_known = bool(always) and not record["why"] and named.get(window) == always
    named[window] = always
    told = record["told"]
    others = [took for took in found if not (is_known and took.label in always)]
    shown = others if told is None else [took for took in found if took.label in told]
    silent = [took.label for took in others if took not in shown]
    parts = _layer_parts(shown)
    if silent:
        parts += [" · " if parts else "", Styled(f"nothing of {', '.join(silent)}", "dim")]
    if is_known and not always <= {took.label for took in shown}:
        parts += [" · " if parts else "", Styled("the always-on ones as before", "dim")]
    return parts


def _layer_parts(shown: Iterable[DomainPart]) -> Line:
    parts: Line = []
    for layer, domains in groupby(shown, lambda took: took.layer):
        parts += [" · " if parts else "", Styled(layer, "name"), " "]
        for position, took in enumerate(domains):
            parts.append(f"{', ' if position else ''}{took.label}")
            if took.reason_phrase.code not in _PLAIN_REASONS and took.reason:
                parts.append(Styled(f" ({took.reason})", "dim"))
    return parts


def _dim_parts(about: Iterable[str]) -> Iterator[Part]:
    for one in about:
        if one:
            yield Styled(f" · {one}", "dim")
