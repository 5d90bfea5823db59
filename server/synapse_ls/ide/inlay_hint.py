"""Compute inlay hints: token costs, shares of the budget, and default values."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from synapse_ls.engine.compiled_plan import PlanDomain
from synapse_ls.formats import context_file, squad_manifest, story_file, task_file
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.formats.yaml_tree import YamlNode
from synapse_ls.ide import domain_brackets, hover_markdown
from synapse_ls.ide.position_lookup import domain_label, rule_account, rule_at, rule_domains
from synapse_ls.ide.tree_view import View
from synapse_ls.text.finding import Text
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
    if (facts := view.readable_facts(path)) is None or not sorts:
        return ()
    part = within or Span(0, len(facts.text))
    hints: list[Hint] = []
    if isinstance(facts.document, Manifest):
        hints += _domain_hints(view, facts, facts.document, part)
    elif facts.kind in RULE_KINDS:
        hints += _rule_costs(view, facts, part)
        if isinstance(facts.document, context_file.ContextDocument):
            hints += _bracket_hints(view, facts.document)
    else:
        hints += _implied_values(facts)
    hints = [hint for hint in hints if hint.sort in sorts and part.touches(hint.offset)]
    return tuple(sorted(hints, key=lambda hint: (hint.offset, HINT_SORTS.index(hint.sort))))


def hint_tooltip(view: View, path: str, hint: Hint) -> str:
    """Return more about an inlay hint, as Markdown; "" where what it is about is gone."""
    if (facts := view.tree.snapshot.facts(path)) is None:
        return ""
    if hint.sort == "tokens":
        rule = rule_at(facts, hint.offset)
        domains = rule_domains(view.tree, facts.path, rule) if rule else ()
        accounts = [rule_account(view, domain.label, rule.line + 1) for domain in domains if rule]
        rows = [account for account in accounts if account]
        account = next((row for row in rows if row.is_rendered), rows[0] if rows else None)
        if account is None:
            return ""
        cost = format_count(account.tokens, "token")
        return join_paragraphs(
            f"**{hover_markdown.escape_markdown(account.key)}** costs {cost} of a block.",
            hover_markdown.inclusion_sentence(account.is_rendered, account.reason, account.remedy),
        )
    if hint.sort == "share":
        domain = domain_brackets.compiled_domain(view, hint.subject)
        table = domain_brackets.bracket_table(view, domain) if domain else ""
        return f"**{hover_markdown.escape_markdown(hint.subject)}**\n\n{table}" if domain else ""
    if hint.sort == "bracket":
        if (bracket := view.plan.profile.find_bracket(hint.subject)) is None:
            return ""
        return (
            f"**{bracket.name}** holds with {bracket.label} of the context window left. Its block "
            f"has up to {format_count(bracket.budget, 'token')}; active are "
            f"{', '.join(sorted(bracket.layers))}."
        )
    return hint.subject


def _rule_costs(view: View, facts: FileFacts, part: Span) -> Iterator[Hint]:
    """Yield what a rule costs in tokens, where that is much."""
    least = _COSTLY_RULE * view.assembly.situation.bracket.budget / 100
    by_line: dict[int, int] = {}
    for domain in view.tree.domains_of_file(facts.path):
        account = view.accounts.get(domain.label)
        for account_row in account.rules if account else ():
            by_line.setdefault(account_row.line, account_row.tokens)
    for rule in rules_in(facts.document):
        tokens = by_line.get(rule.line + 1)
        if tokens is not None and tokens >= least and part.touches(rule.text_span.end):
            yield Hint(rule.text_span.end, format_count(tokens, "token"), "tokens")


def _domain_hints(view: View, facts: FileFacts, manifest: Manifest, part: Span) -> Iterator[Hint]:
    """Yield the share of each domain in the budget where it is large, and its state where the
    manifest does not write it.
    """
    bracket = view.assembly.situation.bracket
    for name, declaration in manifest.domains.items():
        first = min(declaration.entries.values(), key=lambda entry: entry.span, default=None)
        if first is None or not part.touches(first.value.span.end):
            continue
        end = first.value.span.end
        label = domain_label(view.tree, facts.path, name)
        domain = domain_brackets.compiled_domain(view, label)
        tokens = _domain_cost(view, domain) if domain and declaration.is_active else 0
        share = round(100 * tokens / bracket.budget)
        # What is in every block, whatever the prompt.
        is_constant = (
            domain is not None
            and domain.squad < 0
            and (domain.always_on or domain.role == "constitution")
        )
        if share >= (_COSTLY_CONSTANT if is_constant else _COSTLY_DOMAIN):
            yield Hint(end, f"{share}% of the {bracket.name} budget", "share", label)
        if "STATE" not in declaration.entries:
            why = "A domain without a state is active."
            yield Hint(end, f"{name}_STATE=active", "implied", why)


def _domain_cost(view: View, domain: PlanDomain) -> int:
    """Return what a domain's rules cost together, as far as one block can have them."""
    if domain.role == "commands":
        return 0
    is_split = domain.role == "context"
    rules = view.accounts[domain.label].rules
    return sum(rule.tokens for rule in rules if rule.is_rendered or not is_split)


def _bracket_hints(view: View, document: context_file.ContextDocument) -> Iterator[Hint]:
    """Yield which bracket holds now, and which one comes next."""
    names = [bracket.name for bracket in view.plan.profile.brackets]
    now = names.index(view.assembly.situation.bracket.name)

    for name, rules in document.brackets.items():
        if (bracket := view.plan.profile.find_bracket(name)) is None or not rules:
            continue
        label = bracket.label
        if name == names[now]:
            label = f"{label}, now"
        elif name in names[now + 1 : now + 2]:
            label = f"{label}, next"
        yield Hint(rules[0].text_span.end, label, "bracket", name)


def _implied_values(facts: FileFacts) -> Iterator[Hint]:
    """Yield what a file leaves out, or says in unusual words."""
    match facts.document:
        case squad_manifest.SquadDocument(name=Text() as name, extends=None) as squad if (
            facts.kind is FileKind.SQUAD
        ):
            config = squad.root.key_node("config") if squad.root else None
            end = config.span.end + 1 if config else name.span.end
            label = "extends: extend" if config else "config.extends: extend"
            why = "A squad that does not say how it extends the root adds to it."
            yield Hint(min(end, len(facts.text)), label, "implied", why)
        case WorkflowState(shape="instance", root=YamlNode() as root, current_step=step) if step:
            # The step that a step number stands for.
            index = root.text("current_step_index")
            who = f" · @{step.agent}" if step.agent else ""
            label = f"{step.phase or step.step_id or f'step {step.index + 1}'}{who}"
            why = "The step at which the workflow is: this one, or the next that an agent has."
            if index:
                yield Hint(index.span.end, label, "implied", why)
        case task_file.TaskDocument(executor_type=Text() as written, executor=executor) if executor:
            why = "The executor decides which layers a task's prompts get."
            if written.value != executor:
                yield Hint(written.span.end, executor, "implied", why)
        case story_file.StoryDocument(status_span=Span() as span, state=state) as story if state:
            usual = state.replace("_", " ")
            if usual.casefold() != story.status.replace("-", " ").casefold():
                yield Hint(span.end, usual, "implied", "How a workflow understands the status.")
