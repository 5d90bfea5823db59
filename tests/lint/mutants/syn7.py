"""One mutant for each rule about workflows, tasks, stories, agents and sessions."""

from __future__ import annotations

from tests.lint.clean import CLEAN
from tests.lint.mutants.mutant import CONFIG, STATE, Mutant

CHAINS = "docs/chains.yaml"
STORY = "docs/stories/1.1.story.md"
CONTINUATION = ".synapse/continuation/latest.md"
SESSION = ".synapse/sessions/6f1c2b.json"
TASK = "squads/etl-squad/tasks/load-tables.md"
WORKFLOW = "squads/etl-squad/workflows/load.yaml"

# Chains are where the configuration says.
CHAINED = {
    **CLEAN,
    CONFIG: CLEAN[CONFIG].replace("[paths]\n", f'[paths]\nchains = ["{CHAINS}"]\n'),
    CHAINS: """\
workflows:
  - id: train
    chain:
      - {step: 1, agent: "@dev", command: "*build"}
      - {step: 2, agent: "@qa", command: "*verify"}
""",
    ".claude/agents/dev.md": "```yaml\nagent: {id: dev}\ncommands: [build]\n```\n",
}

MUTANTS = (
    Mutant("SYN701", STATE, "status: active", "status: busy", "busy"),
    Mutant("SYN702", WORKFLOW, "  id: load\n", "", "workflow"),
    Mutant("SYN703", STATE, "workflow_id: release", "workflow_id: relaese", "relaese-train"),
    Mutant("SYN704", WORKFLOW, "agent: loader", "agent: loadr", "loadr"),
    Mutant("SYN705", SESSION, '"2.0"', '"2.0', ""),
    Mutant("SYN706", SESSION, "2999-01-01", "1999-01-01", ""),
    Mutant("SYN707", TASK, "- [ ] Every table has as many rows as its source.\n", "", "---"),
    Mutant("SYN708", STORY, "Draft", "Almost there", "Almost there"),
    Mutant("SYN709", ".claude/agents/writer.md", "name: writer", "title: writer", "---"),
    Mutant("SYN710", TASK, "responsavel_type: Agente", "responsavel_type: Agnte", "Agnte"),
    Mutant(
        "SYN711",
        STATE,
        "steps:\n",
        "steps:\n  - {phase: freeze, agent: dev, status: completed}\n",
        "steps",
    ),
    Mutant("SYN712", WORKFLOW, "load-tables.md", "load-table.md", "load-table.md"),
    Mutant("SYN713", STORY, "@writer", "@wirter", "wirter"),
    Mutant("SYN714", STORY, "@writer", "@qa", "@qa"),
    Mutant("SYN715", CHAINS, "step: 2", "step: 1", "1", tree=CHAINED),
    Mutant("SYN716", CHAINS, "*build", "*biuld", "biuld", tree=CHAINED),
    Mutant("SYN717", CONTINUATION, "session_id:", "session:", ""),
)
