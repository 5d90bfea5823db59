"""The settings that an editor keeps for the server, under ``synapse``.

What a tree is and how it is checked stands in the tree itself, in ``.synapse/config.toml``; here is
only what concerns one person's editor. A value of the wrong type counts as not given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SECTION = "synapse"
WATCHERS = ("auto", "client", "server")
HINTS = ("tokens", "share", "implied", "bracket")
DEPTH = 5
"""How far below a workspace folder trees are looked for."""


@dataclass(frozen=True, slots=True)
class Settings:
    """``synapse.diagnostics.enabled``: whether findings are shown.

    ``synapse.session``: the id of the session to follow, "" for the newest. ``synapse.trees.depth``:
    how many folders below a workspace folder trees are looked for, -1 for not at all.
    ``synapse.watch``: who watches files, "auto" (the client where it can), "client" or "server".
    ``synapse.inlayHints.NAME``: whether the inlay hints of a sort are shown, for each of ``HINTS``.
    ``synapse.codeLens.enabled``: whether code lenses are.
    """

    diagnostics: bool = True
    session: str = ""
    depth: int = DEPTH
    watch: str = "auto"
    hints: frozenset[str] = frozenset(HINTS)
    lenses: bool = True

    @classmethod
    def of(cls, given: object) -> Settings:
        """The settings in the value of the section, which a client may leave out or misspell."""
        enabled = _at(given, "diagnostics", "enabled")
        session = _at(given, "session")
        depth = _at(given, "trees", "depth")
        watch = _at(given, "watch")
        return cls(
            diagnostics=enabled if isinstance(enabled, bool) else True,
            session=session if isinstance(session, str) else "",
            depth=depth if isinstance(depth, int) and not isinstance(depth, bool) else DEPTH,
            watch=watch if isinstance(watch, str) and watch in WATCHERS else "auto",
            hints=frozenset(name for name in HINTS if _at(given, "inlayHints", name) is not False),
            lenses=_at(given, "codeLens", "enabled") is not False,
        )


def _at(value: object, *names: str) -> object:
    """What stands at dotted ``names``, nested or written with dots in one key."""
    if not names:
        return value
    if not isinstance(value, Mapping):
        return None
    if ".".join(names) in value:
        found: object = value[".".join(names)]
        return found
    return _at(value.get(names[0]), *names[1:])
