"""What an editor shows between the words: costs, shares of the budget, values that go unsaid."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.engine.account import RuleAccount
from synapse_ls.formats.context import ContextDocument
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.squad import SquadDocument
from synapse_ls.formats.story import StoryDocument
from synapse_ls.formats.task import TaskDocument
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.ide.brackets import table
from synapse_ls.ide.lookup import declared_label, domains_of, rule_at
from synapse_ls.ide.markdown import fate, paragraphs, plain
from synapse_ls.ide.view import View
from synapse_ls.ide.waking import planned
from synapse_ls.text.counted import counted
from synapse_ls.text.span import Span
from synapse_ls.workspace.domains import rules_in
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind

SORTS = ("tokens", "share", "implied", "bracket")


@dataclass(frozen=True, slots=True)
class Hint:
    """``label`` is shown behind ``offset``; ``sort`` is one of ``SORTS``.

    ``subject`` is for `tooltip`: a domain's label, a bracket, or a sentence of its own.
    """

    offset: int
    label: str
    sort: str
    subject: str = ""


def hints(
    view: View, path: str, within: Span | None = None, sorts: Collection[str] = SORTS
) -> tuple[Hint, ...]:
    """The hints of a file, or of a part of it, in text order."""
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.read or not sorts:
        return ()
    part = within or Span(0, len(facts.text))
    found = (
        hint
        for find in _BY_KIND.get(facts.kind, ())
        for hint in find(view, facts, part)
        if hint.sort in sorts and part.touches(hint.offset)
    )
    return tuple(sorted(found, key=lambda hint: (hint.offset, SORTS.index(hint.sort))))


def tooltip(view: View, path: str, hint: Hint) -> str:
    """More about a hint, as Markdown; "" where what it is about is gone."""
    facts = view.tree.snapshot.facts(path)
    if facts is None:
        return ""
    if hint.sort == "tokens":
        rule = rule_at(facts, hint.offset)
        found = _account(view, facts, rule.line + 1) if rule else None
        if found is None:
            return ""
        return paragraphs(
            f"**{plain(found.key)}** costs {counted(found.tokens, 'token')} of a block.",
            fate(found.rendered, found.reason, found.remedy),
        )
    if hint.sort == "share":
        domain = planned(view, hint.subject)
        return "" if domain is None else f"**{plain(hint.subject)}**\n\n{table(view, domain)}"
    if hint.sort == "bracket":
        bracket = view.plan.profile.bracket_named(hint.subject)
        return (
            ""
            if bracket is None
            else f"**{bracket.name}** holds with {bracket.label} of the context window left. Its "
            f"block has up to {counted(bracket.budget, 'token')}; awake are "
            f"{', '.join(sorted(bracket.layers))}."
        )
    return hint.subject


def _account(view: View, facts: FileFacts, line: int) -> RuleAccount | None:
    """What becomes of the rule on a line, counted from 1; the copy that is told, if one is."""
    rule = next((rule for rule in rules_in(facts.document) if rule.line + 1 == line), None)
    labels = [domain.label for domain in domains_of(view.tree, facts.path, rule)] if rule else []
    found = [
        account
        for label in labels
        if label in view.plan.labels
        for account in view.accounts[label].rules
        if account.line == line
    ]
    return next((account for account in found if account.rendered), found[0] if found else None)


def _costs(view: View, facts: FileFacts, part: Span) -> Iterator[Hint]:
    """What each rule costs."""
    by_line: dict[int, int] = {}
    for domain in view.tree.home_of(facts.path).served.get(facts.path, ()):
        account = view.accounts.get(domain.label)
        for told in account.rules if account else ():
            by_line.setdefault(told.line, told.tokens)
    for rule in rules_in(facts.document):
        tokens = by_line.get(rule.line + 1)
        if tokens is not None and part.touches(rule.text_span.end):
            yield Hint(rule.text_span.end, counted(tokens, "token"), "tokens")


def _domains(view: View, facts: FileFacts, part: Span) -> Iterator[Hint]:
    """The share of each domain in the budget, and the state that it has without saying so."""
    manifest = facts.document
    if not isinstance(manifest, Manifest):
        return
    bracket = view.assembly.situation.bracket
    for name, declaration in manifest.domains.items():
        first = min(declaration.entries.values(), key=lambda entry: entry.span, default=None)
        if first is None or not part.touches(first.value.span.end):
            continue
        end = first.value.span.end
        label = declared_label(view.tree, facts.path, name)
        tokens = _cost(view, label) if declaration.active else 0
        if tokens:
            share = round(100 * tokens / bracket.budget)
            yield Hint(end, f"{share}% of {bracket.name}", "share", label)
        if "STATE" not in declaration.entries:
            yield Hint(
                end, f"{name}_STATE=active", "implied", "A domain without a state is active."
            )


def _cost(view: View, label: str) -> int:
    """What a domain's rules cost together, as far as one block can have them."""
    domain, account = planned(view, label), view.accounts.get(label)
    if domain is None or account is None or domain.role == "commands":
        return 0
    is_split = domain.role == "context"
    return sum(rule.tokens for rule in account.rules if rule.rendered or not is_split)


