"""Complete rule files: next keys, mentioned names, phases, severities, headers, boundaries."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from synapse_ls.edits.rule_edits import next_rule_key
from synapse_ls.formats import rule_syntax
from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.formats.constitution_file import SEVERITIES
from synapse_ls.formats.rule import Rule
from synapse_ls.guard.agent_action import TOOL
from synapse_ls.guard.boundary_patterns import FILE_VERBS
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
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import WHITE_SPACE, Span
from synapse_ls.workspace import naming_conventions, tree_folders
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.tree_domains import Domain, rules_in, rules_mode

# The keys whose values are such boundaries.
_BOUNDARY_KEY = lazy_pattern(r"\w*(?:DENY|ALLOW)_\d+")

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


_MENTION = lazy_pattern(r"(?<![\w*@])([*@])[\w-]*$")
_PHASE = lazy_pattern(r"(?:[Pp]h?a?s?e?(?:\s+[\w-]*)?)?$")

_BOUNDARY_START = lazy_pattern(rf"(?!.* - )(?!(?:{'|'.join((*FILE_VERBS, TOOL))}) )[\w -]*")
_HEADER_REST = lazy_pattern(r"[*\w-]*\]?[ \t]*(?:COMMAND)?:?")
_HEADER = lazy_pattern(r"(?:#\s*)?\[\*?[\w-]*$")
_SEVERITY = lazy_pattern(r"\([\w-]*$")
_COLON = lazy_pattern(r":[ \t]*")
_NAME = lazy_pattern(r"[\w-]")
_MARKER = lazy_pattern(r"(?:[-*+•]|[0-9]{1,9}[.)])[ \t]+|AUTH:[ \t]*")


def complete_rules(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a rule file: what can be written there."""
    if facts.kind is FileKind.COMMANDS and _HEADER.search(place.text_before):
        return _complete_header(view, facts, place)
    if place.is_comment:
        return None
    if (line := parse_assignment(place)).in_value(place.caret):
        return _complete_text(view, facts, place, line.equals + 1, line.key.cut(place.text))
    if rules_mode(facts.document) == "plain":
        start = min(place.body.start, place.caret)
        marker = _MARKER.match(place.text, start, place.caret)
        start = marker.end() if marker else start
        offer = _complete_text(view, facts, place, start, "")
        if offer or not re.fullmatch(r"[\w ]*", place.typed_since(start)):
            return offer
        return unique_offer(Span(start, place.caret), _plain_lines(facts.kind))
    if place.caret > line.key.end:
        return None
    if place.caret < line.key.end and (key := rule_syntax.parse_key(line.key.cut(place.text))):
        # The rest of the key is there already: in front of it, a whole key would be too much.
        name_span = Span(line.key.start, line.key.start + len(key.domain))
        if place.caret > name_span.end or facts.kind in _SPECIAL_KINDS:
            return None
        domains = view.tree.domains_of_file(facts.path)
        labels = ((domain.name, ("list", "rule", "", domain.label)) for domain in domains)
        return unique_offer(
            name_span, (CompletionItem(name, "key", topic=topic) for name, topic in labels)
        )
    keys = _key_items(view, facts, has_value=line.equals >= 0)
    return unique_offer(line.key, sorted(keys, key=lambda item: item.kind == "text"))


