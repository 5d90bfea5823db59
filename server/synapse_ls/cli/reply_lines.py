"""This module renders a logged reply of the hook in a few lines, as `log` and `replay` show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from time import localtime, strftime
from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled
from synapse_ls.engine.block_renderer import summarize_keys
from synapse_ls.queries.injection_report import cut_rules, domains_in_reply, limited_rules

if TYPE_CHECKING:
    from synapse_ls.storage.injection_log import Record

    Line = list[Part]

HASH_LENGTH = 8
"""Characters of a block's hash by which it is called."""

_PLAIN_REASONS = ("constitution", "global", "context")  # reasons that the layer's name says


def reply_heading(record: Record, name: str, *about: str) -> Line:
    """Returns the first line: what the reply is called, when it was, and more about it."""
    when = strftime("%Y-%m-%d %H:%M:%S", localtime(record["time"])) if record["time"] else "-"
    return [Styled(f"{name:<{HASH_LENGTH}}", "title"), f"  {when}", *_dim_parts(about)]


def reply_body(record: Record) -> Iterator[Line]:
    """Yields the lines of what was known of the window, what was sent and why, and what was cut."""
    yield ["  ", *_window_parts(record)]
    took = _domain_parts(record)
    if took and record["hash"] and record["tokens"]:
        yield ["  ", *took]
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
    if record["arrived"] is not None:
        yield " · arrived" if record["arrived"] else Styled(" · did not arrive", "bad")


def _domain_parts(record: Record) -> Line:
    """Returns the domains that took part, by layer, with reasons where the layer does not say it."""
    parts: Line = []
    for layer, domains in groupby(domains_in_reply(record), lambda took: took.layer):
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
