"""Parse agent definitions: Markdown with one YAML block (AIOX) or front matter (Claude Code).

Published files rarely follow their own schema, so no field is required, commands may have three
shapes, and a block that is invalid YAML is read line by line. The persona (ADR-001 C3) is in
``persona`` and ``persona_profile``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from synapse_ls.formats import markdown_outline
from synapse_ls.formats.markdown_outline import parse_field, parse_fields
from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives
from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.text import fast_json, line_index
from synapse_ls.text.finding import Finding, ParseResult, Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

# The greetings that a definition may have, the shortest first.
GREETING_LEVELS = ("minimal", "named", "archetypal")

_MAX_LABEL_LINES = 60  # lines at the beginning of a file in which labels are about the agent
_PERSONA_GROUPS = ("persona", "persona_profile")
_GROUPS = frozenset(("agent", "commands", "dependencies", *_PERSONA_GROUPS))
_PERSONA_KEYS = ("role", "archetype", "tone", "signature_closing")


def _yaml_persona(root: YamlNode) -> dict[str, Any]:
    """Return the fields that say what person an agent is (``persona``, ``persona_profile``)."""
    person, profile = root.get("persona"), root.get("persona_profile")
    manner = profile.get("communication") if profile else None
    greetings = manner.get("greeting_levels") if manner else None
    parts = ((manner, _PERSONA_KEYS), (profile, _PERSONA_KEYS), (person, _PERSONA_KEYS))
    return _persona_fields(
        {
            key: value
            for node, keys in (*parts, (greetings, GREETING_LEVELS))
            for key in keys
            if node and (value := node.scalar(key).strip())
        }
    )


def _persona_fields(texts: Mapping[str, str]) -> dict[str, Any]:
    return {
        **{key: texts.get(key, "") for key in _PERSONA_KEYS[:-1]},
        "greetings": tuple((level, texts[level]) for level in GREETING_LEVELS if level in texts),
        "signature": texts.get("signature_closing", ""),
    }


_YAML = ("yaml", "yml")
_DEFINITION_KEYS = frozenset({"agent", "persona", "persona_profile", "commands"})
_FRONT_KEYS = ("name", "title", "icon", "description")
_COMMAND = lazy_pattern(r"[*]?([^\s{}\[\]()<>:]+)")
_ITEM = lazy_pattern(r"-[ \t]+[\"']?([^\s\"'#]+)")
_COMMAND_LINE = lazy_pattern(
    r"[ \t]*(?:-[ \t]+)?\{?[ \t]*(?:name[ \t]*:[ \t]*)?[\"']?[*]?([^\s{}\[\]()<>:\"']+)"
)


# What Claude Code 2.1.330 reads of `.claude/agents` (seen in its requests to a model): where YAML
# refuses the front matter and no line ends in CRLF, it puts the value of a line of letters, a colon
# and text into double quotation marks, if it has one of these characters or `: ` and is not in
# quotation marks already; two spaces for each leading tab; and reads it again. Copilot CLI 1.0.102
# reads the same files and offers no agent whose front matter YAML refuses.
_RETRIED = lazy_pattern(
    r"^([A-Za-z_-]+:[ \t]+)(?!(['\"]).*\2$)((?=.*(?:[]{}[*&#!|>%@`]|: )).+)$", re.MULTILINE
)
_LEADING_TABS = lazy_pattern(r"^\t+", re.MULTILINE)
_REFUSED = ", so this YAML cannot be read"


class AgentCommand(NamedTuple):
    """A command of an agent, without its star; ``span`` covers the name.

    ``arguments`` as written: ``{path}``. ``visibility``: the lists that show it, "full", "quick"
    and "key"; empty where the file does not say.
    """

    name: str
    description: str
    span: Span
    arguments: str = ""
    visibility: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgentProfile:
    """What a definition says of an agent; "" is what it does not say. ``id`` is "" where the file
    names none (then its stem is the id).

    ``greetings``: (level, the agent's words), for those of `GREETING_LEVELS` that it has.
    ``signature``: the words with which it closes.
    """

    id: str = ""
    name: str = ""
    title: str = ""
    icon: str = ""
    description: str = ""
    role: str = ""
    archetype: str = ""
    tone: str = ""
    greetings: tuple[tuple[str, str], ...] = ()
    signature: str = ""
    commands: tuple[AgentCommand, ...] = ()
    aliases: tuple[str, ...] = ()

    def greeting(self, level: str) -> str:
        """Return the agent's own words at a level, "" where it has none."""
        return dict(self.greetings).get(level, "")

    def has_command(self, command: str) -> bool:
        """Return whether the agent has a command of this name."""
        return any(own_command.name == command for own_command in self.commands)


_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class AgentDefinition(AgentProfile):
    """What the file of an agent says. ``span`` is the place of the id, or of the definition where
    there is no id. ``tasks`` are the file names of the tasks that the agent depends on.
    """

    span: Span = _NOWHERE
    tasks: tuple[Text, ...] = ()


def parse(text: str) -> ParseResult[AgentDefinition]:
    """Parse the definition of an agent. Problem kinds: those of `parse_yaml`, for the block that is
    read.
    """
    return _parse_outlined(markdown_outline.parse_clean_outline(text))


def _parse_outlined(outline: markdown_outline.Outline) -> ParseResult[AgentDefinition]:
    text = outline.text
    if block := _find_definition(text, outline.fences):
        root, problems = parse_yaml(text, region=block)
        if root is None or root.kind != "mapping":
            return ParseResult(_from_lines(text, block), problems)
        agent = root.get("agent") or root
        identifier, commands = agent.text("id"), root.get("commands") or agent.get("commands")
        aliases, needs = agent.get("aliases"), root.get("dependencies")
        tasks = needs.get("tasks") if needs else None
        return ParseResult(
            AgentDefinition(
                id=identifier.value if identifier else "",
                name=agent.scalar("name"),
                title=agent.scalar("title"),
                icon=agent.scalar("icon"),
                description=agent.scalar("whenToUse") or agent.scalar("description"),
                commands=tuple(_read_commands(commands)) if commands else (),
                aliases=tuple(item.value for item in (aliases.items if aliases else ())),
                span=identifier.span if identifier else block,
                tasks=tasks.scalar_texts if tasks else (),
                **_yaml_persona(root),
            ),
            problems,
        )
    if front := outline.front:
        # The definition of a Claude Code sub-agent, whose `name` is its id.
        front_root, front_problems = parse_yaml(text, region=front)
        if front_root is None:
            return ParseResult(_sub_agent(parse_fields(text, front), front), front_problems)
        texts = {key: value for key in _FRONT_KEYS if (value := front_root.text(key))}
        return ParseResult(_sub_agent(texts, front), front_problems)
    return ParseResult(_from_labels(outline), ())


def parse_sub_agent(text: str) -> ParseResult[AgentDefinition]:
    """Parse a file of `.claude/agents`, whose front matter counts for clients, whatever is below
    it. What YAML refuses and Claude Code reads all the same is no problem.
    """
    outline = markdown_outline.parse_clean_outline(text)
    definition, problems = _parse_outlined(outline)
    if (front := outline.front) is None:
        return ParseResult(definition, problems)
    written = front.cut(outline.text)
    if definition.span.start < front.end:
        return ParseResult(definition, tuple(_claude_problems(problems, written)))
    of_front = parse_yaml(outline.text, region=front).problems  # below it is a definition of AIOX
    return ParseResult(definition, (*_claude_problems(of_front, written), *problems))


def _claude_problems(problems: Iterable[Finding], front: str) -> Iterator[Finding]:
    """Yield the problems of front matter for which Claude Code does not offer its agent, and those
    for which it is not refused.
    """
    for problem in problems:
        cause, refused, more = problem.message.partition(_REFUSED)
        if not refused:
            yield problem
        elif not _is_read_by_claude_code(front):
            message = f"{cause}, so Claude Code does not offer this agent{more}"
            yield problem._replace(message=message)


def _is_read_by_claude_code(front: str) -> bool:
    """Return whether the front matter, which YAML refuses, gives Claude Code a name and a
    description all the same.
    """
    if "\r" in front:
        return False
    quoted = _RETRIED.sub(lambda line: line[1] + fast_json.dumps(line[3], None), front)
    root, problems = parse_yaml(_LEADING_TABS.sub(lambda tabs: "  " * len(tabs[0]), quoted))
    refused = any(problem.kind == "invalid-yaml" for problem in problems)
    return bool(root and not refused and root.scalar("name") and root.scalar("description"))


def parse_quickly(text: str) -> AgentDefinition:
    """Return an agent's names and commands from single lines, without YAML and at a fraction of the
    time of `parse`.
    """
    text = blank_directives(text, CommentStyle.MARKUP)
    first = markdown_outline.first_fence(text)
    if first and (block := _find_definition(text, (first,))):
        return _from_lines(text, block)
    outline = markdown_outline.parse_outline(text)
    if block := _find_definition(text, outline.fences):
        return _from_lines(text, block)
    if outline.front:
        return _sub_agent(parse_fields(text, outline.front), outline.front)
    return _from_labels(outline)


def _from_labels(outline: markdown_outline.Outline) -> AgentDefinition:
    """Return the agent of a file without a definition, from its heading and its labels alone
    (Chati.dev).
    """
    title = outline.title.value if outline.title else ""
    # The persona of an agent's definition without any block, which list items with bold labels
    # describe: `- **Role**: …`.
    text = outline.text
    texts: dict[str, str] = {}
    for first, last in islice(line_index.iter_lines(text), _MAX_LABEL_LINES):
        line = text[first:last].strip()
        pair = parse_field(line[2:]) if line.startswith(("- **", "* **")) else None
        if pair is not None and pair[0] in _PERSONA_KEYS and pair[1].value:
            texts.setdefault(pair[0], pair[1].value)
    return AgentDefinition(name=title, **_persona_fields(texts))


def _find_definition(text: str, fences: Iterable[markdown_outline.Fence]) -> Span | None:
    """Return the span of the first YAML block that is about an agent; guides show other YAML as
    examples.
    """
    for fence in fences:
        lines = fence.body.cut(text).splitlines() if fence.language in _YAML else ()
        fields = (parse_field(line) for line in lines if not line[:1].isspace())
        if any(field and field[0] in _DEFINITION_KEYS for field in fields):
            return fence.body
    return None


def _read_commands(node: YamlNode) -> Iterator[AgentCommand]:
    """Yield the commands of a list of mappings with a name, of a list of ``name: description``, or
    of one such mapping.
    """
    for item in (child.target_node for child in node.items):
        if name := item.text("name"):
            yield from _read_command(name, item.scalar("description"), item)
        elif item.kind == "scalar":
            yield from _read_command(Text(item.value, item.span), "")
        for key, value in () if name else item.pairs[:1]:
            yield from _read_command(Text(key.value, key.span), value.target_node.value)
    for key, value in node.pairs:
        followed = value.target_node
        described = followed.scalar("description") if followed.pairs else followed.value
        yield from _read_command(Text(key.value, key.span), described, followed)


def _read_command(
    name: Text, description: str, details: YamlNode | None = None
) -> Iterator[AgentCommand]:
    """Yield the command of that name, or nothing; ``details`` is the mapping that says more of it,
    if there is one.
    """
    if match := _COMMAND.match(name.value):
        # A quoted name begins one character after its quotation mark.
        quoted = name.span.length - len(name.value) == 2
        start = name.span.start + match.start(1) + quoted
        lists = details.get("visibility") if details else None
        visibility = [text.value for text in lists.scalar_texts] or [lists.value] if lists else []
        yield AgentCommand(
            match.group(1),
            description,
            Span(start, start + len(match.group(1))),
            (details.scalar("args") if details else "") or name.value[match.end() :].strip(),
            tuple(filter(None, visibility)),
        )


def _sub_agent(fields_by_name: Mapping[str, Text], front: Span) -> AgentDefinition:
    nothing = Text("", front)
    name, title, icon, about = (fields_by_name.get(key, nothing) for key in _FRONT_KEYS)
    texts = (name.value, name.value, title.value, icon.value, about.value)
    return AgentDefinition(*texts, span=name.span)


def _from_lines(text: str, block: Span) -> AgentDefinition:
    """Return what single lines say of a block that YAML refuses: the fields of ``agent``, the
    command names and the tasks.
    """
    texts: dict[str, Text] = {}
    commands: list[AgentCommand] = []
    aliases: list[str] = []
    tasks: list[Text] = []
    persona: dict[str, str] = {}
    group, key, depth = "", "", -1
    for first, last in line_index.iter_lines(block.cut(text)):
        start = block.start + first
        line = text[start : block.start + last]
        if line[:1] in (" ", "\t") and group not in _GROUPS:
            continue
        bare = line.lstrip()
        indent = len(line) - len(bare)
        if not bare or bare.startswith("#"):
            continue
        pair = parse_field(bare, start + indent) if indent == 0 or group != "commands" else None
        if indent == 0 and pair:
            group, key, depth = pair[0], "", -1
        elif group == "agent" and pair:
            key = pair[0]
            texts.setdefault(*pair)
        elif group == "agent" and key == "aliases" and bare.startswith("- "):
            aliases.append(bare[2:].strip(" \"'"))
        elif group in _PERSONA_GROUPS and pair:
            if pair[0] in (*_PERSONA_KEYS, *GREETING_LEVELS) and pair[1].value:
                persona.setdefault(pair[0], pair[1].value)
        elif group == "dependencies":
            key = pair[0] if pair else key
            if key == "tasks":
                # The names in a line of a list, or in a list that stands on the line of its key.
                if pair is None and (item := _ITEM.match(bare)):
                    tasks.append(Text(item[1], Span(*item.span(1)).shift(start + indent)))
                place = Span(start + indent, start + len(line))
                tasks += (
                    Text(name, place) for name in (_flow_items(pair[1].value) if pair else ())
                )
        elif group == "commands":
            depth = indent if depth < 0 else depth
            if (command := _COMMAND_LINE.match(line)) and indent == depth:
                span = Span(*command.span(1)).shift(start)
                commands.append(AgentCommand(command.group(1), "", span))
    nothing = Text("", block)
    identifier = texts.get("id", nothing)
    return AgentDefinition(
        id=identifier.value,
        name=texts.get("name", nothing).value,
        title=texts.get("title", nothing).value,
        icon=texts.get("icon", nothing).value,
        description=texts.get("whentouse", nothing).value,
        commands=tuple(commands),
        aliases=tuple(aliases) or _flow_items(texts.get("aliases", nothing).value),
        span=identifier.span,
        tasks=tuple(tasks),
        **_persona_fields(persona),
    )


def _flow_items(text: str) -> tuple[str, ...]:
    """Return the plain items of a list on one line: ``[release, "ops"]``."""
    items = text.strip("[] ").split(",") if text.startswith("[") else ()
    return tuple(item for part in items if (item := part.strip(" \"'")))
