"""Completion in rule files: the next key of each list, and the names that rules speak of."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from synapse_ls.formats.commands import Commands
from synapse_ls.formats.constitution import SEVERITIES, ConstitutionDocument
from synapse_ls.formats.context import ContextDocument
from synapse_ls.formats.rule_keys import BRACKETS
from synapse_ls.formats.rules import Rule, RulesDocument
from synapse_ls.ide.completion import boundaries, names
from synapse_ls.ide.completion.item import Item, Offer, choice, literal, offer
from synapse_ls.ide.completion.place import Here, assignment
from synapse_ls.ide.view import View
from synapse_ls.manage.rules import next_key
from synapse_ls.text.span import WHITE_SPACE, Span
from synapse_ls.workspace.domains import Domain, rules_in
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.folders import CARL
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import domain_of_file, kebab

_MENTION = re.compile(r"(?<![\w*@])([*@])[\w-]*$")
_PHASE = re.compile(r"(?:[Pp]h?a?s?e?(?:\s+[\w-]*)?)?$")
_PHASE_WORD = re.compile(r"[\w-]")
_REST = re.compile(r"[*\w-]*\]?[ \t]*(?:COMMAND)?:?")
_HEADER = re.compile(r"(?:#\s*)?\[\*?[\w-]*$")
_SEVERITY = re.compile(r"\([\w-]*$")
_COLON = re.compile(r":[ \t]*")
_NAME = re.compile(r"[\w-]")
_MARKER = re.compile(r"(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+|AUTH:[ \t]*")


def complete(view: View, facts: FileFacts, place: Here) -> Offer | None:
    """What can be written at a place of a rule file."""
    if facts.kind is FileKind.COMMANDS and _HEADER.search(place.before):
        return _headers(view, facts, place)
    if place.is_comment:
        return None
    line = assignment(place)
    if line.in_value(place.caret):
        return _text(view, facts, place, line.equals + 1, line.key.cut(place.text))
    if _is_plain(facts):
        marker = _MARKER.match(place.text, min(place.body.start, place.caret), place.caret)
        start = marker.end() if marker else min(place.body.start, place.caret)
        return _text(view, facts, place, start, "") or _plain(facts, place, start)
    if place.caret > line.key.end:
        return None
    keys = _keys(view, facts, has_value=line.equals >= 0)
    return offer(line.key, sorted(keys, key=lambda item: item.kind == "text"))


# Keys


def _keys(view: View, facts: FileFacts, *, has_value: bool) -> Iterator[Item]:
    """The next key of every list that the file has or could have."""
    rules = rules_in(facts.document)
    domains = view.tree.home_of(facts.path).served.get(facts.path, ())
    for domain in domains or (_orphan(facts),):
        own = list(filter(domain.owns, rules))
        for kind, qualifier, what in _lists(facts, domain, own):
            key = next_key(domain, own, kind, qualifier)
            topic = ("list", kind, qualifier, domain.label)
            if has_value:
                yield Item(key, "key", detail=what, topic=topic, commit="=")
            else:
                snippet = _snippet(kind, key, own, qualifier)
                yield Item(key, "key", f"{key}=", snippet, what, topic, "=")
    if facts.kind is FileKind.COMMANDS and not has_value:
        if facts.path.startswith(f"{CARL}/"):
            yield Item(
                "new star-command", "text", "NAME_RULE_0=", "${1:NAME}_RULE_0=$0", "its first rule"
            )
            return
        body = "# [*${1:name}] COMMAND:\nCOMMANDS_RULE_${2:NAME}_0=$0"
        yield Item("new star-command", "text", "# [*name] COMMAND:\n", body, "header and rule")


def _orphan(facts: FileFacts) -> Domain:
    """The domain that a file would serve if a manifest declared it."""
    name = domain_of_file(facts.path)
    exact = facts.path.startswith(f"{CARL}/")
    return Domain(name, name, "", None, "", facts.path, 0, builtin=False, exact=exact)


def _snippet(kind: str, key: str, rules: Sequence[Rule], qualifier: str) -> str:
    """A new article begins with its title and severity."""
    if kind == "article" and not any(rule.qualifier == qualifier for rule in rules):
        return f"{literal(key)}=${{1:Title}} ({choice(2, SEVERITIES)})"
    return ""


def _lists(
    facts: FileFacts, domain: Domain, rules: Sequence[Rule]
) -> Iterator[tuple[str, str, str]]:
    """(kind, qualifier, what it is) of the lists that a key can go on with, the likeliest first."""
    special = _SPECIAL.get(facts.kind)
    if special:
        # To CARL, CRITICAL has no rules of its own.
        yield from (one for one in special(rules) if not (domain.exact and one[1] == "CRITICAL"))
        return
    yield "rule", "", "next rule"
    if domain.exact:
        return
    trigger = domain.declaration.agent_trigger if domain.declaration else ""
    known = {rule.kind for rule in rules}
    agent = bool(trigger) or domain.name.startswith("AGENT_")
    for kind, what in (
        ("auth", "authority boundary"),
        ("deny", "what the guard refuses"),
        ("allow", "what the guard lets through"),
    ):
        if agent or kind in known:
            yield kind, "", what


def _articles(rules: Sequence[Rule]) -> Iterator[tuple[str, str, str]]:
    titles = {
        rule.qualifier: rule.text for rule in rules if rule.kind == "article" and not rule.index
    }
    numbers = sorted({int(rule.qualifier) for rule in rules if rule.kind == "article"})
    for number in reversed(numbers):
        yield "article", str(number), titles.get(str(number), "")
    yield "article", str(numbers[-1] + 1 if numbers else 1), "new article"


def _brackets(rules: Sequence[Rule]) -> Iterator[tuple[str, str, str]]:
    del rules
    for bracket in BRACKETS:
        yield "bracket", bracket, f"told in {bracket}"


def _star(rules: Sequence[Rule]) -> Iterator[tuple[str, str, str]]:
    for name in dict.fromkeys(rule.qualifier for rule in reversed(rules) if rule.qualifier):
        yield "command", name, f"*{kebab(name)}"


_SPECIAL: Mapping[FileKind, Callable[[Sequence[Rule]], Iterator[tuple[str, str, str]]]] = {
    FileKind.CONSTITUTION: _articles,
    FileKind.CONTEXT: _brackets,
    FileKind.COMMANDS: _star,
}


# Text


def _is_plain(facts: FileFacts) -> bool:
    document = facts.document
    if isinstance(document, ContextDocument | ConstitutionDocument):
        document = document.rules
    return isinstance(document, RulesDocument) and document.mode == "plain"


def _text(view: View, facts: FileFacts, place: Here, start: int, key: str) -> Offer | None:
    """What a rule can speak of: star-commands, agents, the phase it is for, its severity."""
    start += len(place.text[start : place.caret]) - len(
        place.text[start : place.caret].lstrip(WHITE_SPACE)
    )
    typed = place.typed(start)
    mention = _MENTION.search(typed)
    # A lone `*` at the beginning may become the mark of a list item.
    if mention and not (mention[0] == "*" and start + mention.start() == place.body.start):
        begin = start + mention.start()
        span = Span(begin, place.word(_NAME).end)
        if mention[1] == "*":
            return offer(span, names.commands(view.tree))
        return offer(span, names.agents(view.tree, "@"))
    if key.endswith("_0") and facts.kind is FileKind.CONSTITUTION and _SEVERITY.search(typed):
        begin = place.caret - len(typed) + typed.rindex("(")
        end = place.text.find(")", place.caret, place.span.end) + 1 or place.caret
        return offer(Span(begin, end), _severities())
    if boundaries.KEY.fullmatch(key):
        return boundaries.complete(view, place, start)
    if facts.kind is FileKind.RULES and _PHASE.match(typed):
        return _phases(view, facts, place, start)
    return None


def _phases(view: View, facts: FileFacts, place: Here, start: int) -> Offer | None:
    """``Phase x: `` at the beginning of a rule, of the workflows that the file is for."""
    triggers = [
        domain.declaration.workflow_trigger
        for domain in view.tree.home_of(facts.path).served.get(facts.path, ())
        if domain.declaration and domain.declaration.workflow_trigger
    ]
    end = place.word(_PHASE_WORD).end
    colon = _COLON.match(place.text, end, place.span.end)
    span = Span(start, colon.end() if colon else end)
    items = (
        Item(f"Phase {item.label}", "phase", f"Phase {item.label}: ", "", item.detail, item.topic)
        for trigger in triggers
        for item in names.phases(view.tree, trigger)
    )
    found = offer(span, items)
    return found if found.items else None


def _plain(facts: FileFacts, place: Here, start: int) -> Offer | None:
    """How a line of plain text can begin."""
    if not re.fullmatch(r"[\w ]*", place.typed(start)):
        return None
    return offer(Span(start, place.caret), _PLAIN.get(facts.kind, _nothing)())


def _nothing() -> Iterable[Item]:
    return ()


def _context_lines() -> Iterator[Item]:
    for bracket in BRACKETS:
        text = f"When context is {bracket}: "
        yield Item(text.strip(), "bracket", text, topic=("bracket", bracket))


def _article_lines() -> Iterator[Item]:
    body = f"Art. ${{1:I}} — ${{2:Title}} ({choice(3, SEVERITIES)}): $0"
    yield Item("new article", "text", "Art. I — Title (MUST): ", body)


def _agent_lines() -> Iterator[Item]:
    yield Item("AUTH:", "key", "AUTH: ", detail="authority boundary", topic=("list", "auth"))


_PLAIN: Mapping[FileKind, Callable[[], Iterable[Item]]] = {
    FileKind.CONTEXT: _context_lines,
    FileKind.CONSTITUTION: _article_lines,
    FileKind.RULES: _agent_lines,
}


def _severities() -> Iterator[Item]:
    for severity in SEVERITIES:
        yield Item(f"({severity})", "value", topic=("severity", severity))


# Headers of star-commands


def _headers(view: View, facts: FileFacts, place: Here) -> Offer:
    """``[*name] COMMAND:`` for commands that have rules but no header, and for those of agents."""
    begin = place.text.rindex("[", place.span.start, place.caret)
    found = _REST.match(place.text, begin + 1, place.span.end)
    end = found.end() if found else place.caret
    document = facts.document
    commands = document.commands if isinstance(document, Commands) else ()
    taken = {command.name for command in commands if not command.span.touches(place.caret)}
    items = (
        Item(f"[{item.label}]", "command", f"[{item.label}] COMMAND:", "", item.detail, item.topic)
        for item in names.commands(view.tree)
        if item.label[1:] not in taken
    )
    return offer(Span(begin, max(end, place.caret)), items)
