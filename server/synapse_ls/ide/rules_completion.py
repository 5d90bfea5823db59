"""Complete rule files: the next key of each list, the names that rules mention, phases, severities,
headers of star-commands, and the boundaries that the guard recognises.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from synapse_ls.edits.rule_edits import next_rule_key
from synapse_ls.formats.authority_boundary import boundary_actions
from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.formats.constitution_file import SEVERITIES, ConstitutionDocument
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.domain_rules import RulesDocument
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.rule_syntax import BRACKETS, parse_key
from synapse_ls.guard.agent_action import COMMAND, TOOL
from synapse_ls.guard.boundaries import FILE_VERBS, parse_pattern, parse_sentence
from synapse_ls.ide import completion_item
from synapse_ls.ide.completion_item import (
    CompletionItem,
    CompletionOffer,
    LineContext,
    escape_snippet,
    parse_assignment,
    snippet_choice,
    unique_offer,
)
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import WHITE_SPACE, Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.naming_conventions import domain_of_file, kebab_case
from synapse_ls.workspace.tree_domains import Domain, rules_in
from synapse_ls.workspace.tree_folders import CARL

_BOUNDARY_KEY = re.compile(r"\w*(?:DENY|ALLOW)_\d+")
"""The keys whose values are such boundaries."""

_BOUNDARY_FORMS = {
    "write": ("write ${1:docs/**}", "writing and deleting files"),
    "read": ("read ${1:.env}", "reading files"),
    "delete": ("delete ${1:src/**}", "deleting files"),
    "tool": ("tool ${1:mcp__server__*}", "a tool of the client"),
}
_USUAL_COMMANDS = (
    "git push", "git push --force", "git commit --no-verify", "git reset --hard", "gh pr create",
    "gh pr merge", "gh release create", "gh api -X DELETE *", "npm publish", "docker push", "rm -r",
    "terraform apply", "kubectl delete",
)  # fmt: skip


_BOUNDARY_VERBS = tuple(f"{verb} " for verb in (*FILE_VERBS, TOOL))


def _boundary_items(view: View) -> Iterator[CompletionItem]:
    """Yield the forms, then the commands that boundaries of this tree name, then usual ones."""
    for verb, (snippet, what) in _BOUNDARY_FORMS.items():
        yield CompletionItem(verb, "key", f"{verb} ", snippet, what)
    commands: dict[str, None] = {}
    for domain in view.tree.domains:
        facts = view.tree.snapshot.facts(domain.file) if domain.file else None
        for rule in rules_in(facts.document) if facts else ():
            if facts and rule.kind in ("auth", "deny", "allow"):
                for action in boundary_actions(facts.text, rule):
                    text = action.action.value
                    is_sentence = rule.kind == "auth"
                    named = parse_sentence(text) if is_sentence else [parse_pattern(text)]
                    commands |= {
                        pattern.text: None
                        for pattern in named
                        if pattern and pattern.verb == COMMAND
                    }
    for command in list(commands):
        yield CompletionItem(command, "command", detail="named by a boundary")
    for command in _USUAL_COMMANDS:
        yield CompletionItem(command, "command")


_MENTION = re.compile(r"(?<![\w*@])([*@])[\w-]*$")
_PHASE = re.compile(r"(?:[Pp]h?a?s?e?(?:\s+[\w-]*)?)?$")
_PHASE_WORD = re.compile(r"[\w-]")
_HEADER_REST = re.compile(r"[*\w-]*\]?[ \t]*(?:COMMAND)?:?")
_HEADER = re.compile(r"(?:#\s*)?\[\*?[\w-]*$")
_SEVERITY = re.compile(r"\([\w-]*$")
_COLON = re.compile(r":[ \t]*")
_NAME = re.compile(r"[\w-]")
_MARKER = re.compile(r"(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+|AUTH:[ \t]*")


def complete_rules(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a rule file: what can be written there."""
    if facts.kind is FileKind.COMMANDS and _HEADER.search(place.text_before):
        # `[*name] COMMAND:` for commands that have rules but no header, and for those of agents.
        begin = place.text.rindex("[", place.span.start, place.caret)
        match = _HEADER_REST.match(place.text, begin + 1, place.span.end)
        end = match.end() if match else place.caret
        star_commands = facts.document
        commands = star_commands.commands if isinstance(star_commands, StarCommands) else ()
        names = {command.name for command in commands if not command.span.touches(place.caret)}
        items = (
            CompletionItem(
                f"[{item.label}]",
                "command",
                f"[{item.label}] COMMAND:",
                "",
                item.detail,
                item.topic,
            )
            for item in completion_item.command_items(view.tree)
            if item.label[1:] not in names
        )
        return unique_offer(Span(begin, max(end, place.caret)), items)
    if place.is_comment:
        return None
    line = parse_assignment(place)
    if line.in_value(place.caret):
        return _complete_text(view, facts, place, line.equals + 1, line.key.cut(place.text))
    document = facts.document
    if isinstance(document, ContextDocument | ConstitutionDocument):
        document = document.rules
    if isinstance(document, RulesDocument) and document.mode == "plain":
        marker = _MARKER.match(place.text, min(place.body.start, place.caret), place.caret)
        start = marker.end() if marker else min(place.body.start, place.caret)
        return _complete_text(view, facts, place, start, "") or _complete_plain_line(
            facts, place, start
        )
    if place.caret > line.key.end:
        return None
    if place.caret < line.key.end and (read := parse_key(line.key.cut(place.text))):
        # The rest of the key is there already: in front of it, a whole key would be too much.
        name_span = Span(line.key.start, line.key.start + len(read.domain))
        if place.caret > name_span.end or facts.kind in _LISTS_BY_KIND:
            return None
        return unique_offer(name_span, _domain_items(view, facts))
    keys = _key_items(view, facts, has_value=line.equals >= 0)
    return unique_offer(line.key, sorted(keys, key=lambda item: item.kind == "text"))


