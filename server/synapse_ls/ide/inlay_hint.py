"""Compute inlay hints: token costs of rules, shares of the budget, and default values
that a file leaves out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.engine.rule_account import RuleAccount
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.formats.task_file import TaskDocument
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.ide.domain_brackets import bracket_table, compiled_domain
from synapse_ls.ide.hover_markdown import escape_markdown, inclusion_sentence
from synapse_ls.ide.position_lookup import domain_label, rule_at, rule_domains
from synapse_ls.ide.tree_view import View
from synapse_ls.text.phrases import format_count, join_paragraphs
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.tree_domains import rules_in

HINT_SORTS = ("tokens", "share", "implied", "bracket")

# From which part of the present bracket's budget on a cost matters to whoever writes rules. What
# stands in every block matters sooner: each prompt has less left for the rest.
_COSTLY_RULE, _COSTLY_DOMAIN, _COSTLY_CONSTANT = 5, 25, 15  # percent


@dataclass(frozen=True, slots=True)
class Hint:
    """An inlay hint, a text shown behind ``offset``; ``sort`` is one of ``HINT_SORTS``.

    ``subject`` is for `hint_tooltip`: a domain's label, a bracket, or a sentence of its own.
    """

    offset: int
    label: str
    sort: str
    subject: str = ""


def inlay_hints(
    view: View, path: str, within: Span | None = None, sorts: Collection[str] = HINT_SORTS
) -> tuple[Hint, ...]:
    """Return the inlay hints of a file, or of a part of it, in text order."""
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.is_read or not sorts:
        return ()
    part = within or Span(0, len(facts.text))
    hints = (
        hint
        for find in _BY_KIND.get(facts.kind, ())
        for hint in find(view, facts, part)
        if hint.sort in sorts and part.touches(hint.offset)
    )
    return tuple(sorted(hints, key=lambda hint: (hint.offset, HINT_SORTS.index(hint.sort))))


def hint_tooltip(view: View, path: str, hint: Hint) -> str:
    """Return more about an inlay hint, as Markdown; "" where what it is about is gone."""
    facts = view.tree.snapshot.facts(path)
    if facts is None:
        return ""
    if hint.sort == "tokens":
        rule = rule_at(facts, hint.offset)
        rule_account = _rule_account(view, facts, rule.line + 1) if rule else None
        if rule_account is None:
            return ""
        return join_paragraphs(
            f"**{escape_markdown(rule_account.key)}** costs "
            f"{format_count(rule_account.tokens, 'token')} of a block.",
            inclusion_sentence(rule_account.is_rendered, rule_account.reason, rule_account.remedy),
        )
    if hint.sort == "share":
        domain = compiled_domain(view, hint.subject)
        return (
            ""
            if domain is None
            else f"**{escape_markdown(hint.subject)}**\n\n{bracket_table(view, domain)}"
        )
    if hint.sort == "bracket":
        bracket = view.plan.profile.find_bracket(hint.subject)
        return (
            ""
            if bracket is None
            else f"**{bracket.name}** holds with {bracket.label} of the context window left. Its "
            f"block has up to {format_count(bracket.budget, 'token')}; awake are "
            f"{', '.join(sorted(bracket.layers))}."
        )
    return hint.subject


def _rule_account(view: View, facts: FileFacts, line: int) -> RuleAccount | None:
    """Return the account of the rule on a line, counted from 1; of several copies the one in the
    block, if there is one.
    """
    rule = next((rule for rule in rules_in(facts.document) if rule.line + 1 == line), None)
    labels = [domain.label for domain in rule_domains(view.tree, facts.path, rule)] if rule else []
    accounts = [
        account
        for label in labels
        if label in view.plan.labels
        for account in view.accounts[label].rules
        if account.line == line
    ]
    return next(
        (account for account in accounts if account.is_rendered), accounts[0] if accounts else None
    )


def _rule_costs(view: View, facts: FileFacts, part: Span) -> Iterator[Hint]:
    """Yield what a rule costs in tokens, where that is much."""
    least = _COSTLY_RULE * view.assembly.situation.bracket.budget / 100
    by_line: dict[int, int] = {}
    for domain in view.tree.home_of(facts.path).domains_by_file.get(facts.path, ()):
        account = view.accounts.get(domain.label)
        for account_row in account.rules if account else ():
            by_line.setdefault(account_row.line, account_row.tokens)
    for rule in rules_in(facts.document):
        tokens = by_line.get(rule.line + 1)
        if tokens is not None and tokens >= least and part.touches(rule.text_span.end):
            yield Hint(rule.text_span.end, format_count(tokens, "token"), "tokens")


def _domain_hints(view: View, facts: FileFacts, part: Span) -> Iterator[Hint]:
    """Yield the share of each domain in the budget where it is large, and its state where the
    manifest does not write it.
    """
    manifest = facts.document
    if not isinstance(manifest, Manifest):
        return
    bracket = view.assembly.situation.bracket
    for name, declaration in manifest.domains.items():
        first = min(declaration.entries.values(), key=lambda entry: entry.span, default=None)
        if first is None or not part.touches(first.value.span.end):
            continue
        end = first.value.span.end
        label = domain_label(view.tree, facts.path, name)
        tokens = _domain_cost(view, label) if declaration.is_active else 0
        share = round(100 * tokens / bracket.budget)
        if share >= (_COSTLY_CONSTANT if _stands_always(view, label) else _COSTLY_DOMAIN):
            yield Hint(end, f"{share}% of {bracket.name}", "share", label)
        if "STATE" not in declaration.entries:
            yield Hint(
                end, f"{name}_STATE=active", "implied", "A domain without a state is active."
            )


def _domain_cost(view: View, label: str) -> int:
    """Return what a domain's rules cost together, as far as one block can have them."""
    domain, account = compiled_domain(view, label), view.accounts.get(label)
    if domain is None or account is None or domain.role == "commands":
        return 0
    is_split = domain.role == "context"
    return sum(rule.tokens for rule in account.rules if rule.is_rendered or not is_split)


