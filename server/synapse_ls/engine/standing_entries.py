"""This module records what an agent was told and still has, the standing entries of its window,
and finds those of them that do not hold any more.

Only what would now mislead is void: rules of another agent, phase or task, of the bracket before,
and what was edited, deleted, switched off or overridden. What is merely not asked for any more (a
keyword that was mentioned a while ago, a layer that sleeps in this bracket) still holds.
"""

from __future__ import annotations

from synapse_ls.engine.domain_selection import Selection, decide_domain
from synapse_ls.engine.situation import current_phase
from synapse_ls.engine.text_identity import hash_text
from synapse_ls.text.lazy_import import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.block_sections import Entry, Section
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.plan_rows import PlanDomain
    from synapse_ls.engine.situation import Situation

    StandingEntries = dict[str, dict[str, str]]  # heading -> hash -> record, as `write_record`

EXCERPT_LENGTH = 48  # code points by which a withdrawn rule is recalled
WHOLE_DOMAIN = "*"  # key of the record of a domain whose entries are not kept one by one
PHASE_KEY = "PHASE"  # key of the line that names the phase of a workflow
_VOID_CODES = ("inactive", "overridden", "no-file")


class StandingRecord:
    """A StandingRecord says which entries stand in a window. turn: the prompt at which it was last
    told, -1 where an older version has noted that. usage: "{source}:{percent left}" then. domain,
    key, layer: where it comes from. excerpt: its marker and first words.
    """

    __slots__ = ("domain", "excerpt", "key", "layer", "turn", "usage")

    def __init__(self, record: str) -> None:
        parts = record.split("\t", 5)
        known = len(parts) == 6 and parts[0].isdecimal()
        self.turn = int(parts[0]) if known else -1
        self.usage, self.layer, self.domain, self.key = parts[1:5] if known else ("", "", "", "")
        self.excerpt = parts[-1]


def write_record(entry: Entry, layer: str, situation: Situation) -> str:
    """Returns the record of an entry that is told now, and so is a standing one."""
    usage = f"{situation.usage.source}:{situation.usage.remaining:.0f}"
    parts = (str(situation.turn), usage, layer, entry.domain, entry.key, excerpt_of(entry))
    return "\t".join(part.replace("\t", " ") for part in parts)


def excerpt_of(entry: Entry) -> str:
    """Returns the excerpt of a standing entry by which it is named when it is withdrawn: its marker
    and its first words.
    """
    text = (
        entry.text
        if len(entry.text) <= EXCERPT_LENGTH
        else f"{entry.text[:EXCERPT_LENGTH].rstrip()}…"
    )
    marker = entry.prefix.strip()
    return f"{marker} “{text}”" if marker else f"“{text}”"


def find_holding_records(assembly: Assembly) -> dict[str, StandingRecord]:
    """Returns hash -> record of the standing entries that stood in the window before a block and
    still hold.
    """
    review = assembly.review
    return {
        identity: StandingRecord(record)
        for heading, known in assembly.standing.items()
        for identity, record in known.items()
        if not (review and identity in review.void.get(heading, ()))
    }


