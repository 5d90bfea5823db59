"""Answer hovers in rule files: rules, articles, brackets and star-commands."""

from synapse_ls.engine import block_sections, prompt_parser
from synapse_ls.engine.rule_account import RuleAccount, entry_tokens
from synapse_ls.engine.word_matching import slug_of
from synapse_ls.formats import authority_boundary
from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.formats.rule import Rule
from synapse_ls.guard.agent_action import ENFORCE, OFF, WARN
from synapse_ls.guard.boundary_patterns import parse_pattern, parse_sentence
from synapse_ls.ide import domain_brackets, hover_markdown, position_lookup
from synapse_ls.ide.tree_view import View
from synapse_ls.text.phrases import format_count, join_paragraphs
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.tree_domains import rules_in

_PHRASE_OF_KIND = {
    "auth": "authority boundary of {}",
    "deny": "denied to the agent of {}",
    "allow": "allowed to the agent of {}",
    "check": "check of {}",
}

# Mode of the guard -> effect of a boundary -> what the guard does in that mode.
_GUARD_SENTENCES = {
    ENFORCE: {
        authority_boundary.BLOCKED: "The guard refuses {}.",
        authority_boundary.ALLOWED: "The guard lets through {}.",
        authority_boundary.EXCLUSIVE: "The guard refuses every other agent {}.",
    },
    WARN: {
        authority_boundary.BLOCKED: "The guard only warns of {}: the agent may go on.",
        authority_boundary.ALLOWED: "The guard lets through {}.",
        authority_boundary.EXCLUSIVE: "The guard only warns every other agent of {}: it may go on.",
    },
    OFF: dict.fromkeys(
        (authority_boundary.BLOCKED, authority_boundary.ALLOWED, authority_boundary.EXCLUSIVE),
        "The guard is off, and does nothing about {}.",
    ),
}


