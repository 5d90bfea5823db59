"""What is new to an agent: the difference between what is wanted and what stands in its window.

A client keeps what it once injected, so telling it again costs tokens and buries the rest. A full
block is the difference against nothing: there is no second path.
"""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.section import Entry, Section
from synapse_ls.engine.usage import REPORTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from synapse_ls.engine.profile import Bracket
    from synapse_ls.engine.usage import Usage

    Stands = dict[str, dict[str, str]]  # heading -> hash -> what to call the entry

EXCERPT = 48  # code points by which a withdrawn rule is recalled
QUARTER = 25.0  # percent of the window after whose use everything is told again
NEAR = 10.0  # percent of the window that such a repetition waits for one that is due then anyway


def difference(
    sections: list[Section], stands: Stands, maybe: Stands | None = None, *, repeat: bool = False
) -> list[Section]:
    """The entries of ``sections`` that do not stand yet, after a word on those that no longer do.

    With ``repeat`` rules are told again though they stand, but not what is wanted for a few prompts
    only and was told within these. Where nothing stands this is the full block, with its summary.
    maybe: what may stand: it is told again, and taken back like what does.
    """
    if not stands and not maybe:
        return sections
    new: list[Section] = []
    wanted: dict[str, set[str]] = {}
    for section in sections:
        if section.aside and stands:
            continue
        known = stands.get(section.heading, {})
        wanted.setdefault(section.heading, set()).update(e.hash for e in section.entries)
        missing = [
            entry
            for entry in section.entries
            if entry.hash not in known
            or entry.lifetime == "turn"
            or (repeat and entry.lifetime == "state")
        ]
        if missing:
            new.append(
                section if len(missing) == len(section.entries) else section.with_entries(missing)
            )
    withdrawn = [
        _withdrawal(heading, known, wanted.get(heading, set()))
        for heading, known in merged(stands, maybe or {}).items()
        if known.keys() - wanted.get(heading, set())
    ]
    if withdrawn:
        new.insert(0, Section("WITHDRAWN", "[WITHDRAWN]", "", withdrawn))
    return new


def merged(stands: Stands, maybe: Stands) -> Stands:
    """What stands and what may stand."""
    if not maybe:
        return stands
    both = {heading: dict(known) for heading, known in stands.items()}
    for heading, known in maybe.items():
        both.setdefault(heading, {}).update(known)
    return both


def _withdrawal(heading: str, known: Mapping[str, str], wanted: set[str]) -> Entry:
    """The line that takes back what stands under ``heading`` and is not wanted any more."""
    gone = [label for key, label in known.items() if key not in wanted]
    name = heading.lstrip("# ") if heading[:1] == "#" else heading.partition("]")[0].lstrip("[")
    if len(gone) == len(known) and name:
        agent = name.removeprefix("ACTIVE AGENT: ")
        if agent != name:
            text = f"{agent}'s rules no longer apply"
        else:
            text = f"{name}: what was given before no longer applies"
    else:
        text = f"{name}: no longer applies: {'; '.join(gone)}".removeprefix(": ")
    return Entry(
        text, prefix="  ", rank="WITHDRAWN", hash=text_hash(text), key=heading, lifetime="turn"
    )


def standing(stands: Stands, wanted: Iterable[Section], sent: Iterable[Section]) -> Stands:
    """What stands after a reply: what stood and is still wanted, and what was sent.

    What is no longer wanted but could not be taken back (a hard limit cut the line) stands on, so
    that it is taken back with the next reply.
    """
    after: Stands = {}
    for section in wanted:
        known = stands.get(section.heading, {})
        kept = {e.hash: known[e.hash] for e in section.entries if e.hash in known}
        if kept:
            after.setdefault(section.heading, {}).update(kept)
    told: set[str] = set()
    for section in sent:
        if section.id == "WITHDRAWN":
            told.update(entry.key for entry in section.entries)
            continue
        for entry in section.entries:
            if entry.lifetime != "turn":
                after.setdefault(section.heading, {})[entry.hash] = excerpt(entry)
    for heading, known in stands.items():
        if heading not in told:
            unsaid = {h: label for h, label in known.items() if h not in after.get(heading, {})}
            if unsaid:
                after.setdefault(heading, {}).update(unsaid)
    return after


