"""``synapse://block``: what the next prompt of the current session would be told."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.plan import Plan
from synapse_ls.mcp.resources.family import Family, Listed
from synapse_ls.mcp.situation import asked

_TITLE = "Block of rules"
_ABOUT = "The rules that the next prompt of the current session would be told"


def _listed(_: Plan | None) -> Iterator[Listed]:
    yield Listed("", _TITLE, _ABOUT)


def _read(root: str, _: str) -> str:
    return asked(root, {}).assembly.text


FAMILY = Family("block", _TITLE, _ABOUT, _listed, _read)
