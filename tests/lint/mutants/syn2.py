"""One mutant for each rule about references between files."""

from __future__ import annotations

from tests.lint.clean import CLEAN
from tests.lint.mutants.mutant import CONFIG, MANIFEST, SQUAD, TESTS, Mutant

MUTANTS = (
    Mutant("SYN201", MANIFEST, "SLEEPY_STATE", "DEPLOY_STATE=active\nSLEEPY_STATE", "DEPLOY"),
    Mutant(
        "SYN202", MANIFEST, "SLEEPY_STATE=inactive\n", "", "SLEEPY_RULE_0=Nobody reads this yet."
    ),
    Mutant(
        "SYN203",
        ".synapse/constitution",
        "MUST: Write the failing test first.",
        "MUST: Write tests.",
        "MUST: Write tests.",
    ),
    Mutant("SYN204", ".claude/agents/writer.md", "name: writer", "name: qa", "qa"),
    Mutant("SYN205", SQUAD, "[storage-squad]", "[storge-squad]", "storge-squad"),
    Mutant("SYN206", ".synapse/workflow-release", "Phase tag", "Phase tga", "tga"),
    Mutant("SYN207", ".synapse/guardrails", "GUARDRAILS_RULE_0=Never print a secret.\n", "", ""),
    Mutant("SYN209", TESTS, "AGENT_DEV", "AGENT_DEVELOPER", "AGENT_DEVELOPER"),
    Mutant(
        "SYN210",
        MANIFEST,
        "GUARDRAILS_STATE=active\n",
        "GUARDRAILS_STATE=active\nAGENT-QA_STATE=inactive\n",
        "AGENT-QA",
    ),
    Mutant(
        "SYN211",
        "GEMINI.md",
        "read them in `.synapse/` before you begin.",
        "there are none.",
        "The rules of this project come with the prompts, between `<synapse-rules>` and "
        "`</synapse-rules>`. If no such block is there, there are none.",
    ),
    Mutant(
        "SYN213",
        "GEMINI.md",
        "<!-- synapse:end -->",
        "<!-- synapse:end -->\n\n- Never print a secret.",
        "Never print a secret.",
    ),
    Mutant(
        "SYN214",
        "GEMINI.md",
        "<!-- synapse:end -->",
        "<!-- synapse:end -->\n\nThe style is in @docs/style.md.",
        "docs/style.md",
    ),
    Mutant(
        "SYN215",
        CONFIG,
        'ignore = ["SYN105"]\n',
        'ignore = ["SYN105"]\n[[adopted]]\npath = "docs/AGENTS.md"\n',
        "docs/AGENTS.md",
    ),
    Mutant(
        "SYN216",
        ".claude/rules/api.md",
        "paths:",
        "globs:",
        "globs",
        tree={**CLEAN, ".claude/rules/api.md": "---\npaths: src/api/**\n---\n\n- Check input.\n"},
    ),
)
