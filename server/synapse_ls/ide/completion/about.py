"""What is to be told about an item of completion, worked out when somebody looks at it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from synapse_ls.engine.account import LAYER_NAMES
from synapse_ls.engine.profile import Profile
from synapse_ls.engine.profiles import registry
from synapse_ls.formats.agent import AgentDefinition
from synapse_ls.formats.config_schema import option_at
from synapse_ls.formats.directives import FILE, LINE, NEXT_LINE
from synapse_ls.formats.manifest import GLOBAL_KEYS, SETTINGS
from synapse_ls.formats.squad import SCHEMA
from synapse_ls.formats.tree_tests import BY_NAME
from synapse_ls.formats.workflow import WorkflowDefinition
from synapse_ls.ide.completion.item import Topic
from synapse_ls.ide.completion.names import patterns
from synapse_ls.ide.markdown import code, paragraphs, plain
from synapse_ls.ide.view import View
from synapse_ls.lint.docs import page_of
from synapse_ls.lint.page import render
from synapse_ls.lint.registry import rules
from synapse_ls.text.counted import counted
from synapse_ls.workspace.naming import kebab, same_id

_SHOWN = 6  # names in a sentence


def about(view: View, topic: Topic) -> str:
    """Markdown about a topic; "" where there is nothing to tell, or no longer."""
    family, *rest = topic or ("",)
    teller = _TELLERS.get(family)
    return teller(view, *rest) if teller else ""


def _setting(view: View, name: str, label: str) -> str:
    setting = SETTINGS.get(name) or GLOBAL_KEYS.get(name)
    if setting is None:
        return ""
    domain = view.tree.labels.get(label)
    rules_ = view.tree.rules_of(domain) if domain else ()
    holds = f"{plain(label)} has {counted(len(rules_), 'rule')}" if domain else ""
    file = f" in {code(domain.file)}" if domain and domain.file else ""
    return paragraphs(f"{code(name)}: {setting.summary}", f"{holds}{file}." if holds else "")


def _agent(view: View, name: str) -> str:
    path = view.tree.agents.get(name, "")
    facts = view.tree.snapshot.facts(path)
    document = facts.document if facts else None
    woken = [
        domain.label
        for domain in view.tree.domains
        if domain.declaration and same_id(domain.declaration.agent_trigger, name)
    ]
    title = text = commands = ""
    if isinstance(document, AgentDefinition):
        title, text = plain(document.title or document.name), plain(document.description)
        shown = [code(f"*{command.name}") for command in document.commands[:_SHOWN]]
        more = " …" if len(document.commands) > _SHOWN else ""
        commands = f"Commands: {', '.join(shown)}{more}" if shown else ""
    return paragraphs(
        f"**@{plain(name)}**" + (f" · {title}" if title else ""),
        text,
        commands,
        f"Brings in {', '.join(map(plain, woken))}." if woken else "",
        code(path),
    )


def _workflow(view: View, name: str) -> str:
    path = view.tree.workflows.get(name, "")
    facts = view.tree.snapshot.facts(path)
    document = facts.document if facts else None
    steps = agents = title = ""
    if isinstance(document, WorkflowDefinition):
        title = plain(document.name)
        steps = counted(len([step for step in document.steps if step.agent]), "step")
        agents = ", ".join(dict.fromkeys(f"@{s.agent}" for s in document.steps if s.agent))
    known = next((p for p in patterns(view.tree) if same_id(p.id.value, name)), None)
    return paragraphs(
        f"**{plain(name)}**" + (f" · {title}" if title else ""),
        plain(known.description) if known else "",
        f"{steps}: {plain(agents)}" if agents else "",
        code(path),
    )


def _phase(_: View, workflow: str, phase: str) -> str:
    return (
        f"Rules that begin with {code(f'Phase {phase}:')} are told while "
        f"{plain(workflow) or 'the workflow'} is in this phase; the others hold in all of them."
    )


def _command(view: View, name: str) -> str:
    command = next((one for one in view.tree.commands if one.name == name), None)
    if command is None:
        return ""
    return "\n".join(f"- {plain(rule.text)}" for rule in command.rules)


def _agent_command(view: View, agent: str, name: str) -> str:
    facts = view.tree.snapshot.facts(view.tree.agents.get(agent, ""))
    document = facts.document if facts else None
    commands = document.commands if isinstance(document, AgentDefinition) else ()
    found = next((one for one in commands if one.name == name), None)
    return paragraphs(f"A command of @{plain(agent)}.", plain(found.description) if found else "")


def _keyword(view: View, word: str) -> str:
    users = [
        domain.label
        for domain in view.tree.domains
        if domain.declaration and word in domain.declaration.recall
    ]
    shown = ", ".join(map(plain, users[:_SHOWN])) + (" …" if len(users) > _SHOWN else "")
    return f"Recalls {shown}." if users else ""


def _list(view: View, kind: str, qualifier: str = "", label: str = "") -> str:
    if kind == "bracket":
        return _bracket(view, qualifier)
    texts = {
        "rule": f"The next rule of {plain(label)}.",
        "auth": "An authority boundary: the budget cuts it later than other rules.",
        "deny": "What the guard refuses: a command, `write docs/**`, `tool mcp__*`.",
        "allow": "What the guard lets through, where that says more than a refusal.",
        "article": "Number 0 of an article is its title and severity, `Title (MUST)`.",
        "command": f"Told with a prompt that says {code(f'*{kebab(qualifier)}')}, and then only.",
    }
    return texts.get(kind, "")


def _bracket(view: View, name: str) -> str:
    found = view.plan.profile.bracket_named(name)
    if found is None:
        return ""
    awake = ", ".join(f"{layer} {LAYER_NAMES.get(layer, '')}" for layer in sorted(found.layers))
    return (
        f"**{found.name}**: {found.label} of the context window left. "
        f"Budget {counted(found.budget, 'token')}; awake are {awake}."
    )


def _severity(_: View, name: str) -> str:
    texts = {
        "NON-NEGOTIABLE": "Blocking, without exception.",
        "MUST": "Blocking.",
        "SHOULD": "Advisory.",
    }
    return texts.get(name, "")


def _rule(_: View, name: str) -> str:
    rule = next((one for one in rules() if one.code == name), None)
    if rule is None:
        return ""
    page = page_of(rule)
    sections = page.sections
    return paragraphs(
        f"**{rule.code} {rule.name}** · {rule.severity.value}",
        page.summary,
        render(sections.get("What it does", "")),
        render(sections.get("Why it matters", "")),
    )


def _option(_: View, path: str) -> str:
    option = option_at(path)
    if option is None:
        return ""
    choices = ", ".join(code(word) for word in option.choices if word)
    return paragraphs(f"**{option.path}**: {option.about}", f"One of {choices}." if choices else "")


def _case(_: View, name: str) -> str:
    option = BY_NAME.get(name)
    if option:
        return f"**{option.path}**: {option.about}"
    return "A case: a prompt and its situation, and what must and must not be in the block then."


def _profile(_: View, name: str) -> str:
    table = registry.table(name)
    if table is None:
        return ""
    rows = [
        f"- {bracket.name}: {bracket.budget:,} tokens, {', '.join(sorted(bracket.layers))}"
        for bracket in Profile(table).brackets
    ]
    return "\n".join(rows)


def _squad(_: View, path: str) -> str:
    field = next((one for one in SCHEMA if ".".join(one.path) == path), None)
    if field is None:
        return ""
    options = ", ".join(map(code, field.options))
    return paragraphs(
        f"**{path}**" + (" (required)" if field.required else ""),
        f"One of {options}." if options else "",
        f"It has to be {field.hint}." if field.hint else "",
        f"At most {field.longest} characters." if field.longest else "",
    )


def _file(_: View, path: str) -> str:
    return code(path)


_SCOPES = {
    LINE: "Keeps the linter silent about this line.",
    NEXT_LINE: "Keeps the linter silent about the line below.",
    FILE: "Keeps the linter silent about the whole file.",
}


def _directive(_: View, word: str) -> str:
    return paragraphs(
        _SCOPES.get(word, ""),
        "In brackets are the rules that are meant, all of them without; behind it is the reason.",
    )


_TELLERS: Mapping[str, Callable[..., str]] = {
    "setting": _setting,
    "agent": _agent,
    "workflow": _workflow,
    "phase": _phase,
    "command": _command,
    "agent-command": _agent_command,
    "keyword": _keyword,
    "list": _list,
    "bracket": _bracket,
    "severity": _severity,
    "rule": _rule,
    "option": _option,
    "case": _case,
    "profile": _profile,
    "squad": _squad,
    "file": _file,
    "directive": _directive,
}
