"""A rule is for a phase that its workflow does not have.

## What it does

Reports rules of a workflow's domain that begin `Phase x:` where no step of the workflow's definition
has `x` as its phase, id or name, and no alias stands for it. Only definitions with steps count; where
there is none, misspelt phases of the framework's own workflows are reported.

## Why it matters

While any other phase of the domain fits, the rule is left out; it comes only when none of them does.

## Example

```bad
-- .synapse/config.toml --
profile = "synapse-live"
-- .synapse/manifest --
WORKFLOW_RELEASE_STATE=active
WORKFLOW_RELEASE_WORKFLOW_TRIGGER=release
-- .synapse/workflow-release --
WORKFLOW_RELEASE_RULE_0=Phase tag: Sign the tag.
WORKFLOW_RELEASE_RULE_1=Phase pubish: Announce it.
-- .aiox-core/development/workflows/release.yaml --
workflow:
  id: release
  sequence:
    - {id: tag, agent: devops}
    - {id: publish, agent: devops}
```

```good
-- .synapse/config.toml --
profile = "synapse-live"
-- .synapse/manifest --
WORKFLOW_RELEASE_STATE=active
WORKFLOW_RELEASE_WORKFLOW_TRIGGER=release
-- .synapse/workflow-release --
WORKFLOW_RELEASE_RULE_0=Phase tag: Sign the tag.
WORKFLOW_RELEASE_RULE_1=Phase publish: Announce it.
-- .aiox-core/development/workflows/release.yaml --
workflow:
  id: release
  sequence:
    - {id: tag, agent: devops}
    - {id: publish, agent: devops}
```

## Evidence

ADR-001 E5: the rules of a workflow are those of its current phase. The workflow files of
SynkraAI/aios-core name their phases.

## Fix

The phase that was probably meant is put in its place. What is injected changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from synapse_ls.engine.aliases import PHASES
from synapse_ls.engine.plan import slug_of
from synapse_ls.formats.problem import Text
from synapse_ls.formats.rule import Rule
from synapse_ls.lint import workflows
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.unknown import misspelt, unknown
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each phase that the rules of a workflow's domain name in vain."""
    for domain in tree.home_of(facts.path).served.get(facts.path, ()):
        said = domain.declaration
        trigger = said.workflow_trigger if said and said.active else ""
        phased = [rule for rule in tree.rules_of(domain) if rule.phase] if trigger else []
        known = _phases(tree, trigger) if phased else {}
        usual = {} if known or not phased else _aliases(tree, trigger)
        seen: set[str] = set()
        for rule in phased:
            slug = slug_of(rule.phase)
            if slug in seen or slug in known:
                continue
            meant = "" if known else misspelt(slug, tuple(usual))
            if known or meant:
                seen.add(slug)
                yield unknown(
                    facts,
                    _name(rule, facts.text),
                    f"No step of `{trigger}` is called `{rule.phase}`, so its rules are left out "
                    "while another phase fits.",
                    known.values() if known else (usual[meant],),
                    "Write a phase of the workflow, or name it under [workflow.phases].",
                )


def _name(rule: Rule, text: str) -> Text:
    """The phase's name in a rule that begins with it."""
    start = text.index(rule.phase, rule.text_span.start)
    return Text(rule.phase, Span(start, start + len(rule.phase)))


def _phases(tree: Tree, workflow: str) -> dict[str, str]:
    """Slug -> name of every phase of a workflow; none where no definition has steps."""
    found: dict[str, str] = {}
    for _, definition in workflows.definitions_of(tree, workflow):
        for step in definition.steps:
            for name in (step.id, step.step, step.phase, step.name):
                found.setdefault(slug_of(name), name)
    found.pop("", None)
    if not found:
        return {}
    return found | _aliases(tree, workflow)


def _aliases(tree: Tree, workflow: str) -> dict[str, str]:
    """Slug -> name of the phases that a workflow has by the tables, whatever its definition says."""
    found: dict[str, str] = {}
    names = workflows.names_of(tree, workflow)
    own = tree.snapshot.config.workflow_phases
    tables: list[Mapping[str, str]] = [table for known, table in PHASES.items() if known in names]
    tables += [table for known, table in own.items() if slug_of(known) in names]
    for table in tables:
        found |= {slug_of(alias): alias for alias in (*table, *table.values())}
    return found


RULE = TreeRule(
    code="SYN206",
    name="unknown-phase",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.RULES}),
    check=check,
    reads={
        "domain": Reach.SERVED,
        "workflow": Reach.EVERYWHERE,
        "steps": Reach.EVERYWHERE,
        "setting": Reach.EVERYWHERE,
    },
)
