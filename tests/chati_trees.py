"""Chati.dev trees for tests, written for them."""

from __future__ import annotations

from collections.abc import Mapping

from synapse_ls.engine.memory_hints import Hint

DOCUMENT = """\
<chati-context bracket="MODERATE">
  <constitution>
    Articles I-XVI governing agent behavior.
    Key: Self-validation required. Loop until quality threshold.
    Guided options (1,2,3). Persistent session state.
    Two-layer handoff. Language protocol. Deviation protocol.
    Mode governance (planning/build/deploy).
    Context brackets. Memory governance. Registry governance.
  </constitution>

  <mode>planning</mode>

  <agent name="brief" mission="Extract user requirements in 5 structured phases">
    <inputs>WU artifact, user access</inputs>
    <outputs>Brief document with functional/non-functional requirements</outputs>
    <criteria>All 5 phases completed, requirements categorized, user confirmed</criteria>
  </agent>

  <pipeline>
    WU(100%) -> Brief(in_progress, 45%) -> Detail(pending) -> Architect(pending)
    -> UX(pending) -> Phases(pending) -> Tasks(pending) -> QA-Planning(pending)
  </pipeline>

  <task>Phase 2: Core Requirements Elicitation</task>

  <handoff from="greenfield-wu" score="95">
    Project: SaaS platform for team collaboration.
    Stack: Next.js + PostgreSQL + Vercel.
    Key constraint: Must support real-time features.
  </handoff>

  <memory bracket="MODERATE" level="metadata">
    [3 HOT memories available: auth-pattern, db-migration-gotcha, user-preference-dark-mode]
  </memory>
</chati-context>"""
"""The block of Chati Context Engine, "Context Block Format"."""

MEMORIES = tuple(
    Hint(name, name.replace("-", " "), tier="hot", level="metadata")
    for name in ("auth-pattern", "db-migration-gotcha", "user-preference-dark-mode")
)

_STEPS = ("greenfield-wu", "brief", "detail", "architect", "ux", "phases", "tasks", "qa-planning")
_SEQUENCE = "".join(f"      - {{agent: {agent}, action: work}}\n" for agent in _STEPS)
_STATES = "".join(
    f"  {agent}: {{status: pending, score: 0, criteria_count: 0}}\n" for agent in _STEPS[2:]
)

SAME: Mapping[str, str] = {
    "chati.dev/config.yaml": 'version: "2.0.1"\nproject_type: greenfield\nlanguage: en\n',
    "chati.dev/domains/constitution.yaml": """\
summary: |
  Articles I-XVI governing agent behavior.
  Key: Self-validation required. Loop until quality threshold.
  Guided options (1,2,3). Persistent session state.
  Two-layer handoff. Language protocol. Deviation protocol.
  Mode governance (planning/build/deploy).
  Context brackets. Memory governance. Registry governance.
""",
    "chati.dev/agents/planning/brief.md": """\
# Brief Agent — Finding Extraction

## Mission

Extract user requirements in 5 structured phases

## Inputs

WU artifact, user access

## Outputs

Brief document with functional/non-functional requirements

## Criteria

All 5 phases completed, requirements categorized, user confirmed
""",
    "chati.dev/workflows/greenfield-fullstack.yaml": f"""\
workflow:
  id: greenfield-fullstack
  name: Greenfield Fullstack Development
phases:
  - phase: 1
    name: Planning
    category: PLANNING
    sequence:
{_SEQUENCE}  - phase: 2
    name: Implementation
    category: BUILD
    sequence:
      - {{agent: dev, action: implement}}
""",
    "chati.dev/artifacts/handoffs/greenfield-wu-handoff.md": """\
---
from_agent: greenfield-wu
to: orchestrator
status: complete
score: 95
---

# Handoff: greenfield-wu → brief

## Summary

Project: SaaS platform for team collaboration.
Stack: Next.js + PostgreSQL + Vercel.
Key constraint: Must support real-time features.
""",
    ".chati/session.yaml": f"""\
project:
  name: Team
  type: greenfield
  state: planning
execution_mode: interactive
current_agent: brief
current_task: "Phase 2: Core Requirements Elicitation"
language: en
agents:
  greenfield-wu: {{status: completed, score: 100, criteria_count: 7}}
  brief: {{status: in_progress, score: 45, criteria_count: 9}}
{_STATES}last_handoff: chati.dev/artifacts/handoffs/greenfield-wu-handoff.md
""",
}
"""A tree that says the same as `DOCUMENT`."""

