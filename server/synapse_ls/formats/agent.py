"""Agent definitions: Markdown with one YAML block (AIOX), or with front matter (Claude Code sub-agents).

Published files are rarely what their own schema asks for, so this reader asks for nothing: commands
come in three shapes, and where YAML refuses the block it is read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.formats import agent_persona, markdown
from synapse_ls.formats.agent_persona import NOBODY, Persona
from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.fields import field, fields
from synapse_ls.formats.markdown import Outline
from synapse_ls.formats.problem import Parsed, Text
from synapse_ls.formats.yaml_tree import Node, parse_yaml
from synapse_ls.text.lines import iter_lines
from synapse_ls.text.span import Span

_YAML = ("yaml", "yml")
_MARKS = frozenset({"agent", "persona", "persona_profile", "commands"})
_FRONT = ("name", "title", "icon", "description")
_COMMAND = re.compile(r"[*]?([^\s{}\[\]()<>:]+)")
_COMMAND_LINE = re.compile(
    r"[ \t]*(?:-[ \t]+)?\{?[ \t]*(?:name[ \t]*:[ \t]*)?[\"']?[*]?([^\s{}\[\]()<>:\"']+)"
)


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """A command of an agent, without its star; ``span`` covers the name.

    ``arguments`` as written: ``{path}``. ``visibility``: the lists that show it, "full", "quick" and
    "key"; empty where the file does not say.
    """

    name: str
    description: str
    span: Span
    arguments: str = ""
    visibility: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """An agent; ``id`` is "" where the file names none (then its stem is the id).

    ``span`` is the place of the id, or of the definition where there is no id. ``tasks`` are the
    file names of the tasks that the agent depends on, ``dependencies`` those of everything by sort:
    "tasks", "templates", "checklists", …
    """

    id: str
    name: str
    title: str
    icon: str
    description: str
    commands: tuple[AgentCommand, ...]
    aliases: tuple[str, ...]
    span: Span
    tasks: tuple[Text, ...] = ()
    persona: Persona = NOBODY
    dependencies: tuple[tuple[str, tuple[Text, ...]], ...] = ()


def parse(text: str) -> Parsed[AgentDefinition]:
    """Read an agent file. Problem kinds: those of `parse_yaml`, for the block that is read."""
    text = without(text, Comments.MARKUP)
    outline = markdown.outline(text)
    block = _definition(outline)
    if block:
        root, problems = parse_yaml(text, region=block)
        if root is None or root.kind != "mapping":
            return Parsed(_from_lines(text, block), problems)
        return Parsed(_from_block(root, block), problems)
    if outline.front:
        return _from_front(text, outline.front)
    return Parsed(_untold(outline), ())


def skim(text: str) -> AgentDefinition:
    """What lines alone tell of an agent: its names and its commands, at a fraction of the time."""
    text = without(text, Comments.MARKUP)
    outline = markdown.outline(text)
    block = _definition(outline)
    if block:
        return _from_lines(text, block)
    if outline.front:
        return _sub_agent(fields(text, outline.front), outline.front)
    return _untold(outline)


def _untold(outline: Outline) -> AgentDefinition:
    """An agent of which the file says only what its heading and its labels do (Chati.dev)."""
    title = outline.title.value if outline.title else ""
    persona = agent_persona.of_labels(outline.text)
    return AgentDefinition("", title, "", "", "", (), (), Span(0, 0), persona=persona)


def _definition(outline: Outline) -> Span | None:
    """The first YAML block that is about an agent; guides show other YAML as examples."""
    for fence in outline.fences:
        if fence.language in _YAML and not _MARKS.isdisjoint(fields(outline.text, fence.body)):
            return fence.body
    return None


def _from_block(root: Node, block: Span) -> AgentDefinition:
    agent = root.get("agent") or root
    identifier, commands = agent.text("id"), root.get("commands") or agent.get("commands")
    aliases, needs = agent.get("aliases"), root.get("dependencies")
    dependencies = {
        key.value: _texts(value.followed) for key, value in (needs.pairs if needs else ())
    }
    return AgentDefinition(
        id=identifier.value if identifier else "",
        name=agent.scalar("name"),
        title=agent.scalar("title"),
        icon=agent.scalar("icon"),
        description=agent.scalar("whenToUse") or agent.scalar("description"),
        commands=tuple(_commands(commands)) if commands else (),
        aliases=tuple(item.value for item in (aliases.items if aliases else ())),
        span=identifier.span if identifier else block,
        tasks=dependencies.get("tasks", ()),
        persona=agent_persona.of_block(root),
        dependencies=tuple((sort, names) for sort, names in dependencies.items() if names),
    )


def _texts(node: Node) -> tuple[Text, ...]:
    return tuple(Text(item.value, item.span) for item in node.items if item.kind == "scalar")


def _commands(node: Node) -> Iterator[AgentCommand]:
    """A list of mappings with a name, a list of ``name: description``, or one such mapping."""
    for item in (child.followed for child in node.items):
        name = item.text("name")
        if name:
            yield from _command(name, item.scalar("description"), item)
        elif item.kind == "scalar":
            yield from _command(Text(item.value, item.span), "")
        for key, value in () if name else item.pairs[:1]:
            yield from _command(Text(key.value, key.span), value.followed.value)
    for key, value in node.pairs:
        followed = value.followed
        described = followed.scalar("description") if followed.pairs else followed.value
        yield from _command(Text(key.value, key.span), described, followed)


def _command(name: Text, description: str, said: Node | None = None) -> Iterator[AgentCommand]:
    """``said``: the mapping that says more of it, if there is one."""
    found = _COMMAND.match(name.value)
    if found:
        # A quoted name begins one character after its quotation mark.
        quoted = name.span.length - len(name.value) == 2
        start = name.span.start + found.start(1) + quoted
        shown = said.get("visibility") if said else None
        visibility = (_texts(shown) or (Text(shown.value, shown.span),)) if shown else ()
        yield AgentCommand(
            found.group(1),
            description,
            Span(start, start + len(found.group(1))),
            (said.scalar("args") if said else "") or name.value[found.end() :].strip(),
            tuple(text.value for text in visibility if text.value),
        )


def _from_front(text: str, front: Span) -> Parsed[AgentDefinition]:
    """A Claude Code sub-agent, whose ``name`` is its id.

    Claude Code itself accepts descriptions that YAML does not (a bare ``: ``), so lines have the
    last word where YAML refuses.
    """
    root, problems = parse_yaml(text, region=front)
    if root is None:
        return Parsed(_sub_agent(fields(text, front), front), problems)
    told = {key: said for key in _FRONT if (said := root.text(key))}
    return Parsed(_sub_agent(told, front), problems)


def _sub_agent(told: Mapping[str, Text], front: Span) -> AgentDefinition:
    nothing = Text("", front)
    name = told.get("name", nothing)
    return AgentDefinition(
        id=name.value,
        name=name.value,
        title=told.get("title", nothing).value,
        icon=told.get("icon", nothing).value,
        description=told.get("description", nothing).value,
        commands=(),
        aliases=(),
        span=name.span,
    )


def _from_lines(text: str, block: Span) -> AgentDefinition:
    """What lines alone tell of a block that YAML refuses: the fields of ``agent``, command names."""
    found: dict[str, Text] = {}
    commands: list[AgentCommand] = []
    aliases: list[str] = []
    group, key, depth = "", "", -1
    for first, last in iter_lines(block.cut(text)):
        start = block.start + first
        line = text[start : block.start + last]
        bare = line.lstrip()
        indent = len(line) - len(bare)
        if not bare or bare.startswith("#"):
            continue
        pair = field(bare, start + indent)
        if indent == 0 and pair:
            group, key, depth = pair[0], "", -1
        elif group == "agent" and pair:
            key = pair[0]
            found.setdefault(*pair)
        elif group == "agent" and key == "aliases" and bare.startswith("- "):
            aliases.append(bare[2:].strip(" \"'"))
        elif group == "commands":
            depth = indent if depth < 0 else depth
            name = _COMMAND_LINE.match(line)
            if name and indent == depth:
                span = Span(*name.span(1)).shift(start)
                commands.append(AgentCommand(name.group(1), "", span))
    nothing = Text("", block)
    identifier = found.get("id", nothing)
    return AgentDefinition(
        id=identifier.value,
        name=found.get("name", nothing).value,
        title=found.get("title", nothing).value,
        icon=found.get("icon", nothing).value,
        description=found.get("whentouse", nothing).value,
        commands=tuple(commands),
        aliases=tuple(aliases) or _flow_items(found.get("aliases", nothing).value),
        span=identifier.span,
        persona=agent_persona.of_lines(text, block),
    )


def _flow_items(text: str) -> tuple[str, ...]:
    """The plain items of a list on one line: ``[release, "ops"]``."""
    items = text.strip("[] ").split(",") if text.startswith("[") else ()
    return tuple(item for part in items if (item := part.strip(" \"'")))