def hover_rules(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover for the rule, or the command, of a rule file under the pointer."""
    command_place = position_lookup.command_at(
        facts, offset
    ) or position_lookup.mentioned_command_at(facts, view.tree, offset)
    if command_place:
        span, command = command_place
        path, rows = view.plan.commands.get(command.name, ("", ()))
        first = command.rules[0].line + 1 if command.rules else 1
        assembly = view.block(prompt=f"*{command.name}")
        sent = [e for s in assembly.sent_sections if s.id == "STAR" for e in s.entries]
        tokens = sum(map(entry_tokens, sent))
        rules = format_count(len(rows), "rule")
        names = {slug_of(name.name) for name in view.assembly.situation.prompt.commands}
        says = f"a prompt that says *{command.name}"
        if prompt_parser.is_executed_command(command.name):
            reason = f"Synapse LS itself answers {says}"
        else:
            reason = f"its rules are injected with {says}, and for that prompt only"
        name, cost = hover_markdown.escape_markdown(command.name), format_count(tokens, "token")
        title = f"**\\*{name}** · {rules}, {cost}"
        if path:
            line = hover_markdown.line_reference(path, first)
            title = f"**\\*{name}** · {rules}, {cost}, from {line}"
        return span, join_paragraphs(
            title,
            hover_markdown.inclusion_sentence(
                bool(sent) and slug_of(command.name) in names, reason
            ),
            hover_markdown.block_preview(
                assembly,
                {"prompt": f"*{command.name}"},
                hover_markdown.entries_of_section("STAR"),
                phrase=f"for the prompt {hover_markdown.code_span(f'*{command.name}')}",
            )
            if sent
            else "",
        )
    if (rule := position_lookup.rule_at(facts, offset)) is None:
        return None
    span = position_lookup.closest_span(offset, rule.span, rule.key_span, rule.text_span)
    markdown = _rule_markdown(view, facts, rule)
    bracket = view.plan.profile.find_bracket(rule.qualifier) if rule.kind == "bracket" else None
    if bracket is None:
        return span, markdown
    # The bracket's own figures, and the block in it.
    awake = ", ".join(sorted(bracket.layers))
    if bracket.handoff:
        awake = f"{awake}, a hand-off warning"
    return span, join_paragraphs(
        markdown,
        f"**{bracket.name}**: {bracket.label} of the context window left. Budget "
        f"{format_count(bracket.budget, 'token')}; active are {awake}.",
        hover_markdown.block_preview(
            view.block(bracket.name),
            {"bracket": bracket.name},
            lambda section, entry: section.id == "BRACKET" and entry.key == rule.key,
            domain_brackets.bracket_overview(view),
            f"in {bracket.name}",
        ),
    )


def _rule_markdown(view: View, facts: FileFacts, rule: Rule) -> str:
    """Return Markdown about a rule: where it comes from, what it costs, what becomes of it."""
    line = rule.line + 1
    place = hover_markdown.line_reference(facts.path, line)
    name = hover_markdown.escape_markdown(rule.key or f"Rule {(rule.index or 0) + 1}")
    if not (domains := position_lookup.rule_domains(view.tree, facts.path, rule)):
        return join_paragraphs(
            f"**{name}** in {place}",
            "No domain of a manifest is served by this file, so its rules are never injected.",
        )
    article = position_lookup.article_title(facts, rule)
    history = view.rule_history(facts.path, rule.key)
    commands = facts.document.commands if isinstance(facts.document, StarCommands) else ()
    # The prompt that brings a star-command's rule in.
    prompts = (
        {"prompt": f"*{command.name}"}
        for command in commands
        if any(other.span == rule.span for other in command.rules)
    )
    situation = next(prompts, None)
    parts = []
    for domain in domains:
        what = _PHRASE_OF_KIND.get(rule.kind, "rule of {}")
        owner = what.format(hover_markdown.escape_markdown(article or domain.label))
        if rule.phase:
            owner = f"{owner}, in the phase {hover_markdown.escape_markdown(rule.phase)}"
        account = position_lookup.rule_account(view, domain.label, line)
        cost = f" · {format_count(account.tokens, 'token')}" if account else ""
        parts.append(f"**{name}** · {owner} · {place}{cost}")
        if account:
            obstacle = _obstacle_sentence(view, domain.label, account, situation)
            remedy = "" if obstacle else account.remedy
            parts.append(
                hover_markdown.inclusion_sentence(account.is_rendered, account.reason, remedy)
            )
            parts.append(obstacle)
        if rule.kind in ("auth", "deny", "allow"):
            parts.append(_guard_sentence(view, facts, rule))
        if history:
            parts.append(f"In past sessions: {history}.")
        if rule.kind == "check":
            parts.append("`synapse audit` checks past sessions by it; no agent gets it.")
    compiled = domain_brackets.compiled_domain(view, domains[0].label)
    if compiled is None or rule.kind == "bracket":
        return join_paragraphs(*parts)

    def is_rule(_: block_sections.Section, entry: block_sections.Entry) -> bool:
        return any(
            (other.file, other.line) == (facts.path, rule.line)
            for other in entry.members or (entry,)
        )

    if (first := position_lookup.rule_account(view, compiled.label, line)) and first.is_rendered:
        preview = hover_markdown.block_preview(
            view.assembly, {}, is_rule, domain_brackets.bracket_line(view, compiled)
        )
    else:
        situation = (
            domain_brackets.waking_situation(view, compiled) if situation is None else situation
        )
        preview = (
            domain_brackets.situation_preview(view, compiled, situation, is_rule)
            if situation
            else ""
        )
    return join_paragraphs(
        *parts, preview or domain_brackets.bracket_table(view, compiled, situation)
    )


def _obstacle_sentence(
    view: View, label: str, account: RuleAccount, situation: dict[str, str] | None
) -> str:
    """Return what keeps a rule out of the very block that its domain waits for, "" for nothing."""
    if (domain := domain_brackets.compiled_domain(view, label)) is None or account.is_rendered:
        return ""
    situation = situation or domain_brackets.waking_situation(view, domain)
    if not situation:
        return ""
    _, then = domain_brackets.situation_block(view, domain, situation)
    rule = position_lookup.rule_on_line(then, account.line)
    if rule is None or rule.is_rendered or rule.reason == account.reason:
        return ""
    block = f"the block {domain_brackets.situation_phrase(situation)} either"
    return hover_markdown.inclusion_sentence(False, rule.reason, rule.remedy, block)


def _guard_sentence(view: View, facts: FileFacts, rule: Rule) -> str:
    """Return what the guard does about a boundary in the mode it is set to, and what it
    cannot see.
    """
    sentences = _GUARD_SENTENCES[view.plan.settings["guard"]]
    folders = view.tree.snapshot.config.paths.stories
    stories = authority_boundary.guarded_stories(facts.text, rules_in(facts.document), folders)
    verdicts: dict[str, list[str]] = {}
    unread = []
    for action in authority_boundary.boundary_actions(facts.text, rule):
        text = action.action.value
        if action.effect == authority_boundary.ALLOWED and authority_boundary.names_sole_sections(
            rule.text, text
        ):
            outside = (hover_markdown.code_span(f"write {glob}") for glob in stories)
            verdicts.setdefault(sentences[authority_boundary.BLOCKED], []).extend(outside)
            continue
        if action.effect not in sentences:
            continue
        is_sentence = rule.kind == "auth"
        named = parse_sentence(text, stories) if is_sentence else [parse_pattern(text)]
        code_spans = [
            hover_markdown.code_span(pattern.text) for pattern in named if pattern is not None
        ]
        if code_spans:
            verdicts.setdefault(sentences[action.effect], []).extend(code_spans)
        else:
            unread.append(text)
    clauses = [sentence.format(", ".join(what)) for sentence, what in verdicts.items()]
    if unread:
        clauses.append(f"It sees no command in {', '.join(map(hover_markdown.code_span, unread))}.")
    return " ".join(clauses)
