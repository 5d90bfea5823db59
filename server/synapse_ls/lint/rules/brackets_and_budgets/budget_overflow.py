"""The rules that are in every block of a bracket need more than its budget.

## What it does

Assembles, for each bracket, the block of an empty prompt, without an agent and with each one, and
reports the smallest bracket in which not all rules fit, with the agent that loses the most.

## Why it matters

A full block leaves these rules out. They follow with the next replies, which is a delay; in a
client that keeps nothing only the use of a tool injects them. The profile `synapse-live` has no
such delay, since the first block of a window is whole there.
With `injection = "always"` each prompt is sent the same full block, and only the use of a tool
injects the rest: that is a loss, and a warning.

## Example

```bad
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global ×40 --
GLOBAL_RULE_0=Step 0 of a release: write down who did it, when, and how it was seen to work.
```

```good
-- .synapse/manifest --
GLOBAL_STATE=active
-- .synapse/global ×20 --
GLOBAL_RULE_0=Step 0 of a release: write down who did it, when, and how it was seen to work.
```

## Evidence

SYNAPSE Context Brackets gives each bracket a budget of 800 to 2,500 tokens. Public trees with a
constitution and an agent exceed that of FRESH with the very first prompt.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from synapse_ls.engine import block_renderer, context_usage, plan_compiler
from synapse_ls.engine.block_assembly import Assembly, assemble_block, count_missing_tokens
from synapse_ls.engine.compiled_plan import Bracket, Plan
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint import reply_limits, tree_lookups
from synapse_ls.lint.lint_rule import FileFacts, Tree, weak_cache
from synapse_ls.text.finding import Finding
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.phrases import format_count, shorten_text
from synapse_ls.text.span import Span

_MOST_KEYS = 40  # characters of the names of rules that a finding lists

CutKeys = Mapping[str, tuple[str, ...]]


class Overflow(NamedTuple):
    """What the budget cuts of a block: domain -> names of its rules. tokens: how many more the
    budget would need to cut none.
    """

    cut: CutKeys
    tokens: int

    @property
    def size(self) -> int:
        """How many rules are cut."""
        return sum(map(len, self.cut.values()))


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield findings about the smallest bracket that overflows, at the domains concerned."""
    manifest = facts.document
    if facts.path != tree.manifest_path or not isinstance(manifest, Manifest):
        return
    plan = _root_plan(tree)
    for bracket in sorted(plan.profile.brackets, key=lambda bracket: bracket.budget):
        block = _base_block(plan, bracket)
        overflow = _overflow_of(plan, block)
        with_agent = {
            agent: _overflow_of(plan, _base_block(plan, bracket, agent)) for agent in plan.by_agent
        }
        if block.is_over_budget:
            yield Finding(
                _declaration_span(manifest, facts, "CONSTITUTION"),
                f"What may never be left out takes {block.tokens} tokens, and {bracket.name} has "
                f"{bracket.budget}, so Synapse LS puts no other rules into a full block.",
                reply_limits.overflow_remedy(
                    tree,
                    "these and what else is wanted in every block",
                    overflow.tokens,
                    *_find_neediest(with_agent),
                ),
                own_severity=reply_limits.severity_of_overflow(tree),
            )
            return
        crowded = {agent: overflow for agent, overflow in with_agent.items() if overflow.cut}
        if overflow.cut:
            # The finding about a block without an agent, at the most important domain that loses
            # rules.
            agent, tokens = _find_neediest(crowded)
            more = crowded[agent] if tokens > overflow.tokens else None
            yield Finding(
                _declaration_span(manifest, facts, list(overflow.cut)[-1]),
                _describe_cut(bracket, overflow, agent, more),
                reply_limits.overflow_remedy(
                    tree, "what is in every block", overflow.tokens, agent, tokens
                ),
                own_severity=reply_limits.severity_of_overflow(tree),
            )
            return
        if crowded:
            # One finding for all agents beside whose rules not everything fits that every block
            # has.
            most_crowded, *rest = sorted(crowded, key=lambda agent: (-crowded[agent].size, agent))
            crowd_overflow = crowded[most_crowded]
            labels = {plan.domain(position).label for position in plan.by_agent[most_crowded]}
            label = list(
                {label: keys for label, keys in crowd_overflow.cut.items() if label in labels}
                or crowd_overflow.cut
            )[-1]
            yield Finding(
                _declaration_span(manifest, facts, label),
                f"With @{most_crowded}, {_describe_cut(bracket, crowd_overflow)}",
                reply_limits.crowded_agents_remedy(
                    tree,
                    *_find_neediest({agent: crowded[agent] for agent in (most_crowded, *rest)}),
                    len(crowded),
                ),
                own_severity=reply_limits.severity_of_overflow(tree),
            )
            return