def _complete_header(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer:
    """Return `[*name] COMMAND:` for commands that have rules but no header, and for those of
    agents.
    """
    start = place.text.rindex("[", place.span.start, place.caret)
    match = _HEADER_REST.match(place.text, start + 1, place.span.end)
    end = match.end() if match else place.caret
    commands = facts.document.commands if isinstance(facts.document, StarCommands) else ()
    names = {command.name for command in commands if not command.span.touches(place.caret)}
    items = (
        item._replace(label=f"[{item.label}]", insert=f"[{item.label}] COMMAND:")
        for item in completion_item.command_items(view.tree)
        if item.label[1:] not in names
    )
    return unique_offer(Span(start, max(end, place.caret)), items)


def _key_items(view: View, facts: FileFacts, *, has_value: bool) -> Iterator[CompletionItem]:
    """Yield the next key of every list that the file has or could have."""
    rules = rules_in(facts.document)
    in_carl = facts.path.startswith(f"{tree_folders.CARL}/")
    if not (domains := view.tree.domains_of_file(facts.path)):
        # The domain that the file would serve if a manifest declared it.
        name = naming_conventions.domain_of_file(facts.path)
        domains = (Domain(name, name, "", None, "", facts.path, 0, builtin=False, exact=in_carl),)
    for domain in domains:
        domain_rules = list(filter(domain.owns, rules))
        for kind, qualifier, what in _rule_lists(facts.kind, domain, domain_rules):
            key = next_rule_key(domain, domain_rules, kind, qualifier)
            topic = ("list", kind, qualifier, domain.label)
            if has_value:
                yield CompletionItem(key, "key", "", "", what, topic, "=")
                continue
            snippet = ""
            if kind == "article" and all(rule.qualifier != qualifier for rule in domain_rules):
                # A new article begins with its title and severity.
                title = f"${{1:Title}} ({snippet_choice(2, SEVERITIES)})"
                snippet = f"{escape_snippet(key)}={title}"
            yield CompletionItem(key, "key", f"{key}=", snippet, what, topic, "=")
    if facts.kind is FileKind.COMMANDS and not has_value:
        text, snippet = "NAME_RULE_0=", "${1:NAME}_RULE_0=$0"
        detail = "its first rule"
        if not in_carl:
            text = "# [*name] COMMAND:\n"
            snippet = "# [*${1:name}] COMMAND:\nCOMMANDS_RULE_${2:NAME}_0=$0"
            detail = "header and rule"
        yield CompletionItem("new star-command", "text", text, snippet, detail)


# Kinds of rule files that have lists of their own.
_SPECIAL_KINDS = (FileKind.CONSTITUTION, FileKind.CONTEXT, FileKind.COMMANDS)


def _rule_lists(
    file_kind: FileKind, domain: Domain, rules: Sequence[Rule]
) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, qualifier, description) of the lists that a key can go on with, the likeliest
    first.
    """
    kinds = {rule.kind for rule in rules}
    if file_kind is FileKind.CONSTITUTION:
        articles = [rule for rule in rules if rule.kind == "article"]
        titles = {rule.qualifier: rule.text for rule in articles if not rule.index}
        numbers = sorted({int(rule.qualifier) for rule in articles}, reverse=True)
        for number in numbers:
            yield "article", str(number), titles.get(str(number), "")
        yield "article", str(numbers[0] + 1 if numbers else 1), "new article"
    elif file_kind is FileKind.CONTEXT:
        for bracket in rule_syntax.BRACKETS:
            # To CARL, CRITICAL has no rules of its own.
            if not (domain.exact and bracket == "CRITICAL"):
                yield "bracket", bracket, f"injected in {bracket}"
    elif file_kind is FileKind.COMMANDS:
        for name in dict.fromkeys(rule.qualifier for rule in reversed(rules) if rule.qualifier):
            if not (domain.exact and name == "CRITICAL"):
                yield "command", name, f"*{naming_conventions.kebab_case(name)}"
    else:
        yield "rule", "", "next rule"
        if domain.exact:
            return
        trigger = domain.declaration.agent_trigger if domain.declaration else ""
        is_agent = bool(trigger) or domain.name.startswith("AGENT_")
        for kind, what in _BOUNDARY_LISTS.items():
            if is_agent or kind in kinds:
                yield kind, "", what
        if "check" in kinds:
            yield "check", "", "what `synapse audit` looks for"


_BOUNDARY_LISTS = {
    "auth": "authority boundary",
    "deny": "what the guard refuses",
    "allow": "what the guard lets through",
}


def _complete_text(
    view: View, facts: FileFacts, place: LineContext, start: int, key: str
) -> CompletionOffer | None:
    """Return what a rule can mention: star-commands, agents, the phase it is for, its severity."""
    typed = place.typed_since(start).lstrip(WHITE_SPACE)
    start = place.caret - len(typed)
    mention = _MENTION.search(typed)
    # A lone `*` at the beginning may become the mark of a list item.
    if mention and not (mention[0] == "*" and start + mention.start() == place.body.start):
        span = Span(start + mention.start(), place.word_span(_NAME).end)
        return unique_offer(span, completion_item.mentioned_items(view.tree, mention[1]))
    if key.endswith("_0") and facts.kind is FileKind.CONSTITUTION and _SEVERITY.search(typed):
        end = place.text.find(")", place.caret, place.span.end) + 1 or place.caret
        severities = (
            CompletionItem(f"({severity})", "value", topic=("severity", severity))
            for severity in SEVERITIES
        )
        return unique_offer(Span(start + typed.rindex("("), end), severities)
    if _BOUNDARY_KEY.fullmatch(key):
        # What a boundary of the guard (`{D}_DENY_n`, `{D}_ALLOW_n`) can begin with.
        if not _BOUNDARY_START.fullmatch(typed):
            return None
        forms = (
            CompletionItem(verb, "key", f"{verb} ", snippet, what)
            for verb, (snippet, what) in _BOUNDARY_FORMS.items()
        )
        usual = (CompletionItem(command, "command") for command in _USUAL_COMMANDS)
        return unique_offer(Span(start, place.caret), chain(forms, usual))
    if facts.kind is FileKind.RULES and _PHASE.match(typed):
        # `Phase x: ` at the beginning of a rule, for the workflows that the file is for.
        domains = view.tree.domains_of_file(facts.path)
        triggers = [d.declaration.workflow_trigger for d in domains if d.declaration]
        end = place.word_span(_NAME).end
        colon = _COLON.match(place.text, end, place.span.end)
        phases = (
            item._replace(label=f"Phase {item.label}", insert=f"Phase {item.label}: ")
            for trigger in filter(None, triggers)
            for item in completion_item.rule_phase_items(view.tree, trigger)
        )
        offer = unique_offer(Span(start, colon.end() if colon else end), phases)
        return offer if offer.items else None
    return None


def _plain_lines(kind: FileKind) -> Iterator[CompletionItem]:
    """Yield how a line of plain text can begin."""
    if kind is FileKind.CONTEXT:
        for bracket in rule_syntax.BRACKETS:
            text = f"When context is {bracket}: "
            yield CompletionItem(text.strip(), "bracket", text, topic=("bracket", bracket))
    elif kind is FileKind.CONSTITUTION:
        body = f"Art. ${{1:I}} — ${{2:Title}} ({snippet_choice(3, SEVERITIES)}): $0"
        yield CompletionItem("new article", "text", "Art. I — Title (MUST): ", body)
    elif kind is FileKind.RULES:
        topic = ("list", "auth")
        yield CompletionItem("AUTH:", "key", "AUTH: ", detail="authority boundary", topic=topic)
