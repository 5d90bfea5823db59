"""Small trees for tests, from files given as text."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from marshal import dumps, loads
from pathlib import Path
from textwrap import dedent

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.formats import config_file
from synapse_ls.workspace.file_facts import FileFacts, analyze_file
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.path_classification import classify_path
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import TreeIndex
from synapse_ls.workspace.tree_folders import CONFIG, CONTINUATION

Files = Mapping[str, str]


@lru_cache(maxsize=1024)
def facts_of(path: str, kind: FileKind, text: str) -> FileFacts:
    """What a file says; most trees of the tests have most of their files in common."""
    return analyze_file(path, kind, dedent(text))


def tree_of(files: Files) -> Tree:
    """The tree of ``files`` (path -> text, dedented), those that its own configuration names too."""
    index = TreeIndex()
    usual = config_file.parse("").document.paths
    own = config_file.parse(dedent(files.get(CONFIG, ""))).document.paths
    for path, text in files.items():
        if path == CONTINUATION:
            continue  # noted by who reads a tree, and no part of it
        kind = classify_path(path, own) or classify_path(path, usual)
        assert kind is not None, f"{path} is no file of a tree"
        index.put_facts(facts_of(path, kind, text))
    return Tree(index.snapshot())


def plan_of(files: Files, profile: str = "") -> Plan:
    """The plan of ``files``, as it comes back from a cache."""
    return stored_plan(compile_plan(tree_of(files), "root", profile=profile))


def stored_plan(plan: Plan) -> Plan:
    """A plan as it comes back from a cache."""
    return Plan(loads(dumps(plan.to_values())))


def write_tree(root: Path, files: Files) -> Path:
    """Write ``files`` below ``root``."""
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(dedent(text), encoding="utf-8")
    return root


TEAM: Files = {
    ".synapse/manifest": """\
        CONSTITUTION_STATE=active
        GLOBAL_STATE=active
        CONTEXT_STATE=active
        COMMANDS_STATE=active
        AGENT_DEV_STATE=active
        AGENT_DEV_AGENT_TRIGGER=dev
        AGENT_QA_STATE=active
        AGENT_QA_AGENT_TRIGGER=qa
        WORKFLOW_STORY_DEV_STATE=active
        WORKFLOW_STORY_DEV_WORKFLOW_TRIGGER=story_development
        TESTING_STATE=active
        TESTING_RECALL=unit test,coverage
        TESTING_EXCLUDE=manual
        DOCS_STATE=active
        DOCS_RECALL=readme
        GUARDRAILS_STATE=active
        GUARDRAILS_ALWAYS_ON=true
        SLEEPY_STATE=inactive
        SLEEPY_RECALL=coverage
        """,
    ".synapse/constitution": """\
        CONSTITUTION_RULE_ART1_0=CLI First (NON-NEGOTIABLE)
        CONSTITUTION_RULE_ART1_1=MUST: everything works from the command line
        CONSTITUTION_RULE_ART2_0=Absolute Imports (SHOULD)
        CONSTITUTION_RULE_ART2_1=SHOULD: imports are absolute
        """,
    ".synapse/global": """\
        GLOBAL_RULE_0=Write small functions
        GLOBAL_RULE_1=Name things well
        GLOBAL_RULE_2=Leave no dead code
        """,
    ".synapse/context": """\
        CONTEXT_RULE_FRESH_0=Read before you write
        CONTEXT_RULE_MODERATE_0=Prefer short answers
        CONTEXT_RULE_DEPLETED_0=Summarise before each step
        CONTEXT_RULE_CRITICAL_0=Write down what is open
        """,
    ".synapse/commands": """\
        # [*brief] COMMAND:
        COMMANDS_RULE_BRIEF_0=Use bullet points only
        COMMANDS_RULE_BRIEF_1=Five items at most
        """,
    ".synapse/agent-dev": """\
        AGENT_DEV_AUTH_0=BLOCKED: git push — delegate to @devops
        AGENT_DEV_RULE_0=Implement, test, tick the box
        """,
    ".synapse/agent-qa": """\
        AGENT_QA_AUTH_0=BLOCKED: writing code
        AGENT_QA_RULE_0=Check every acceptance criterion
        """,
    ".synapse/workflow-story-dev": """\
        WORKFLOW_STORY_DEV_RULE_0=Keep the story up to date
        WORKFLOW_STORY_DEV_RULE_1=Phase in_development: work in task order
        WORKFLOW_STORY_DEV_RULE_2=Phase qa_review: run all seven checks
        """,
    ".synapse/testing": """\
        TESTING_RULE_0=Arrange, act, assert
        TESTING_RULE_1=One behaviour per test
        """,
    ".synapse/docs": "DOCS_RULE_0=Every feature has an example\n",
    ".synapse/guardrails": "GUARDRAILS_RULE_0=Never print a secret\n",
    ".synapse/sleepy": "SLEEPY_RULE_0=Never seen\n",
}