# Keys


def _domain_items(view: View, facts: FileFacts) -> Iterator[CompletionItem]:
    """Yield the domains that the file serves."""
    for domain in view.tree.home_of(facts.path).domains_by_file.get(facts.path, ()):
        yield CompletionItem(domain.name, "key", topic=("list", "rule", "", domain.label))


def _key_items(view: View, facts: FileFacts, *, has_value: bool) -> Iterator[CompletionItem]:
    """Yield the next key of every list that the file has or could have."""
    rules = rules_in(facts.document)
    domains = view.tree.home_of(facts.path).domains_by_file.get(facts.path, ())
    for domain in domains or (_undeclared_domain(facts),):
        own = list(filter(domain.owns, rules))
        for kind, qualifier, what in _rule_lists(facts, domain, own):
            key = next_rule_key(domain, own, kind, qualifier)
            topic = ("list", kind, qualifier, domain.label)
            if has_value:
                yield CompletionItem(key, "key", detail=what, topic=topic, commit_characters="=")
            else:
                snippet = _article_snippet(kind, key, own, qualifier)
                yield CompletionItem(key, "key", f"{key}=", snippet, what, topic, "=")
    if facts.kind is FileKind.COMMANDS and not has_value:
        if facts.path.startswith(f"{CARL}/"):
            yield CompletionItem(
                "new star-command", "text", "NAME_RULE_0=", "${1:NAME}_RULE_0=$0", "its first rule"
            )
            return
        body = "# [*${1:name}] COMMAND:\nCOMMANDS_RULE_${2:NAME}_0=$0"
        yield CompletionItem(
            "new star-command", "text", "# [*name] COMMAND:\n", body, "header and rule"
        )


def _undeclared_domain(facts: FileFacts) -> Domain:
    """Return the domain that a file would serve if a manifest declared it."""
    name = domain_of_file(facts.path)
    exact = facts.path.startswith(f"{CARL}/")
    return Domain(name, name, "", None, "", facts.path, 0, builtin=False, exact=exact)


def _article_snippet(kind: str, key: str, rules: Sequence[Rule], qualifier: str) -> str:
    """Return the snippet of a new article, which begins with its title and severity; else ""."""
    if kind == "article" and not any(rule.qualifier == qualifier for rule in rules):
        return f"{escape_snippet(key)}=${{1:Title}} ({snippet_choice(2, SEVERITIES)})"
    return ""


