"""An agent whose client keeps what it injects: it reads blocks as a model would."""

from __future__ import annotations

import re

from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.compiled_plan import Plan

_PHASE_OVER = re.compile(r"phase (\S+) is over(?:; no longer applies: )?")

Told = tuple[str, str]  # heading, text


class Reader:
    """``told``: what the agent believes to apply, with the marker it was told with."""

    def __init__(self) -> None:
        self.told: dict[Told, str] = {}

    def read(self, assembly: Assembly) -> None:
        """Take in a reply, in the order in which it is written."""
        for section in assembly.sent_sections:
            for entry in section.entries:
                if section.id == "WITHDRAWN":
                    self._withdraw(entry.text, entry.key)
                elif entry.lifetime != "turn":
                    for told in [told for told in self.told if told[1] == entry.text]:
                        del self.told[told]  # it has moved to another heading
                    self.told[section.heading, entry.text] = entry.prefix.strip()

    def _withdraw(self, line: str, heading: str) -> None:
        line = _PHASE_OVER.sub(r"no longer applies: “PHASE: \1”; ", line)
        for known, text in list(self.told):
            if known == heading and (
                "no longer applies: " not in line or f"“{text[:48].rstrip()}" in line
            ):
                del self.told[known, text]

    def misleading(self, plan: Plan, assembly: Assembly) -> set[Told]:
        """What the agent believes and does not hold: found without the engine's own answer."""
        wanted = {(s.heading, e.text) for s in assembly.wanted_sections for e in s.entries}
        switched_off = {
            name.removesuffix("_STATE")
            for name, on in assembly.situation.overrides.items()
            if on is False
        }
        rules = {
            row.text: row.phase
            for domain in plan.domains()
            for row in domain.rules
            if domain.active and domain.name not in switched_off
        }
        return {
            told
            for told in set(self.told) - wanted
            if not self._holds(*told, plan, assembly, rules)
        }

    def _holds(
        self, heading: str, text: str, plan: Plan, assembly: Assembly, rules: dict[str, str]
    ) -> bool:
        situation = assembly.situation
        if heading.startswith("[ACTIVE AGENT") and f"@{situation.agent}]" not in heading:
            return False
        if heading.startswith("[ACTIVE WORKFLOW"):
            name = heading.partition(": ")[2].rstrip("]")
            if plan.workflow_id(name) != situation.workflow:
                return False
            if text.startswith("PHASE: "):
                return text == f"PHASE: {situation.phase}"
            phases = set(filter(None, rules.values()))
            if situation.phase in phases and rules.get(text) not in ("", situation.phase):
                return False
        if "HANDOFF" in heading:
            return situation.bracket.handoff
        if "CONTEXT" in heading and "TASK" not in heading:
            return False  # the bracket's own
        if heading == "[TASK CONTEXT]":
            return "L4" not in assembly.selection.awake and bool(situation.task)
        if "is inactive in" in text:
            return True  # of the bracket that it names
        return "MEMORY" in heading.upper() or text in rules

    def missing(self, assembly: Assembly) -> set[Told]:
        """What is wanted, does not stand and was not reported as cut."""
        cut = {e.text for e in (*assembly.cut_entries, *assembly.limited_entries)}
        return self.lacking(assembly) - {told for told in self.lacking(assembly) if told[1] in cut}

    def lacking(self, assembly: Assembly) -> set[Told]:
        """What is wanted and does not stand."""
        return {
            (s.heading, e.text)
            for s in assembly.wanted_sections
            for e in s.entries
            if e.lifetime != "turn" and not s.is_aside
        } - set(self.told)
