"""Agent definitions: Markdown with one YAML block (AIOX), or with front matter (Claude Code sub-agents).

Published files are rarely what their own schema asks for, so this reader asks for nothing: commands
come in three shapes, and where YAML refuses the block it is read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats import markdown
from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.fields import field, fields
from synapse_ls.formats.markdown import Outline
from synapse_ls.formats.problem import Parsed, Text
from synapse_ls.formats.yaml_tree import Node, parse_yaml
from synapse_ls.text.lines import iter_lines
from synapse_ls.text.span import Span

_YAML = ("yaml", "yml")
_MARKS = frozenset({"agent", "persona", "persona_profile", "commands"})
_COMMAND = re.compile(r"[*]?([^\s{}\[\]()<>:]+)")
_COMMAND_LINE = re.compile(
    r"[ \t]*(?:-[ \t]+)?\{?[ \t]*(?:name[ \t]*:[ \t]*)?[\"']?[*]?([^\s{}\[\]()<>:\"']+)"
)


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """A command of an agent, without its star and arguments; ``span`` covers the name."""

    name: str
    description: str
    span: Span


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """An agent; ``id`` is "" where the file names none (then its stem is the id).

    ``span`` is the place of the id, or of the definition where there is no id. ``tasks`` are the
    file names of the tasks that the agent depends on.
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
    title = outline.title.value if outline.title else ""
    return Parsed(AgentDefinition("", title, "", "", "", (), (), Span(0, 0)), ())


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
    tasks = needs.get("tasks") if needs else None
    return AgentDefinition(
        id=identifier.value if identifier else "",
        name=agent.scalar("name"),
        title=agent.scalar("title"),
        icon=agent.scalar("icon"),
        description=agent.scalar("whenToUse") or agent.scalar("description"),
        commands=tuple(_commands(commands)) if commands else (),
        aliases=tuple(item.value for item in (aliases.items if aliases else ())),
        span=identifier.span if identifier else block,
        tasks=tuple(Text(item.value, item.span) for item in (tasks.items if tasks else ())),
    )


def _commands(node: Node) -> Iterator[AgentCommand]:
    """A list of mappings with a name, a list of ``name: description``, or one such mapping."""
    for item in (child.followed for child in node.items):
        name = item.text("name")
        if name:
            yield from _command(name, item.scalar("description"))
        elif item.kind == "scalar":
            yield from _command(Text(item.value, item.span), "")
        for key, value in () if name else item.pairs[:1]:
            yield from _command(Text(key.value, key.span), value.followed.value)
    for key, value in node.pairs:
        followed = value.followed
        described = followed.scalar("description") if followed.pairs else followed.value
        yield from _command(Text(key.value, key.span), described)


def _command(name: Text, description: str) -> Iterator[AgentCommand]:
    found = _COMMAND.match(name.value)
    if found:
        # A quoted name begins one character after its quotation mark.
        quoted = name.span.length - len(name.value) == 2
        start = name.span.start + found.start(1) + quoted
        yield AgentCommand(found.group(1), description, Span(start, start + len(found.group(1))))


def _from_front(text: str, front: Span) -> Parsed[AgentDefinition]:
    """A Claude Code sub-agent, whose ``name`` is its id.

    Claude Code itself accepts descriptions that YAML does not (a bare ``: ``), so lines have the
    last word where YAML refuses.
    """
    root, problems = parse_yaml(text, region=front)
    found = fields(text, front) if root is None else {}

    def value(key: str) -> Text:
        nothing = Text("", front)
        return (root.text(key) if root else found.get(key)) or nothing

    name = value("name")
    return Parsed(
        AgentDefinition(
            id=name.value,
            name=name.value,
            title=value("title").value,
            icon=value("icon").value,
            description=value("description").value,
            commands=(),
            aliases=(),
            span=name.span,
        ),
        problems,
    )


def _from_lines(text: str, block: Span) -> AgentDefinition:
    """What lines alone tell of a block that YAML refuses: the fields of ``agent``, command names."""
    found: dict[str, Text] = {}
    commands: list[AgentCommand] = []
    group, depth = "", -1
    for first, last in iter_lines(block.cut(text)):
        start = block.start + first
        line = text[start : block.start + last]
        bare = line.lstrip()
        indent = len(line) - len(bare)
        if not bare or bare.startswith("#"):
            continue
        pair = field(bare, start + indent)
        if indent == 0 and pair:
            group, depth = pair[0], -1
        elif group == "agent" and pair:
            found.setdefault(*pair)
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
        aliases=(),
        span=identifier.span,
    )