def describe_overflow(tree: Tree) -> str:
    """Return what the smallest bracket that overflows leaves out, and when it is told; "" where
    everything fits.
    """
    facts = tree.snapshot.facts(tree.manifest_path)
    finding = next(check(tree, facts), None) if facts is not None else None
    if finding is None:
        return ""
    always = reply_limits.resends_everything(tree)
    return f"{finding.message} {reply_limits.describe_next_replies(always=always)}"


def measure_whole_blocks(tree: Tree) -> dict[str, int]:
    """Return the tokens that a first block takes if it is whole, without an agent ("") and with
    each one.
    """
    plan = _root_plan(tree)
    bracket = plan.profile.brackets[0]
    return {
        agent: _base_block(plan, bracket, agent, whole=True).tokens
        for agent in ("", *plan.by_agent)
    }


def _describe_cut(
    bracket: Bracket, overflow: Overflow, agent: str = "", with_agent: Overflow | None = None
) -> str:
    """Return what does not fit into a bracket, and what more does not with an agent, as a
    sentence.
    """
    rules = format_count(overflow.size, "rule")
    cut = (with_agent or overflow).cut
    keys = block_renderer.summarize_keys(key for keys in cut.values() for key in keys)
    if len(keys) > _MOST_KEYS and ", " in keys[:_MOST_KEYS]:
        keys = f"{keys[:_MOST_KEYS].rpartition(', ')[0]}, …"
    else:
        keys = shorten_text(keys, _MOST_KEYS)
    if with_agent:
        return (
            f"Synapse LS leaves {rules} out of a full block in {bracket.name} ({bracket.budget} "
            f"tokens), with @{agent} {with_agent.size}: {keys}."
        )
    return (
        f"Synapse LS leaves {rules} out of a full block in {bracket.name} "
        f"({bracket.budget} tokens): {keys}."
    )


def _base_block(plan: Plan, bracket: Bracket, agent: str = "", *, whole: bool = False) -> Assembly:
    """Return what is always in a block of a bracket; ``whole``: as if it had no budget."""
    usage = context_usage.measure_usage(reported=bracket.floor)
    situation = resolve_situation(plan, Request(agent=agent, bracket=bracket.name), usage)
    return assemble_block(plan, situation, ignore_budget=whole)


def _overflow_of(plan: Plan, block: Assembly) -> Overflow:
    """Return what is cut of a block: the rules, which are entries with a file."""
    names_by_domain = group_pairs((e.domain, e.name) for e in block.cut_entries if e.file)
    if not names_by_domain and not block.is_over_budget:
        return Overflow({}, 0)
    cut = {domain: tuple(names) for domain, names in names_by_domain.items()}
    return Overflow(cut, count_missing_tokens(plan, block, lambda entry: bool(entry.file)))


def _find_neediest(overflows: Mapping[str, Overflow]) -> tuple[str, int]:
    """Return the agent that needs the most tokens beyond a bracket's budget, and how many it
    needs.
    """
    agent = max(overflows, key=lambda agent: overflows[agent].tokens, default="")
    return (agent, overflows[agent].tokens) if agent else ("", 0)


def _declaration_span(manifest: Manifest, facts: FileFacts, label: str) -> Span:
    """Return the span of a domain's declaration, else of the first line."""
    declaration = manifest.domains.get(label)
    return declaration.span if declaration else tree_lookups.first_line_span(facts)


@weak_cache
def _root_plan(tree: Tree) -> Plan:
    """Return the plan of the root alone, without squads, which take part on occasion only."""
    return plan_compiler.compile_plan(tree, "", standing=True)
