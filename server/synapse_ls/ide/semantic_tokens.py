"""Compute the semantic tokens of manifests, rule files and the other files of a tree.

Types and modifiers are the standard ones (LSP 3.18, "Semantic Tokens"), so that every theme has
colours for them.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from synapse_ls.engine.word_matching import contains_word, fold_text
from synapse_ls.formats import commands_file, config_settings, constitution_file, markdown_outline
from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.manifest import GLOBAL_KEYS, SETTINGS, Manifest
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.formats.task_file import TaskDocument
from synapse_ls.formats.toml_document import key_positions
from synapse_ls.formats.workflow_definition import WorkflowDefinition
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.formats.yaml_tree import YamlNode
from synapse_ls.ide.position_lookup import rule_domains
from synapse_ls.ide.tree_view import View
from synapse_ls.text.finding import Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span, trim_span
from synapse_ls.workspace import tree_domains, tree_folders
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import BUILT_IN, RULE_KINDS, FileKind

NO_MODIFIERS: frozenset[str] = frozenset()
DEPRECATED = frozenset({"deprecated"})


class Token(NamedTuple):
    """A word and what it is by the legend, of ``TOKEN_TYPES`` and ``TOKEN_MODIFIERS``."""

    span: Span
    type: str
    modifiers: frozenset[str] = NO_MODIFIERS


_TYPE_OF_SETTING = {
    "AGENT_TRIGGER": "class",
    "WORKFLOW_TRIGGER": "interface",
    "EXTENDS": "enumMember",
    "RECALL": "string",
    "EXCLUDE": "string",
    "GLOBAL_EXCLUDE": "string",
    "PATHS": "regexp",
}
_TYPE_OF_KIND = {"state": "enumMember", "bool": "enumMember", "int": "number"}


def manifest_tokens(facts: FileFacts, manifest: Manifest) -> Iterator[Token]:
    """Yield the tokens of a manifest's domains, settings and values, in no order."""
    yield from comment_tokens(facts.text)
    excluded = tuple(fold_text(word) for word in manifest.global_exclude)
    # The keywords of domains that exclusions make useless.
    dead: set[tuple[str, str]] = set()
    for name, declaration in manifest.domains.items():
        needles = (*map(fold_text, declaration.exclude), *excluded)
        for word in declaration.recall if needles else ():
            if any(contains_word(fold_text(word), needle) for needle in needles):
                dead.add((name, word))
    built_in = BUILT_IN if tree_folders.is_in_rule_folder(facts.path) else {}
    for entry in manifest.entries:
        domain = manifest.domains.get(entry.domain)
        # A line is without effect that is unknown, set again below, or of a domain that is off.
        counts = bool(entry.setting) and (
            domain is None
            or (domain.is_active and domain.entries.get(entry.setting, entry) is entry)
        )
        fate = NO_MODIFIERS if counts else DEPRECATED
        span = entry.key.span
        if not entry.setting:
            yield Token(span, "property", fate)
        elif not entry.domain:
            yield Token(span, "property", fate | {"defaultLibrary"})
        else:
            cut = span.start + len(entry.domain)
            modifiers = fate
            if domain is not None and span.start == domain.span.start:
                modifiers |= {"declaration"}
            if domain is not None and domain.non_negotiable:
                modifiers |= {"readonly"}
            if entry.domain.lower() in built_in:
                modifiers |= {"defaultLibrary"}
            yield Token(Span(span.start, cut), "namespace", modifiers)
            yield Token(Span(cut + 1, span.end), "property", fate)
        if (setting := SETTINGS.get(entry.setting) or GLOBAL_KEYS.get(entry.setting)) is None:
            continue
        if setting.kind == "list":
            for item in entry.items:
                is_dead = entry.setting == "RECALL" and (entry.domain, item.value) in dead
                yield Token(
                    item.span, _TYPE_OF_SETTING[entry.setting], DEPRECATED if is_dead else fate
                )
        else:
            kind = _TYPE_OF_SETTING.get(entry.setting) or _TYPE_OF_KIND.get(setting.kind, "string")
            yield Token(entry.value.span, kind, fate)


def comment_tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a manifest's comments, the lines that begin with ``#``."""
    for start, end in iter_lines(text):
        if (body := trim_span(text, start, end)).length and text[body.start] == "#":
            yield Token(body, "comment")


