"""CARL's sessions, as those of ``.synapse/sessions/``, with the new names of domains."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from synapse_ls.formats.switches import switch
from synapse_ls.manage.migrate.change import SESSIONS, Change
from synapse_ls.manage.migrate.old import Remark
from synapse_ls.sessions.migrate import CARL_SESSIONS, plan_migration
from synapse_ls.sessions.store import encode
from synapse_ls.text.json import loads

_SUFFIX = "_STATE"


def session_changes(
    root: Path, names: Mapping[str, str], now: float
) -> tuple[list[Change], list[tuple[str, str]], list[Remark]]:
    """The sessions to be written, (file, why) of those that stay behind, and remarks.

    A session whose id has one here already stays behind: what it says now is newer.
    """
    plan = plan_migration(str(root), now=now)
    changes: list[Change] = []
    mended: list[Remark] = []
    for step in plan.steps:
        sources = [path for path, _ in step.sources if path.startswith(f"{CARL_SESSIONS}/")]
        if step.kind != "carl" or not sources:
            continue
        data = _renamed(step.after, names)
        why = sources[0]
        mended += _mended(sources[0], dict(step.sources)[sources[0]])
        file = root / step.target
        changes.append(Change(SESSIONS, step.target, file, step.before, data, why, private=True))
    left = [(path, why) for path, why in plan.skipped if path.startswith(f"{CARL_SESSIONS}/")]
    return changes, left, mended


def _mended(path: str, data: bytes) -> Iterator[Remark]:
    """What there is to say of switches that CARL took for on, since every text is true to it."""
    said = loads(data.decode()).get("overrides")
    for key, value in said.items() if isinstance(said, dict) else ():
        if isinstance(value, str) and switch(value) is not True:
            off = "off" if switch(value) is False else "as the manifest says"
            sentence = f'{key} is {off} now: CARL takes every word for on, "{value}" too.'
            yield Remark(path, 0, sentence)


def _renamed(data: bytes, names: Mapping[str, str]) -> bytes:
    """A session with the domains under their new names."""
    session = loads(data.decode())
    session["overrides"] = {_key(key, names): on for key, on in session["overrides"].items()}
    loaded = session["history"]["domains_loaded_last"]
    session["history"]["domains_loaded_last"] = [names.get(name, name) for name in loaded]
    return encode(session)


def _key(key: str, names: Mapping[str, str]) -> str:
    domain = key.removesuffix(_SUFFIX)
    return f"{names[domain]}{_SUFFIX}" if key.endswith(_SUFFIX) and domain in names else key
