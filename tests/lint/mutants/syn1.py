"""One mutant for each rule about syntax and keys."""

from __future__ import annotations

from tests.lint.mutants.mutant import CONFIG, MANIFEST, SQUAD, TESTS, Mutant

LONG_CODE = "```\n" + "\n".join(f"step_{number}()" for number in range(40)) + "\n```"

MUTANTS = (
    Mutant("SYN101", ".synapse/guardrails", "GUARDRAILS_RULE_0", "\0\0\0\0\0\0\0", ""),
    Mutant("SYN102", ".synapse/global", "café", "caf\udce9", "\ufffd"),
    Mutant("SYN103", ".synapse/global", "GLOBAL_RULE_1", "global_rule_1", "global_rule_1"),
    Mutant("SYN104", MANIFEST, "TESTING_EXCLUDE", "TESTING_EXCLUD", "TESTING_EXCLUD"),
    Mutant("SYN105", MANIFEST, "TESTING_STATE=active", "TESTING_STATE=activ", "activ"),
    Mutant("SYN106", MANIFEST, "ALWAYS_ON=true", "ALWAYS_ON=on", "on"),
    Mutant("SYN107", MANIFEST, "TURNS=10", "TURNS=ten", "ten"),
    Mutant(
        "SYN108",
        MANIFEST,
        "DEVMODE=false\n",
        "DEVMODE=false\nDEVMODE=false\n",
        "DEVMODE",
    ),
    Mutant("SYN109", MANIFEST, "SLEEPY_STATE", "Sleepy_STATE", "Sleepy"),
    Mutant("SYN110", MANIFEST, "TURNS=10", "TURNS=10 # or 20", "# or 20"),
    Mutant(
        "SYN111",
        ".synapse/testing",
        "TESTING_RULE_1",
        "TESTING_EXCLUDE=manual\nTESTING_RULE_1",
        "TESTING_EXCLUDE",
    ),
    Mutant("SYN112", ".synapse/testing", "TESTING_RULE_1=One", "One", "One behaviour per test."),
    Mutant("SYN113", ".synapse/testing", "TESTING_RULE_1=", "TESTING_RULE_1 =", " "),
    Mutant("SYN114", ".synapse/testing", "TESTING_RULE_1", "TESTING_TIP_1", "TESTING_TIP_1"),
    Mutant("SYN115", ".synapse/testing", "TESTING_RULE_1", "TESTING_RULE_0", "TESTING_RULE_0"),
    Mutant("SYN116", ".synapse/testing", "TESTING_RULE_1", "DEPLOY_RULE_1", "DEPLOY"),
    Mutant("SYN117", SQUAD, "[loader.md]", "[loader.md", "["),
    Mutant("SYN118", SQUAD, "version: 1.0.0\n", "version: 1.0.0\nversion: 1.0.1\n", "version"),
    Mutant("SYN119", CONFIG, '"word"', "word", "word"),
    Mutant("SYN120", MANIFEST, "REMINDERS_STATE=active\n", "", "REMINDERS"),
    Mutant("SYN121", CONFIG, '"word"', '"words"', '"words"'),
    Mutant("SYN122", CONFIG, "synapse-live", "synapse-life", '"synapse-life"'),
    Mutant("SYN123", CONFIG, "SYN105", "SYN999", '"SYN999"'),
    Mutant("SYN124", ".synapse/testing", "TESTING_RULE_1", "TESTING_RULE_3", "TESTING_RULE_3"),
    Mutant(
        "SYN125", ".synapse/global", "GLOBAL_RULE_1", "## Tidiness\nGLOBAL_RULE_1", "## Tidiness"
    ),
    Mutant("SYN126", ".synapse/guardrails", "Never print a secret.", "TODO", "TODO"),
    Mutant(
        "SYN127",
        MANIFEST,
        "TESTING_STATE=active",
        "TESTING_STATE=active # synapse: ignore[SYN106]",
        "# synapse: ignore[SYN106]",
    ),
    Mutant(
        "SYN128",
        ".synapse/global",
        "café.\n",
        "café.\r\n",
        "GLOBAL_RULE_1=Leave no dead code, not even in the café.",
    ),
    Mutant("SYN129", TESTS, "texts = ", "txts = ", "txts"),
    Mutant(
        "SYN130",
        ".synapse/reminders",
        "- Tick",
        "<<<<<<< HEAD\n- Tick",
        "<<<<<<< HEAD",
    ),
    Mutant(
        "SYN131",
        MANIFEST,
        "GUARDRAILS_ALWAYS_ON=true",
        "GUARDRAILS_ALWAYS_ON=on # synapse: ignore",
        "# synapse: ignore",
    ),
    Mutant("SYN132", CONFIG, '"KEYWORD"', '"KEYWORDS"', '"KEYWORDS"'),
    Mutant(
        "SYN133",
        MANIFEST,
        "GUARDRAILS_ALWAYS_ON=true",
        "GUARDRAILS_ALWAYS_ON=true\nglobal=.synapse/global",
        "global",
    ),
    Mutant("SYN134", ".synapse/reminders", "- Tick", f"{LONG_CODE}\n- Tick", LONG_CODE),
    Mutant("SYN135", MANIFEST, "DEVMODE=false", "DEVMODE=true", "true"),
)