_INDEX = lazy_pattern(r"_([0-9]{1,9})$")
_WORD = lazy_pattern(r"[A-Z0-9]+")
_KEY_WORDS = frozenset({"RULE", "CMD", "AUTH", "DENY", "ALLOW"})
_TYPE_OF_QUALIFIER = {"article": "enum", "bracket": "enumMember", "command": "function"}
_TEXT_WORD = lazy_pattern(
    rf"(?P<severity>\b(?:{'|'.join(constitution_file.SEVERITIES)}|MAY)\b(?: NOT\b)?)"
    r"|(?P<authority>\b(?:NEVER|ALWAYS|ONLY|DENY|ALLOW|DENIED|ALLOWED|BLOCK|BLOCKED|FORBIDDEN"
    r"|EXCLUSIVE|REQUIRED|DELEGATE)\b)"
    r"|(?<![\w*])\*(?P<command>[A-Za-z](?:[\w-]*\w)?)"
    r"|(?<![\w@.])@(?P<agent>[A-Za-z](?:[\w-]*\w)?)"
)
_PHASE = lazy_pattern(r"[Pp]hase\s+([\w-]+)\s*:")
_HTML_COMMENT = lazy_pattern(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def rule_tokens(view: View, facts: FileFacts) -> Iterator[Token]:
    """Yield the tokens of a rule file's keys and of its rules' texts, in no order."""
    tree, document = view.tree, facts.document
    if tree_domains.rules_mode(document) == "plain":
        for section in markdown_outline.parse_outline(facts.text).sections:
            if section.level:
                yield Token(section.title.span, "struct")
    else:
        yield from comment_tokens(facts.text)
    yield from (Token(Span(*m.span()), "comment") for m in _HTML_COMMENT.finditer(facts.text))
    if isinstance(document, commands_file.StarCommands):
        for command in document.commands:
            yield Token(command.span, "function", frozenset({"definition"}))
    commands = {command.name for command in tree.commands}
    for rule in tree_domains.rules_in(document):
        fate = (
            NO_MODIFIERS
            if any(domain.is_active for domain in rule_domains(tree, facts.path, rule))
            else DEPRECATED
        )
        yield from _rule_key_tokens(rule, fate)
        text = facts.text
        if phase := _PHASE.match(text, *rule.text_span):
            yield Token(Span(*phase.span(1)), "event")
        for match in _TEXT_WORD.finditer(text, *rule.text_span):
            span = Span(*match.span())
            if match["severity"]:
                yield Token(span, "macro")
            elif match["authority"]:
                yield Token(span, "keyword")
            elif match["command"] and match["command"].lower() in commands:
                yield Token(span, "function")
            elif match["agent"] and match["agent"] in tree.agents:
                yield Token(span, "class")


def _rule_key_tokens(rule: Rule, fate: frozenset[str]) -> Iterator[Token]:
    """Yield the parts of a key: ``AGENT_DEV``, ``RULE``, ``ART1`` and ``0``."""
    if not rule.key_span.length:
        return
    start, key = rule.key_span.start, rule.key
    index = _INDEX.search(key)
    end = index.start() if index else len(key)
    if index:
        yield Token(Span(*index.span(1)).shift(start), "number", fate)
    qualifier = f"ART{rule.qualifier}" if rule.kind == "article" else rule.qualifier
    kind = _TYPE_OF_QUALIFIER.get(rule.kind, "")
    at = 0
    if rule.domain and key.startswith(rule.domain):
        at = len(rule.domain)
        owner = kind if kind and rule.domain == qualifier else "namespace"
        built_in = {"defaultLibrary"} if rule.domain.lower() in BUILT_IN else NO_MODIFIERS
        yield Token(Span(start, start + at), owner, fate | built_in)
    place = key.find(qualifier, at, end) if kind and qualifier else -1
    if place >= 0:
        yield Token(Span(start + place, start + place + len(qualifier)), kind, fate)
    for word in _WORD.finditer(key, at, end):
        if word.group() in _KEY_WORDS and not place <= word.start() < place + len(qualifier):
            yield Token(Span(*word.span()).shift(start), "keyword", fate)


_TYPE_OF_FAMILY = {
    "agent": "class",
    "workflow": "interface",
    "task": "function",
    "command": "function",
    "squad": "namespace",
    "domain": "namespace",
    "story": "struct",
}
_DEFINITION = frozenset({"definition"})


def file_tokens(facts: FileFacts) -> Iterator[Token]:
    """Yield the semantic tokens of a file's words, in no order: what squads, workflows, agents,
    tasks, stories and the configuration define and mention, and the words that they choose from.
    """
    for definition in facts.definitions:
        if kind := _TYPE_OF_FAMILY.get(definition.key[0]):
            yield Token(definition.span, kind, _DEFINITION)
    for reference in facts.references:
        if kind := _TYPE_OF_FAMILY.get(reference.key[0]):
            yield Token(reference.span, kind)
    match facts.document:
        case SquadDocument() as squad if facts.kind is FileKind.SQUAD:
            yield from _optional_tokens((squad.extends, "enumMember"), (squad.version, "number"))
            for item in chain.from_iterable(squad.components.values()):
                yield Token(item.span, "string")
        case WorkflowState(root=YamlNode() as root):
            yield from _field_tokens(root, _STATE_FIELDS)
            yield from _step_tokens(root, "steps", {"status": "enumMember", "phase": "event"})
        case WorkflowDefinition(root=YamlNode() as root):
            yield from _step_tokens(root, "sequence", {"phase": "event", "id": "event"})
        case AgentDefinition() as agent:
            yield from (Token(command.span, "function", _DEFINITION) for command in agent.commands)
        case TaskDocument() as task:
            yield from _optional_tokens(
                (task.task, "function"),
                (task.responsible, "class"),
                (task.executor_type, "enumMember"),
            )
        case StoryDocument(status_span=Span() as span):
            yield Token(span, "enumMember")
        case _ if facts.kind is FileKind.CONFIG:
            yield from _config_tokens(facts.text)


def _optional_tokens(*typed_texts: tuple[Text | None, str]) -> Iterator[Token]:
    """Yield the texts that there are, each with its type."""
    yield from (Token(text.span, kind) for text, kind in typed_texts if text)


def _field_tokens(node: YamlNode, kinds: Mapping[str, str]) -> Iterator[Token]:
    """Yield the values of some fields of a mapping."""
    return _optional_tokens(*((node.text(name), kind) for name, kind in kinds.items()))


def _step_tokens(root: YamlNode, key: str, kinds: Mapping[str, str]) -> Iterator[Token]:
    """Yield the values of some fields of each step in a list."""
    steps = root.get(key)
    for step in steps.items if steps else ():
        yield from _field_tokens(step.target_node, kinds)


_STATE_FIELDS = {
    "status": "enumMember",
    "target_context": "enumMember",
    "current_phase": "event",
    "current_step_index": "number",
}


def _config_tokens(text: str) -> Iterator[Token]:
    """Yield settings that are known, and the words that stand for a choice."""
    for path, place in key_positions(text).items():
        names = [part for part in path if isinstance(part, str)]
        if (option := config_settings.BY_PATH.get(".".join(names))) is None:
            continue
        if len(names) == len(path):
            yield Token(place.key, "property")
        if option.choices and place.value.cut(text).strip("\"'") in option.choices:
            yield Token(Span(place.value.start + 1, place.value.end - 1), "enumMember")
        elif option.kind == "paths" and isinstance(path[-1], int):
            yield Token(place.value, "string")


def semantic_tokens(view: View, path: str, within: Span | None = None) -> tuple[Token, ...]:
    """Return the semantic tokens of a file, or those that touch a part of it, in text order.

    None reaches over a line break and no two overlap: of two that do the first one counts, at one
    place the shorter.
    """
    if (facts := view.readable_facts(path)) is None:
        return ()
    if isinstance(facts.document, Manifest):
        tokens = manifest_tokens(facts, facts.document)  # each of them within a line
    else:
        many = rule_tokens(view, facts) if facts.kind in RULE_KINDS else file_tokens(facts)
        tokens = chain.from_iterable(_split_at_lines(facts, token) for token in many)
    if within is not None:
        tokens = (t for t in tokens if t.span.start <= within.end and within.start <= t.span.end)
    separate: list[Token] = []
    after = 0
    for token in sorted(tokens, key=attrgetter("span")):
        start, end = token.span
        if after <= start < end:
            separate.append(token)
            after = end
    return tuple(separate)


def _split_at_lines(facts: FileFacts, token: Token) -> Iterator[Token]:
    """Yield a token, cut at line breaks."""
    if not {"\n", "\r"}.intersection(token.span.cut(facts.text)):
        yield token
        return
    first, last = map(facts.lines.line_of, token.span)
    for number in range(first, last + 1):
        start, end = facts.lines.line_span(number)
        yield token._replace(span=Span(max(start, token.span.start), min(end, token.span.end)))


def token_difference(before: list[int], now: list[int]) -> tuple[int, int, list[int]] | None:
    """Return the one splice that turns the semantic tokens ``before`` into ``now``, as (where it
    begins, how many numbers go, which take their place); None where they are the same.
    """
    if before == now:
        return None
    shorter = min(len(before), len(now))
    head = next((i for i in range(shorter) if before[i] != now[i]), shorter)
    most = shorter - head
    tail = next((i for i in range(most) if before[-1 - i] != now[-1 - i]), most)
    return head, len(before) - head - tail, now[head : len(now) - tail]
