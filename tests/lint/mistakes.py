"""The mistakes that people make in trees, each in a small tree of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

MANIFEST = ".synapse/manifest"
RULES = ".synapse/testing"
AGENTS = ".claude/agents/dev.md"
STATE = "TESTING_STATE=active\n"
RULE = "TESTING_RULE_0=Write the failing test first.\n"
ALL = 'profile = "synapse-live"\n[lint]\nselect = ["ALL"]\n'
"""A configuration under which the rules that are off by default run too."""


class Mistake(NamedTuple):
    """``broken`` says what is in the files; the rule ``code`` marks ``marked`` in the first of them.

    ``mended`` is that file after all safe fixes, None where none of them changes it. ``effect`` is a
    part of the message.
    """

    name: str
    broken: Mapping[str, str | bytes]
    code: str
    marked: str
    effect: str
    mended: str | None = None


def _manifest(text: str, rules: str = RULE, **others: str) -> dict[str, str | bytes]:
    return {MANIFEST: text, RULES: rules, **others}


def _rules(text: str) -> dict[str, str | bytes]:
    return {RULES: text, MANIFEST: STATE + "TESTING_RECALL=unit test\n"}


MISTAKES = (
    Mistake(
        "unknown suffix",
        _manifest(STATE + "TESTING_RECAL=unit test\n"),
        "SYN104",
        "TESTING_RECAL",
        "is ignored",
    ),
    Mistake(
        "domain without a file",
        {MANIFEST: STATE},
        "SYN201",
        "TESTING",
        "none of its rules are injected",
    ),
    Mistake(
        "file without a domain",
        {RULES: RULE, MANIFEST: "DEVMODE=false\n"},
        "SYN202",
        RULE.rstrip(),
        "injected",
    ),
    Mistake(
        "file with nearly the right name",
        {MANIFEST: STATE, ".synapse/testng": RULE},
        "SYN201",
        "TESTING",
        "No rules of TESTING are injected",
    ),
    Mistake(
        "line of a name and a path",
        _manifest(STATE + "testing=.synapse/testing\n"),
        "SYN133",
        "testing",
        "lists a path",
        "TESTING_STATE=active\nTESTING_ALWAYS_ON=true\n",
    ),
    Mistake(
        "no state",
        {**_manifest("TESTING_RECALL=unit test\n"), ".synapse/config.toml": ALL},
        "SYN120",
        "TESTING",
        "TESTING",
        "TESTING_STATE=active\nTESTING_RECALL=unit test\n",
    ),
    Mistake(
        "state that is neither active nor inactive",
        _manifest("TESTING_STATE=activ\n"),
        "SYN105",
        "activ",
        "taken as active",
        STATE,
    ),
    Mistake(
        "boolean that is neither true nor false",
        _manifest(STATE + "TESTING_ALWAYS_ON=on\n"),
        "SYN106",
        "on",
        "read as `false`",
    ),
    Mistake(
        "note behind a value",
        _manifest("TESTING_STATE=active # for now\n"),
        "SYN110",
        "# for now",
        "other programs take this note as part of it",
        "# for now\nTESTING_STATE=active\n",
    ),
    Mistake(
        "empty keyword",
        _manifest(STATE + "TESTING_RECALL=unit test,,coverage\n"),
        "SYN301",
        ",",
        "matches every prompt in CARL",
        STATE + "TESTING_RECALL=unit test,coverage\n",
    ),
    Mistake(
        "very short keyword",
        _manifest(STATE + "TESTING_RECALL=unit test, a\n"),
        "SYN306",
        "a",
        "prompts that do not concern it",
    ),
    Mistake(
        "keyword that is part of many words",
        {
            **_manifest(STATE + "TESTING_RECALL=test, coverage\n"),
            ".synapse/config.toml": ALL,
        },
        "SYN307",
        "test",
        "test",
    ),
    Mistake(
        "keyword that is excluded everywhere",
        _manifest("GLOBAL_EXCLUDE=draft\n" + STATE + "TESTING_RECALL=draft test, coverage\n"),
        "SYN302",
        "draft test",
        "draft",
    ),
    Mistake(
        "keyword that its own domain excludes",
        _manifest(STATE + "TESTING_RECALL=manual test, coverage\nTESTING_EXCLUDE=manual\n"),
        "SYN302",
        "manual test",
        "manual",
    ),
    Mistake(
        "duplicate key",
        _manifest(STATE + STATE),
        "SYN108",
        "TESTING_STATE",
        "already set above",
        STATE,
    ),
    Mistake(
        "two domains with one trigger",
        {
            MANIFEST: "A_STATE=active\nA_AGENT_TRIGGER=dev\nB_STATE=active\nB_AGENT_TRIGGER=dev\n",
            ".synapse/a": "A_RULE_0=Read the story first.\n",
            ".synapse/b": "B_RULE_0=Tick the boxes.\n",
            AGENTS: "---\nname: dev\n---\n",
        },
        "SYN305",
        "dev",
        "other programs stop at the first",
    ),
    Mistake(
        "misspelt trigger of an agent",
        {**_manifest(STATE + "TESTING_AGENT_TRIGGER=dve\n"), AGENTS: "---\nname: dev\n---\n"},
        "SYN303",
        "dve",
        "dve",
    ),
    Mistake(
        "trigger of a workflow that nobody knows",
        {
            **_manifest(STATE + "TESTING_WORKFLOW_TRIGGER=relase\n"),
            ".aiox-core/development/workflows/release.yaml": (
                "workflow: {id: release, name: Release, sequence: []}\n"
            ),
        },
        "SYN304",
        "relase",
        "relase",
    ),
    Mistake(
        "recall of a domain that is always on",
        _manifest(STATE + "TESTING_ALWAYS_ON=true\nTESTING_RECALL=unit test\n"),
        "SYN310",
        "TESTING_RECALL",
        "TESTING",
        STATE + "TESTING_ALWAYS_ON=true\n",
    ),
    Mistake(
        "domain that nothing brings in",
        _manifest(STATE + "TESTING_EXCLUDE=manual\n"),
        "SYN312",
        "TESTING",
        "nothing can activate it",
    ),
    Mistake(
        "name of a domain in one of its lines",
        _manifest("TESTNG_RECALL=unit test\n" + STATE + "TESTING_EXCLUDE=manual\n"),
        "SYN201",
        "TESTNG",
        "TESTING goes without what is set here",
    ),
    Mistake(
        "merge that was not finished",
        _rules(f"<<<<<<< HEAD\n{RULE}=======\nTESTING_RULE_0=Test.\n>>>>>>> test\n"),
        "SYN130",
        "<<<<<<< HEAD",
        "both of its sides are read",
    ),
    Mistake(
        "setting of the manifest in a rule file",
        _rules(RULE + "TESTING_RECALL=unit test\n"),
        "SYN111",
        "TESTING_RECALL",
        "has no effect and is not injected",
    ),
    Mistake(
        "key of another domain",
        _rules(RULE + "DEPLOY_RULE_1=Tag the release.\n"),
        "SYN116",
        "DEPLOY",
        "DEPLOY",
    ),
    Mistake(
        "prose among keys",
        _rules(RULE + "Name the behaviour.\n"),
        "SYN112",
        "Name the behaviour.",
        "not injected",
    ),
    Mistake(
        "space before the equals sign",
        _rules("TESTING_RULE_0 =Write the failing test first.\n"),
        "SYN113",
        " ",
        "drops a rule with white space",
        RULE,
    ),
    Mistake(
        "number that is taken",
        _rules(RULE + "TESTING_RULE_0=Name the behaviour.\n"),
        "SYN115",
        "TESTING_RULE_0",
        "has this number too",
    ),
    Mistake(
        "number that is left out",
        {**_rules(RULE + "TESTING_RULE_2=Name the behaviour.\n"), ".synapse/config.toml": ALL},
        "SYN124",
        "TESTING_RULE_2",
        "TESTING_RULE_1",
    ),
    Mistake(
        "heading among keys",
        _rules("### Naming\n" + RULE + "### Size\nTESTING_RULE_1=One behaviour a test.\n"),
        "SYN125",
        "### Naming",
        "dropped as a comment",
    ),
    Mistake(
        "template key that was left in",
        _rules("DOMAIN_RULE_0=Write the failing test first.\n"),
        "SYN126",
        "DOMAIN",
        "DOMAIN",
    ),
    Mistake(
        "squad without rules",
        {
            "squads/etl-squad/.synapse/manifest": "ETL_EXTENDS=extend\n",
            ".synapse/global": "GLOBAL_RULE_0=Answer in English.\n",
        },
        "SYN607",
        "ETL_EXTENDS=extend",
        "adds nothing to any prompt",
    ),
    Mistake(
        "key of an unknown bracket",
        {".synapse/context": "CONTEXT_RULE_FRSH_0=Explore before you decide.\n"},
        "SYN402",
        "FRSH",
        "injected in every bracket",
    ),
    Mistake(
        "star-command that is a header only",
        {".synapse/commands": "[*brief] COMMAND:\n[*plan] COMMAND:\n- Outline the approach.\n"},
        "SYN501",
        "brief",
        "does nothing in a prompt",
    ),
    Mistake(
        "constitution that is older than its source",
        {
            ".synapse/constitution": (
                "CONSTITUTION_RULE_ART1_0=Tests First (MUST)\n"
                "CONSTITUTION_RULE_ART1_1=MUST: Write the failing test first.\n"
            ),
            ".aiox-core/constitution.md": (
                "### I. Tests First (MUST)\n\n"
                "- MUST: Write the failing test first.\n- MUST NOT: Skip a test.\n"
            ),
        },
        "SYN203",
        "",
        "constitution",
    ),
    Mistake(
        "rules that no budget holds",
        {
            MANIFEST: "DEVMODE=false\n",
            ".synapse/global": "".join(
                f"GLOBAL_RULE_{n}=Step {n}: write down who did it, and how it was seen to work.\n"
                for n in range(60)
            ),
        },
        "SYN401",
        "",
        "800 tokens",
    ),
    Mistake(
        "closing tag in a rule",
        _rules("TESTING_RULE_0=End with </synapse-rules> first.\n"),
        "SYN801",
        "</synapse-rules>",
        "agents see `(/synapse-rules)`",
    ),
    Mistake(
        "line ends of two kinds",
        _rules(RULE.replace("\n", "\r") + "TESTING_RULE_1=Name the behaviour.\n"),
        "SYN128",
        RULE.rstrip(),
        "Other programs take this line and the next for one",
        RULE + "TESTING_RULE_1=Name the behaviour.\n",
    ),
    Mistake(
        "byte that is no UTF-8",
        {RULES: b"TESTING_RULE_0=Ask in the caf\xe9.\n", MANIFEST: STATE},
        "SYN102",
        "\ufffd",
        "U+FFFD",
    ),
    Mistake(
        "output that a client would cut off",
        {
            MANIFEST: "RELEASE_STATE=active\nRELEASE_NON_NEGOTIABLE=true\nRELEASE_RECALL=release\n",
            ".synapse/config.toml": 'profile = "synapse-live"\n',
            ".synapse/release": "".join(
                f"RELEASE_RULE_{n}=Step {n}: write down who did it, and how it was seen to work.\n"
                for n in range(200)
            ),
        },
        "SYN407",
        "",
        "characters",
    ),
    Mistake(
        "list in one pair of quotes",
        _manifest(STATE + 'TESTING_RECALL="unit test, coverage"\n'),
        "SYN309",
        '"unit test, coverage"',
        "its quotation marks are read as part of the keyword",
    ),
    Mistake(
        "backslashes in a pattern",
        _manifest(STATE + "TESTING_PATHS=src\\webhooks\\**\n"),
        "SYN314",
        "src\\webhooks\\**",
        "matches no file",
    ),
    Mistake(
        "bracket in the wrong place of a key",
        {
            ".synapse/context": "CONTEXT_FRESH_RULE_0=Explore first.\n",
            MANIFEST: "CONTEXT_STATE=active\n",
        },
        "SYN402",
        "CONTEXT_FRESH_RULE_0",
        "in every bracket",
    ),
    Mistake(
        "extends at the top of a squad",
        {
            "squads/etl/squad.yaml": "name: etl\nversion: 1.0.0\nextends: override\n",
            MANIFEST: STATE,
            RULES: RULE,
        },
        "SYN601",
        "extends",
        "is ignored outside `config`",
    ),
    Mistake(
        "workflow in place of workflow_id",
        {
            ".aiox/story-state.yaml": "workflow: story_development\ncurrent_phase: develop\n",
            MANIFEST: STATE,
            RULES: RULE,
        },
        "SYN701",
        "workflow",
        "is not followed",
    ),
    Mistake(
        "misspelt agent to delegate to",
        {
            ".synapse/agent-dev": "AGENT_DEV_AUTH_0=NEVER execute git push — delegate to @devopps\n",
            MANIFEST: "AGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=dev\n",
        },
        "SYN513",
        "devopps",
        "handed to nobody",
    ),
    Mistake(
        "debug view left on",
        _manifest("DEVMODE=true\n" + STATE),
        "SYN135",
        "true",
        "for everybody",
    ),
    Mistake(
        "switch in another language",
        _manifest(STATE + "TESTING_ALWAYS_ON=sim\n"),
        "SYN106",
        "sim",
        "is neither `true` nor `false`",
    ),
    Mistake(
        "full-width sign",
        _manifest("TESTING_STATE\uff1dactive\nTESTING_RECALL=unit test\n"),
        "SYN103",
        "\uff1d",
        "is not the sign",
    ),
    Mistake(
        "text of the configuration without quotes",
        {".synapse/config.toml": "profile = synapse-live\n", **_manifest(STATE)},
        "SYN119",
        "synapse-live",
        "has to be in quotation marks",
    ),
)
