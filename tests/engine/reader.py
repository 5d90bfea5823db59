"""An agent whose client keeps what it injects: it reads blocks as a model would."""

from __future__ import annotations

from synapse_ls.engine.block_assembly import Assembly

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
                    self.told[section.heading, entry.text] = entry.prefix.strip()

    def _withdraw(self, line: str, heading: str) -> None:
        for known, text in list(self.told):
            if known == heading and (
                "no longer applies: " not in line or f"“{text[:48].rstrip()}" in line
            ):
                del self.told[known, text]

    def stale(self, assembly: Assembly) -> set[Told]:
        """What the agent believes and nobody wants it to."""
        wanted = {(s.heading, e.text) for s in assembly.wanted_sections for e in s.entries}
        return set(self.told) - wanted

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
