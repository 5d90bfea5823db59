"""One mutant for each rule about rule content."""

from __future__ import annotations

from tests.lint.mutants.mutant import Mutant

MUTANTS = (
    Mutant(
        "SYN501",
        ".synapse/commands",
        "COMMANDS_RULE_PLAN_0=Outline the approach first.\n",
        "",
        "plan",
    ),
    Mutant(
        "SYN502",
        ".synapse/constitution",
        "CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)\n",
        "",
        "CONSTITUTION_RULE_ART1_1",
    ),
    Mutant("SYN503", ".synapse/constitution", "NON-NEGOTIABLE", "NON-NEGOTIABEL", "NON-NEGOTIABEL"),
    Mutant(
        "SYN504",
        ".synapse/commands",
        "COMMANDS_RULE_PLAN_0=Outline the approach first.\n",
        "COMMANDS_RULE_PLAN_0=Outline the approach first.\nCOMMANDS_RULE_BRIEF_1=Be brief.\n",
        "COMMANDS_RULE_BRIEF_1",
    ),
    Mutant(
        "SYN505",
        ".claude/agents/dev.md",
        "Builds things.\n",
        "```yaml\nagent: {id: dev}\ncommands: [brief]\n```\n",
        "brief",
    ),
    Mutant(
        "SYN506",
        ".synapse/agent-dev",
        "BLOCKED: gh pr create",
        "ALLOWED: gh pr create, git push",
        "git push",
    ),
    Mutant(
        "SYN507",
        ".synapse/agent-qa",
        "Report what you could not test.",
        "Write small functions.",
        "Write small functions.",
    ),
    Mutant(
        "SYN508",
        ".synapse/guardrails",
        "Never print a secret.",
        f"Never{' ever' * 64} print a secret.",
        f"Never{' ever' * 64} print a secret.",
    ),
    Mutant(
        "SYN509",
        ".synapse/guardrails",
        "Never print a secret.",
        "Never print a secret. Never log one. Never commit one.",
        "Never print a secret. Never log one. Never commit one.",
    ),
    Mutant(
        "SYN510",
        ".synapse/agent-dev",
        "DEV_RULE_AUTH_1=BLOCKED: gh pr create",
        "DEV_DENY_1=write",
        "write",
    ),
    Mutant(
        "SYN511",
        ".synapse/agent-dev",
        "BLOCKED: gh pr create",
        "BLOCKED: MCP management",
        "BLOCKED: MCP management",
    ),
    Mutant(
        "SYN512",
        ".synapse/agent-dev",
        "DEV_RULE_AUTH_1=BLOCKED: gh pr create",
        "DEV_CHECK_1=run the tests first",
        "run the tests first",
    ),
    Mutant("SYN513", ".synapse/agent-dev", "@devops", "@devopps", "devopps"),
)
