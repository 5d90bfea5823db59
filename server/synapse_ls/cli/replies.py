"""A reply of the hook in a few lines, as `log` and `replay` show it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from time import localtime, strftime
from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled
from synapse_ls.engine.render import named
from synapse_ls.service.told import cut_of, domains_of, limited_of

if TYPE_CHECKING:
    from synapse_ls.service.injections import Record

    Line = list[Part]

SHORT = 8
"""Characters of a block's hash by which it is called."""

_BY_ITSELF = ("constitution", "global", "context")  # reasons that the layer's name says


def head(record: Record, name: str, *about: str) -> Line:
    """The first line: what the reply is called, when it was, and more about it."""
    when = strftime("%Y-%m-%d %H:%M:%S", localtime(record["time"])) if record["time"] else "-"
    return [Styled(f"{name:<{SHORT}}", "title"), f"  {when}", *_dim(about)]


def body(record: Record) -> Iterator[Line]:
    """What was known of the window, what was told and why, and what was cut."""
    yield ["  ", *_window(record)]
    took = _took(record)
    if took and record["hash"] and record["tokens"]:
        yield ["  ", *took]
    for what, names in (("cut", cut_of(record)), ("cut by the client's limit", limited_of(record))):
        if names:
            yield ["  ", Styled(f"{what}:", "warn"), f" {named(names)} ({len(names)})"]


def block_name(record: Record) -> str:
    """How the block of a reply is called, "-" where there was nothing to tell."""
    return str(record["hash"][:SHORT]) if record["tokens"] else "-"


def _window(record: Record) -> Iterator[Part]:
    left = f"{record['remaining']:.1f}".removesuffix(".0")
    yield f"{record['bracket']} · {left}% left ({record['source']})"
    if not record["tokens"]:
        yield Styled(" · nothing new", "dim")
        return
    yield f" · {record['tokens']} of {record['budget']} tokens"
    yield f" · full block: {record['why']}" if record["why"] else " · the difference"
    if record["arrived"] is not None:
        yield " · arrived" if record["arrived"] else Styled(" · did not arrive", "bad")


def _took(record: Record) -> Line:
    """The domains that took part, by layer, with reasons where the layer does not say it."""
    parts: Line = []
    for layer, domains in groupby(domains_of(record), lambda took: took.layer):
        parts += [" · " if parts else "", Styled(layer, "name"), " "]
        for position, took in enumerate(domains):
            parts.append(f"{', ' if position else ''}{took.label}")
            if took.why.code not in _BY_ITSELF and took.reason:
                parts.append(Styled(f" ({took.reason})", "dim"))
    return parts


def _dim(about: Iterable[str]) -> Iterator[Part]:
    for one in about:
        if one:
            yield Styled(f" · {one}", "dim")