BOARD: Mapping[str, str] = {
    "chati.dev/config.yaml": 'version: "2.0.1"\nproject_type: greenfield\nlanguage: en\n',
    "chati.dev/constitution.md": """\
# Constitution

## Article I: Agent Governance

Agents have a mission.

**Enforcement: BLOCK**

## Article II: Quality Standards

Every agent must achieve >= 95% before it presents results.

**Enforcement: BLOCK**
""",
    "chati.dev/domains/global.yaml": """\
rules:
  - id: english
    text: "All code & comments are in English."
    priority: high
  - id: conventions
    text: "Follow the conventions that are there."
modes:
  planning:
    writeScope: "chati.dev/"
    allowedActions: [read_any_file]
    blockedActions: [modify_project_code]
  build:
    writeScope: "*"
    allowedActions:
      - read_any_file
      - write_any_file
    blockedActions:
      - deploy_to_production
""",
    "chati.dev/agents/planning/brief.md": """\
# Brief Agent

## Mission

Extract requirements.

## Inputs

- The report of the agent before
- Access to the user
""",
    "chati.dev/agents/build/dev.md": """\
# Dev Agent — Implementation

## Identity

- **Category**: BUILD

## Mission

Implement each task

## Input

$ARGUMENTS

## Handoff Protocol

### Receives

- **From**: QA-Planning
- **Artifact**: `tasks.md`

## Quality Criteria

1. **Tests**: all tests pass
2. No placeholders in the code
""",
    "chati.dev/agents/quality/qa-planning.md": "# QA-Planning Agent\n\n## Mission\n\nTrace plans.\n",
    "chati.dev/agents/quality/qa-implementation.md": (
        "# QA-Implementation Agent\n\n## Mission\n\nTest the code.\n"
    ),
    "chati.dev/domains/agents/dev.yaml": """\
mission: "Write code."
authority:
  exclusive: [code_implementation]
  blocked:
    - deployment
    - qa_verdict
  redirectMessage: "Ask devops."
outputs: [source code, test files]
rules:
  - id: dev-task
    text: "Implement exactly what the task says."
    priority: critical
  - id: dev-lint
    text: "Leave no warnings."
""",
    "chati.dev/workflows/greenfield-fullstack.yaml": """\
workflow:
  id: greenfield-fullstack
  name: Greenfield
phases:
  - phase: 0
    name: Planning
    category: PLANNING
    sequence:
      - {agent: brief, action: extract}
      - {agent: qa-planning, action: trace}
  - phase: 1
    name: Implementation
    category: BUILD
    sequence:
      - {agent: dev, action: implement}
      - {agent: qa-implementation, action: test}
""",
    "chati.dev/domains/workflows/greenfield-fullstack.yaml": """\
steps: [brief, qa-planning, dev, qa-implementation]
rules:
  - id: gf-gate
    text: "The gate must pass before code is written."
    priority: critical
""",
    "chati.dev/artifacts/6-Tasks/tasks.yaml": """\
tasks:
  - id: T1.1
    title: Upload an avatar
    phase: Phase 1
    status: in_progress
    criteria:
      - given: a signed-in user
        when: she uploads a picture
        then: it is shown within a second
""",
    "chati.dev/artifacts/handoffs/qa-planning-handoff.md": """\
---
from_agent: qa-planning
status: complete
score: 97
---

# Handoff: qa-planning → dev

## Summary

The plan is complete & traceable.

## Decisions

- **storage**: object store

## Blockers

- No staging account

## Criteria Unmet

- [ ] Load test planned
- [x] Tasks traced
""",
    ".chati/session.yaml": """\
mode: build
project:
  name: Board
  type: greenfield
  state: build
execution_mode: autonomous
current_agent: dev
current_task: T1.1
language: en
agents:
  brief: {status: completed, score: 98, criteria_count: 9}
  qa-planning: {status: completed, score: 97, criteria_count: 5}
  dev: {status: in_progress, score: 60, criteria_count: 4}
  qa-implementation: {status: pending, score: 0, criteria_count: 0}
backlog:
  - {id: BL-001, title: Tune the search, priority: low, status: pending}
  - {id: BL-002, title: Limit uploads, priority: high, status: in_progress}
  - {id: BL-003, title: Rename the board, priority: high, status: done}
last_handoff: chati.dev/artifacts/handoffs/qa-planning-handoff.md
""",
}
"""A project that is being built."""

LINTED: Mapping[str, str] = {
    **BOARD,
    "chati.dev/domains/constitution.yaml": """\
articleCount: 2
rules:
  - id: art-i
    text: "Agents follow their role."
  - id: art-ii
    text: "Every agent reaches >= 95%."
""",
    "chati.dev/intelligence/context-engine.md": """\
# Context Engine

The constitution has Articles I-II.

| Bracket | Context Remaining | Behavior |
|---------|-------------------|----------|
| **FRESH** | 60-100% | All layers. |
| **MODERATE** | 40-60% | All layers. |
| **DEPLETED** | 25-40% | Three layers. |
| **CRITICAL** | <25% | Two layers. |
""",
    "chati.dev/intelligence/gotchas.yaml": "gotchas:\n  - {id: G001, pattern: A file}\n  - {id: G003, pattern: A lock}\n",
    ".chati/memories/shared/gotchas.json": '[{"id": "G002", "pattern": "A closed port"}]\n',
    ".chati/memories/shared/durable/uploads.md": """\
---
id: mem-2026-02-12-001
type: lesson
agent: dev
tags: [uploads]
confidence: 0.9
sector: procedural
tier: hot
created_at: 2026-02-12T10:15:00Z
---

# Uploads need a limit
""",
}
"""A tree with files of every kind, in which the linter finds nothing."""
