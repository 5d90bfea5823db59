"""A workflow's step belongs to an agent that does not exist.

## What it does

Reports agents of a workflow's steps, in definitions and in chains of commands, and of the steps
that a workflow in progress still has to do, that no agent definition and no squad has as an id and
no domain waits for, where agents were found at all. Steps of nobody (`system`, `various`,
`${story.executor}`) are passed over. Agents that the squad's own `squad.yaml` names outside its
components, with definitions that nobody looks for there, are one finding for the file.

## Why it matters

While the work is in that step no agent's rules and no authority boundaries come in.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/loader.md --
---
name: loader
description: Loads tables.
---
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
-- squads/etl-squad/workflows/load.yaml --
workflow:
  id: load
  sequence:
    - {id: fetch, agent: loadr}
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .claude/agents/loader.md --
---
name: loader
description: Loads tables.
---
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
-- squads/etl-squad/workflows/load.yaml --
workflow:
  id: load
  sequence:
    - {id: fetch, agent: loader}
```

## Evidence

`WF_AGENT_NOT_FOUND` of the workflow validator of SynkraAI/aios-core, which however rejects `@po`
for `po`.

## Fix

An id that is spelled nearly so is put in its place; one that only shares a word is none. What is
injected changes."""

from collections.abc import Iterator

from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.lint import tree_lookups
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding, Related, Text
from synapse_ls.text.phrases import format_count
from synapse_ls.workspace.naming_conventions import file_stem, kebab_case


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each mention of an unknown agent in a step that is still to be done,
    and one for all agents that the squad has where nobody looks for them.
    """
    # The agents that the squad's description names beside its components.
    squad = tree.home_of(facts.path).squad
    described = tree.snapshot.document(squad.yaml_path or "", SquadDocument) if squad else None
    paths = described.agents_elsewhere if described else ()
    elsewhere = {kebab_case(file_stem(path)) for path in paths}
    astray: list[Text] = []
    for reference in tree_lookups.step_mentions(facts, "agent"):
        name = reference.key[1]
        if not tree_lookups.is_unknown_agent(tree, name):
            continue
        # The id as the file spells it, without what is around it (`"@po"`, `core:dev`).
        text = reference.span.cut(facts.text)
        start = text.casefold().replace("_", "-").find(name.replace("_", "-"))
        written = text[start : start + len(name)] if start >= 0 else text
        place = Text(written, reference.span)
        if kebab_case(name) in elsewhere:
            astray.append(place)
            continue
        message = f"No agent is called `{written}`, so this step activates no agent's rules."
        # With words more or less it is another agent, and no misspelling.
        words = kebab_case(name).removeprefix("agent-").count("-")
        agent_ids = [
            agent_id
            for agent_id in tree_lookups.known_agent_ids(tree)
            if kebab_case(agent_id).removeprefix("agent-").count("-") == words
        ]
        yield tree_lookups.unknown_name_finding(
            facts, place, message, agent_ids, "Write the id of an agent."
        )
    if astray:
        # The one finding for steps of agents that are defined outside of `agents/`.
        first = astray[0]
        astray_sentence = (
            f"`squad.yaml` names `{first.value}`, but the squad's `agents/` has no definition of "
            "it, so this step activates no agent's rules."
        )
        if misspelt_agents := len(astray) - 1:
            astray_sentence = (
                f"`squad.yaml` names `{first.value}`, but the squad's `agents/` has no definition "
                f"of it, so this step and {format_count(misspelt_agents, 'step')} after it "
                "activate no agent's rules."
            )
        yield Finding(
            first.span,
            astray_sentence,
            "Put the definitions of the squad's agents into `agents/`, as Markdown.",
            related=tuple(
                Related(facts.path, step_agent.span, "So it is here.") for step_agent in astray[1:]
            ),
        )
