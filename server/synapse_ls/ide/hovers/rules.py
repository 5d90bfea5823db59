"""Hovers in rule files: rules, articles, brackets and star-commands."""

from __future__ import annotations

from synapse_ls.engine.account import RuleAccount
from synapse_ls.engine.plan import slug_of
from synapse_ls.engine.prompt import is_executed
from synapse_ls.formats.authority import ALLOWED, BLOCKED, EXCLUSIVE, actions
from synapse_ls.formats.commands import Command, Commands
from synapse_ls.formats.rules import Rule
from synapse_ls.guard.pattern import pattern, prose
from synapse_ls.ide.brackets import overview, table
from synapse_ls.ide.lookup import article_of, command_at, domains_of, mention_at, rule_at
from synapse_ls.ide.markdown import code, fate, of_section, paragraphs, place, plain, preview
from synapse_ls.ide.view import View
from synapse_ls.ide.waking import planned
from synapse_ls.text.counted import counted
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts

_KINDS = {
    "auth": "authority boundary of",
    "deny": "denied to the agent of",
    "allow": "allowed to the agent of",
    "article": "rule of",
    "bracket": "rule of",
    "command": "rule of",
}


_GUARD = {
    BLOCKED: "refuses",
    ALLOWED: "lets through",
    EXCLUSIVE: "refuses every other agent",
}


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """What a rule, or the command under the pointer, comes to."""
    found = command_at(facts, offset) or mention_at(facts, view.tree, offset)
    if found:
        span, command = found
        return span, _command(view, command)
    rule = rule_at(facts, offset)
    if rule is None:
        return None
    parts = (rule.key_span, rule.text_span)
    span = next((part for part in parts if part.length and part.touches(offset)), rule.span)
    return span, (_bracket if rule.kind == "bracket" else _rule)(view, facts, rule)


def _rule(view: View, facts: FileFacts, rule: Rule) -> str:
    """Where a rule comes from, what it costs, what becomes of it."""
    line = rule.line + 1
    name = rule.key or f"Rule {(rule.index or 0) + 1}"
    domains = domains_of(view.tree, facts.path, rule)
    if not domains:
        return paragraphs(
            f"**{plain(name)}** in {place(facts.path, line)}",
            "No domain of a manifest is served by this file, so its rules are never told.",
        )
    parts = []
    for domain in domains:
        what = _KINDS.get(rule.kind, "rule of")
        article = article_of(facts, rule)
        owner = f"{what} {plain(article or domain.label)}"
        phase = f", in the phase {plain(rule.phase)}" if rule.phase else ""
        account = _account(view, domain.label, line)
        cost = f" · {counted(account.tokens, 'token')}" if account else ""
        parts.append(f"**{plain(name)}** · {owner}{phase} · {place(facts.path, line)}{cost}")
        if account:
            parts.append(fate(account.rendered, account.reason, account.remedy))
        if rule.kind in ("auth", "deny", "allow"):
            parts.append(_guarded(facts, rule))
        compiled = planned(view, domain.label)
        if compiled and rule.kind != "bracket":
            parts.append(table(view, compiled, _said(facts, rule)))
    return paragraphs(*parts)


def _guarded(facts: FileFacts, rule: Rule) -> str:
    """What the guard reads in a boundary, and what it cannot see."""
    read = prose if rule.kind == "auth" else pattern
    verdicts: dict[str, list[str]] = {}
    unread = []
    for action in actions(facts.text, rule):
        if action.said not in _GUARD:
            continue
        named = read(action.what.value)
        if named is None:
            unread.append(action.what.value)
        else:
            verdicts.setdefault(_GUARD[action.said], []).append(code(named.text))
    told = [f"The guard {says} {', '.join(what)}." for says, what in verdicts.items()]
    if unread:
        told.append(f"It sees no command in {', '.join(map(code, unread))}.")
    return " ".join(told)


def _said(facts: FileFacts, rule: Rule) -> dict[str, str] | None:
    """The prompt that a star-command's rule is told with; None for all other rules."""
    commands = facts.document.commands if isinstance(facts.document, Commands) else ()
    name = next((c.name for c in commands if any(r.span == rule.span for r in c.rules)), "")
    return {"prompt": f"*{name}"} if name else None


def _account(view: View, label: str, line: int) -> RuleAccount | None:
    """What becomes of the rule of a line; of a rule for several brackets the copy that is told."""
    account = view.accounts.get(label)
    found = [rule for rule in account.rules if rule.line == line] if account else []
    return next((rule for rule in found if rule.rendered), found[0] if found else None)


def _bracket(view: View, facts: FileFacts, rule: Rule) -> str:
    """A rule of a bracket, the bracket's own figures, and the block in it."""
    bracket = view.plan.profile.bracket_named(rule.qualifier)
    if bracket is None:
        return _rule(view, facts, rule)
    waking = ", ".join(sorted(bracket.layers))
    handoff = ", a hand-off warning" if bracket.handoff else ""
    return paragraphs(
        _rule(view, facts, rule),
        f"**{bracket.name}**: {bracket.label} of the context window left. Budget "
        f"{counted(bracket.budget, 'token')}; awake are {waking}{handoff}.",
        preview(
            view.block(bracket.name), f"in {bracket.name}", of_section("BRACKET"), overview(view)
        ),
    )


def _command(view: View, command: Command) -> str:
    """A star-command, and the block for a prompt that says it."""
    path, rows = view.plan.commands.get(command.name, ("", ()))
    first = command.rules[0].line + 1 if command.rules else 1
    assembly = view.block(prompt=f"*{command.name}")
    sent = [e for s in assembly.sent if s.id == "STAR" for e in s.entries]
    tokens = sum(-(-(len(entry.prefix) + len(entry.text) + 1) // 4) for entry in sent)
    rules = counted(len(rows), "rule")
    names = {slug_of(name.name) for name in view.assembly.situation.prompt.commands}
    says = f"a prompt that says *{command.name}"
    if is_executed(command.name):
        reason = f"Synapse LS itself answers {says}"
    else:
        reason = f"its rules are told with {says}, and for that prompt only"
    return paragraphs(
        f"**\\*{plain(command.name)}** · {rules}, {counted(tokens, 'token')}"
        + (f", from {place(path, first)}" if path else ""),
        fate(bool(sent) and slug_of(command.name) in names, reason),
        preview(assembly, f"for the prompt {code(f'*{command.name}')}", of_section("STAR"))
        if sent
        else "",
    )
