"""This module computes what is new to an agent: the difference between what is wanted and what
stands in its window.

A client keeps what it once injected, so sending it again costs tokens and buries the rest.
A full block is the difference against nothing: there is no second path. It also says when
all is to be sent again.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.context_usage import REPORTED
from synapse_ls.engine.text_identity import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from synapse_ls.engine.context_usage import Usage
    from synapse_ls.engine.profile_model import Bracket
    from synapse_ls.storage.window_state import WindowState

    StandingEntries = dict[str, dict[str, str]]  # heading -> hash -> what to call the entry

EXCERPT_LENGTH = 48  # code points by which a withdrawn rule is recalled
REFRESH_PERCENT = 25.0  # percent of the window after whose use everything is told again
POSTPONE_PERCENT = (
    10.0  # percent of the window that such a repetition waits for one that is due then anyway
)


def new_sections(
    sections: list[Section],
    standing: StandingEntries,
    doubtful: StandingEntries | None = None,
    *,
    repeat: bool = False,
) -> list[Section]:
    """Returns the entries of ``sections`` that do not stand yet, after a word on those that no
    longer hold.

    With ``repeat`` rules are sent again though they stand, but not what is wanted for a few
    prompts only and was sent within these. Where nothing stands this is the full block, with
    its summary. doubtful: what may stand: it is sent again, and taken back like what does.
    """
    if not standing and not doubtful:
        return sections
    new: list[Section] = []
    wanted: dict[str, set[str]] = {}
    for section in sections:
        if section.is_aside and standing:
            continue
        known = standing.get(section.heading, {})
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
        _withdrawal_entry(heading, known, wanted.get(heading, set()))
        for heading, known in merge_standing(standing, doubtful or {}).items()
        if known.keys() - wanted.get(heading, set())
    ]
    if withdrawn:
        new.insert(0, Section("WITHDRAWN", "[WITHDRAWN]", "", withdrawn))
    return new


def merge_standing(standing: StandingEntries, doubtful: StandingEntries) -> StandingEntries:
    """Returns what stands and what may stand as one."""
    if not doubtful:
        return standing
    both = {heading: dict(known) for heading, known in standing.items()}
    for heading, known in doubtful.items():
        both.setdefault(heading, {}).update(known)
    return both


def _withdrawal_entry(heading: str, known: Mapping[str, str], wanted: set[str]) -> Entry:
    """Returns the line that takes back what stands under ``heading`` and is not wanted any more."""
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
        text, prefix="  ", rank="WITHDRAWN", hash=hash_text(text), key=heading, lifetime="turn"
    )


def standing_after(
    before: StandingEntries, wanted: Iterable[Section], sent: Iterable[Section]
) -> StandingEntries:
    """Returns what stands after a reply: what stood and is still wanted, and what was sent.

    What is no longer wanted but could not be taken back (a hard limit cut the line) stands on,
    so that it is taken back with the next reply.
    """
    after: StandingEntries = {}
    for section in wanted:
        known = before.get(section.heading, {})
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
                after.setdefault(section.heading, {})[entry.hash] = excerpt_of(entry)
    for heading, known in before.items():
        if heading not in told:
            unsaid = {h: label for h, label in known.items() if h not in after.get(heading, {})}
            if unsaid:
                after.setdefault(heading, {}).update(unsaid)
    return after


def doubtful_after(
    doubtful: StandingEntries,
    wanted: Iterable[Section],
    sent: Iterable[Section],
    after: StandingEntries,
) -> StandingEntries:
    """Returns what may still stand after a reply, which left ``after`` standing."""
    here = {(s.heading, e.hash) for s in wanted for e in s.entries}
    told = {e.key for s in sent if s.id == "WITHDRAWN" for e in s.entries}
    left: StandingEntries = {}
    for heading, known in doubtful.items():
        sure = after.get(heading, {})
        kept = {
            identity: label
            for identity, label in known.items()
            if identity not in sure and (heading not in told or (heading, identity) in here)
        }
        if kept:
            left[heading] = kept
    return left


def excerpt_of(entry: Entry) -> str:
    """Returns how an entry is recalled when it is withdrawn: its marker and its first words."""
    text = (
        entry.text
        if len(entry.text) <= EXCERPT_LENGTH
        else f"{entry.text[:EXCERPT_LENGTH].rstrip()}…"
    )
    marker = entry.prefix.strip()
    return f"{marker} “{text}”" if marker else f"“{text}”"


def shrink_reason(window: WindowState, usage: Usage) -> str:
    """Returns why it is not sure any more that what was sent stands (the window has shrunk), or
    "".
    """
    used, before = used_amount(usage), window.used
    if used is None or before is None or window.usage_source != usage.source:
        return ""
    return "the window has shrunk since the last prompt" if used < before else ""


def used_amount(usage: Usage) -> float | None:
    """Returns what can be compared from one prompt to the next: tokens, or percent where a client
    tells those.
    """
    return 100 - usage.remaining if usage.source == REPORTED else usage.used


def has_been_compacted(window: WindowState, usage: Usage) -> bool:
    """Checks whether what is in use has fallen as only a compaction makes it fall: by more than
    half.
    """
    used, before = used_amount(usage), window.used
    if used is None or before is None or not shrink_reason(window, usage):
        return False
    return used * 2 < before


def next_change_tokens(
    usage: Usage, brackets: Iterable[Bracket], full: float | None, thresholds: Iterable[int]
) -> int | None:
    """Returns the tokens in use at which the block may change without anybody doing anything; None
    for never.

    full: percent left at the last full block. thresholds: tokens that wake domains.
    """
    if usage.used is None or usage.window is None:
        return None
    left = [bracket.floor for bracket in brackets]
    if full is not None:
        left.append(full - REFRESH_PERCENT)
    marks = [int(usage.window * (100 - percent) / 100) for percent in left]
    return min((mark for mark in (*marks, *thresholds) if mark > usage.used), default=None)


def refresh_reason(
    window: WindowState,
    turn: int,
    bracket: Bracket,
    usage: Usage,
    brackets: Sequence[Bracket],
) -> str:
    """Returns why everything should be sent again though it stands, or "".

    brackets: from fresh to critical; the last two are worth a full block when they are entered. What is sent
    again because a quarter of the window was used can wait for that where it is near.
    """
    names = [row.name for row in brackets]
    name, at = window.full_block_bracket, names.index(bracket.name)
    if at >= len(brackets) - 2 and name in names and names.index(name) < at:
        return f"the window has become {bracket.name}"
    sent = window.full_block_prompt
    if sent is None or turn < sent or turn - sent >= bracket.refresh:
        return f"{bracket.refresh} prompts since the last full block"
    remaining = window.full_block_remaining
    if remaining is not None and remaining - usage.remaining >= REFRESH_PERCENT:
        entered = at >= len(brackets) - 3 and bracket is not brackets[-1]
        if not (entered and usage.remaining - bracket.floor <= POSTPONE_PERCENT):
            return "a quarter of the window was used since the last full block"
    return ""
