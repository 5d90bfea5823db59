"""Write the documentation of a completion item as Markdown, when somebody looks at it
("completionItem/resolve").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from synapse_ls.engine import profiles
from synapse_ls.engine.compiled_plan import Profile
from synapse_ls.engine.rule_account import LAYER_NAMES
from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.config_settings import find_option
from synapse_ls.formats.manifest import GLOBAL_KEYS, SETTINGS
from synapse_ls.formats.squad_manifest import SCHEMA
from synapse_ls.formats.suppression_comments import FILE, LINE, NEXT_LINE
from synapse_ls.formats.tree_tests import BY_NAME
from synapse_ls.formats.workflow_definition import WorkflowDefinition
from synapse_ls.ide.completion_item import Topic, workflow_patterns
from synapse_ls.ide.hover_markdown import code_span, escape_markdown
from synapse_ls.ide.tree_view import View
from synapse_ls.lint.rule_pages import render_section, rule_page
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.lint.rule_selection import current_code
from synapse_ls.text.phrases import format_count, join_paragraphs
from synapse_ls.workspace.naming_conventions import is_same_id, kebab_case

_MOST_NAMES = 6  # names in a sentence


def item_documentation(view: View, topic: Topic) -> str:
    """Return the documentation of a completion item about a topic, as Markdown; "" where there is
    nothing to say, or no longer.
    """
    family, *rest = topic or ("",)
    teller = _WRITERS.get(family)
    return teller(view, *rest) if teller else ""


def _describe_setting(view: View, name: str, label: str) -> str:
    setting = SETTINGS.get(name) or GLOBAL_KEYS.get(name)
    if setting is None:
        return ""
    domain = view.tree.domains_by_label.get(label)
    holds = ""
    if domain:
        label, count = escape_markdown(label), format_count(len(view.tree.rules_of(domain)), "rule")
        sentence = f"The domain {label} has {count}."
        holds = (
            f"The domain {label} has {count} in {code_span(domain.file)}."
            if domain.file
            else sentence
        )
    return join_paragraphs(f"{code_span(name)}: {setting.summary}", holds)


def _describe_agent(view: View, name: str) -> str:
    path = view.tree.agents.get(name, "")
    facts = view.tree.snapshot.facts(path)
    document = facts.document if facts else None
    woken = [
        domain.label
        for domain in view.tree.domains
        if domain.declaration and is_same_id(domain.declaration.agent_trigger, name)
    ]
    title = text = commands = ""
    if isinstance(document, AgentDefinition):
        title, text = (
            escape_markdown(document.title or document.name),
            escape_markdown(document.description),
        )
        code_spans = [code_span(f"*{command.name}") for command in document.commands[:_MOST_NAMES]]
        more = " …" if len(document.commands) > _MOST_NAMES else ""
        commands = f"Commands: {', '.join(code_spans)}{more}" if code_spans else ""
    return join_paragraphs(
        f"**@{escape_markdown(name)}**" + (f" · {title}" if title else ""),
        text,
        commands,
        f"Brings in {', '.join(map(escape_markdown, woken))}." if woken else "",
        code_span(path),
    )


def _describe_workflow(view: View, name: str) -> str:
    path = view.tree.workflows.get(name, "")
    facts = view.tree.snapshot.facts(path)
    document = facts.document if facts else None
    steps = agents = title = ""
    if isinstance(document, WorkflowDefinition):
        title = escape_markdown(document.name)
        steps = format_count(len([step for step in document.steps if step.agent]), "step")
        agents = ", ".join(dict.fromkeys(f"@{s.agent}" for s in document.steps if s.agent))
    workflow_pattern = next(
        (p for p in workflow_patterns(view.tree) if is_same_id(p.id.value, name)), None
    )
    return join_paragraphs(
        f"**{escape_markdown(name)}**" + (f" · {title}" if title else ""),
        escape_markdown(workflow_pattern.description) if workflow_pattern else "",
        f"{steps}: {escape_markdown(agents)}" if agents else "",
        code_span(path),
    )


def _describe_phase(_: View, workflow: str, phase: str) -> str:
    return (
        f"Rules that begin with {code_span(f'Phase {phase}:')} are told while "
        f"{escape_markdown(workflow) or 'the workflow'} is in this phase; the others hold in all "
        "of them."
    )


def _describe_command(view: View, name: str) -> str:
    command = next((command for command in view.tree.commands if command.name == name), None)
    if command is None:
        return ""
    return "\n".join(f"- {escape_markdown(rule.text)}" for rule in command.rules)


def _describe_agent_command(view: View, agent: str, name: str) -> str:
    facts = view.tree.snapshot.facts(view.tree.agents.get(agent, ""))
    document = facts.document if facts else None
    commands = document.commands if isinstance(document, AgentDefinition) else ()
    command = next((command for command in commands if command.name == name), None)
    return join_paragraphs(
        f"A command of @{escape_markdown(agent)}.",
        escape_markdown(command.description) if command else "",
    )


def _describe_keyword(view: View, word: str) -> str:
    users = [
        domain.label
        for domain in view.tree.domains
        if domain.declaration and word in domain.declaration.recall
    ]
    labels = ", ".join(map(escape_markdown, users[:_MOST_NAMES])) + (
        " …" if len(users) > _MOST_NAMES else ""
    )
    return f"Recalls {labels}." if users else ""


def _describe_rule_list(view: View, kind: str, qualifier: str = "", label: str = "") -> str:
    if kind == "bracket":
        return _describe_bracket(view, qualifier)
    texts = {
        "rule": f"The next rule of {escape_markdown(label)}.",
        "auth": "An authority boundary: the budget cuts it later than other rules.",
        "deny": "What the guard refuses: a command, `write docs/**`, `tool mcp__*`.",
        "allow": "What the guard lets through, where that says more than a refusal.",
        "check": "What `synapse audit` looks for in past sessions: is the rule of this number "
        "followed?",
        "article": "Number 0 of an article is its title and severity, `Title (MUST)`.",
        "command": f"Told with a prompt that says {code_span(f'*{kebab_case(qualifier)}')}, and "
        "then only.",
    }
    return texts.get(kind, "")


def _describe_bracket(view: View, name: str) -> str:
    bracket = view.plan.profile.find_bracket(name)
    if bracket is None:
        return ""
    awake = ", ".join(f"{layer} {LAYER_NAMES.get(layer, '')}" for layer in sorted(bracket.layers))
    return (
        f"**{bracket.name}**: {bracket.label} of the context window left. "
        f"Budget {format_count(bracket.budget, 'token')}; awake are {awake}."
    )


def _describe_severity(_: View, name: str) -> str:
    texts = {
        "NON-NEGOTIABLE": "Blocking, without exception.",
        "MUST": "Blocking.",
        "SHOULD": "Advisory.",
    }
    return texts.get(name, "")


def _describe_lint_rule(_: View, name: str) -> str:
    rule = next((rule for rule in all_rules() if rule.code == current_code(name)), None)
    if rule is None:
        return ""
    page = rule_page(rule)
    sections = page.sections
    return join_paragraphs(
        f"**{rule.code} {rule.name}** · {rule.severity.value}",
        page.summary,
        render_section(sections.get("What it does", "")),
        render_section(sections.get("Why it matters", "")),
    )


def _describe_option(_: View, path: str) -> str:
    option = find_option(path)
    if option is None:
        return ""
    choices = ", ".join(code_span(word) for word in option.choices if word)
    return join_paragraphs(
        f"**{option.path}**: {option.about}", f"One of {choices}." if choices else ""
    )


def _describe_test_field(_: View, name: str) -> str:
    option = BY_NAME.get(name)
    if option:
        return f"**{option.path}**: {option.about}"
    return "A case: a prompt and its situation, and what must and must not be in the block then."


def _describe_profile(_: View, name: str) -> str:
    table = profiles.load_profile_table(name)
    if table is None:
        return ""
    rows = [
        f"- {bracket.name}: {bracket.budget:,} tokens, {', '.join(sorted(bracket.layers))}"
        for bracket in Profile(table).brackets
    ]
    return "\n".join(rows)


def _describe_squad_field(_: View, path: str) -> str:
    field = next(
        (schema_field for schema_field in SCHEMA if ".".join(schema_field.path) == path), None
    )
    if field is None:
        return ""
    options = ", ".join(map(code_span, field.options))
    return join_paragraphs(
        f"**{path}**" + (" (required)" if field.required else ""),
        f"One of {options}." if options else "",
        f"It has to be {field.hint}." if field.hint else "",
        f"At most {field.max_length} characters." if field.max_length else "",
    )


def _describe_file(_: View, path: str) -> str:
    return code_span(path)


_SCOPE_MEANINGS = {
    LINE: "Keeps the linter silent about this line.",
    NEXT_LINE: "Keeps the linter silent about the line below.",
    FILE: "Keeps the linter silent about the whole file.",
}


def _describe_directive(_: View, word: str) -> str:
    return join_paragraphs(
        _SCOPE_MEANINGS.get(word, ""),
        "In brackets are the rules that are meant, all of them without; behind it is the reason.",
    )


_WRITERS: Mapping[str, Callable[..., str]] = {
    "setting": _describe_setting,
    "agent": _describe_agent,
    "workflow": _describe_workflow,
    "phase": _describe_phase,
    "command": _describe_command,
    "agent-command": _describe_agent_command,
    "keyword": _describe_keyword,
    "list": _describe_rule_list,
    "bracket": _describe_bracket,
    "severity": _describe_severity,
    "rule": _describe_lint_rule,
    "option": _describe_option,
    "case": _describe_test_field,
    "profile": _describe_profile,
    "squad": _describe_squad_field,
    "file": _describe_file,
    "directive": _describe_directive,
}
