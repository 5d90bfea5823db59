"""Write the documentation of a completion item as Markdown, when somebody looks at it
("completionItem/resolve").
"""

from __future__ import annotations

from synapse_ls.engine import profiles
from synapse_ls.engine.compiled_plan import Profile
from synapse_ls.engine.rule_account import LAYER_NAMES
from synapse_ls.formats.agent_definition import AgentDefinition
from synapse_ls.formats.config_settings import find_option
from synapse_ls.formats.manifest_line import GLOBAL_KEYS, SETTINGS
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
    match topic:
        case ("setting", name, label):
            return _describe_setting(view, name, label)
        case ("agent", name):
            return _describe_agent(view, name)
        case ("workflow", name):
            return _describe_workflow(view, name)
        case ("phase", workflow, phase):
            return (
                f"Rules that begin with {code_span(f'Phase {phase}:')} are told while "
                f"{escape_markdown(workflow) or 'the workflow'} is in this phase; the others hold "
                "in all of them."
            )
        case ("command", name):
            rules = next((c.rules for c in view.tree.commands if c.name == name), ())
            return "\n".join(f"- {escape_markdown(rule.text)}" for rule in rules)
        case ("agent-command", agent, name):
            definition = view.tree.snapshot.document(
                view.tree.agents.get(agent, ""), AgentDefinition
            )
            commands = definition.commands if definition else ()
            description = next((c.description for c in commands if c.name == name), "")
            head = f"A command of @{escape_markdown(agent)}."
            return join_paragraphs(head, escape_markdown(description))
        case ("keyword", word):
            labels = [
                escape_markdown(domain.label)
                for domain in view.tree.domains
                if domain.declaration and word in domain.declaration.recall
            ]
            first = ", ".join(labels[:_MOST_NAMES]) + " …" * (len(labels) > _MOST_NAMES)
            return f"Recalls {first}." if labels else ""
        case ("list", kind, *rest):
            return _describe_rule_list(view, kind, *rest)
        case ("bracket", name):
            return _describe_bracket(view, name)
    return _describe_word(*topic) if topic else ""


def _describe_word(family: str, name: str) -> str:
    """Return the documentation of what is the same in every tree."""
    match family:
        case "severity":
            return _SEVERITIES.get(name, "")
        case "rule":
            return _describe_lint_rule(name)
        case "option":
            option = find_option(name)
            choices = (
                ", ".join(code_span(word) for word in option.choices if word) if option else ""
            )
            about = f"**{option.path}**: {option.about}" if option else ""
            return join_paragraphs(about, f"One of {choices}." if choices else "")
        case "case" if name in BY_NAME:
            return f"**{name}**: {BY_NAME[name].about}"
        case "case":
            return _CASE
        case "profile":
            table = profiles.load_profile_table(name)
            brackets = Profile(table).brackets if table else ()
            return "\n".join(
                f"- {row.name}: {row.budget:,} tokens, {', '.join(sorted(row.layers))}"
                for row in brackets
            )
        case "squad":
            return _describe_squad_field(name)
        case "file":
            return code_span(name)
        case "directive":
            return join_paragraphs(_SCOPE_MEANINGS.get(name, ""), _DIRECTIVE)
    return ""


_SEVERITIES = {
    "NON-NEGOTIABLE": "Blocking, without exception.",
    "MUST": "Blocking.",
    "SHOULD": "Advisory.",
}
_CASE = "A case: a prompt and its situation, and what must and must not be in the block then."
_DIRECTIVE = (
    "In brackets are the rules that are meant, all of them without; behind it is the reason."
)


def _describe_setting(view: View, name: str, label: str) -> str:
    setting = SETTINGS.get(name) or GLOBAL_KEYS.get(name)
    if setting is None:
        return ""
    domain = view.tree.domains_by_label.get(label)
    content = ""
    if domain:
        label, count = escape_markdown(label), format_count(len(view.tree.rules_of(domain)), "rule")
        content = f"The domain {label} has {count}."
        if domain.file:
            content = f"The domain {label} has {count} in {code_span(domain.file)}."
    return join_paragraphs(f"{code_span(name)}: {setting.summary}", content)


def _describe_agent(view: View, name: str) -> str:
    path = view.tree.agents.get(name, "")
    agent = view.tree.snapshot.document(path, AgentDefinition)
    labels = [
        domain.label
        for domain in view.tree.domains
        if domain.declaration and is_same_id(domain.declaration.agent_trigger, name)
    ]
    title = escape_markdown(agent.title or agent.name) if agent else ""
    commands = [code_span(f"*{command.name}") for command in agent.commands] if agent else []
    more = " …" if len(commands) > _MOST_NAMES else ""
    return join_paragraphs(
        f"**@{escape_markdown(name)}**" + (f" · {title}" if title else ""),
        escape_markdown(agent.description) if agent else "",
        f"Commands: {', '.join(commands[:_MOST_NAMES])}{more}" if commands else "",
        f"Brings in {', '.join(map(escape_markdown, labels))}." if labels else "",
        code_span(path),
    )


def _describe_workflow(view: View, name: str) -> str:
    path = view.tree.workflows.get(name, "")
    definition = view.tree.snapshot.document(path, WorkflowDefinition)
    steps = [step for step in definition.steps if step.agent] if definition else []
    agents = ", ".join(dict.fromkeys(f"@{step.agent}" for step in steps))
    title = escape_markdown(definition.name) if definition else ""
    patterns = (p for p in workflow_patterns(view.tree) if is_same_id(p.id.value, name))
    return join_paragraphs(
        f"**{escape_markdown(name)}**" + (f" · {title}" if title else ""),
        escape_markdown(next((pattern.description for pattern in patterns), "")),
        f"{format_count(len(steps), 'step')}: {escape_markdown(agents)}" if agents else "",
        code_span(path),
    )


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


def _describe_lint_rule(name: str) -> str:
    rule = next((rule for rule in all_rules() if rule.code == current_code(name)), None)
    if rule is None:
        return ""
    page = rule_page(rule)
    sections = (page.sections.get(title, "") for title in ("What it does", "Why it matters"))
    head = f"**{rule.code} {rule.name}** · {rule.severity.value}"
    return join_paragraphs(head, page.summary, *map(render_section, sections))


def _describe_squad_field(path: str) -> str:
    field = next((field for field in SCHEMA if ".".join(field.path) == path), None)
    if field is None:
        return ""
    options = ", ".join(map(code_span, field.options))
    return join_paragraphs(
        f"**{path}**" + (" (required)" if field.required else ""),
        f"One of {options}." if options else "",
        f"It has to be {field.hint}." if field.hint else "",
        f"At most {field.max_length} characters." if field.max_length else "",
    )


_SCOPE_MEANINGS = {
    LINE: "Keeps the linter silent about this line.",
    NEXT_LINE: "Keeps the linter silent about the line below.",
    FILE: "Keeps the linter silent about the whole file.",
}
