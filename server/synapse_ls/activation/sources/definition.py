"""An agent's definition: found by its id, read whatever shape it has (ADR-001 C3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from synapse_ls.activation.files import Files
from synapse_ls.activation.loaders import Slot, UnavailableError
from synapse_ls.activation.quoted import quoted
from synapse_ls.workspace.naming import kebab, stem

if TYPE_CHECKING:
    from synapse_ls.formats.agent import AgentDefinition

AGENTS = "agents"
_MARKDOWN = (".md",)
_LONGEST = 400  # characters of one field that are kept


@dataclass(frozen=True, slots=True)
class Command:
    """A command of an agent, without its star; ``visibility`` says in which lists it is."""

    name: str
    description: str = ""
    arguments: str = ""
    visibility: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent as it is greeted with. ``path``: its definition, "" where it has none.

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
    commands: tuple[Command, ...] = ()
    aliases: tuple[str, ...] = ()
    dependencies: tuple[tuple[str, int], ...] = ()

    def greeting(self, level: str) -> str:
        """The agent's own words at a level, "" where it has none."""
        return dict(self.greetings).get(level, "")

    def has(self, command: str) -> bool:
        """Whether it has a command of this name."""
        return any(one.name == command for one in self.commands)

    def report(self) -> dict[str, Any]:
        """It as plain values."""
        return {
            "id": self.id,
            "name": self.name or None,
            "title": self.title or None,
            "icon": self.icon or None,
            "role": self.role or None,
            "archetype": self.archetype or None,
            "file": self.path or None,
            "commands": [
                {
                    "name": one.name,
                    "arguments": one.arguments or None,
                    "description": one.description or None,
                    "visibility": list(one.visibility),
                }
                for one in self.commands
            ],
        }


def load(files: Files, agent: str, slot: Slot) -> None:
    """The definition of ``agent``: at once what lines tell, then what YAML does."""
    slot.put(Agent(agent))
    path = path_of(files, agent)
    if not path:
        raise UnavailableError(f"no definition is called {agent}")
    known = files.made("names", path, _skimmed)
    if known is None:
        raise UnavailableError(f"{path} is gone")
    slot.put(_restored(agent, path, known))
    fields = files.made("agent", path, _parsed)
    if fields is None:
        raise UnavailableError(f"{path} is gone")
    slot.put(_restored(agent, path, fields))
    if fields["problem"]:
        slot.notes.append(f"{path} was read line by line: {fields['problem']}")


def path_of(files: Files, agent: str) -> str:
    """The file that defines an agent: called so, else one that says it is; "" for none."""
    wanted = kebab(agent)
    paths = tuple(files.listed(AGENTS, _MARKDOWN))
    named = next((path for path in paths if kebab(stem(path)) == wanted), "")
    if named:
        return named
    return next((path for path, one in _skim(files, paths) if kebab(one["id"]) == wanted), "")


def called(files: Files, name: str) -> tuple[str, str]:
    """The agent that people call ``name``, by id, alias or name: its id and its file's stem.

    Both are "" where there is none.
    """
    wanted = kebab(name)
    for path, one in _skim(files, tuple(files.listed(AGENTS, _MARKDOWN))):
        if wanted and wanted in map(kebab, (one["id"], *one["aliases"], one["name"])):
            return one["id"] or stem(path), stem(path)
    return "", ""


def everyone(files: Files) -> Iterator[Agent]:
    """Every agent that has a definition, as far as lines tell."""
    seen: set[str] = set()
    for path, one in _skim(files, tuple(files.listed(AGENTS, _MARKDOWN))):
        id = one["id"] or stem(path)
        if kebab(id) not in seen:
            seen.add(kebab(id))
            yield _restored(id, path, one)


def _skim(files: Files, paths: tuple[str, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The agents of the files as lines tell them; where these name none, as YAML does."""
    for path in paths:
        try:
            found = files.made("names", path, _skimmed)
            if found is not None and not found["id"]:
                found = files.made("agent", path, _parsed)
        except UnavailableError:
            continue
        if found is not None:
            yield path, found


# Readers of formats are imported when a file has changed: what was made of it before is remembered.


def _skimmed(text: str) -> dict[str, Any]:
    from synapse_ls.formats.agent import skim

    return _fields(skim(text), "")


def _parsed(text: str) -> dict[str, Any]:
    from synapse_ls.formats.agent import parse

    definition, problems = parse(text)
    refused = next((p for p in problems if p.kind in ("invalid-yaml", "yaml-too-large")), None)
    return _fields(definition, refused.message.rstrip(".") if refused else "")


def _fields(definition: AgentDefinition, problem: str) -> dict[str, Any]:
    """What is kept of a definition, as plain values and clean text."""
    persona = definition.persona
    return {
        "id": _told(definition.id),
        "name": _told(definition.name),
        "title": _told(definition.title),
        "icon": _told(definition.icon)[:8],
        "description": _told(definition.description),
        "role": _told(persona.role),
        "archetype": _told(persona.archetype),
        "tone": _told(persona.tone),
        "signature": _told(persona.signature),
        "greetings": tuple((level, _told(words)) for level, words in persona.greetings),
        "commands": tuple(
            (
                _told(one.name),
                _told(one.description),
                _told(one.arguments),
                tuple(map(_told, one.visibility)),
            )
            for one in definition.commands
        ),
        "aliases": tuple(map(_told, definition.aliases)),
        "dependencies": tuple((_told(sort), len(names)) for sort, names in definition.dependencies),
        "problem": problem,
    }


def _restored(agent: str, path: str, fields: dict[str, Any]) -> Agent:
    kept = {name: value for name, value in fields.items() if name not in ("id", "problem")}
    kept["commands"] = tuple(Command(*one) for one in fields["commands"])
    return Agent(agent, path, **kept)


def _told(text: str) -> str:
    return quoted(text, _LONGEST)