def _brackets(view: View, facts: FileFacts, _: Span) -> Iterator[Hint]:
    """Which bracket holds now, and which one comes next."""
    document = facts.document
    if not isinstance(document, ContextDocument):
        return
    names = [bracket.name for bracket in view.plan.profile.brackets]
    now = names.index(view.assembly.situation.bracket.name)
    following = names[now + 1 : now + 2]
    for name, rules in document.brackets.items():
        known = view.plan.profile.bracket_named(name)
        if known is None or not rules:
            continue
        when = ", now" if name == names[now] else ", next" if name in following else ""
        yield Hint(rules[0].text_span.end, f"{known.label}{when}", "bracket", name)


def _squad(_: View, facts: FileFacts, __: Span) -> Iterator[Hint]:
    squad = facts.document
    if isinstance(squad, SquadDocument) and squad.name and squad.extends is None:
        config = squad.root.key_node("config") if squad.root else None
        end = config.span.end + 1 if config else squad.name.span.end
        label = "extends: extend" if config else "config.extends: extend"
        why = "A squad that does not say how it extends the root adds to it."
        yield Hint(min(end, len(facts.text)), label, "implied", why)


def _state(_: View, facts: FileFacts, __: Span) -> Iterator[Hint]:
    """The step that a number stands for."""
    state = facts.document
    if not isinstance(state, WorkflowState) or state.root is None or state.shape != "instance":
        return
    index, step = state.root.text("current_step_index"), state.current_step
    if index and step:
        who = f" · @{step.agent}" if step.agent else ""
        label = f"{step.phase or step.step_id or f'step {step.index + 1}'}{who}"
        why = "The step at which the workflow is: this one, or the next that an agent has."
        yield Hint(index.span.end, label, "implied", why)


def _task(_: View, facts: FileFacts, __: Span) -> Iterator[Hint]:
    """The executor as which an unusual word is read."""
    task = facts.document
    if isinstance(task, TaskDocument) and task.executor_type and task.executor:
        written = task.executor_type
        if written.value != task.executor:
            why = "The executor decides which layers a task's prompts get."
            yield Hint(written.span.end, task.executor, "implied", why)


def _story(_: View, facts: FileFacts, __: Span) -> Iterator[Hint]:
    """The status as which unusual words are read."""
    story = facts.document
    if isinstance(story, StoryDocument) and story.status_span and story.state:
        usual = story.state.replace("_", " ")
        if usual.casefold() != story.status.replace("-", " ").casefold():
            why = "How a workflow understands the status."
            yield Hint(story.status_span.end, usual, "implied", why)


Find = Callable[[View, FileFacts, Span], Iterator[Hint]]
_BY_KIND: Mapping[FileKind, tuple[Find, ...]] = {
    FileKind.MANIFEST: (_domains,),
    **dict.fromkeys(RULE_KINDS, (_costs,)),
    FileKind.CONTEXT: (_costs, _brackets),
    FileKind.SQUAD: (_squad,),
    FileKind.WORKFLOW_STATE: (_state,),
    FileKind.TASK: (_task,),
    FileKind.STORY: (_story,),
}
