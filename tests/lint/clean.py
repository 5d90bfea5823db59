"""A tree in which no rule finds anything, and how tests run the rules on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.path_classification import classify_path
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests import chati_trees
from tests.trees import tree_of
from tests.workspace.trees import PATHS

CLEAN: Mapping[str, str] = {
    **chati_trees.LINTED,
    ".synapse/config.toml": """\
profile = "synapse-live"
matching = "word"
[paths]
stories = ["docs/stories"]
[profiles.lean]
drop = ["KEYWORD"]
[lint]
ignore = ["SYN105"]
""",
    "GEMINI.md": """\
<!-- synapse:begin hook cf68ed5e0bf2 kept by "synapse sync" -->

The rules of this project come with the prompts, between `<synapse-rules>` and `</synapse-rules>`. If no such block is there, read them in `.synapse/` before you begin.

<!-- synapse:end -->
""",
    ".synapse/manifest": """\
DEVMODE=false
GLOBAL_EXCLUDE=draft
CONSTITUTION_STATE=active
GLOBAL_STATE=active
CONTEXT_STATE=active
COMMANDS_STATE=active
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
AGENT_QA_STATE=active
AGENT_QA_AGENT_TRIGGER=qa
WORKFLOW_RELEASE_STATE=active
WORKFLOW_RELEASE_WORKFLOW_TRIGGER=release_train
TESTING_STATE=active
TESTING_RECALL=unit test, coverage
TESTING_EXCLUDE=manual
TESTING_NON_NEGOTIABLE=true
REMINDERS_STATE=active
REMINDERS_EVERY_N_TURNS=10
GUARDRAILS_STATE=active
GUARDRAILS_ALWAYS_ON=true
SLEEPY_STATE=inactive
""",
    ".synapse/memory/shared/durable/mem-2026-01-02-001.md": """\
---
id: mem-2026-01-02-001
type: user_correction
sector: procedural
storage: durable
tags: [tests]
expires: 2999-01-31
---

# Tests use the staging database
""",
    ".synapse/memory/agents/dev/durable/mem-2026-01-02-002.md": """\
---
id: mem-2026-01-02-002
agent: dev
scope: private
confidence: 0.6
---

# Reviews come before lunch
""",
    ".synapse/constitution": """\
CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)
CONSTITUTION_RULE_ART1_1=MUST: Write the failing test first.
""",
    ".synapse/global": """\
GLOBAL_RULE_0=Write small functions.
GLOBAL_RULE_1=Leave no dead code, not even in the café.
""",
    ".synapse/context": """\
CONTEXT_RULE_FRESH_0=Explore before you decide.
CONTEXT_RULE_CRITICAL_0=Write the hand-off now.
""",
    ".synapse/commands": """\
# [*brief] COMMAND:
COMMANDS_RULE_BRIEF_0=Use bullet points only.
# [*plan] COMMAND:
COMMANDS_RULE_PLAN_0=Outline the approach first.
""",
    ".synapse/agent-dev": """\
AGENT_DEV_AUTH_0=BLOCKED: git push — delegate to @devops
DEV_RULE_AUTH_1=BLOCKED: gh pr create
AGENT_DEV_RULE_0=Read the story first.
""",
    ".synapse/agent-qa": "AGENT_QA_RULE_0=Report what you could not test.\n",
    ".synapse/workflow-release": "WORKFLOW_RELEASE_RULE_0=Phase tag: tag the release first.\n",
    ".synapse/testing": """\
TESTING_RULE_0=Arrange, act, assert.
TESTING_RULE_1=One behaviour per test.
""",
    ".synapse/reminders": "- Update the file list of the story.\n- Tick the boxes.\n",
    ".synapse/guardrails": "GUARDRAILS_RULE_0=Never print a secret.\n",
    ".synapse/sleepy": "SLEEPY_RULE_0=Nobody reads this yet.\n",
    ".synapse/tests/blocks.toml": """\
[[case]]
name = "dev is told what it may not do"
agent = "dev"
domains = ["AGENT_DEV"]
texts = ["git push"]
""",
    ".claude/agents/dev.md": "---\nname: dev\ndescription: Builds.\n---\nBuilds things.\n",
    ".claude/agents/qa.md": "---\nname: qa\ndescription: Tests things.\n---\nTests things.\n",
    ".claude/agents/writer.md": "---\nname: writer\ndescription: Writes things up.\n---\nWrites things up.\n",
    ".aiox-core/constitution.md": """\
### I. Tests First (NON-NEGOTIABLE)

- MUST: Write the failing test first.
""",
    ".synapse/sessions/6f1c2b.json": """\
{"uuid": "6f1c2b", "schema_version": "2.0", "last_activity": "2999-01-01T00:00:00Z"}
""",
    ".synapse/continuation/latest.md": """\
