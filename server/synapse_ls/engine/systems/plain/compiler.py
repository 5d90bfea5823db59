"""Compile named sections into the fields of a plan (neuron-context, ``PersistentContext``)."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from synapse_ls.engine import plan_compiler
from synapse_ls.engine.compiled_plan import Plan, pack_domain
from synapse_ls.engine.systems.plain.profile import PROFILE
from synapse_ls.engine.text_escaping import to_one_line
from synapse_ls.formats.brainiac.reserved_headings import neutralize_headings
from synapse_ls.formats.config_settings import Config, SectionSpec
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.toml_document import key_positions
from synapse_ls.text.digest import hash_text
from synapse_ls.text.phrases import quotation, quote_name
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG

# Text, the file that has it, its line; None: unreadable.
SectionContent = tuple[str, str, int] | None


def needed_files(tree: Tree, table: dict[str, Any]) -> tuple[str, ...]:
    """Return the files that a plan of plain sections needs, whatever else they are."""
    return tree.snapshot.config.paths.sections


def plan_fields(tree: Tree, table: dict[str, Any], *, standing: bool = False) -> dict[str, Any]:
    """Return the plan fields of plain, named sections: a section takes part whether or not there is
    a prompt. What is in them passes for nothing but a section's text.
    """
    config = tree.snapshot.config
    config_facts = tree.snapshot.facts(CONFIG)
    where = key_positions(config_facts.text) if config_facts else {}
    headings = (neutralize_headings(f"## {to_one_line(spec.label)}") for spec in config.section)
    sections = tuple(
        replace(spec, label=heading.removeprefix("## "))
        for spec, heading in zip(config.section, headings, strict=True)
    )
    numbers = {id(spec): number for number, spec in enumerate(sections)}

    def section_content(spec: SectionSpec) -> SectionContent:
        if spec.file:
            if not ((facts := tree.snapshot.facts(spec.file)) and facts.is_read):
                return None
            return neutralize_headings(_strip_last_newline(facts.text)), spec.file, 0
        place = where.get(("section", numbers[id(spec)], "content"))
        line = config_facts.lines.line_of(place.value.start) if config_facts and place else 0
        return neutralize_headings(spec.content), CONFIG, line

    section_fields = _section_fields(config, table, sections, section_content)
    missing = (spec for spec in sections if spec.file and section_content(spec) is None)
    notices = tuple(
        f"{quote_name(spec.file)}, the section {quotation(spec.label)}, cannot be read"
        for spec in missing
    )
    return {**section_fields, "notices": notices}


def plan_of_sections(
    sections: Iterable[SectionSpec], root: str, read: Callable[[str], str], source: str
) -> Plan:
    """Return a plan of plain sections that no tree has; ``read`` gives the text of a file,
    ``source`` is theirs.
    """

    def section_content(spec: SectionSpec) -> SectionContent:
        return (
            (_strip_last_newline(read(spec.file)), spec.file, 0)
            if spec.file
            else (spec.content, source, 0)
        )

    section_fields = _section_fields(Config(), PROFILE, tuple(sections), section_content)
    return Plan({"root": root, "notices": (), **section_fields})


def _strip_last_newline(text: str) -> str:
    """Return the text of a file without the break that ends its last line, which is none of its
    content.
    """
    return text.removesuffix("\n").removesuffix("\r")


def _section_fields(
    config: Config,
    table: dict[str, Any],
    sections: tuple[SectionSpec, ...],
    content: Callable[[SectionSpec], SectionContent],
) -> dict[str, Any]:
    packed: list[bytes] = []
    labels: dict[str, int] = {}
    # Sections of one priority stay in the order in which they are written.
    for spec in sorted(sections, key=lambda spec: spec.priority):
        position = len(packed)
        label = spec.label if spec.label not in labels else f"{spec.label} ({position + 1})"
        labels[label] = position
        read = content(spec)
        text, file, line = read or ("", spec.file, 0)
        always = spec.on_tokens == 0  # a threshold that is always reached
        fields = plan_compiler.make_domain_fields(
            position,
            label,
            name=spec.label,
            role="section",
            every_n_turns=0 if always else spec.every_n_turns,
            on_tokens=spec.on_tokens or 0,
            file=file,
            line=line,
        )
        # Two sections may say the same: what one says is nothing without its heading and its place.
        identity = hash_text(f"{position}\n{spec.label}\n{text}")
        rule = Rule(label, "plain", None, text, "", "", "section", line, identity)
        packed.append(pack_domain(fields, () if read is None else (rule,)))
    limit = config.plain.budget
    bracket = {**table["brackets"][0], **({"budget": limit} if limit else {})}
    return {
        "settings": plan_compiler.engine_settings(config),
        "profile_table": {**table, "brackets": (bracket,)} if table["name"] == "plain" else table,
        "packed": tuple(packed),
        "labels": labels,
        "always": tuple(range(len(packed))),
        "devmode": bool(config.devmode),
    }
