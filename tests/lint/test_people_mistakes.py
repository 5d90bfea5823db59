"""Mistakes that people make are found where a person would underline them, and each way out that an
editor offers leads to a tree without the finding.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.situation import Request
from synapse_ls.ide.code_action import Action, code_actions
from synapse_ls.ide.tree_view import CompiledTree, View
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.lint.clean import write
from tests.support import mark

BASE: Mapping[str, str] = {
    ".synapse/manifest": "TESTING_STATE=active\nTESTING_RECALL=unit test\n",
    ".synapse/testing": "TESTING_RULE_0=Write the failing test first.\n",
    ".synapse/config.toml": 'profile = "synapse-live"\n',
}
TEAM: Mapping[str, str] = {
    "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
    "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
    "squads/etl/squad.yaml": "name: etl\nversion: 1.0.0\n",
    ".aiox-core/development/agents/po.md": "```yaml\nagent:\n  name: Po\n  id: po\n```\n",
    ".claude/agents/dev.md": "---\nname: dev\ndescription: Builds.\n---\nBuilds.\n",
    ".claude/agents/qa.md": "---\nname: qa\ndescription: Tests.\n---\nTests.\n",
    ".claude/agents/sm.md": "---\nname: sm\ndescription: Drafts.\n---\nDrafts.\n",
    ".claude/agents/devops.md": "---\nname: devops\ndescription: Ships.\n---\nShips.\n",
}
FLOW: Mapping[str, str] = {
    "squads/etl/workflows/story.yaml": "workflow:\n  id: story\n  name: Story\n  sequence:\n    - {step: draft, agent: sm, action: Draft}\n    - {step: develop, agent: dev, action: Build}\n"
}


class Slip(NamedTuple):
    """A Slip is a mistake: the rule ``code`` marks what stands in «» in the file ``path`` of a small
    tree that has ``others``, too; None there takes a file away. An editor offers so many ``ways`` out.
    """

    name: str
    code: str
    path: str
    text: str
    ways: int
    others: Mapping[str, str | None] = {}


SLIPS = (
    Slip(
        "key in lower case",
        "SYN104",
        ".synapse/manifest",
        "«testing_state»=active\nTESTING_RECALL=unit test\n",
        1,
    ),
    Slip(
        "key without its domain",
        "SYN104",
        ".synapse/manifest",
        "«STATE»=active\nTESTING_RECALL=unit test\n",
        2,
    ),
    Slip(
        "hyphen in a key",
        "SYN104",
        ".synapse/manifest",
        "TESTING_STATE=active\n«TESTING-RECALL»=unit test\n",
        1,
    ),
    Slip(
        "colon for an equals sign",
        "SYN103",
        ".synapse/manifest",
        "TESTING_STATE«:» active\nTESTING_RECALL=unit test\n",
        1,
    ),
    Slip(
        "export before a key",
        "SYN103",
        ".synapse/manifest",
        "«export »TESTING_STATE=active\nTESTING_RECALL=unit test\n",
        1,
    ),
    Slip(
        "state in quotes",
        "SYN105",
        ".synapse/manifest",
        'TESTING_STATE=«"active"»\nTESTING_RECALL=unit test\n',
        1,
    ),
    Slip(
        "empty state",
        "SYN105",
        ".synapse/manifest",
        "«TESTING_STATE=»\nTESTING_RECALL=unit test\n",
        2,
    ),
    Slip(
        "true as a state",
        "SYN105",
        ".synapse/manifest",
        "TESTING_STATE=«true»\nTESTING_RECALL=unit test\n",
        1,
    ),
    Slip(
        "misspelt state",
        "SYN105",
        ".synapse/manifest",
        "TESTING_STATE=«activ»\nTESTING_RECALL=unit test\n",
        1,
    ),
    Slip(
        "enabled as a state",
        "SYN105",
        ".synapse/manifest",
        "TESTING_STATE=«enabled»\nTESTING_RECALL=unit test\n",
        1,
    ),
    Slip(
        "ALWAYSON",
        "SYN104",
        ".synapse/manifest",
        "TESTING_STATE=active\n«TESTING_ALWAYSON»=true\n",
        1,
    ),
    Slip(
        "ENABLED for STATE",
        "SYN104",
        ".synapse/manifest",
        "«TESTING_ENABLED»=true\nTESTING_RECALL=unit test\n",
        1,
    ),
    Slip(
        "STATUS for STATE",
        "SYN104",
        ".synapse/manifest",
        "«TESTING_STATUS»=active\nTESTING_RECALL=unit test\n",
        1,
    ),
    Slip(
        "KEYWORDS for RECALL",
        "SYN104",
        ".synapse/manifest",
        "TESTING_STATE=active\n«TESTING_KEYWORDS»=unit test\n",
        1,
    ),
    Slip(
        "TRIGGER without of what",
        "SYN104",
        ".synapse/manifest",
        "TESTING_STATE=active\n«TESTING_TRIGGER»=dev\n",
        1,
        {**TEAM},
    ),
    Slip(
        "TRIGGER without of what, of a word that is no agent",
        "SYN104",
        ".synapse/manifest",
        "TESTING_STATE=active\n«TESTING_TRIGGER»=deploy\n",
        3,
        {**TEAM},
    ),
    Slip(
        "AGENT for AGENT_TRIGGER",
        "SYN104",
        ".synapse/manifest",
        "TESTING_STATE=active\n«TESTING_AGENT»=dev\n",
        1,
        {**TEAM},
    ),
    Slip(
        "EXCLUDES",
        "SYN104",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_RECALL=unit test\n«TESTING_EXCLUDES»=manual\n",
        1,
    ),
    Slip("PATH", "SYN104", ".synapse/manifest", "TESTING_STATE=active\n«TESTING_PATH»=src/**\n", 1),
    Slip(
        "GLOBS for PATHS",
        "SYN104",
        ".synapse/manifest",
        "TESTING_STATE=active\n«TESTING_GLOBS»=src/**\n",
        1,
    ),
    Slip(
        "PRIORITY of a domain",
        "SYN104",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_RECALL=unit test\n«TESTING_PRIORITY»=HIGH\n",
        1,
    ),
    Slip(
        "underscore at the end of a key",
        "SYN104",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_RECALL=unit test\n«TESTING_NON_NEGOTIABLE_»=true\n",
        1,
    ),
    Slip(
        "number in words",
        "SYN107",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_EVERY_N_TURNS=«ten»\n",
        1,
    ),
    Slip(
        "zero turns",
        "SYN107",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_EVERY_N_TURNS=«0»\n",
        1,
    ),
    Slip(
        "120k tokens",
        "SYN107",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_ON_TOKENS=«120k»\n",
        1,
    ),
    Slip(
        "heading of an INI file",
        "SYN103",
        ".synapse/manifest",
        "«[TESTING]»\nTESTING_STATE=active\nTESTING_RECALL=unit test\n",
        1,
    ),
    Slip(
        "comment with slashes",
        "SYN103",
        ".synapse/manifest",
        "«//» tests\nTESTING_STATE=active\nTESTING_RECALL=unit test\n",
        1,
    ),
    Slip(
        "comment with a semicolon",
        "SYN103",
        ".synapse/manifest",
        "«;» tests\nTESTING_STATE=active\nTESTING_RECALL=unit test\n",
        1,
    ),
    Slip(
        "keywords with semicolons",
        "SYN309",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_RECALL=«unit test; coverage»\n",
        1,
    ),
    Slip(
        "keywords in brackets",
        "SYN309",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_RECALL=«[unit test, coverage]»\n",
        1,
    ),
    Slip(
        "keywords with bars",
        "SYN309",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_RECALL=«unit test|coverage»\n",
        1,
    ),
    Slip(
        "star behind a keyword",
        "SYN309",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_RECALL=unit test, «mock*»\n",
        1,
    ),
    Slip(
        "regular expression as a keyword",
        "SYN309",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_RECALL=unit test, «/mock(s|ing)/»\n",
        1,
    ),
    Slip(
        "exclusions in one pair of quotes",
        "SYN309",
        ".synapse/manifest",
        'TESTING_STATE=active\nTESTING_RECALL=unit test\nTESTING_EXCLUDE=«"end to end, smoke"»\n',
        1,
    ),
    Slip(
        "exclusions in brackets",
        "SYN309",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_RECALL=unit test\nTESTING_EXCLUDE=«[smoke, flaky]»\n",
        1,
    ),
    Slip(
        "patterns in quotes",
        "SYN309",
        ".synapse/manifest",
        'TESTING_STATE=active\nTESTING_PATHS=«"src/**, test/**"»\n',
        1,
    ),
    Slip(
        "patterns in brackets",
        "SYN309",
        ".synapse/manifest",
        'TESTING_STATE=active\nTESTING_PATHS=«["src/**", "test/**"]»\n',
        1,
    ),
    Slip(
        "global exclusion in quotes",
        "SYN309",
        ".synapse/manifest",
        'GLOBAL_EXCLUDE=«"draft"»\nTESTING_STATE=active\nTESTING_RECALL=unit test\n',
        1,
    ),
    Slip(
        "pattern with ./",
        "SYN314",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_PATHS=«./src/**»\n",
        1,
    ),
    Slip(
        "absolute path as a pattern",
        "SYN802",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_PATHS=«/home/me/project/src/**»\n",
        0,
    ),
    Slip(
        "folder as a pattern",
        "SYN314",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_PATHS=«src/»\n",
        1,
    ),
    Slip(
        "negated pattern",
        "SYN314",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_PATHS=src/**,«!src/gen/**»\n",
        1,
    ),
    Slip(
        "patterns with a semicolon",
        "SYN309",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_PATHS=«src/**;test/**»\n",
        1,
    ),
    Slip(
        "patterns with a space",
        "SYN309",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_PATHS=«src/** test/**»\n",
        1,
    ),
    Slip(
        "several agents as one trigger",
        "SYN303",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_AGENT_TRIGGER=«dev,qa»\n",
        4,
        {**TEAM},
    ),
    Slip(
        "misspelt agent",
        "SYN303",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_AGENT_TRIGGER=«dve»\n",
        1,
        {**TEAM},
    ),
    Slip(
        "misspelt workflow",
        "SYN304",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_WORKFLOW_TRIGGER=«stroy»\n",
        1,
        {**TEAM, **FLOW},
    ),
    Slip(
        "debug view switched on",
        "SYN106",
        ".synapse/manifest",
        "DEVMODE=«on»\nTESTING_STATE=active\nTESTING_RECALL=unit test\n",
        1,
    ),
    Slip(
        "rule file named by a key",
        "SYN201",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_RECALL=unit\n«TESTING_FILE»=rules/test-rules\n",
        0,
        {
            ".synapse/testing": None,
            ".synapse/rules/test-rules": "TESTING_RULE_0=Write the failing test first.\n",
        },
    ),
    Slip(
        "rule file beside, named by a key",
        "SYN201",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_RECALL=unit\n«TESTING_FILE»=test-rules\n",
        1,
        {
            ".synapse/testing": None,
            ".synapse/test-rules": "TESTING_RULE_0=Write the failing test first.\n",
        },
    ),
    Slip(
        "rule file in Markdown, named by a key",
        "SYN201",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_RECALL=unit\n«TESTING_FILE»=.synapse/test-rules.md\n",
        1,
        {
            ".synapse/testing": None,
            ".synapse/test-rules.md": "TESTING_RULE_0=Write the failing test first.\n",
        },
    ),
    Slip(
        "rule file in capitals",
        "SYN201",
        ".synapse/manifest",
        "«TESTING»_STATE=active\nTESTING_RECALL=unit test\n",
        1,
        {
            ".synapse/testing": None,
            ".synapse/TESTING": "TESTING_RULE_0=Write the failing test first.\n",
        },
    ),
    Slip(
        "rule file with nearly the name",
        "SYN201",
        ".synapse/manifest",
        "«TESTING»_STATE=active\nTESTING_RECALL=unit test\n",
        1,
        {
            ".synapse/testing": None,
            ".synapse/testings": "TESTING_RULE_0=Write the failing test first.\n",
        },
    ),
    Slip("empty rule file", "SYN207", ".synapse/testing", "«»", 1),
    Slip(
        "manifest in Markdown",
        "SYN202",
        ".synapse/manifest.md",
        "«TESTING_STATE=active»\n",
        1,
        {".synapse/manifest": None},
    ),
    Slip(
        "rule key without a number",
        "SYN114",
        ".synapse/testing",
        "«TESTING_RULE»=Write the failing test first.\n",
        1,
    ),
    Slip(
        "rule key with a word for its number",
        "SYN114",
        ".synapse/testing",
        "«TESTING_RULE_ONE»=Write the failing test first.\n",
        1,
    ),
    Slip(
        "misspelt domain in a rule key",
        "SYN116",
        ".synapse/testing",
        "«TESTNG»_RULE_0=Write the failing test first.\n",
        1,
    ),
    Slip(
        "RULES in a rule key",
        "SYN114",
        ".synapse/testing",
        "«TESTING_RULES_0»=Write the failing test first.\n",
        1,
    ),
    Slip(
        "RUEL in a rule key",
        "SYN114",
        ".synapse/testing",
        "«TESTING_RUEL_0»=Write the failing test first.\n",
        1,
    ),
    Slip(
        "rule key without RULE",
        "SYN114",
        ".synapse/testing",
        "«TESTING_0»=Write the failing test first.\n",
        1,
    ),
    Slip(
        "colon behind a rule key",
        "SYN103",
        ".synapse/testing",
        "TESTING_RULE_0«:» Write the failing test first.\n",
        1,
    ),
    Slip(
        "rule key in lower case",
        "SYN103",
        ".synapse/testing",
        "«testing_rule_0»=Write the failing test first.\n",
        1,
    ),
    Slip(
        "hyphens in a rule key",
        "SYN103",
        ".synapse/testing",
        "«TESTING-RULE-0»=Write the failing test first.\n",
        1,
    ),
    Slip(
        "rule on two lines",
        "SYN112",
        ".synapse/testing",
        "TESTING_RULE_0=Write the failing test first.\n  «and name the behaviour.»\n",
        1,
    ),
    Slip(
        "rule on two lines with a backslash",
        "SYN112",
        ".synapse/testing",
        "TESTING_RULE_0=Write the failing \\\n«test first.»\n",
        1,
    ),
    Slip(
        "rule without text",
        "SYN103",
        ".synapse/testing",
        "«TESTING_RULE_0=»\nTESTING_RULE_1=Name the behaviour.\n",
        1,
    ),
    Slip(
        "priority of a rule",
        "SYN114",
        ".synapse/testing",
        "TESTING_RULE_0=Write the failing test first.\n«TESTING_RULE_0_PRIORITY»=CRITICAL\n",
        1,
    ),
    Slip(
        "placeholder as a rule",
        "SYN126",
        ".synapse/testing",
        "TESTING_RULE_0=«[your rule here]»\n",
        1,
    ),
    Slip("TODO as a rule", "SYN126", ".synapse/testing", "TESTING_RULE_0=«TODO»\n", 1),
    Slip(
        "comment with slashes among rules",
        "SYN103",
        ".synapse/testing",
        "«//» naming\nTESTING_RULE_0=Write the failing test first.\n",
        1,
    ),
    Slip(
        "rule that is there twice",
        "SYN507",
        ".synapse/testing",
        "TESTING_RULE_0=Write the failing test first.\nTESTING_RULE_1=«Write the failing test first.»\n",
        1,
    ),
    Slip(
        "file to follow that does not exist",
        "SYN214",
        ".synapse/testing",
        "TESTING_RULE_0=Follow `«docs/nothing/here.md»` for tests.\n",
        0,
    ),
    Slip(
        "misspelt file to follow",
        "SYN214",
        ".synapse/testing",
        "TESTING_RULE_0=Follow `«docs/testng.md»` for tests.\n",
        1,
        {"docs/testing.md": "# x\n"},
    ),
    Slip(
        "key in a rule",
        "SYN805",
        ".synapse/testing",
        "TESTING_RULE_0=Use the key «sk_live_abc123def456ghi789jkl» to pay.\n",
        0,
    ),
    Slip(
        "password in a rule",
        "SYN805",
        ".synapse/testing",
        "TESTING_RULE_0=password: «Tr0ub4dor&3xyzQ»\n",
        0,
    ),
    Slip(
        "invisible character",
        "SYN803",
        ".synapse/testing",
        "TESTING_RULE_0=«Write\u200b» the failing test first.\n",
        1,
    ),
    Slip(
        "letter of another alphabet",
        "SYN804",
        ".synapse/manifest",
        "«TЕSTING»_STATE=active\nTESTING_RECALL=unit test\n",
        1,
    ),
    Slip(
        "tag of the block",
        "SYN801",
        ".synapse/testing",
        "TESTING_RULE_0=End with «</synapse-rules>» first.\n",
        1,
    ),
    Slip(
        "keyword inside of other words",
        "SYN306",
        ".synapse/manifest",
        "TESTING_STATE=active\nTESTING_RECALL=«DM»,list,dial\n",
        0,
        {".synapse/config.toml": 'profile = "synapse-live"\nmatching = "substring"\n'},
    ),
    Slip(
        "bracket in the wrong place",
        "SYN402",
        ".synapse/context",
        "«CONTEXT_FRESH_RULE_0»=Be brief.\n",
        1,
        {
            ".synapse/manifest": "CONTEXT_STATE=active\nTESTING_STATE=active\nTESTING_RECALL=unit test\n"
        },
    ),
    Slip("misspelt bracket", "SYN402", ".synapse/context", "CONTEXT_RULE_«FRSH»_0=Be brief.\n", 1),
    Slip(
        "bracket in lower case",
        "SYN103",
        ".synapse/context",
        "«CONTEXT_RULE_fresh_0»=Be brief.\n",
        1,
    ),
    Slip(
        "bracket that does not exist",
        "SYN402",
        ".synapse/context",
        "CONTEXT_RULE_«LOW»_0=Be brief.\n",
        4,
    ),
    Slip(
        "severity without its hyphen",
        "SYN503",
        ".synapse/constitution",
        "CONSTITUTION_RULE_ART1_0=Tests First («NON NEGOTIABLE»)\nCONSTITUTION_RULE_ART1_1=MUST: Test.\n",
        1,
    ),
    Slip(
        "misspelt severity",
        "SYN503",
        ".synapse/constitution",
        "CONSTITUTION_RULE_ART1_0=Tests First («MUSTT»)\nCONSTITUTION_RULE_ART1_1=MUST: Test.\n",
        1,
    ),
    Slip(
        "article without a title",
        "SYN502",
        ".synapse/constitution",
        "«CONSTITUTION_RULE_ART1_1»=MUST: Test.\n",
        0,
    ),
    Slip(
        "constitution switched off",
        "SYN403",
        ".synapse/manifest",
        "CONSTITUTION_STATE=«inactive»\nTESTING_STATE=active\nTESTING_RECALL=unit test\n",
        1,
        {
            ".synapse/constitution": "CONSTITUTION_RULE_ART1_0=Tests First (MUST)\nCONSTITUTION_RULE_ART1_1=MUST: Test.\n"
        },
    ),
    Slip(
        "header of a command without its bracket",
        "SYN103",
        ".synapse/commands",
        "«[*brief COMMAND:»\nCOMMANDS_RULE_BRIEF_0=Bullets.\n",
        1,
    ),
    Slip(
        "command without rules",
        "SYN501",
        ".synapse/commands",
        "[*«brief»] COMMAND:\n[*plan] COMMAND:\n- Outline.\n",
        1,
    ),
    Slip(
        "misspelt agent to delegate to",
        "SYN513",
        ".synapse/agent-dev",
        "AGENT_DEV_AUTH_0=NEVER execute git push — delegate to @«devopps»\n",
        1,
        {
            **TEAM,
            ".synapse/manifest": "AGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=dev\nAGENT_DEVOPS_STATE=active\nAGENT_DEVOPS_AGENT_TRIGGER=devops\n",
            ".synapse/testing": None,
            ".synapse/agent-devops": "AGENT_DEVOPS_RULE_0=Push with care.\n",
        },
    ),
    Slip(
        "misspelt word of a boundary",
        "SYN510",
        ".synapse/agent-dev",
        "AGENT_DEV_AUTH_0=«BLOKED»: git push\nAGENT_DEV_RULE_0=Read.\n",
        1,
        {
            **TEAM,
            ".synapse/manifest": "AGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=dev\n",
            ".synapse/testing": None,
        },
    ),
    Slip(
        "misspelt AUTH",
        "SYN114",
        ".synapse/agent-dev",
        "«AGENT_DEV_AUHT_0»=BLOCKED: git push\nAGENT_DEV_RULE_0=Read.\n",
        1,
        {
            **TEAM,
            ".synapse/manifest": "AGENT_DEV_STATE=active\nAGENT_DEV_AGENT_TRIGGER=dev\n",
            ".synapse/testing": None,
        },
    ),
    Slip(
        "misspelt setting",
        "SYN121",
        ".synapse/config.toml",
        'profile = "synapse-live"\n«matchin» = "word"\n',
        2,
    ),
    Slip("misspelt profile", "SYN122", ".synapse/config.toml", 'profile = «"synapse-liv"»\n', 1),
    Slip(
        "misspelt value of a setting",
        "SYN121",
        ".synapse/config.toml",
        'profile = "synapse-live"\nmatching = «"substr"»\n',
        2,
    ),
    Slip(
        "rule code that does not exist",
        "SYN123",
        ".synapse/config.toml",
        'profile = "synapse-live"\n[lint]\nignore = [«"SYN999"»]\n',
        1,
    ),
    Slip("YAML in TOML", "SYN119", ".synapse/config.toml", "profile«: synapse-live»\n", 1),
    Slip(
        "text without quotes in TOML",
        "SYN119",
        ".synapse/config.toml",
        "profile = «synapse-live»\n",
        1,
    ),
    Slip(
        "True in TOML",
        "SYN119",
        ".synapse/config.toml",
        'profile = "synapse-live"\nmatch_everything = «True»\n',
        1,
    ),
    Slip(
        "text of TOML that is not closed",
        "SYN119",
        ".synapse/config.toml",
        'profile = «"synapse-live»\n',
        1,
    ),
    Slip(
        "table that is there twice",
        "SYN119",
        ".synapse/config.toml",
        'profile = "synapse-live"\n[lint]\nignore=[]\n«[lint]»\nselect=[]\n',
        1,
    ),
    Slip(
        "setting that is there twice",
        "SYN119",
        ".synapse/config.toml",
        'profile = "synapse-live"\n«profile = "synapse-live"»\n',
        2,
    ),
    Slip(
        "list of TOML that is not closed",
        "SYN119",
        ".synapse/config.toml",
        'profile = "synapse-live"\n[lint]\nignore = «["SYN105"»\n',
        1,
    ),
    Slip(
        "squad without a name",
        "SYN601",
        "squads/etl/squad.yaml",
        "«version: 1.0.0»\n",
        1,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "version with two numbers",
        "SYN601",
        "squads/etl/squad.yaml",
        "name: etl\nversion: «1.0»\n",
        1,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "misspelt extends",
        "SYN601",
        "squads/etl/squad.yaml",
        "name: etl\nversion: 1.0.0\nconfig: {extends: «overide»}\n",
        1,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "extends at the top",
        "SYN601",
        "squads/etl/squad.yaml",
        "name: etl\nversion: 1.0.0\n«extends»: override\n",
        1,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "component that does not exist",
        "SYN605",
        "squads/etl/squad.yaml",
        "name: etl\nversion: 1.0.0\ncomponents:\n  tasks: [«load.md»]\n",
        0,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "misspelt component",
        "SYN605",
        "squads/etl/squad.yaml",
        "name: etl\nversion: 1.0.0\ncomponents:\n  tasks: [«laod.md»]\n",
        1,
        {
            "squads/etl/tasks/load.md": "---\ntask: load()\nresponsavel_type: Agente\n---\n\n## Acceptance Criteria\n\n- [ ] x\n",
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "misspelt field of a squad",
        "SYN601",
        "squads/etl/squad.yaml",
        "name: etl\nversion: 1.0.0\n«componets»:\n  tasks: []\n",
        1,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "squad with another name than its folder",
        "SYN608",
        "squads/etl/squad.yaml",
        "name: «elt»\nversion: 1.0.0\n",
        1,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "tab in YAML",
        "SYN117",
        "squads/etl/squad.yaml",
        "name: etl\nversion: 1.0.0\ncomponents:\n«\t»tasks: []\n",
        1,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "colon in a value of YAML",
        "SYN117",
        "squads/etl/squad.yaml",
        "name: etl\nversion: 1.0.0\ndescription: Load«:» in batches\n",
        1,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "text of YAML that is not closed",
        "SYN117",
        "squads/etl/squad.yaml",
        'name: etl\nversion: «"»1.0.0\ndescription: x\nslashPrefix: e\nauthor: a\nlicense: MIT\n',
        1,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "list of YAML that is not closed",
        "SYN117",
        "squads/etl/squad.yaml",
        "name: etl\nversion: 1.0.0\ntags: «[»a, b\nauthor: a\nlicense: MIT\n",
        1,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "field that is there twice",
        "SYN118",
        "squads/etl/squad.yaml",
        "name: etl\nversion: 1.0.0\n«name»: etl2\n",
        2,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "misspelt EXTENDS",
        "SYN602",
        "squads/etl/.synapse/manifest",
        "ETL_EXTENDS=«overide»\nPIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
        1,
        {
            "squads/etl/squad.yaml": "name: etl\nversion: 1.0.0\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "field of YAML with a space before it",
        "SYN117",
        "squads/etl/squad.yaml",
        "name: etl\n« »version: 1.0.0\n",
        1,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "value of YAML with an @",
        "SYN117",
        "squads/etl/squad.yaml",
        "name: etl\nversion: 1.0.0\nauthor: «@»me\n",
        1,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "value of YAML with a star",
        "SYN117",
        "squads/etl/squad.yaml",
        "name: etl\nversion: 1.0.0\nslash: «*etl»\n",
        1,
        {
            "squads/etl/.synapse/manifest": "PIPELINE_STATE=active\nPIPELINE_RECALL=pipeline\n",
            "squads/etl/.synapse/pipeline": "PIPELINE_RULE_0=Load in batches.\n",
        },
    ),
    Slip(
        "workflow for workflow_id",
        "SYN701",
        ".aiox/story-20260102-abc123-state.yaml",
        "«workflow»: story\nworkflow_name: Story\ninstance_id: story-20260102-abc123\ntarget_context: core\nstarted_at: '2026-01-02T10:00:00Z'\nupdated_at: '2026-01-02T10:00:00Z'\nstatus: active\ncurrent_step_index: 0\nsteps:\n  - {step_index: 0, phase: draft, agent: sm, status: pending}\n  - {step_index: 1, phase: develop, agent: dev, status: pending}\n",
        1,
        {**TEAM, **FLOW},
    ),
    Slip(
        "misspelt workflow of a state",
        "SYN703",
        ".aiox/story-20260102-abc123-state.yaml",
        "workflow_id: «stroy»\nworkflow_name: Story\ninstance_id: story-20260102-abc123\ntarget_context: core\nstarted_at: '2026-01-02T10:00:00Z'\nupdated_at: '2026-01-02T10:00:00Z'\nstatus: active\ncurrent_step_index: 0\nsteps:\n  - {step_index: 0, phase: draft, agent: sm, status: pending}\n  - {step_index: 1, phase: develop, agent: dev, status: pending}\n",
        1,
        {**TEAM, **FLOW},
    ),
    Slip(
        "misspelt status of a state",
        "SYN701",
        ".aiox/story-20260102-abc123-state.yaml",
        "workflow_id: story\nworkflow_name: Story\ninstance_id: story-20260102-abc123\ntarget_context: core\nstarted_at: '2026-01-02T10:00:00Z'\nupdated_at: '2026-01-02T10:00:00Z'\nstatus: «actve»\ncurrent_step_index: 0\nsteps:\n  - {step_index: 0, phase: draft, agent: sm, status: pending}\n  - {step_index: 1, phase: develop, agent: dev, status: pending}\n",
        1,
        {**TEAM, **FLOW},
    ),
    Slip(
        "misspelt current phase",
        "SYN711",
        ".aiox/story-20260102-abc123-state.yaml",
        "workflow_id: story\nworkflow_name: Story\ninstance_id: story-20260102-abc123\ntarget_context: core\nstarted_at: '2026-01-02T10:00:00Z'\nupdated_at: '2026-01-02T10:00:00Z'\nstatus: active\ncurrent_step_index: 0\nsteps:\n  - {step_index: 0, phase: draft, agent: sm, status: pending}\n  - {step_index: 1, phase: develop, agent: dev, status: pending}\ncurrent_phase: «devlop»\n",
        1,
        {**TEAM, **FLOW},
    ),
    Slip(
        "misspelt phase of a step",
        "SYN711",
        ".aiox/story-20260102-abc123-state.yaml",
        "workflow_id: story\nworkflow_name: Story\ninstance_id: story-20260102-abc123\ntarget_context: core\nstarted_at: '2026-01-02T10:00:00Z'\nupdated_at: '2026-01-02T10:00:00Z'\nstatus: active\ncurrent_step_index: 0\nsteps:\n  - {step_index: 0, phase: «drft», agent: sm, status: pending}\n  - {step_index: 1, phase: develop, agent: dev, status: pending}\n",
        1,
        {**TEAM, **FLOW},
    ),
    Slip(
        "misspelt agent of a later step",
        "SYN704",
        ".aiox/story-20260102-abc123-state.yaml",
        "workflow_id: story\nworkflow_name: Story\ninstance_id: story-20260102-abc123\ntarget_context: core\nstarted_at: '2026-01-02T10:00:00Z'\nupdated_at: '2026-01-02T10:00:00Z'\nstatus: active\ncurrent_step_index: 0\nsteps:\n  - {step_index: 0, phase: draft, agent: sm, status: pending}\n  - {step_index: 1, phase: develop, agent: «deev», status: pending}\n",
        1,
        {**TEAM, **FLOW},
    ),
    Slip(
        "misspelt status of a step",
        "SYN701",
        ".aiox/story-20260102-abc123-state.yaml",
        "workflow_id: story\nworkflow_name: Story\ninstance_id: story-20260102-abc123\ntarget_context: core\nstarted_at: '2026-01-02T10:00:00Z'\nupdated_at: '2026-01-02T10:00:00Z'\nstatus: active\ncurrent_step_index: 0\nsteps:\n  - {step_index: 0, phase: draft, agent: sm, status: «pendng»}\n  - {step_index: 1, phase: develop, agent: dev, status: pending}\n",
        1,
        {**TEAM, **FLOW},
    ),
    Slip(
        "misspelt task of a step",
        "SYN712",
        ".aiox/story-20260102-abc123-state.yaml",
        "workflow_id: story\nworkflow_name: Story\ninstance_id: story-20260102-abc123\ntarget_context: core\nstarted_at: '2026-01-02T10:00:00Z'\nupdated_at: '2026-01-02T10:00:00Z'\nstatus: active\ncurrent_step_index: 0\nsteps:\n  - {step_index: 0, phase: draft, agent: sm, task: «darft.md», status: pending}\n  - {step_index: 1, phase: develop, agent: dev, status: pending}\n",
        1,
        {
            **TEAM,
            **FLOW,
            "squads/etl/tasks/draft.md": "---\ntask: draft()\nresponsavel_type: Agente\n---\n\n## Acceptance Criteria\n\n- [ ] x\n",
        },
    ),
    Slip(
        "misspelt agent of a workflow",
        "SYN704",
        "squads/etl/workflows/story.yaml",
        "workflow:\n  id: story\n  name: Story\n  sequence:\n    - {step: draft, agent: sm, action: Draft}\n    - {step: develop, agent: «deev», action: Build}\n",
        1,
        {**TEAM},
    ),
    Slip(
        "misspelt task of a workflow",
        "SYN712",
        "squads/etl/workflows/story.yaml",
        "workflow:\n  id: story\n  name: Story\n  sequence:\n    - {step: draft, agent: sm, action: Draft}\n    - {step: develop, agent: dev, task: «biuld.md»}\n",
        1,
        {
            **TEAM,
            "squads/etl/tasks/build.md": "---\ntask: build()\nresponsavel_type: Agente\n---\n\n## Acceptance Criteria\n\n- [ ] x\n",
        },
    ),
    Slip(
        "workflow without an id",
        "SYN702",
        "squads/etl/workflows/story.yaml",
        "«workflow»:\n  name: Story\n  sequence:\n    - {step: draft, agent: sm, action: Draft}\n    - {step: develop, agent: dev, action: Build}\n",
        1,
        {**TEAM},
    ),
    Slip(
        "misspelt type of executor",
        "SYN710",
        "squads/etl/tasks/build.md",
        "---\ntask: build()\nresponsavel_type: «Agnte»\n---\n\n## Acceptance Criteria\n\n- [ ] x\n",
        1,
        {**TEAM},
    ),
    Slip(
        "misspelt status of a story",
        "SYN708",
        "docs/stories/1.1.story.md",
        "# Story 1.1\n\n**Status:** «In Progres»\n",
        1,
        {**TEAM},
    ),
    Slip(
        "misspelt executor of a story",
        "SYN713",
        "docs/stories/1.1.story.md",
        "# Story 1.1\n\n**Status:** Draft\n**Executor:** @«deev»\n**Quality Gate:** @qa\n",
        1,
        {**TEAM},
    ),
    Slip(
        "story that its author reviews",
        "SYN714",
        "docs/stories/1.1.story.md",
        "# Story 1.1\n\n**Status:** Draft\n**Executor:** @dev\n**Quality Gate:** «@dev»\n",
        0,
        {**TEAM},
    ),
    Slip(
        "agent without a name",
        "SYN709",
        ".claude/agents/dev.md",
        "«---»\ndescription: x\n---\nYou are dev.\n",
        1,
    ),
    Slip(
        "agent without front matter",
        "SYN709",
        ".claude/agents/dev.md",
        "«# Dev»\n\nYou are dev.\n",
        1,
    ),
    Slip(
        "agent without a description",
        "SYN709",
        ".claude/agents/dev.md",
        "«---»\nname: dev\n---\nBuilds.\n",
        0,
    ),
    Slip(
        "one word of an agent's description in quotation marks",
        "SYN117",
        ".claude/agents/dev.md",
        '---\nname: dev\ndescription: "Always" «use this»\n---\nYou are dev.\n',
        1,
    ),
    Slip(
        "description of an agent that goes on in a line of its own",
        "SYN117",
        ".claude/agents/dev.md",
        "---\nname: dev\ndescription: Builds.\n«User asks»\n---\nYou are dev.\n",
        1,
    ),
    Slip(
        "front matter that is not closed",
        "SYN709",
        ".claude/agents/dev.md",
        "«---»\nname: dev\ndescription: x\nYou are dev.\n",
        1,
    ),
    Slip(
        "import that does not exist",
        "SYN214",
        "CLAUDE.md",
        "# X\n\n- Use tabs.\n\n@«docs/nothing.md»\n",
        0,
    ),
    Slip(
        "misspelt import",
        "SYN214",
        "CLAUDE.md",
        "# X\n\n@«docs/styel.md»\n",
        1,
        {"docs/style.md": "- x\n"},
    ),
    Slip(
        "globs in a rule of Claude Code",
        "SYN216",
        ".claude/rules/a.md",
        "---\n«globs»: src/**\n---\n- Rule one here.\n",
        1,
    ),
    Slip(
        "backslashes in a rule of Claude Code",
        "SYN216",
        ".claude/rules/a.md",
        '---\npaths: «"src\\webhooks\\**"»\n---\n- Rule one here.\n',
        1,
    ),
    Slip(
        "rule of Cursor in .md",
        "SYN216",
        ".cursor/rules/a.md",
        "«---»\nalwaysApply: true\n---\n- Rule one here.\n",
        1,
    ),
    Slip(
        "rule of Cursor without front matter",
        "SYN216",
        ".cursor/rules/a.mdc",
        "«- Rule one here.»\n",
        3,
    ),
    Slip(
        "instructions of Copilot by another name",
        "SYN216",
        ".github/instructions/py.md",
        "«---»\napplyTo: '**/*.py'\n---\n- Rule one here.\n",
        1,
    ),
    Slip(
        "misspelt type of a memory",
        "SYN902",
        ".synapse/memory/shared/durable/mem-2026-01-02-001.md",
        "---\nid: mem-2026-01-02-001\ntype: «user_corection»\nsector: procedural\nstorage: durable\n---\n\n# x y\n",
        1,
    ),
    Slip(
        "date of a memory in another form",
        "SYN902",
        ".synapse/memory/shared/durable/mem-2026-01-02-001.md",
        "---\nid: mem-2026-01-02-001\ntype: user_correction\nsector: procedural\nexpires: «31/01/2999»\n---\n\n# x y\n",
        1,
    ),
    Slip(
        "date of a memory that can be two days",
        "SYN902",
        ".synapse/memory/shared/durable/mem-2026-01-02-001.md",
        "---\nid: mem-2026-01-02-001\ntype: user_correction\nsector: procedural\nexpires: «02/01/2999»\n---\n\n# x y\n",
        2,
    ),
    Slip(
        "merge that was not finished",
        "SYN130",
        ".synapse/testing",
        "«<<<<<<< HEAD»\nTESTING_RULE_0=Write the failing test first.\n=======\nTESTING_RULE_0=Test.\n>>>>>>> x\n",
        0,
    ),
    Slip(
        "misspelt domain in a test",
        "SYN209",
        ".synapse/tests/a.toml",
        '[[case]]\nname = "x"\nprompt = "unit test"\ndomains = ["«TESTNG»"]\n',
        1,
    ),
)


def read_tree(root: Path) -> tuple[Tree, tuple[Finding, ...]]:
    """The tree on a disk, and what is found in it."""
    loaded = load_tree(str(root), LoadScope.ALL)
    tree = Tree(loaded.index.snapshot())
    return tree, lint_tree(tree, notes=loaded.notes)


def ways_out(tree: Tree, finding: Finding) -> list[Action]:
    """The actions of an editor that mend a finding, rather than silence it."""
    view = View(CompiledTree(tree, "root"), lambda _: (Request(), measure_usage(reported=100)))
    return [
        action
        for action in code_actions(view, finding.path, finding.span, ("quickfix",))
        if finding in action.solves and not action.title.startswith(("Ignore ", "Fix all "))
    ]


def take(root: Path, action: Action) -> None:
    for edit in action.plan().edits:
        if edit.target:
            (root / edit.path).unlink()
        write(root, {edit.result_path: edit.after})


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.name)
def test_a_slip_is_found_where_a_person_would_underline_it_and_mended(
    slip: Slip, tmp_path: Path
) -> None:
    marked = mark(slip.text)
    files = {**BASE, **slip.others, slip.path: marked.text}
    present = {path: text for path, text in files.items() if text is not None}
    tree, findings = read_tree(write(tmp_path / "tree", present))
    (span,) = marked.spans
    finding = next(f for f in findings if (f.code, f.path, f.span) == (slip.code, slip.path, span))
    actions = ways_out(tree, finding)
    assert len(actions) == slip.ways
    assert sum(action.is_preferred for action in actions) <= 1
    for number, action in enumerate(actions):
        root = write(tmp_path / str(number), present)
        take(root, action)
        left = read_tree(root)[1]
        assert (finding.code, finding.message) not in {(f.code, f.message) for f in left}
