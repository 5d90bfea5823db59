"""The hand-off that is due: advice in CRITICAL, mandatory below 15 % (Chati Context Engine, Article XII)."""

from __future__ import annotations

from synapse_ls.engine import xml
from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.layers.chati.entries import INNER, OUTER
from synapse_ls.engine.parts.handoff import state_lines
from synapse_ls.engine.section import Entry, Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly

NOBODY = "orchestrator"
"""Who hands over where no agent is active."""

ADVICE = (
    "The context window is nearly full: finish the current step, then hand over to a new session."
)
ORDER = "Hand over now: begin nothing new."
HOW = "Write the hand-off to {0}, bring {1} up to date, and continue in a new session."


def handoff(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """What to do, and the state that has to survive."""
    situation = assembly.situation
    required = situation.usage.remaining < plan.profile.handoff_below
    if not (required or situation.bracket.handoff):
        return []
    agent = situation.agent or NOBODY
    paths = plan.extra["paths"]
    texts = [
        ORDER if required else ADVICE,
        HOW.format(paths["handoff"].replace("{agent}", agent), paths["session"]),
        f"Mode: {plan.extra['mode']}",
        *state_lines(situation),
        *plan.extra["progress"],
    ]
    rank = "REQUIRED" if required else "HANDOFF"
    entries = []
    for position, raw in enumerate(texts):
        text = xml.text(raw)
        entries.append(
            Entry(
                text,
                prefix=INNER,
                rank=rank,
                hash=text_hash(f"{rank}{text}"),
                weight=(-position,),
                domain="HANDOFF_DUE",
            )
        )
    due = ' required="true"' if required else ""
    heading = f'{OUTER}<handoff from="{xml.quoted(xml.text(agent))}"{due}>'
    return [Section("REQUIRED", heading, "HANDOFF", entries, f"{OUTER}</handoff>")]