def _rule_lists(
    facts: FileFacts, domain: Domain, rules: Sequence[Rule]
) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, qualifier, description) of the lists that a key can go on with, the likeliest
    first.
    """
    special = _LISTS_BY_KIND.get(facts.kind)
    if special:
        # To CARL, CRITICAL has no rules of its own.
        yield from (row for row in special(rules) if not (domain.exact and row[1] == "CRITICAL"))
        return
    yield "rule", "", "next rule"
    if domain.exact:
        return
    trigger = domain.declaration.agent_trigger if domain.declaration else ""
    kinds = {rule.kind for rule in rules}
    agent = bool(trigger) or domain.name.startswith("AGENT_")
    for kind, what in (
        ("auth", "authority boundary"),
        ("deny", "what the guard refuses"),
        ("allow", "what the guard lets through"),
    ):
        if agent or kind in kinds:
            yield kind, "", what
    if "check" in kinds:
        yield "check", "", "what `synapse audit` looks for"


def _article_lists(rules: Sequence[Rule]) -> Iterator[tuple[str, str, str]]:
    titles = {
        rule.qualifier: rule.text for rule in rules if rule.kind == "article" and not rule.index
    }
    numbers = sorted({int(rule.qualifier) for rule in rules if rule.kind == "article"})
    for number in reversed(numbers):
        yield "article", str(number), titles.get(str(number), "")
    yield "article", str(numbers[-1] + 1 if numbers else 1), "new article"


def _bracket_lists(rules: Sequence[Rule]) -> Iterator[tuple[str, str, str]]:
    del rules
    for bracket in BRACKETS:
        yield "bracket", bracket, f"told in {bracket}"


def _command_lists(rules: Sequence[Rule]) -> Iterator[tuple[str, str, str]]:
    for name in dict.fromkeys(rule.qualifier for rule in reversed(rules) if rule.qualifier):
        yield "command", name, f"*{kebab_case(name)}"


_LISTS_BY_KIND: Mapping[FileKind, Callable[[Sequence[Rule]], Iterator[tuple[str, str, str]]]] = {
    FileKind.CONSTITUTION: _article_lists,
    FileKind.CONTEXT: _bracket_lists,
    FileKind.COMMANDS: _command_lists,
}


# Text


def _complete_text(
    view: View, facts: FileFacts, place: LineContext, start: int, key: str
) -> CompletionOffer | None:
    """Return what a rule can mention: star-commands, agents, the phase it is for, its severity."""
    start += len(place.text[start : place.caret]) - len(
        place.text[start : place.caret].lstrip(WHITE_SPACE)
    )
    typed = place.typed_since(start)
    mention = _MENTION.search(typed)
    # A lone `*` at the beginning may become the mark of a list item.
    if mention and not (mention[0] == "*" and start + mention.start() == place.body.start):
        begin = start + mention.start()
        span = Span(begin, place.word_span(_NAME).end)
        if mention[1] == "*":
            return unique_offer(span, completion_item.command_items(view.tree))
        return unique_offer(span, completion_item.agent_items(view.tree, "@"))
    if key.endswith("_0") and facts.kind is FileKind.CONSTITUTION and _SEVERITY.search(typed):
        begin = place.caret - len(typed) + typed.rindex("(")
        end = place.text.find(")", place.caret, place.span.end) + 1 or place.caret
        return unique_offer(Span(begin, end), _severity_items())
    if _BOUNDARY_KEY.fullmatch(key):
        # What a boundary of the guard (`{D}_DENY_n`, `{D}_ALLOW_n`) can begin with.
        boundary_start = place.typed_since(start)
        if (
            re.fullmatch(r"[\w -]*", boundary_start) is None
            or " - " in boundary_start
            or boundary_start.startswith(tuple(_BOUNDARY_VERBS))
        ):
            return None
        return unique_offer(Span(start, place.caret), _boundary_items(view))
    if facts.kind is FileKind.RULES and _PHASE.match(typed):
        # `Phase x: ` at the beginning of a rule, for the workflows that the file is for.
        triggers = [
            domain.declaration.workflow_trigger
            for domain in view.tree.home_of(facts.path).domains_by_file.get(facts.path, ())
            if domain.declaration and domain.declaration.workflow_trigger
        ]
        phase_end = place.word_span(_PHASE_WORD).end
        colon = _COLON.match(place.text, phase_end, place.span.end)
        phase_span = Span(start, colon.end() if colon else phase_end)
        items = (
            CompletionItem(
                f"Phase {item.label}", "phase", f"Phase {item.label}: ", "", item.detail, item.topic
            )
            for trigger in triggers
            for item in completion_item.rule_phase_items(view.tree, trigger)
        )
        completion_offer = unique_offer(phase_span, items)
        return completion_offer if completion_offer.items else None
    return None


def _complete_plain_line(
    facts: FileFacts, place: LineContext, start: int
) -> CompletionOffer | None:
    """Return how a line of plain text can begin."""
    if not re.fullmatch(r"[\w ]*", place.typed_since(start)):
        return None
    return unique_offer(Span(start, place.caret), _PLAIN_LINES.get(facts.kind, _no_lines)())


def _no_lines() -> Iterable[CompletionItem]:
    return ()


def _context_lines() -> Iterator[CompletionItem]:
    for bracket in BRACKETS:
        text = f"When context is {bracket}: "
        yield CompletionItem(text.strip(), "bracket", text, topic=("bracket", bracket))


def _article_lines() -> Iterator[CompletionItem]:
    body = f"Art. ${{1:I}} — ${{2:Title}} ({snippet_choice(3, SEVERITIES)}): $0"
    yield CompletionItem("new article", "text", "Art. I — Title (MUST): ", body)


def _agent_lines() -> Iterator[CompletionItem]:
    yield CompletionItem(
        "AUTH:", "key", "AUTH: ", detail="authority boundary", topic=("list", "auth")
    )


_PLAIN_LINES: Mapping[FileKind, Callable[[], Iterable[CompletionItem]]] = {
    FileKind.CONTEXT: _context_lines,
    FileKind.CONSTITUTION: _article_lines,
    FileKind.RULES: _agent_lines,
}


def _severity_items() -> Iterator[CompletionItem]:
    for severity in SEVERITIES:
        yield CompletionItem(f"({severity})", "value", topic=("severity", severity))


# Headers of star-commands
