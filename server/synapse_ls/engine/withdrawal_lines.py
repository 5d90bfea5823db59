"""This module words withdrawals: what no longer holds of what an agent was given, in a line for
each heading.

What comes anew with the same reply is said to be replaced, so that nobody takes a workflow or a
bracket for ended that has only moved on.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry
from synapse_ls.engine.delivery_difference import PHASE_KEY, StandingRecord
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from synapse_ls.engine.delivery_difference import StandingEntries, StandingReview
    from synapse_ls.engine.situation import Situation

AGENT_NAME = "ACTIVE AGENT: "
GONE = "what was given before no longer applies"
TASK_GONE = "what was given before of {task} no longer applies"
PHASE_OVER = "phase {phase} is over"
REPLACED = "what was given before is replaced by what follows"
WAITING = "what was given before is the task of @{agent} and waits for @{agent}"
TASK_LINE = "“Active Task: "  # as the excerpt of the line begins that names a task
# Lists of a task, by how the excerpts of their lines begin; the first that fits counts.
TASK_LISTS = (
    ("“- [", "the acceptance criteria"),
    ("“- ", "the file list"),
    ("“[", "the pre-conditions"),
)


def withdrawal_entries(
    standing: StandingEntries,
    review: StandingReview,
    situation: Situation,
    following: Collection[str],
) -> list[Entry]:
    """Returns a line of withdrawal for each heading under which something does not hold any more.

    standing: what stands and what may stand. following: the headings under which the same reply
    tells something.
    """
    entries = []
    for heading, known in standing.items():
        if heading not in review.void:
            continue
        void, replaced = review.void[heading], review.replaced.get(heading, ())
        is_all = all(key in void or key in replaced for key in known)
        records = [StandingRecord(record) for key, record in known.items() if key in void]
        name = _heading_name(heading)
        if is_all and name:
            text = _whole_line(name, records, situation, is_followed=heading in following)
        else:
            kept = [StandingRecord(record) for key, record in known.items() if key not in void]
            text = f"{name}: {_part_line(name, records, kept)}"
        entries.append(_make_entry(text.removeprefix(": "), heading))
    return entries


def _make_entry(text: str, heading: str) -> Entry:
    return Entry(
        text, prefix="  ", rank="WITHDRAWN", hash=hash_text(text), key=heading, lifetime="turn"
    )


def _heading_name(heading: str) -> str:
    """Returns how people call what stands under a heading; "" where it has none."""
    first = heading.partition("\n")[0]
    return first.lstrip("# ") if first[:1] == "#" else first.partition("]")[0].lstrip("[")


def _whole_line(
    name: str, records: list[StandingRecord], situation: Situation, *, is_followed: bool
) -> str:
    agent = name.removeprefix(AGENT_NAME)
    if agent != name:
        return f"{agent}'s rules no longer apply"
    if is_followed:
        return f"{name}: {REPLACED}"
    owner = _waiting_owner(situation)
    if owner and all(record.domain == "TASK" for record in records):
        return f"{name}: {WAITING.format(agent=owner)}"
    tasks = [_value_of(record) for record in records if record.excerpt.startswith(TASK_LINE)]
    return f"{name}: {TASK_GONE.format(task=tasks[0]) if tasks else GONE}"


def _part_line(name: str, gone: list[StandingRecord], kept: list[StandingRecord]) -> str:
    """Returns what is said of a heading under which something still holds or is told anew."""
    phases = [record for record in gone if record.key == PHASE_KEY]
    said = [PHASE_OVER.format(phase=_value_of(record)) for record in phases]
    if quotes := _quotes(name, [record for record in gone if record not in phases], kept):
        said.append(f"no longer applies: {'; '.join(quotes)}")
    return "; ".join(said)


def _value_of(record: StandingRecord) -> str:
    """Returns what the line of a record that is ``Name: value`` has after the name."""
    return record.excerpt.partition(": ")[2].removesuffix("”")


def _waiting_owner(situation: Situation) -> str:
    """Returns who else has taken up the task that was at work last, "" for nobody."""
    task = situation.said.task if situation.said else None
    return task.agent if task and task.agent and task.agent != situation.agent else ""


def _quotes(name: str, gone: list[StandingRecord], kept: list[StandingRecord]) -> list[str]:
    """Returns what is gone by its first words; a list of a task that is gone as a whole by name.

    name: that of the heading. Where it has several domains under it, whose rules have the same
    numbers, theirs stand before the words.
    """
    left = {_task_list(record) for record in kept}
    has_several = len({record.domain for record in (*gone, *kept)}) > 1
    quotes: dict[str, None] = {}
    for record in gone:
        listed = _task_list(record)
        quote = listed if listed and listed not in left else record.excerpt
        is_foreign = has_several and record.domain not in ("", name, "TASK")
        quotes[f"{record.domain} {quote}" if is_foreign else quote] = None
    return list(quotes)


def _task_list(record: StandingRecord) -> str:
    if record.domain != "TASK":
        return ""
    return next((name for start, name in TASK_LISTS if record.excerpt.startswith(start)), "")
