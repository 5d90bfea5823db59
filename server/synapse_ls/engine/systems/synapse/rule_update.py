"""This module updates the rules in the plan of a ``.synapse/`` tree to what some of its files say
now: the rules, star-commands and boundaries of their domains. Nothing else of a plan comes from a
rule file.
"""

from __future__ import annotations

from marshal import dumps, loads

from synapse_ls.engine.compiled_plan import STORED_FIELDS, Plan
from synapse_ls.engine.plan_rows import DOMAIN_FIELDS
from synapse_ls.engine.systems.synapse import rule_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

_FILE, _LABEL, _SQUAD = map(DOMAIN_FIELDS.index, ("file", "label", "squad"))
_AGENT, _ACTIVE = map(DOMAIN_FIELDS.index, ("agent", "active"))


class RuleFile:
    """A RuleFile is a rule file by which a plan is updated: its text and its document, which the
    parser ``kind`` has made: "domain_rules", "constitution_file", "context_file" or
    "commands_file".
    """

    __slots__ = ("document", "kind", "text")

    def __init__(self, kind: str, text: str, document: Any) -> None:
        self.kind = kind
        self.text = text
        self.document = document

    def rows(self, brackets: frozenset[str]) -> Iterator[tuple[Any, ...]]:
        """Yields the rows of the domains that it serves."""
        if self.kind == "constitution_file":
            return rule_rows.constitution_rows(self.document)
        if self.kind == "context_file":
            return rule_rows.context_rows(self.document, brackets)
        if self.kind == "commands_file":
            return rule_rows.command_rows(self.document)
        return rule_rows.plain_rows(self.document.rules)

    def rules(self) -> Sequence[Any]:
        """Returns its rules, in the order of the file."""
        if self.kind == "domain_rules":
            found: Sequence[Any] = self.document.rules
        elif self.kind == "commands_file":
            commands = self.document.commands
            found = sorted((r for one in commands for r in one.rules), key=lambda rule: rule.span)
        else:
            found = self.document.rules.rules
        return found


def with_rule_files(
    plan: Plan,
    files: Mapping[str, RuleFile],
    positions: Mapping[str, Sequence[int]] | None = None,
) -> Plan | None:
    """Returns the plan of a ``.synapse/`` tree updated to what these rule files say now, by path;
    None where it has to be made anew. positions: path -> where the domains are that it serves, for
    who knows that; else all of the plan is looked through.

    Raises DamagedPlanError where it cannot be read to its end.
    """
    if len(plan.labels) != len(plan.packed):
        return None  # boundaries of domains that share a label cannot be told apart
    brackets = frozenset(row["name"] for row in plan.profile_table["brackets"])
    packed = list(plan.packed)
    commands = {
        name: (source, rows)
        for name, (source, rows) in plan.commands.items()
        if source not in files
    }
    boundaries = [row for row in plan.boundaries if row[7] not in files]
    for path, file in files.items():
        if file.kind == "commands_file" and commands:
            return None  # another file adds to the same table
        rules = file.rules()
        stories = _guarded_stories(plan, file) if rule_rows.have_boundaries(rules) else None
        likely = _likely_positions(packed, path) if positions is None else positions[path]
        for position in likely:
            *fields, _ = loads(packed[position])
            if fields[_FILE] != path:
                continue
            packed[position] = dumps((*fields, tuple(file.rows(brackets))))
            if file.kind == "commands_file" and fields[_SQUAD] < 0:
                rule_rows.add_commands(commands, path, file.document)
            if stories is not None:
                owner = fields[_AGENT] if fields[_ACTIVE] else ""
                boundaries += rule_rows.boundaries_in(
                    fields[_LABEL], owner, path, file.text, rules, stories
                )
    labels = plan.labels
    boundaries.sort(key=lambda row: labels[row[0]])
    changed = {"packed": packed, "commands": commands, "boundaries": tuple(boundaries)}
    return Plan({**{name: getattr(plan, name) for name in STORED_FIELDS}, **changed})


def _likely_positions(packed: Sequence[bytes], path: str) -> list[int]:
    """Returns where the domains are that may be served by a file: it is named in their rows."""
    name = path.encode("utf-8", "surrogatepass")
    return [position for position, row in enumerate(packed) if name in row]


def _guarded_stories(plan: Plan, file: RuleFile) -> tuple[str, ...]:
    from synapse_ls.formats.authority_acts import guarded_stories

    folders: tuple[str, ...] = plan.settings["places"]["stories"]
    return guarded_stories(file.text, file.rules(), folders)
