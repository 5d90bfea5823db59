"""A rule is for a phase that its workflow does not have.

## What it does

Reports rules of a workflow's domain that begin `Phase x:` where no step of the workflow's
definition has `x` as its phase, id or name, and no alias means it. Only definitions with steps
count; where there is none, misspelt phases of the framework's own workflows are reported.

## Why it matters

While any other phase of the domain fits, the rule is left out; it comes only when none of them
does.

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

from collections.abc import Iterator, Mapping

from synapse_ls.engine.word_matching import slug_of
from synapse_ls.engine.workflow_route import PHASE_ALIASES
from synapse_ls.formats.workflow_definition import WorkflowDefinition
from synapse_ls.lint import tree_lookups
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding, Text
from synapse_ls.text.span import Span
from synapse_ls.workspace.fact_extraction import make_key


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each phase in a workflow domain's rules that the workflow does not
    have.
    """
    for domain in tree.domains_of_file(facts.path):
        declaration = domain.declaration
        trigger = declaration.workflow_trigger if declaration and declaration.is_active else ""
        phased = [rule for rule in tree.rules_of(domain) if rule.phase] if trigger else []
        workflow_phases = _workflow_phases(tree, trigger) if phased else {}
        usual = {} if workflow_phases or not phased else _phase_aliases(tree, trigger)
        slugs: set[str] = set()
        for rule in phased:
            if (slug := slug_of(rule.phase)) in slugs or slug in workflow_phases:
                continue
            meant_misspelt_name = (
                "" if workflow_phases else tree_lookups.misspelt_name(slug, tuple(usual))
            )
            if workflow_phases or meant_misspelt_name:
                slugs.add(slug)
                start = facts.text.index(rule.phase, rule.text_span.start)
                yield tree_lookups.unknown_name_finding(
                    facts,
                    Text(rule.phase, Span(start, start + len(rule.phase))),
                    f"No step of `{trigger}` is called `{rule.phase}`, so its rules are left out "
                    "while another phase fits.",
                    workflow_phases.values() if workflow_phases else (usual[meant_misspelt_name],),
                    "Write a phase of the workflow, or name it under [workflow.phases].",
                )


def _workflow_phases(tree: Tree, workflow: str) -> dict[str, str]:
    """Return slug -> name of every phase of a workflow; empty where no definition has steps."""
    phases: dict[str, str] = {}
    for workflow_name in sorted(tree_lookups.workflow_names(tree, workflow)):
        for path in tree.snapshot.defining_paths(make_key("workflow", workflow_name)):
            definition = tree.snapshot.document(path, WorkflowDefinition)
            for step in definition.steps if definition else ():
                for name in (step.id, step.step, step.phase, step.name):
                    phases.setdefault(slug_of(name), name)
    phases.pop("", None)
    return phases | _phase_aliases(tree, workflow) if phases else {}


def _phase_aliases(tree: Tree, workflow: str) -> dict[str, str]:
    """Return slug -> name of the phases that the tables give a workflow, whatever its definition
    says.
    """
    aliases: dict[str, str] = {}
    names = tree_lookups.workflow_names(tree, workflow)
    configured = tree.snapshot.config.workflow.phases
    tables: list[Mapping[str, str]] = [
        table for workflow_name, table in PHASE_ALIASES.items() if workflow_name in names
    ]
    tables += [
        table for workflow_name, table in configured.items() if slug_of(workflow_name) in names
    ]
    for table in tables:
        aliases |= {slug_of(alias): alias for alias in (*table, *table.values())}
    return aliases
