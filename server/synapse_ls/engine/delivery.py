"""What is new to an agent: the difference between what is wanted and what stands in its window.

A client keeps what it once injected, so telling it again costs tokens and buries the rest. A full
block is the difference against nothing: there is no second path.
"""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.section import Entry, Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from synapse_ls.engine.profile import Bracket
    from synapse_ls.engine.usage import Usage

    Stands = dict[str, dict[str, str]]  # heading -> hash -> what to call the entry

EXCERPT = 48  # code points by which a withdrawn rule is recalled
QUARTER = 25.0  # percent of the window after whose use everything is told again


def difference(sections: list[Section], stands: Stands, *, repeat: bool = False) -> list[Section]:
    """The entries of ``sections`` that do not stand yet, after a word on those that no longer do.

    With ``repeat`` everything is told again, though it stands. A full block carries the summary;
    a difference has none.
    """
    if not stands:
        return sections
    new: list[Section] = []
    wanted: dict[str, set[str]] = {}
    for section in sections:
        if section.id == "SUMMARY" and not repeat:
            continue
        known = {} if repeat else stands.get(section.heading, {})
        wanted.setdefault(section.heading, set()).update(e.hash for e in section.entries)
        missing = [e for e in section.entries if e.lifetime == "turn" or e.hash not in known]
        if missing:
            new.append(
                section if len(missing) == len(section.entries) else section.with_entries(missing)
            )
    withdrawn = [
        _withdrawal(heading, known, wanted.get(heading, set()))
        for heading, known in stands.items()
        if known.keys() - wanted.get(heading, set())
    ]
    if withdrawn:
        new.insert(0, Section("WITHDRAWN", "[WITHDRAWN]", "", withdrawn))
    return new


def _withdrawal(heading: str, known: Mapping[str, str], wanted: set[str]) -> Entry:
    """The line that takes back what stands under ``heading`` and is not wanted any more."""
    gone = [label for key, label in known.items() if key not in wanted]
    if len(gone) == len(known):
        name = heading.partition("]")[0].lstrip("[")
        agent = name.removeprefix("ACTIVE AGENT: ")
        if agent != name:
            text = f"{agent}'s rules no longer apply"
        else:
            text = f"{name}: what was given before no longer applies"
    else:
        name = heading.partition("]")[0].lstrip("[")
        text = f"{name}: no longer applies: {'; '.join(gone)}"
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


def excerpt(entry: Entry) -> str:
    """How an entry is recalled when it is withdrawn: its marker and its first words."""
    text = entry.text if len(entry.text) <= EXCERPT else f"{entry.text[:EXCERPT].rstrip()}…"
    marker = entry.prefix.strip()
    return f"{marker} “{text}”" if marker else f"“{text}”"


def lost(window: Mapping[str, Any], usage: Usage) -> str:
    """Why nothing of what was told can stand any more, or ""."""
    if not window.get("stands"):
        return "nothing stands in this window"
    used, before = usage.used, window.get("used")
    if used is None or not isinstance(before, int) or window.get("source") != usage.source:
        return ""
    return "the window has shrunk since the last prompt" if used < before else ""


def due(
    window: Mapping[str, Any], turn: int, bracket: Bracket, usage: Usage, brackets: list[str]
) -> str:
    """Why everything should be told again though it stands, or "".

    window: ``prompt``, ``bracket`` and ``remaining`` at the last full block. brackets: names from
    fresh to critical; the last two are worth a full block when they are entered.
    """
    name, at = window.get("bracket"), brackets.index(bracket.name)
    if at >= len(brackets) - 2 and name in brackets and brackets.index(name) < at:
        return f"the window has become {bracket.name}"
    sent = window.get("prompt")
    if not isinstance(sent, int) or turn < sent or turn - sent >= bracket.refresh:
        return f"{bracket.refresh} prompts since the last full block"
    remaining = window.get("remaining")
    if isinstance(remaining, int | float) and remaining - usage.remaining >= QUARTER:
        return "a quarter of the window was used since the last full block"
    return ""