def in_doubt(
    maybe: Stands, wanted: Iterable[Section], sent: Iterable[Section], after: Stands
) -> Stands:
    """What may still stand after a reply, which left ``after`` standing."""
    here = {(s.heading, e.hash) for s in wanted for e in s.entries}
    told = {e.key for s in sent if s.id == "WITHDRAWN" for e in s.entries}
    left: Stands = {}
    for heading, known in maybe.items():
        sure = after.get(heading, {})
        kept = {
            identity: label
            for identity, label in known.items()
            if identity not in sure and (heading not in told or (heading, identity) in here)
        }
        if kept:
            left[heading] = kept
    return left


def excerpt(entry: Entry) -> str:
    """How an entry is recalled when it is withdrawn: its marker and its first words."""
    text = entry.text if len(entry.text) <= EXCERPT else f"{entry.text[:EXCERPT].rstrip()}…"
    marker = entry.prefix.strip()
    return f"{marker} “{text}”" if marker else f"“{text}”"


def shrunk(window: Mapping[str, Any], usage: Usage) -> str:
    """Why it is not sure any more that what was told stands, or ""."""
    used, before = in_use(usage), window.get("used")
    if used is None or not isinstance(before, int | float) or window.get("source") != usage.source:
        return ""
    return "the window has shrunk since the last prompt" if used < before else ""


def in_use(usage: Usage) -> float | None:
    """What can be compared from one prompt to the next: tokens, or percent where a client tells those."""
    return 100 - usage.remaining if usage.source == REPORTED else usage.used


def was_compacted(window: Mapping[str, Any], usage: Usage) -> bool:
    """Whether what is in use has fallen as only a compaction makes it fall: by more than half."""
    used = in_use(usage)
    return bool(shrunk(window, usage)) and used is not None and used * 2 < window["used"]


def horizon(
    usage: Usage, brackets: Iterable[Bracket], full: float | None, thresholds: Iterable[int]
) -> int | None:
    """Tokens in use at which the block may change without anybody doing anything; None for never.

    full: percent left at the last full block. thresholds: tokens that wake domains.
    """
    if usage.used is None or usage.window is None:
        return None
    left = [bracket.floor for bracket in brackets]
    if full is not None:
        left.append(full - QUARTER)
    marks = [int(usage.window * (100 - percent) / 100) for percent in left]
    return min((mark for mark in (*marks, *thresholds) if mark > usage.used), default=None)


def due(
    window: Mapping[str, Any],
    turn: int,
    bracket: Bracket,
    usage: Usage,
    brackets: Sequence[Bracket],
) -> str:
    """Why everything should be told again though it stands, or "".

    window: ``prompt``, ``bracket`` and ``remaining`` at the last full block. brackets: from fresh
    to critical; the last two are worth a full block when they are entered. What is told again
    because a quarter of the window was used can wait for that where it is near.
    """
    names = [row.name for row in brackets]
    name, at = window.get("bracket"), names.index(bracket.name)
    if at >= len(brackets) - 2 and name in names and names.index(name) < at:
        return f"the window has become {bracket.name}"
    sent = window.get("prompt")
    if not isinstance(sent, int) or turn < sent or turn - sent >= bracket.refresh:
        return f"{bracket.refresh} prompts since the last full block"
    remaining = window.get("remaining")
    if isinstance(remaining, int | float) and remaining - usage.remaining >= QUARTER:
        entered = at >= len(brackets) - 3 and bracket is not brackets[-1]
        if not (entered and usage.remaining - bracket.floor <= NEAR):
            return "a quarter of the window was used since the last full block"
    return ""
