"""What stands in every block of a bracket is larger than the bracket's budget.

## What it does

Assembles, for each bracket, the block of an empty prompt, without an agent and with each one, and
reports domains with rules that do not fit.

## Why it matters

A full block leaves these rules out, and a hook tells them with one of the next prompts. Where even
what may never be left out is too large, nothing else of the tree ever fits.

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

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from synapse_ls.engine.compile import compile_plan
from synapse_ls.engine.plan import Plan
from synapse_ls.engine.profile import Bracket
from synapse_ls.engine.render import named
from synapse_ls.engine.run import assemble
from synapse_ls.engine.section import Entry
from synapse_ls.engine.situation import Request, resolve
from synapse_ls.engine.usage import measure
from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.lookup import first_line, once
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

AGENTS_NAMED = 3  # above that, one finding speaks for all of them

Cuts = Mapping[str, tuple[str, ...]]


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Findings about the smallest bracket that overflows, at the declarations concerned."""
    manifest = facts.document
    if facts.path != tree.manifest_path or not isinstance(manifest, Manifest):
        return
    plan = _plan(tree)
    for bracket in sorted(plan.profile.brackets, key=lambda bracket: bracket.budget):
        cut, tokens, over = _standing(plan, bracket)
        if over:
            what = "The constitution, the rules of the bracket and what is non-negotiable"
            yield Finding(
                _place(manifest, facts, "CONSTITUTION"),
                f"{what} take {tokens} tokens, and {bracket.name} has {bracket.budget}, so no other "
                "rule ever fits into a block of it.",
                "Shorten the articles.",
                severity=Severity.WARNING,
            )
            return
        if cut:
            yield _left_out(manifest, facts, bracket, cut)
            return
        crowded = {
            agent: own
            for agent in plan.by_agent
            if (own := _own(plan, agent, _standing(plan, bracket, agent)[0]))
        }
        if len(crowded) > AGENTS_NAMED:
            yield _crowded(manifest, facts, bracket, crowded)
            return
        if crowded:
            yield from (_left_out(manifest, facts, bracket, own) for own in crowded.values())
            return


def _left_out(manifest: Manifest, facts: FileFacts, bracket: Bracket, cut: Cuts) -> Finding:
    """One finding, at the most important domain that loses rules: the last one to be cut."""
    keys = [key for keys in cut.values() for key in keys]
    rules = "1 rule does" if len(keys) == 1 else f"{len(keys)} rules do"
    return Finding(
        _place(manifest, facts, list(cut)[-1]),
        f"{rules} not fit into {bracket.name} ({bracket.budget} tokens) beside what else stands in "
        f"every block, so a full block leaves them out: {named(keys)}.",
        "Shorten what stands in every block.",
    )


def _crowded(
    manifest: Manifest, facts: FileFacts, bracket: Bracket, crowded: Mapping[str, Cuts]
) -> Finding:
    """One finding for many agents: what crowds them out is what they have in common."""
    some = ", ".join(f"@{agent}" for agent in list(crowded)[:AGENTS_NAMED])
    return Finding(
        _place(manifest, facts, "GLOBAL"),
        f"{bracket.name} ({bracket.budget} tokens) does not hold the rules of {len(crowded)} agents "
        f"({some} and others) beside constitution and global rules, so a full block leaves some out.",
        "Shorten what stands in every block.",
    )


def _own(plan: Plan, agent: str, cut: Cuts) -> Cuts:
    """What of ``cut`` are the agent's own rules: with it active, it is they who push the others."""
    labels = {plan.domain(position).label for position in plan.by_agent[agent]}
    return {label: keys for label, keys in cut.items() if label in labels}


def _standing(plan: Plan, bracket: Bracket, agent: str = "") -> tuple[Cuts, int, bool]:
    """Keys that an empty prompt's block leaves out, by domain; its tokens; whether it is over."""
    usage = measure(reported=bracket.floor)
    made = assemble(plan, resolve(plan, Request(agent=agent, bracket=bracket.name), usage))
    return _by_domain(made.cut), made.tokens, made.over_budget


def _by_domain(cut: Iterable[Entry]) -> Cuts:
    found: dict[str, tuple[str, ...]] = {}
    for entry in cut:
        if entry.file:
            found[entry.domain] = (*found.get(entry.domain, ()), entry.name)
    return found


def _place(manifest: Manifest, facts: FileFacts, label: str) -> Span:
    declaration = manifest.domains.get(label)
    return declaration.span if declaration else first_line(facts)


@once
def _plan(tree: Tree) -> Plan:
    """The plan of the root alone: squads take part on occasion only."""
    return compile_plan(tree, "", standing=True)


RULE = TreeRule(
    code="SYN401",
    name="budget-overflow",
    severity=Severity.INFO,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
    reads={"content": Reach.FOLDER, "file": Reach.FOLDER, "agent": Reach.EVERYWHERE},
)