def _stands_always(view: View, label: str) -> bool:
    """Return whether a domain is in every block, whatever the prompt."""
    domain = compiled_domain(view, label)
    if domain is None or domain.squad >= 0:
        return False
    return domain.always_on or domain.role == "constitution"


def _bracket_hints(view: View, facts: FileFacts, _: Span) -> Iterator[Hint]:
    """Yield which bracket holds now, and which one comes next."""
    document = facts.document
    if not isinstance(document, ContextDocument):
        return
    names = [bracket.name for bracket in view.plan.profile.brackets]
    now = names.index(view.assembly.situation.bracket.name)
    following = names[now + 1 : now + 2]
    for name, rules in document.brackets.items():
        bracket = view.plan.profile.find_bracket(name)
        if bracket is None or not rules:
            continue
        label = bracket.label
        if name == names[now]:
            label = f"{label}, now"
        elif name in following:
            label = f"{label}, next"
        yield Hint(rules[0].text_span.end, label, "bracket", name)


def _squad_hints(_: View, facts: FileFacts, __: Span) -> Iterator[Hint]:
    squad = facts.document
    if isinstance(squad, SquadDocument) and squad.name and squad.extends is None:
        config = squad.root.key_node("config") if squad.root else None
        end = config.span.end + 1 if config else squad.name.span.end
        label = "extends: extend" if config else "config.extends: extend"
        why = "A squad that does not say how it extends the root adds to it."
        yield Hint(min(end, len(facts.text)), label, "implied", why)


def _state_hints(_: View, facts: FileFacts, __: Span) -> Iterator[Hint]:
    """Yield the step that a step number stands for."""
    state = facts.document
    if not isinstance(state, WorkflowState) or state.root is None or state.shape != "instance":
        return
    index, step = state.root.text("current_step_index"), state.current_step
    if index and step:
        who = f" · @{step.agent}" if step.agent else ""
        label = f"{step.phase or step.step_id or f'step {step.index + 1}'}{who}"
        why = "The step at which the workflow is: this one, or the next that an agent has."
        yield Hint(index.span.end, label, "implied", why)


def _task_hints(_: View, facts: FileFacts, __: Span) -> Iterator[Hint]:
    """Yield the executor that an unusual word is read as."""
    task = facts.document
    if isinstance(task, TaskDocument) and task.executor_type and task.executor:
        written = task.executor_type
        if written.value != task.executor:
            why = "The executor decides which layers a task's prompts get."
            yield Hint(written.span.end, task.executor, "implied", why)


def _story_hints(_: View, facts: FileFacts, __: Span) -> Iterator[Hint]:
    """Yield the status that unusual words are read as."""
    story = facts.document
    if isinstance(story, StoryDocument) and story.status_span and story.state:
        usual = story.state.replace("_", " ")
        if usual.casefold() != story.status.replace("-", " ").casefold():
            why = "How a workflow understands the status."
            yield Hint(story.status_span.end, usual, "implied", why)


HintFinder = Callable[[View, FileFacts, Span], Iterator[Hint]]
_BY_KIND: Mapping[FileKind, tuple[HintFinder, ...]] = {
    FileKind.MANIFEST: (_domain_hints,),
    **dict.fromkeys(RULE_KINDS, (_rule_costs,)),
    FileKind.CONTEXT: (_rule_costs, _bracket_hints),
    FileKind.SQUAD: (_squad_hints,),
    FileKind.WORKFLOW_STATE: (_state_hints,),
    FileKind.TASK: (_task_hints,),
    FileKind.STORY: (_story_hints,),
}
