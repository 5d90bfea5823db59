"""A tree with a crew of agents, a workflow, patterns and stories; and repositories to put it into."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from synapse_ls.activation.activation_files import TreeFiles
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.formats import config_file
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.trees import Files as Texts
from tests.trees import write_tree

CORE = ".aiox-core/development"
STATE = ".aiox/story-cycle-20260302-aa11bb-state.yaml"

CREW: Texts = {
    ".synapse/manifest": """\
        GLOBAL_STATE=active
        AGENT_DEV_STATE=active
        AGENT_DEV_AGENT_TRIGGER=dev
        AGENT_OPS_STATE=active
        AGENT_OPS_AGENT_TRIGGER=ops
        """,
    ".synapse/global": "GLOBAL_RULE_0=Write small functions\n",
    ".synapse/agent-dev": "AGENT_DEV_RULE_0=Test first\n",
    ".synapse/agent-ops": "AGENT_OPS_RULE_0=Check twice\n",
    f"{CORE}/agents/dev.md": """\
        # dev

        ```yaml
        agent:
          name: Ines
          id: dev
          title: Engineer
          icon: 🔧
          aliases: [developer]
        persona_profile:
          archetype: Builder
          communication:
            tone: pragmatic
            greeting_levels:
              minimal: 🔧 dev here
              named: 🔧 Ines (Builder) is here
              archetypal: 🔧 Ines the Builder is ready
            signature_closing: — Ines
        persona:
          role: Writes code and tests
        commands:
          - name: help
            visibility: [full, quick, key]
            description: All commands
          - name: guide
            visibility: [full]
            description: How to work with me
          - name: develop
            args: "{story}"
            visibility: [full, quick]
            description: Implement a story
          - name: run-tests
            visibility: [full, key]
            description: Run the tests
        dependencies:
          tasks: [build-login.md]
          checklists: [done.md, ready.md]
        ```
        """,
    f"{CORE}/agents/qa.md": """\
        # qa

        ```yaml
        agent: {name: Tomas, id: qa, title: Quality, icon: 🔎}
        commands:
          - review {story}: Judge a story
          - gate: Decide
          - help: All commands
        ```
        """,
    f"{CORE}/agents/po.md": """\
        # po

        ```yaml
        agent: {name: Pax, id: po, title: Product owner}
        commands:
          validate-story-draft: Check a story
          backlog {sort}: Show the backlog
        ```
        """,
    f"{CORE}/agents/pm.md": "# pm\n\n```yaml\nagent: {name: Mo, id: pm}\ncommands: []\n```\n",
    f"{CORE}/workflows/story-cycle.yaml": """\
        workflow:
          id: story-cycle
          name: Story cycle
          sequence:
            - {phase: 1, name: Plan, description: a heading}
            - {step: check_story, id: check, agent: po, action: Check the story, next: build}
            - step: build_story
              id: build
              agent: dev
              action: Build it
              task: build-login.md
              requires: check
              next: review
            - {step: polish, id: polish, agent: dev, action: Polish, optional: true}
            - {step: review_story, id: review, agent: "@qa", action: Judge it, on_failure: build}
            - {workflow_end: null, action: story_done}
        """,
    f"{CORE}/tasks/build-login.md": """\
        # Build the login

        ```yaml
        task: buildLogin()
        responsável: Ines
        responsavel_type: Agente
        ```
        """,
    ".aiox-core/data/workflow-patterns.yaml": """\
        workflows:
          story_development:
            description: From a story to code
            agent_sequence: [po, dev, qa]
            key_commands: [validate-story-draft, develop, develop-yolo, review-qa, run-tests]
            trigger_threshold: 2
            transitions:
              validated:
                trigger: validate-story-draft completed
                confidence: 0.9
                greeting_message: The story is validated.
                next_steps:
                  - {command: run-tests, args_template: "", description: Later, priority: 2}
                  - {command: develop, args_template: "${story_path}", description: Build, priority: 1}
              in_development:
                trigger: develop completed
                confidence: 0.85
                greeting_message: Development is complete.
                next_steps:
                  - {command: review-qa, args_template: "${story_path}", description: Judge, priority: 1}
                  - {command: nobody-has-this, args_template: "", description: Nothing, priority: 2}
          documentation:
            agent_sequence: [po]
            key_commands: [create-doc, validate-story-draft]
            trigger_threshold: 2
            transitions:
              drafted: {trigger: create-doc completed, confidence: 0.9, next_steps: []}
        """,
    "docs/stories/1.1.login.md": """\
        # Story 1.1: Login

        **Status:** In Progress
        **Epic:** E1

        ## Acceptance Criteria
        - [x] It opens
        - [ ] It closes
        """,
    "docs/stories/1.2.logout.md": "# Story 1.2: Logout\n\n**Status:** Draft\n",
}

STATE_TEXT = """\
state_version: '2.0'
workflow_id: story-cycle
workflow_name: Story cycle
instance_id: story-cycle-20260302-aa11bb
target_context: core
squad_name: null
started_at: '2026-03-02T08:00:00.000Z'
updated_at: '2026-03-02T09:00:00.000Z'
status: active
current_phase: ''
current_step_index: {at}
steps:
  - {{step_index: 0, phase: '', agent: null, action: '', status: pending}}
  - {{step_index: 1, phase: 'po: Check', agent: po, action: Check the story, status: completed}}
  - {{step_index: 2, phase: 'dev: Build', agent: dev, action: Build it, status: pending}}
  - {{step_index: 3, phase: 'dev: Polish', agent: dev, action: Polish, status: pending}}
  - {{step_index: 4, phase: 'qa: Judge', agent: qa, action: Judge it, status: pending}}
  - {{step_index: 5, phase: '', agent: null, action: story_done, status: pending}}
"""


def state(at: int) -> str:
    """An instance that stands at a step."""
    return STATE_TEXT.format(at=at)


def crew(root: Path, **more: str) -> Path:
    """The tree below ``root``; ``more`` files by path, "" for one that is not there."""
    return write_tree(root, {path: text for path, text in {**CREW, **more}.items() if text})


def plan_at(root: Path) -> Plan:
    """The plan of the tree as it is on disk."""
    return compile_plan(Tree(load_tree(str(root), LoadScope.PROMPT).index.snapshot()), str(root))


def files_at(root: Path) -> TreeFiles:
    """The files of the tree, of which nothing is remembered."""
    paths = config_file.parse("").document.paths
    return TreeFiles(
        str(root),
        {
            "agents": paths.agents,
            "patterns": paths.patterns,
            "chains": paths.chains,
            "states": paths.states,
            "squads": paths.squads,
            "workflows": paths.workflows,
        },
        {},
    )


def git(root: Path, *arguments: str) -> str:
    """What git says, run as a person would in ``root``, whose own settings do not count."""
    environment = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.org",
    }
    done = subprocess.run(
        ["git", *arguments], cwd=root, env=environment, capture_output=True, check=True
    )
    return done.stdout.decode(errors="replace")


def repository(root: Path, branch: str = "main") -> Path:
    """A repository with one commit of whatever is in ``root``."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "-q", "-b", branch)
    (root / "kept.txt").write_text("kept\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Begin")
    return root