class StandingReview:
    """A StandingReview says of each standing entry that is not wanted whether it still holds.

    void: heading -> hashes of what does not hold any more. replaced: the same of what something else
    has taken the place of, so that there is nothing to say of it. files: the rule files of what
    still holds; an edit there counts. is_partial: the plan lacks sources that were late. degraded:
    layers that could not be asked.
    """

    def __init__(
        self,
        plan: Plan,
        situation: Situation,
        selection: Selection,
        sections: Iterable[Section],
        *,
        is_partial: bool = False,
        degraded: Collection[str] = (),
    ) -> None:
        self.void: dict[str, set[str]] = {}
        self.replaced: dict[str, set[str]] = {}
        self.files: set[str] = set()
        self._plan = plan
        self._situation = situation
        self._selection = selection
        self._sections = [section for section in sections if not section.is_aside]
        self._wanted_anywhere: set[str] = set()
        self._is_partial = is_partial
        self._degraded = degraded
        self._asleep_task: set[str] | None = None

    def review(self, standing: Mapping[str, Mapping[str, str]]) -> StandingReview:
        """Looks at what stands; returns itself."""
        wanted = self._wanted_hashes() if standing else {}
        self._wanted_anywhere = {h for known in wanted.values() for h in known}
        for heading, known in standing.items():
            for identity, record in known.items():
                if identity not in wanted.get(heading, ()):
                    self._judge_entry(heading, identity, StandingRecord(record))
        return self

    def _wanted_hashes(self) -> dict[str, set[str]]:
        """Returns heading -> what is wanted under it."""
        wanted: dict[str, set[str]] = {}
        for section in self._sections:
            known = wanted.setdefault(section.place, set())
            known.update(section.hashes())
            known.update(one.hash for entry in section.entries for one in entry.members)
        return wanted

    def _judge_entry(self, heading: str, identity: str, record: StandingRecord) -> None:
        if identity in self._wanted_anywhere:
            found = self.replaced  # it comes under another heading
        elif record.domain == "MEMORY" and not record.key:
            found = self.replaced  # it sums up others
        elif record.layer == "HANDOFF":
            again = any(section.layer == "HANDOFF" for section in self._sections)
            found = self.replaced if again else self.void
        elif self._is_void(identity, record):
            found = self.void
        else:
            return
        found.setdefault(heading, set()).add(identity)

    def _is_void(self, identity: str, record: StandingRecord) -> bool:
        if record.domain == "TASK":
            return identity not in self._sleeping_task_lines()
        position = self._plan.position_of(record.domain)
        if position is None:
            # What was not read in time may still be there.
            is_rule = record.layer[:1] == "L" and record.domain
            return not (self._is_partial and is_rule)
        return self._is_rule_void(self._plan.domain(position), identity, record)

    def _is_rule_void(self, domain: PlanDomain, identity: str, record: StandingRecord) -> bool:
        verdict = decide_domain(self._plan, domain, self._situation, self._selection)
        if verdict.code in _VOID_CODES:
            return not (self._is_partial and verdict.code == "no-file")
        if verdict.layer == record.layer:
            # Its layer has looked at the domain, and has not taken it.
            return record.layer not in self._degraded
        if record.layer in ("L2", "L3"):
            asleep = verdict.code == "asleep" and verdict.detail[0] == record.layer
            if not asleep:
                return not self._is_partial or record.layer == "L2"
        if record.layer == "L3" and self._is_other_phase(domain, identity, record):
            return True
        if record.key in (PHASE_KEY, WHOLE_DOMAIN):
            return False
        row = next((row for row in domain.rows if row.hash == identity), None)
        if row is None:
            return not self._is_partial
        if row.kind == "bracket" and row.qualifier != self._situation.bracket.name:
            return True
        if domain.file:
            self.files.add(domain.file)
        return False

    def _is_other_phase(self, domain: PlanDomain, identity: str, record: StandingRecord) -> bool:
        phase = current_phase(domain, self._situation)
        if record.key == PHASE_KEY:
            return identity != hash_text(f"PHASE: {phase}")
        row = next((row for row in domain.rows if row.hash == identity), None)
        return bool(phase and row and row.phase not in ("", phase))

    def _sleeping_task_lines(self) -> set[str]:
        """Returns the lines of the task at hand where their layer sleeps in this bracket."""
        if self._asleep_task is None:
            self._asleep_task = set()
            modules = dict(self._plan.profile.layers)
            if "L4" in modules and "L4" not in self._selection.awake:
                task = load_module(f"synapse_ls.engine.{modules['L4']}")
                awake = Selection(self._selection.awake | {"L4"})
                found = task.contribute(self._plan, self._situation, awake)
                self._asleep_task = {entry.hash for section in found for entry in section.entries}
        return self._asleep_task
