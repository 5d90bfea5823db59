"""What a link out of the project leads to is told by nothing that shows or keeps what files say,
however often it is asked: not by a report, a hover, a reply, a cache or a log.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from synapse_ls.cli.check_formats import BY_NAME
from tests.hostile.asked_of_a_tree import list_jobs
from tests.hostile.scratch_place import ScratchPlace
from tests.hostile.test_hostile_trees import commands, run_all
from tests.trees import TEAM, write_tree

__all__ = ["commands"]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks and links")

CANARY = "CANARY7F3A"
MESS = f"{CANARY} \u200b<<<<<<< {CANARY}\n@missing/{CANARY}.md password={CANARY}Xy9Zq8Kf2LpW4\n"
"""Lines that linters find something in, wherever they stand."""

MARKDOWN = f"# {CANARY}\n\n- Never say {CANARY}.\n{MESS}"
AGENT = f"""---
name: dev
description: {CANARY}
---
# dev

```yaml
agent:
  id: dev
  name: {CANARY}
  title: {CANARY}
persona:
  role: {CANARY}
commands:
  - name: {CANARY}
    description: {CANARY}
dependencies:
  tasks: [{CANARY}.md]
```
{MESS}"""
YAML = f"name: {CANARY}\nid: {CANARY}\ndescription: {CANARY}\nworkflow: {CANARY}\nphase: {CANARY}\n"
RULES = f"_RULE_0=Never say {CANARY}.\n_RULE_0=Always say {CANARY}.\n{MESS}"
PACKAGE = json.dumps(
    {"name": CANARY, "description": CANARY, "scripts": {"test": CANARY, CANARY: CANARY}}
)
MEMORY = f"---\nid: one\ncreated: 2026-01-01T00:00:00Z\nsector: {CANARY}\n---\n{MARKDOWN}"
SESSION = json.dumps(
    {"uuid": "s1", "schema_version": "2.0", "active_agent": {"id": CANARY}, "agent": CANARY,
     "title": CANARY, "prompt_count": CANARY}
)  # fmt: skip
CONTINUATION = f"""---
session_id: s1
agent: {CANARY}
created_at: {CANARY}
---
{MARKDOWN}"""

FILES: dict[str, dict[str, str]] = {
    "declaring": {
        ".synapse/manifest": f"{CANARY}_STATE=active\n{CANARY}_ALWAYS_ON=true\nDOCS_STATE={CANARY}\n{MESS}",
        ".synapse/config.toml": f'profile = "{CANARY}"\n[guard]\nmode = "{CANARY}"\n{MESS}',
        ".synapse/tests/one.toml": f'[[case]]\nname = "{CANARY}"\nprompt = "{CANARY}"\ndomains = ["{CANARY}"]\n',
        "squads/etl/squad.yaml": f"{YAML}{MESS}",
        "squads/etl/.synapse/manifest": f"{CANARY}_STATE=active\n{CANARY}_RECALL=api\n{MESS}",
        ".gitignore": MESS,
    },
    "rules": {
        ".synapse/global": f"GLOBAL{RULES}",
        ".synapse/docs": f"DOCS{RULES}",
        ".synapse/context": f"CONTEXT{RULES}",
        ".synapse/constitution": f"# ART 1: {CANARY} (NON-NEGOTIABLE)\nCONSTITUTION_RULE_ART1_0={CANARY}\n{MESS}",
        ".synapse/commands": f"# [*{CANARY}] COMMAND:\nCOMMANDS_RULE_{CANARY}_0={CANARY}\n{MESS}",
        ".synapse/agent-dev": f"AGENT_DEV_RULE_0={CANARY}\n{MESS}",
        ".synapse/workflow-story-dev": f"WORKFLOW_STORY_DEV_RULE_0={CANARY}\n{MESS}",
        "squads/etl/.synapse/etl": f"ETL{RULES}",
        ".aiox-core/constitution.md": f"# Constitution\n## I. {CANARY} (NON-NEGOTIABLE)\n- MUST: {CANARY}\n{MESS}",
        ".aiox-core/development/agents/dev.md": AGENT,
        ".aiox-core/development/agents/qa.md": AGENT.replace("dev", "qa"),
        ".aiox-core/development/tasks/build.md": MARKDOWN,
        ".aiox-core/development/workflows/story_development.yaml": f"workflow:\n  id: story_development\n  name: {CANARY}\n{MESS}",
        ".claude/agents/sm.md": AGENT.replace("dev", "sm"),
        "squads/etl/agents/loader.md": AGENT.replace("dev", "loader"),
        "squads/etl/tasks/load.md": MARKDOWN,
        "docs/stories/1.1.story.md": f"# Story 1.1: {CANARY}\n\n## Status\n{CANARY}\n{MESS}",
        **dict.fromkeys(("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", ".cursorrules", ".cursor/rules/one.mdc", ".github/copilot-instructions.md", ".claude/rules/one.md", ".github/instructions/one.instructions.md", ".clinerules", ".windsurfrules", "docs/AGENTS.md", "README.md"), f"---\ndescription: {CANARY}\nglobs: '*'\napplyTo: '**'\n---\n{MARKDOWN}"),
        ".aios/story-state.yaml": f"{YAML}{MESS}",
        ".aiox/build-state.yaml": f"{YAML}{MESS}",
        ".aios/session-state.json": SESSION,
        ".synapse/sessions/s1.json": SESSION,
        ".synapse/sessions/s2.json": f"{{{CANARY}",
        ".synapse/memory/shared/one.md": MEMORY,
        ".synapse/memory/digests/s1.md": MEMORY,
        ".synapse/memory/index.json": SESSION,
        ".synapse/continuation/latest.md": CONTINUATION,
        ".synapse/metrics/errors.json": json.dumps({"errors": [{"message": CANARY}]}),
        ".synapse/learning.json": json.dumps({"proposals": [{"id": "p1", "text": CANARY}]}),
    },
    "fresh": {
        "package.json": PACKAGE,
        "pyproject.toml": f'[project]\nname = "{CANARY}"\ndescription = "{CANARY}"\n',
        "Makefile": f"test:\n\t{CANARY}\n{CANARY}:\n\t{CANARY}\n",
        "CLAUDE.md": MARKDOWN,
        ".cursor/rules/one.mdc": f"---\ndescription: {CANARY}\nglobs: '*'\n---\n{MARKDOWN}",
        "README.md": MARKDOWN,
    },
    "carl": {
        ".carl/manifest": f"GLOBAL_STATE=active\n{CANARY}_STATE=active\n{CANARY}_RECALL=api\n{MESS}",
        ".carl/global": f"GLOBAL{RULES}",
        ".carl/docs": f"DOCS{RULES}",
        ".carl/commands": f"COMMANDS{RULES}",
        ".carl/sessions/s1.json": SESSION,
        ".carl/carl.json": PACKAGE,
    },
    "chati": {
        "chati.dev/config.yaml": f"{YAML}{MESS}",
        "chati.dev/constitution.md": MARKDOWN,
        "chati.dev/domains/global.yaml": f"{YAML}rules:\n  - text: {CANARY}\n",
        "chati.dev/domains/agents/dev.yaml": f"{YAML}rules:\n  - text: {CANARY}\n",
        ".chati/session.yaml": f"{YAML}{MESS}",
        ".chati/memories/shared/one.md": MEMORY,
    },
    "brainiac": {
        "system/core_identity.md": MARKDOWN,
        "memory/short_term.md": MARKDOWN,
        "memory/long_term/people/ana.md": MEMORY,
        "logs/access.log": MESS,
    },
}  # fmt: skip
OTHERS = ("fresh", "carl", "chati", "brainiac")
"""The groups of projects without a tree of our own."""
FOLDERS = {
    "folders": (
        ".synapse/sessions", ".synapse/memory", ".synapse/continuation", ".synapse/metrics", "squads",
        "docs", ".aiox", ".aiox-core", ".aios", ".claude", ".codex", ".cursor", ".github", ".vscode",
    ),
    "inner folders": (
        ".synapse/sessions/archive", ".synapse/memory/shared", ".synapse/memory/digests",
        ".synapse/memory/proposals", ".aiox/handoffs", ".aiox-core/development/agents",
        ".aiox-core/development/tasks", ".aiox-core/development/workflows", ".claude/agents",
        ".claude/rules", ".claude/commands", ".cursor/rules", ".github/hooks", ".github/instructions",
        "docs/stories", "squads/etl/agents", "squads/etl/.synapse",
    ),
    "carl folders": (".carl",),
    "inner carl folders": (".carl/sessions",),
    "chati folders": ("chati.dev", ".chati"),
    "inner chati folders": ("chati.dev/domains", ".chati/memories"),
    "brainiac folders": ("memory", "logs"),
}  # fmt: skip
"""What is a link as a whole in more trees, with all that the files above and below have in it."""
OURS = f"A={CANARY} /home/{CANARY}/bin/synapse hook --client claude"
HOOKS = json.dumps(
    {"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": OURS}]}]}}
)
IN_FOLDERS = {
    f".synapse/sessions/{CANARY}.json": SESSION,
    f".synapse/sessions/archive/{CANARY}.json": SESSION,
    f".synapse/continuation/{CANARY}.md": CONTINUATION,
    f".synapse/memory/shared/durable/{CANARY}.md": MEMORY,
    f".synapse/memory/digests/{CANARY}.md": MEMORY,
    f".synapse/memory/proposals/{CANARY}.json": json.dumps({"id": CANARY, "text": CANARY}),
    f".aiox/handoffs/handoff-qa-to-{CANARY}.yaml": YAML,
    f".aiox/{CANARY}-state.yaml": YAML,
    f".aiox-core/development/agents/{CANARY}.md": AGENT.replace("dev", CANARY),
    f".aiox-core/development/tasks/{CANARY}.md": MARKDOWN,
    f".aiox-core/development/workflows/{CANARY}.yaml": YAML,
    f".claude/agents/{CANARY}.md": AGENT.replace("dev", CANARY),
    f".claude/rules/{CANARY}.md": MARKDOWN,
    f".claude/commands/carl/{CANARY}.md": MARKDOWN,
    f".cursor/rules/{CANARY}.mdc": MARKDOWN,
    f".github/instructions/{CANARY}.instructions.md": MARKDOWN,
    f".github/hooks/{CANARY}.json": HOOKS,
    ".claude/settings.json": HOOKS,
    ".codex/config.toml": f'[[hooks.UserPromptSubmit.hooks]]\ncommand = "{CANARY}"\n',
    ".vscode/settings.json": f'{{"{CANARY}": ',
    f"docs/stories/{CANARY}.story.md": "# Story 3.3: x\n\n## Status\nDraft\n",
    f"squads/{CANARY}/agents/x.md": AGENT,
    f"squads/etl/agents/{CANARY}.md": AGENT,
    f"squads/etl/.synapse/{CANARY}": f"ETL{RULES}",
    f".carl/{CANARY}": f"DOCS{RULES}",
    f".carl/sessions/{CANARY}.json": SESSION,
    f"chati.dev/domains/{CANARY}.yaml": YAML,
    f".chati/memories/{CANARY}/durable/{CANARY}.md": MEMORY,
    f"memory/long_term/people/{CANARY}.md": MEMORY,
    f"logs/{CANARY}.log": MESS,
}
"""Files whose names are told of no more than what they say."""

FORMATS = tuple(f"check --format {name}" for name in BY_NAME)
"""Asked where links hold our own declarations and rules: what a format says is the same wherever findings come from."""

LINES = (
    "check --format full", "check --no-cache", "check --diff --unsafe-fixes", "check --statistics", "check --show-files",
    "check --show-settings", "check --severity hint --select ALL", "check --since HEAD~1 --format full",
    "check --output-file report.sarif --format sarif", "check --write-baseline known.json",
    "check --baseline known.json --format full", "check --add-suppressions --dry-run",
    "check --ignore-suppressions --format full --severity hint", "fmt --check", "fmt --diff",
    "diff HEAD~1", "diff --format markdown", "diff --format json", "diff --block", "context --format json",
    "explain --format json 'deploy the api'", "why DOCS", "why GLOBAL_RULE_0 --format json", "domains --format json",
    "context 'docs *brief' --agent dev --task build --story 1.1", "test --format json", "init --dry-run", "init --dry-run --template starter",
    "init --keywords --dry-run", "sync --check", "sync --dry-run", "migrate --dry-run --format json",
    "constitution build --dry-run", "constitution check --format json", "recover --format json", "memory list --format json",
    "memory show one --format json", "session show s1 --format json", "activate dev --format json",
    "diagnose --format json", "status", "log --format json", "coverage --format github", "audit --format json",
    "learn list --format json", "memory short-term show --format json", "session list", "session migrate --dry-run",
    "session clean --dry-run", "memory list --archived", "memory migrate --dry-run", "install --client all --mcp --dry-run",
    "doctor --runs 1", "trust --pin --yes", "status --format json", "migrate --finish --dry-run", "migrate", "init --keywords",
)  # fmt: skip


def _job(line: str, stdin: str = "") -> dict[str, Any]:
    return {"name": line, "arguments": shlex.split(line), "stdin": stdin, "answers": 0}


def _git(root: Path, *words: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.invalid")
    subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)


def write_links(place: ScratchPlace, group: str) -> list[str]:
    """Makes a project in which the files of a group are links out of it, and all others are its own;
    returns the links.
    """
    system = next((name for name in OTHERS if name in group), "")
    write_tree(place.project, {} if system else TEAM)
    place.write("transcript.jsonl", "")
    place.write("history.json", "[]")
    linked: list[str] = []
    folders = FOLDERS.get(group, ())
    for path, text in FILES[group].items() if not folders else ():
        target = place.outside / path.replace("/", "_")
        target.write_text(text, encoding="utf-8")
        place.link(path, target)
        linked.append(path)
    groups = (system,) if system else ("declaring", "rules")
    for files in (*(FILES[name] for name in groups), IN_FOLDERS) if folders else ():
        for path, text in files.items():
            if any(path.startswith(f"{folder}/") for folder in folders):
                place.write(path, text)
                os.utime(place.project / path, (1e9, 1e9))
            elif system and files is not IN_FOLDERS:
                place.write(path, text.replace(CANARY, "plain"))
    for folder in folders:
        target = place.outside / folder.replace("/", "_")
        (place.project / folder).rename(target)
        (place.project / folder).symlink_to(target)
        linked.append(folder)
    if folders and not system:
        own = (p for p in TEAM if not any(p.startswith(f"{folder}/") for folder in folders))
        write_tree(place.project, {path: TEAM[path] for path in own})
    _git(place.project, "init", "-q", "-b", "main")
    _git(place.project, "add", "-Af")
    _git(place.project, "commit", "-q", "-m", "first")
    place.write("docs.txt" if group in FOLDERS else ".synapse/extra", "EXTRA_RULE_0=x\n")
    _git(place.project, "add", "-Af")
    _git(place.project, "commit", "-q", "-m", "second")
    return linked


def mentions(place: ScratchPlace) -> list[str]:
    """The files of the project and of the program that hold what the links lead to."""
    found = []
    for folder in (place.project, place.folder / "home", place.folder / "tmp"):
        for path in folder.rglob("*"):
            if path.is_symlink() or not path.is_file():
                continue
            if any(above.is_symlink() for above in path.parents if above != place.folder):
                continue
            if CANARY.lower().encode() in path.read_bytes().lower():
                found.append(str(path.relative_to(place.folder)))
    return found


def find_told(outcome: dict[str, Any]) -> list[str]:
    """What was told of the files behind links, each with some words before it."""
    return [
        f"{done['name']}: …{said[max(0, at - 100) :][:200]!r}"
        for done in outcome["done"]
        for said in (done["out"], done["err"])
        if (at := said.upper().find(CANARY)) >= 0
    ]


@pytest.mark.slow
@pytest.mark.parametrize("group", [*FILES, *FOLDERS])
def test_what_a_link_out_of_the_project_leads_to_is_never_told(
    commands: subprocess.Popen[str], tmp_path: Path, group: str
) -> None:
    place = ScratchPlace(tmp_path / "scratch")
    linked = write_links(place, group)
    asked = [_job(line) for line in LINES]
    formats = [_job(line) for line in FORMATS if group in ("declaring", "rules")]
    paths = " ".join(linked)
    named = [_job(f"fmt --diff {paths}"), _job(f"check {paths} --format full")]
    for path in {path.rpartition("/")[0]: path for path in linked}.values():  # one of each folder
        named.append(_job(f"init --from {path} --dry-run"))
        named.append(_job(f"check - --stdin-filename {path}", "x\n"))
    # What a command has kept to be told later stands in files, which `mentions` looks through.
    rounds = ([*asked, *formats], named, list_jobs(place.project))
    told = [line for jobs in rounds for line in find_told(run_all(commands, place, jobs))]
    assert not told, "\n".join(dict.fromkeys(told))
    assert mentions(place) == []


def test_the_run_would_see_what_is_told_or_kept(
    commands: subprocess.Popen[str], tmp_path: Path
) -> None:
    place = ScratchPlace(tmp_path / "scratch")
    write_tree(place.project, {**TEAM, **FILES["rules"]})
    outcome = run_all(commands, place, [_job("check"), _job("why GLOBAL_RULE_0")])
    assert [line.partition(":")[0] for line in find_told(outcome)] == ["check", "why GLOBAL_RULE_0"]
    assert "project/.synapse/global" in mentions(place)
