"""Load an agent's definition (ADR-001 C3), and its most important memories, HOT before WARM."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from synapse_ls.activation.activation_files import TreeFiles, quote_line
from synapse_ls.activation.loader_runner import LoaderSlot, UnavailableError
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.formats.agent_definition import AgentDefinition, AgentProfile, parse, parse_quickly
from synapse_ls.memory.attention_score import score_attention
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.workspace.activation_folders import MARKDOWN
from synapse_ls.workspace.naming_conventions import file_stem, kebab_case

AGENT_FILES = "agents"
_TEXTS = (
    *("id", "name", "title", "icon", "description"),
    *("role", "archetype", "tone", "signature"),
)
_LONGEST_FIELD = 400  # characters of one field that are kept


@dataclass(frozen=True, slots=True)
class Agent(AgentProfile):
    """What a greeting needs of an agent's definition. ``path``: its definition, "" where it has
    none.
    """

    path: str = ""


def load_definition(files: TreeFiles, agent: str, slot: LoaderSlot) -> None:
    """Load the definition of ``agent``, found by the file's name, else by what it says: at once
    what lines tell, then what YAML does.
    """
    slot.put(Agent(agent))
    slug = kebab_case(agent)
    paths = tuple(files.iter_files(AGENT_FILES, MARKDOWN))
    named = (path for path in paths if kebab_case(file_stem(path)) == slug)
    path = next(named, "") or next(
        (agent.path for agent in _skim_agents(files, paths) if kebab_case(agent.id) == slug), ""
    )
    if not path:
        raise UnavailableError(f"no definition is called {agent}")
    if (skimmed := files.parse_file("names", path, _skim_agent, Agent)) is not None:
        slot.put(replace(skimmed, id=agent, path=path))
        definition = files.parse_file("agent", path, _parse_agent, tuple[Agent, str])
    if skimmed is None or definition is None:
        raise UnavailableError(f"{path} is gone")
    parsed, problem = definition
    slot.put(replace(parsed, id=agent, path=path))
    if problem:
        slot.notes.append(f"{path} was read line by line: {problem}")


def find_agent(files: TreeFiles, name: str) -> tuple[str, str]:
    """Find the definition of the agent that people call ``name``, by id, alias or name: its id and
    its file's stem.

    Both are "" where there is none.
    """
    slug = kebab_case(name)
    for agent in _skim_agents(files, files.iter_files(AGENT_FILES, MARKDOWN)):
        if slug and slug in map(kebab_case, (agent.id, *agent.aliases, agent.name)):
            return agent.id or file_stem(agent.path), file_stem(agent.path)
    return "", ""


def iter_agents(files: TreeFiles) -> Iterator[Agent]:
    """Yield every agent that has a definition, as far as lines tell it, for an activation."""
    ids: set[str] = set()
    for agent in _skim_agents(files, files.iter_files(AGENT_FILES, MARKDOWN)):
        id = agent.id or file_stem(agent.path)
        if kebab_case(id) not in ids:
            ids.add(kebab_case(id))
            yield replace(agent, id=id)


def _skim_agents(files: TreeFiles, paths: Iterable[str]) -> Iterator[Agent]:
    """Yield the agents of the files as lines tell them; where these name none, as YAML does."""
    for path in paths:
        try:
            agent = files.parse_file("names", path, _skim_agent, Agent)
            if agent is not None and not agent.id:
                definition = files.parse_file("agent", path, _parse_agent, tuple[Agent, str])
                agent = definition[0] if definition else None
        except UnavailableError:
            continue
        if agent is not None:
            yield replace(agent, path=path)


def _skim_agent(text: str) -> Agent:
    return _build_agent(parse_quickly(text))


def _parse_agent(text: str) -> tuple[Agent, str]:
    """Return the agent that a text defines, and why it was not read as YAML, "" where it was."""
    definition, problems = parse(text)
    refused = next((p for p in problems if p.kind in ("invalid-yaml", "yaml-too-large")), None)
    if refused is None:
        return _build_agent(definition), ""
    line = text.count("\n", 0, refused.span.start) + 1
    reason = refused.message.partition(". ")[0].rstrip(".")
    return _build_agent(definition), f"{reason} (line {line})"


def _build_agent(definition: AgentDefinition) -> Agent:
    """Return what is kept of a definition, as clean text."""
    quote_field = partial(quote_line, most=_LONGEST_FIELD)
    texts = {name: quote_field(getattr(definition, name)) for name in _TEXTS}
    return Agent(
        **{**texts, "icon": texts["icon"][:8]},
        greetings=tuple((level, quote_field(words)) for level, words in definition.greetings),
        commands=tuple(
            command._replace(
                name=quote_field(command.name),
                description=quote_field(command.description),
                arguments=quote_field(command.arguments),
                visibility=tuple(map(quote_field, command.visibility)),
            )
            for command in definition.commands
        ),
        aliases=tuple(map(quote_field, definition.aliases)),
    )


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
    try:
        records = MemoryStore(root, chati=chati).records(agent)
    except StorageError as error:
        raise UnavailableError(f"memories cannot be read: {error.sentence.rstrip('.')}") from error
    today = int(now // _DAY)
    lines = []
    for record in records:
        score = score_attention(record, today)
        if (tier := score.tier.lower()) in _TIERS:
            title = neutralise_text(record.title)[:_LONGEST_TITLE]
            line = MemoryLine(record.id, title, record.sector, tier, round(score.value, 2))
            lines.append(((_TIERS.index(tier), -score.value, record.path), line))
    lines.sort(key=lambda entry: entry[0])
    slot.put(AgentMemories(tuple(memory for _, memory in lines[:MOST_SHOWN]), len(records)))