---
version: "1.0"
session_id: 6f1c2b
created_at: 2026-03-02T16:40:00Z
reason: ended
---

## Resume

Next: freeze the branch
""",
    ".aiox-core/development/workflows/release-train.yaml": """\
workflow:
  id: release-train
  name: Release train
  sequence:
    - {step: tag, agent: dev, action: Tag}
""",
    ".aiox/release-train-20260102-abc123-state.yaml": """\
workflow_id: release-train
workflow_name: Release train
instance_id: release-train-20260102-abc123
target_context: core
started_at: '2026-01-02T10:00:00Z'
updated_at: '2026-01-02T10:00:00Z'
status: active
current_step_index: 0
steps:
  - {step_index: 0, phase: tag, agent: dev, status: pending}
""",
    "docs/stories/1.1.story.md": """\
# Story 1.1

**Status:** Draft
**Executor:** @writer
**Quality Gate:** @qa
""",
    "squads/etl-squad/squad.yaml": """\
name: etl-squad
version: 1.0.0
components:
  agents: [loader.md]
  tasks: [load-tables.md]
  workflows: [load.yaml]
  checklists: [done.md]
dependencies: {squads: [storage-squad]}
config: {extends: extend}
""",
    "squads/etl-squad/agents/loader.md": "---\nname: loader\n---\nLoads things.\n",
    "squads/etl-squad/checklists/done.md": "- [ ] Tables counted\n",
    "squads/etl-squad/tasks/load-tables.md": """\
---
task: loadTables()
responsavel_type: Agente
---

## Acceptance Criteria

- [ ] Every table has as many rows as its source.
""",
    "squads/etl-squad/workflows/load.yaml": """\
workflow:
  id: load
  name: Load
  sequence:
    - {step: fetch, agent: loader, task: load-tables.md}
""",
    "squads/etl-squad/.synapse/manifest": """\
ETL_EXTENDS=extend
PIPELINE_STATE=active
PIPELINE_RECALL=pipeline
LOADER_STATE=active
LOADER_AGENT_TRIGGER=loader
""",
    "squads/etl-squad/.synapse/rules": """\
PIPELINE_RULE_0=Load in batches.
LOADER_RULE_0=Never drop a table.
""",
    "squads/later-squad/.synapse/manifest": "LATER_STATE=inactive\n",
    "squads/storage-squad/squad.yaml": """\
name: storage-squad
version: 1.0.0
config: {extends: override}
""",
    "squads/storage-squad/.synapse/manifest": "TABLES_STATE=active\n",
    "squads/storage-squad/.synapse/rules": "- Name tables in the plural.\n",
}

INDEXED = {path: text for path, text in CLEAN.items() if classify_path(path, PATHS)}
"""Those that are looked at while one edits, where no setting says otherwise."""

EVERY_RULE = ("ALL",)
TWO_SYSTEMS = ("SYN212",)
"""What the tree is all the same: it has Chati's files as well, for the rules that look at them."""
BY_DESIGN = frozenset({"SYN120", "SYN404"})
"""Hints at what a small tree leaves to the defaults: the state of a domain, and the profile."""


def write(
    root: Path, files: Mapping[str, str | bytes], links: Mapping[str, str] | None = None
) -> Path:
    """Put files and links below ``root``; lone surrogates in a text are bytes (PEP 383)."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode(errors="surrogateescape")
        target.write_bytes(data)
    for path, leads_to in (links or {}).items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(leads_to)
    return root


def check_disk(root: Path, ignore: Sequence[str] = ()) -> tuple[Finding, ...]:
    """What every rule says about a tree on disk, but for those to ignore."""
    loaded = load_tree(str(root), LoadScope.ALL)
    tree = Tree(loaded.index.snapshot())
    return lint_tree(tree, notes=loaded.notes, select=EVERY_RULE, ignore=ignore)


def findings(files: Mapping[str, str], select: Sequence[str] = EVERY_RULE) -> list[str]:
    """The codes and the places of what is found in a tree in memory: ``SYN104 X_RECAL``.

    That triggers sleep in the default profile, or that there are none, is left out, unless it is asked
    for by its code.
    """
    tree = tree_of(files)
    aside = {"SYN404", "SYN312"}.difference(select)
    found = (d for d in lint_tree(tree, select=select) if d.code not in aside)
    return [f"{d.code} {place(tree, d)}" for d in found]


def place(tree: Tree, diagnostic: Finding) -> str:
    """The text that a diagnostic marks."""
    facts = tree.snapshot.facts(diagnostic.path)
    assert facts is not None
    return diagnostic.span.cut(facts.text)
