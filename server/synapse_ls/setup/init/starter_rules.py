"""This module writes the starter rules of a first tree from what a repository shows and what the
person says: a few rules, one domain that a word wakes, and one test. It has no rule that comes from
elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from synapse_ls.setup.init.project_survey import ProjectFacts
from synapse_ls.workspace.tree_folders import MANIFEST, TREE

_MANIFEST = """\
# Which sets of rules there are (domains), and when each reaches the agent. A line is one setting of
# one domain; the rules of TESTING stand in the file testing.
#
#   STATE       active or inactive
#   ALWAYS_ON   true: with every prompt
#   RECALL      words and phrases, split by commas: when the prompt says one of them
#   PATHS       globs: when work touches such a file
#
# There is more: agents, workflows, words that stop a RECALL. `synapse domain new` writes others.

GLOBAL_STATE=active
GLOBAL_ALWAYS_ON=true

TESTING_STATE=active
TESTING_RECALL=tests,unit test,write a test,add a test,failing test,test coverage
"""
_GLOBAL = """\
# Told with every session: what every agent has to know here. Change, add and delete freely; a line
# is a rule, and what matters to one subject costs less in a domain of its own.
"""
_TESTING = """\
# Told when a prompt is about tests; its words are TESTING_RECALL in the manifest.
"""
_TEST = """\
# `synapse test` runs these: what the rules have to bring, prompt by prompt.

[[case]]
name = "a prompt about tests brings the rules for them"
prompt = "Please add a test for the parser"
domains = ["GLOBAL", "TESTING"]

[[case]]
name = "any other prompt does not"
prompt = "Rename the parser"
no_domains = ["TESTING"]
"""
_UNDECIDED = (
    "Nothing is decided here yet: ask before choosing a language, framework or package manager"
)
_UNKNOWN = "Ask how this project is built and checked: nothing at its root says so"
_UNTESTED = "Ask how tests are run here: no command for them is known yet"


def starter_files(facts: ProjectFacts, rules: Sequence[str] = ()) -> Mapping[str, str]:
    """Returns the files with the starter rules of a first tree, texts by path, without its
    settings; ``rules`` are the person's own.
    """
    return {
        MANIFEST: _MANIFEST,
        f"{TREE}/global": _rule_file(_GLOBAL, "GLOBAL", (*global_rules(facts), *rules)),
        f"{TREE}/testing": _rule_file(_TESTING, "TESTING", testing_rules(facts)),
        f"{TREE}/tests/starter.toml": _TEST,
    }


def _rule_file(header: str, key: str, rules: Sequence[str]) -> str:
    return "\n".join((header, *(f"{key}_RULE_{n}={rule}" for n, rule in enumerate(rules)), ""))


def global_rules(facts: ProjectFacts) -> list[str]:
    """Returns the starter rules for every prompt."""
    written = f"written in {_join(facts.languages)}" if facts.languages else ""
    if facts.about:
        rules = [f"This project: {facts.about}{f'; {written}' * bool(written)}"]
    else:
        rules = [f"This project is {written}"] if written else []
    if facts.packages:
        programs = _join([name for name, _ in facts.packages])
        files = _join([file for _, file in facts.packages])
        verb = "say" if len(facts.packages) > 1 else "says"
        rules.append(f"Use {programs} for packages, as {files} {verb}; no other program")
    if facts.checks:
        verb = "have" if len(facts.checks) > 1 else "has"
        rules.append(f"Before a change is done, {_join(_as_code(facts.checks))} {verb} to pass")
    return rules or [_UNDECIDED if facts.is_empty else _UNKNOWN]


def testing_rules(facts: ProjectFacts) -> list[str]:
    """Returns the starter rules for a prompt about tests."""
    if not facts.tests:
        return [_UNTESTED]
    where = f"; they are in `{facts.test_folder}/`" if facts.test_folder else ""
    return [f"Run the tests with {_join(_as_code(facts.tests))}{where}"]


def _as_code(commands: Sequence[str]) -> list[str]:
    return [f"`{command}`" for command in commands]


def _join(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
