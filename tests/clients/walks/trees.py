"""Trees for the walks: each rule has a mark, its name and version, that stands nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle

from tests.trees import Files

_THINGS = ("dates", "keys", "names", "money", "links", "logs", "ids", "units", "roles", "types")
_ADVICE = "Keep {thing} ({mark}.1) as the file beside it has them, and say why where they differ"
_BAN = "Never change {thing} ({mark}.1) before the person who answers for it has agreed in writing"


def _rules(mark: str, number: int, *, bans: Iterable[int] = ()) -> list[str]:
    """Rules marked ``mark`` and a number, of which ``bans`` forbid something."""
    things = cycle(_THINGS)
    return [
        (_BAN if n in bans else _ADVICE).format(thing=next(things), mark=f"{mark}{n}")
        for n in range(number)
    ]


def _file(prefix: str, rules: Iterable[str]) -> str:
    return "".join(f"{prefix}_{number}={rule}\n" for number, rule in enumerate(rules))


_MANIFEST = """\
CONSTITUTION_STATE=active
GLOBAL_STATE=active
CONTEXT_STATE=active
GUARDRAILS_STATE=active
GUARDRAILS_ALWAYS_ON=true
GUARDRAILS_NON_NEGOTIABLE=true
AGENT_DEV_STATE=active
AGENT_DEV_AGENT_TRIGGER=dev
AGENT_QA_STATE=active
AGENT_QA_AGENT_TRIGGER=qa
AGENT_PO_STATE=active
AGENT_PO_AGENT_TRIGGER=po
WORKFLOW_RELEASE_STATE=active
WORKFLOW_RELEASE_WORKFLOW_TRIGGER=release
TESTING_STATE=active
TESTING_RECALL=unit test
SCHEMA_STATE=active
SCHEMA_RECALL=migration
WEB_STATE=active
WEB_PATHS=web/**
"""
_CONSTITUTION = """\
CONSTITUTION_RULE_ART1_0=Command Line First (c10.1) (NON-NEGOTIABLE)
CONSTITUTION_RULE_ART1_1=MUST: everything works from the command line (c11.1)
CONSTITUTION_RULE_ART2_0=Small Steps (c20.1) (SHOULD)
CONSTITUTION_RULE_ART2_1=SHOULD: a change does one thing (c21.1)
"""
_CONTEXT = """\
CONTEXT_RULE_FRESH_0=Read before you write (b0.1)
CONTEXT_RULE_MODERATE_0=Prefer short answers (b1.1)
CONTEXT_RULE_DEPLETED_0=Summarise before each step (b2.1)
CONTEXT_RULE_CRITICAL_0=Write down what is open (b3.1)
"""
_STORY = """\
# STORY-7: Login

**Status:** In Progress

## Acceptance Criteria

- [ ] A wrong password (k0.1) is answered as an unknown name is
- [ ] Five wrong passwords (k1.1) lock the account for an hour
"""
PHASES = ("build", "review", "publish")

SEEDS: Files = {
    ".synapse/manifest": _MANIFEST,
    ".synapse/config.toml": 'profile = "synapse"\n',
    ".synapse/constitution": _CONSTITUTION,
    ".synapse/context": _CONTEXT,
    ".synapse/global": _file("GLOBAL_RULE", _rules("g", 26, bans=(4, 9, 17, 25))),
    ".synapse/guardrails": _file("GUARDRAILS_RULE", _rules("s", 3, bans=range(3))),
    **{
        f".synapse/agent-{agent}": _file(
            f"AGENT_{agent.upper()}_AUTH", [f"BLOCKED: writing ({agent}a.1) what is not asked for"]
        )
        + _file(f"AGENT_{agent.upper()}_RULE", _rules(agent, 6, bans=(5,)))
        for agent in ("dev", "qa", "po")
    },
    ".synapse/workflow-release": _file("WORKFLOW_RELEASE_RULE", _rules("w", 2))
    + "".join(
        f"WORKFLOW_RELEASE_RULE_{n}=Phase {phase}: keep the list (w{phase}.1) up to date\n"
        for n, phase in enumerate(PHASES, 2)
    ),
    ".synapse/testing": _file("TESTING_RULE", _rules("t", 3)),
    ".synapse/schema": _file("SCHEMA_RULE", _rules("m", 3)),
    ".synapse/web": _file("WEB_RULE", _rules("p", 2)),
    "web/page.ts": "export {}\n",
    "squads/etl-squad/squad.yaml": "name: etl-squad\nversion: 1.0.0\n",
    "squads/etl-squad/.synapse/manifest": "LOADS_STATE=active\nLOADS_RECALL=pipeline\n",
    "squads/etl-squad/.synapse/loads": _file("LOADS_RULE", _rules("q", 2)),
    "docs/stories/STORY-7-login.md": _STORY,
}
"""The seeds' budgets: what always holds does not fit the first reply."""

LIVE: Files = {**SEEDS, ".synapse/config.toml": 'profile = "synapse-live"\n'}


def _sections(*names: str) -> str:
    return "".join(
        f"## {name}\n\n"
        + "".join(
            f"- {'Never' if n % 5 == 4 else 'Always'} mind the {thing} ({name.lower()}{n}.1)\n"
            for n, thing in zip(range(18), cycle(_THINGS), strict=False)
        )
        + "\n"
        for name in names
    )


UNREAD = ".cursor/rules/team.mdc"
"""No client that is walked reads it by itself."""
ADOPTED: Files = {
    "CLAUDE.md": f"# Service\n\n{_sections('Style', 'Errors')}",
    "AGENTS.md": f"# Service\n\n{_sections('Data', 'Tests')}",
    "GEMINI.md": f"# Service\n\n{_sections('Delivery')}",
    UNREAD: f"---\ndescription:\nglobs:\nalwaysApply: true\n---\n\n{_sections('Security')}",
}
"""Instruction files that `synapse init` refers to: each client reads some of them by itself."""

MISSING: Files = {**LIVE, **{name: ADOPTED[name] for name in ("CLAUDE.md", UNREAD)}}
"""Rules of one's own, and files that are injected only for a client that reads neither of them."""

TREES = {"seeds": SEEDS, "live": LIVE, "adopted": ADOPTED, "missing": MISSING}


def state_file(phase: str) -> str:
    """The state of the workflow ``release``, which is in ``phase``."""
    steps = "".join(
        f"  - step_index: {n}\n    phase: {name}\n    agent: dev\n    action: Do it\n"
        f"    status: {'in_progress' if name == phase else 'pending'}\n"
        for n, name in enumerate(PHASES)
    )
    return (
        'state_version: "2.0"\nworkflow_id: release\ninstance_id: release-1\n'
        f"status: active\ncurrent_phase: {phase}\n"
        f"current_step_index: {PHASES.index(phase)}\nsteps:\n{steps}"
    )
