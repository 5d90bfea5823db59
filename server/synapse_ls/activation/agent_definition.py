"""Load an agent's definition: found by its id, read whatever shape it has (ADR-001 C3).

Load the memories that matter most to an agent: its own and the shared ones, hot before warm.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from synapse_ls.activation.activation_loaders import LoaderSlot, UnavailableError
from synapse_ls.activation.tree_files import TreeFiles, quote_line
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.formats.agent_definition import AgentDefinition, parse, parse_quickly
from synapse_ls.memory.attention_score import score_attention
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.workspace.activation_folders import MARKDOWN
from synapse_ls.workspace.naming_conventions import file_stem, kebab_case

AGENT_FILES = "agents"
_LONGEST_FIELD = 400  # characters of one field that are kept


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """A command in the definition of an agent that greets, without its star; ``visibility`` says in
    which lists it is.
    """

    name: str
    description: str = ""
    arguments: str = ""
    visibility: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Agent:
    """What a greeting needs of an agent's definition. ``path``: its definition, "" where it has
    none.

    ``greetings``: (level, the agent's own words). ``dependencies``: (sort, how many).
    """

    id: str
    path: str = ""
    name: str = ""
    title: str = ""
    icon: str = ""
    description: str = ""
    role: str = ""
    archetype: str = ""
    tone: str = ""
    signature: str = ""
    greetings: tuple[tuple[str, str], ...] = ()
    commands: tuple[AgentCommand, ...] = ()
    aliases: tuple[str, ...] = ()
    dependencies: tuple[tuple[str, int], ...] = ()

    def greeting(self, level: str) -> str:
        """Return the agent's own words at a level, "" where it has none."""
        return dict(self.greetings).get(level, "")

    def has_command(self, command: str) -> bool:
        """Return whether the agent has a command of this name."""
        return any(own_command.name == command for own_command in self.commands)


def load_definition(files: TreeFiles, agent: str, slot: LoaderSlot) -> None:
    """Load the definition of ``agent``: at once what lines tell, then what YAML does."""
    slot.put(Agent(agent))
    path = definition_path(files, agent)
    if not path:
        raise UnavailableError(f"no definition is called {agent}")
    skimmed_fields = files.parse_file("names", path, _skim_fields)
    if skimmed_fields is None:
        raise UnavailableError(f"{path} is gone")
    slot.put(_restore_agent(agent, path, skimmed_fields))
    fields = files.parse_file("agent", path, _parse_fields)
    if fields is None:
        raise UnavailableError(f"{path} is gone")
    slot.put(_restore_agent(agent, path, fields))
    if fields["problem"]:
        slot.notes.append(f"{path} was read line by line: {fields['problem']}")


def definition_path(files: TreeFiles, agent: str) -> str:
    """Return the file that defines an agent: called so, else one that says it is; "" for none."""
    wanted = kebab_case(agent)
    paths = tuple(files.iter_files(AGENT_FILES, MARKDOWN))
    named = next((path for path in paths if kebab_case(file_stem(path)) == wanted), "")
    if named:
        return named
    return next(
        (
            path
            for path, skimmed_fields in _skim_agents(files, paths)
            if kebab_case(skimmed_fields["id"]) == wanted
        ),
        "",
    )


def find_agent(files: TreeFiles, name: str) -> tuple[str, str]:
    """Find the definition of the agent that people call ``name``, by id, alias or name: its id and
    its file's stem.

    Both are "" where there is none.
    """
    wanted = kebab_case(name)
    for path, skimmed_fields in _skim_agents(files, tuple(files.iter_files(AGENT_FILES, MARKDOWN))):
        if wanted and wanted in map(
            kebab_case, (skimmed_fields["id"], *skimmed_fields["aliases"], skimmed_fields["name"])
        ):
            return skimmed_fields["id"] or file_stem(path), file_stem(path)
    return "", ""


def iter_agents(files: TreeFiles) -> Iterator[Agent]:
    """Yield every agent that has a definition, as far as lines tell it, for an activation."""
    ids: set[str] = set()
    for path, skimmed_fields in _skim_agents(files, tuple(files.iter_files(AGENT_FILES, MARKDOWN))):
        id = skimmed_fields["id"] or file_stem(path)
        if kebab_case(id) not in ids:
            ids.add(kebab_case(id))
            yield _restore_agent(id, path, skimmed_fields)


def _skim_agents(files: TreeFiles, paths: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the agents of the files as lines tell them; where these name none, as YAML does."""
    for path in paths:
        try:
            fields = files.parse_file("names", path, _skim_fields)
            if fields is not None and not fields["id"]:
                fields = files.parse_file("agent", path, _parse_fields)
        except UnavailableError:
            continue
        if fields is not None:
            yield path, fields


# Readers of formats are imported when a file has changed: what was made of it before is remembered.


def _skim_fields(text: str) -> dict[str, Any]:

    return _definition_fields(parse_quickly(text), "")


def _parse_fields(text: str) -> dict[str, Any]:

    definition, problems = parse(text)
    refused = next((p for p in problems if p.kind in ("invalid-yaml", "yaml-too-large")), None)
    if refused is None:
        return _definition_fields(definition, "")
    line = text.count("\n", 0, refused.span.start) + 1
    reason = refused.message.partition(". ")[0].rstrip(".")
    return _definition_fields(definition, f"{reason} (line {line})")


def _definition_fields(definition: AgentDefinition, problem: str) -> dict[str, Any]:
    """Return what is kept of a definition, as plain values and clean text."""
    persona = definition.persona
    return {
        "id": _quote_field(definition.id),
        "name": _quote_field(definition.name),
        "title": _quote_field(definition.title),
        "icon": _quote_field(definition.icon)[:8],
        "description": _quote_field(definition.description),
        "role": _quote_field(persona.role),
        "archetype": _quote_field(persona.archetype),
        "tone": _quote_field(persona.tone),
        "signature": _quote_field(persona.signature),
        "greetings": tuple((level, _quote_field(words)) for level, words in persona.greetings),
        "commands": tuple(
            (
                _quote_field(command.name),
                _quote_field(command.description),
                _quote_field(command.arguments),
                tuple(map(_quote_field, command.visibility)),
            )
            for command in definition.commands
        ),
        "aliases": tuple(map(_quote_field, definition.aliases)),
        "dependencies": tuple(
            (_quote_field(sort), len(names)) for sort, names in definition.dependencies
        ),
        "problem": problem,
    }


def _restore_agent(agent: str, path: str, fields: dict[str, Any]) -> Agent:
    values_by_name = {
        name: value for name, value in fields.items() if name not in ("id", "problem")
    }
    values_by_name["commands"] = tuple(AgentCommand(*command) for command in fields["commands"])
    return Agent(agent, path, **values_by_name)


def _quote_field(text: str) -> str:
    return quote_line(text, _LONGEST_FIELD)


MOST_SHOWN = 3
_LONGEST_TITLE = 160  # characters of one memory
_DAY = 86_400
_TIERS = ("hot", "warm")


@dataclass(frozen=True, slots=True)
class MemoryLine:
    """One of an agent's memories in one line of its greeting. ``tier``: "hot" or "warm";
    ``sector``: which kind of knowledge it is.
    """

    id: str
    title: str
    sector: str
    tier: str
    score: float


@dataclass(frozen=True, slots=True)
class AgentMemories:
    """Those that matter most, the first ones first, and how many the agent has in all."""

    shown: tuple[MemoryLine, ...] = ()
    total: int = 0


def load_memories(
    root: str, agent: str, now: float, slot: LoaderSlot, *, chati: bool = False
) -> None:
    """Load the memories that ``agent`` may see on the day of ``now``, in seconds since 1970; chati:
    those that Chati.dev keeps as well.
    """
    slot.put(AgentMemories())
    if not (chati or os.path.isdir(os.path.join(root, ".synapse", "memory"))):
        return
    from synapse_ls.memory.memory_store import MemoryStore

    try:
        records = MemoryStore(root, chati=chati).records(agent)
    except StorageError as error:
        raise UnavailableError(f"memories cannot be read: {error.sentence.rstrip('.')}") from error
    today = int(now // _DAY)
    lines = []
    for record in records:
        score = score_attention(record, today)
        tier = score.tier.lower()
        if tier in _TIERS:
            title = neutralise_text(record.title)[:_LONGEST_TITLE]
            place = (_TIERS.index(tier), -score.value, record.path)
            lines.append(
                (place, MemoryLine(record.id, title, record.sector, tier, round(score.value, 2)))
            )
    lines.sort(key=lambda entry: entry[0])
    slot.put(AgentMemories(tuple(memory for _, memory in lines[:MOST_SHOWN]), len(records)))
