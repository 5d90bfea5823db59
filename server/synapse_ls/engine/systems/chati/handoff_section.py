"""This module is the section of a Chati.dev block that asks for a hand-off when one is needed:
advice in CRITICAL, mandatory below 15 % of the window.

Chati Context Engine, Article XII.
"""

from __future__ import annotations

from synapse_ls.engine import text_escaping
from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.systems.chati.row_entries import INNER, OUTER
from synapse_ls.engine.work_lines import work_state_lines
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan

DEFAULT_AGENT = "orchestrator"
"""Who hands over where no agent is active."""

ADVICE = (
    "The context window is nearly full: finish the current step, then hand over to a new session."
)
ORDER = "Hand over now: begin nothing new."
HOW = "Write the hand-off to {0}, bring {1} up to date, and continue in a new session."


def handoff_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns what Chati.dev asks an agent to do for a hand-off, and the state that has to survive."""
    situation = assembly.situation
    required = situation.usage.remaining < plan.profile.handoff_below
    if not (required or situation.bracket.handoff):
        return []
    agent = situation.agent or DEFAULT_AGENT
    paths = plan.extra["paths"]
    texts = [
        ORDER if required else ADVICE,
        HOW.format(paths["handoff"].replace("{agent}", agent), paths["session"]),
        f"Mode: {plan.extra['mode']}",
        *work_state_lines(situation),
        *plan.extra["progress"],
    ]
    rank = "REQUIRED" if required else "HANDOFF"
    entries = []
    for position, raw in enumerate(texts):
        text = text_escaping.escape_text(raw)
        entries.append(
            Entry(
                text,
                prefix=INNER,
                rank=rank,
                hash=hash_text(f"{rank}{text}"),
                weight=(-position,),
                domain="HANDOFF_DUE",
            )
        )
    due = ' required="true"' if required else ""
    heading = f'{OUTER}<handoff from="{text_escaping.escape_quotes(text_escaping.escape_text(agent))}"{due}>'
    return [Section("REQUIRED", heading, "HANDOFF", entries, f"{OUTER}</handoff>")]
