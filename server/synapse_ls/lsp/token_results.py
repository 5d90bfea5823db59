"""The tokens that a client has, so that it can be told only what differs."""

from __future__ import annotations

from itertools import count

from synapse_ls.lsp.uris import key_of

_KEPT = 64  # documents; a client that has more visible asks for all tokens again


class TokenResults:
    """The latest tokens of each document, by result id."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._kept: dict[str, tuple[str, list[int]]] = {}

    def keep(self, uri: str, data: list[int]) -> str:
        """Remember what a client is sent; the result id to send with it."""
        key = key_of(uri)
        known = self._kept.pop(key, None)
        result_id = known[0] if known and known[1] == data else str(next(self._numbers))
        self._kept[key] = result_id, data
        if len(self._kept) > _KEPT:
            del self._kept[next(iter(self._kept))]
        return result_id

    def get(self, uri: str, result_id: str) -> list[int] | None:
        """What the client was sent under an id; None where that is forgotten."""
        known = self._kept.get(key_of(uri))
        return known[1] if known and known[0] == result_id else None
