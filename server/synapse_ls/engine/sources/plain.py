"""Named sections → the fields of a plan (neuron-context, ``PersistentContext``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from marshal import dumps
from typing import Any

from synapse_ls.engine import settings
from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.plan import Plan
from synapse_ls.engine.profiles.plain import PROFILE
from synapse_ls.engine.sources.domain import domain_fields
from synapse_ls.formats.config import Config
from synapse_ls.formats.sections import SectionSpec
from synapse_ls.formats.toml_places import places
from synapse_ls.workspace.folders import CONFIG
from synapse_ls.workspace.tree import Tree

Content = tuple[str, str, int] | None  # text, the file that has it, its line; None: unreadable


def needs(tree: Tree, table: dict[str, Any]) -> tuple[str, ...]:
    """The files of sections, whatever else they are."""
    return tree.snapshot.config.paths.sections


def fields(tree: Tree, table: dict[str, Any], *, standing: bool = False) -> dict[str, Any]:
    """The fields of the plan of ``tree``: a section is told whether or not there is a prompt."""
    config = tree.snapshot.config
    own = tree.snapshot.facts(CONFIG)
    where = places(own.text) if own else {}
    numbers = {id(spec): number for number, spec in enumerate(config.section)}

    def content(spec: SectionSpec) -> Content:
        if spec.file:
            facts = tree.snapshot.facts(spec.file)
            return (_unended(facts.text), spec.file, 0) if facts and facts.read else None
        place = where.get(("section", numbers[id(spec)], "content"))
        line = own.lines.line_of(place.value.start) if own and place else 0
        return spec.content, CONFIG, line

    found = _fields(config, table, config.section, content)
    missing = (spec for spec in config.section if spec.file and content(spec) is None)
    notices = tuple(f"{spec.file}, the section “{spec.label}”, cannot be read" for spec in missing)
    return {**found, "notices": notices}


def plan_of(
    sections: Iterable[SectionSpec], root: str, read: Callable[[str], str], source: str
) -> Plan:
    """A plan of sections that no tree has; ``read`` gives the text of a file, ``source`` is theirs."""

    def content(spec: SectionSpec) -> Content:
        return (_unended(read(spec.file)), spec.file, 0) if spec.file else (spec.content, source, 0)

    found = _fields(Config(), PROFILE, tuple(sections), content)
    return Plan({"root": root, "notices": (), **found})


def _unended(text: str) -> str:
    """The text of a file without the break that ends its last line, which is none of its content."""
    return text.removesuffix("\n").removesuffix("\r")


def _fields(
    config: Config,
    table: dict[str, Any],
    sections: tuple[SectionSpec, ...],
    content: Callable[[SectionSpec], Content],
) -> dict[str, Any]:
    packed: list[bytes] = []
    labels: dict[str, int] = {}
    # Sections of one priority stay in the order in which they are written.
    for spec in sorted(sections, key=lambda spec: spec.priority):
        position = len(packed)
        label = spec.label if spec.label not in labels else f"{spec.label} ({position + 1})"
        labels[label] = position
        packed.append(dumps(_domain(spec, position, label, content(spec))))
    limit = config.plain.budget
    bracket = {**table["brackets"][0], **({"budget": limit} if limit else {})}
    return {
        "settings": settings.settings(config),
        "profile_table": {**table, "brackets": (bracket,)} if table["name"] == "plain" else table,
        "packed": tuple(packed),
        "labels": labels,
        "always": tuple(range(len(packed))),
        "devmode": bool(config.devmode),
    }


def _domain(spec: SectionSpec, position: int, label: str, content: Content) -> tuple[Any, ...]:
    text, file, line = content or ("", spec.file, 0)
    always = spec.on_tokens == 0  # a threshold that is always reached
    fields = domain_fields(
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
    identity = text_hash(f"{position}\n{spec.label}\n{text}")
    row = (label, "plain", None, text, "", "", "section", line, identity)
    rows = () if content is None else (row,)
    return (*fields, rows)
