"""A boundary holds for every spelling of its options, and for every way to the same file."""

from __future__ import annotations

from itertools import permutations

import pytest

from synapse_ls.guard.action_verdict import Verdict, judge_action
from synapse_ls.guard.agent_action import AgentAction
from synapse_ls.guard.boundary_patterns import ALLOW, DENY, Policy, parse_clause

ROOT = "/home/me/project"


def verdict_on(command: str, *denied: str, allowed: str = "") -> Verdict:
    said = [parse_clause(DENY, text, is_pattern=True) for text in denied]
    said += [parse_clause(ALLOW, allowed, is_pattern=True)] if allowed else []
    policy = Policy("dev", [found for found in said if found])
    return judge_action(policy, AgentAction(command=command), root=ROOT)


@pytest.mark.parametrize(
    ("denied", "command", "verdict"),
    [
        ("rm -rf /", "rm -fr /", "deny"),
        ("rm -rf /", "rm -rfv /", "deny"),
        ("rm -rf /", "rm -r -f /", "deny"),
        ("rm -rf /", "rm -R --force /", "deny"),
        ("rm -rf /", "rm --recursive --force /", "deny"),
        ("rm -rf /", "rm -r /", "allow"),
        ("rm -rf /", "rm -rf build", "allow"),
        ("rm -r -f /", "rm -rf /", "deny"),
        ("git push -f", "git push --force", "deny"),
        ("git push -f", "git push --force-with-lease", "deny"),
        ("git push -f", "git push origin +main", "deny"),
        ("git push -f", "git push", "allow"),
        ("git push -d", "git push origin :old", "deny"),
        # git takes the beginning of an option for the option.
        ("git push --force", "git push --force-with-l=main", "deny"),
        ("git push --delete", "git push --mirr", "deny"),
        ("git push --tags", "git push --follow", "deny"),
        ("git push --tags", "git push --atomic", "allow"),
        ("git commit --no-verify", "git commit --messag --no-verify", "allow"),
        ("git commit -n", "git commit --no-verify -m x", "deny"),
        ("git commit --no-verify", "git commit -anm x", "deny"),
        ("git branch -D", "git branch --delete --force x", "deny"),
        ("git branch -D", "git branch -d x", "allow"),
        ("git clean -fd", "git clean -df", "deny"),
        ("git clean -fd", "git clean -d --force", "deny"),
        ("git clean -fd", "git clean -n", "allow"),
        ("npm install -g *", "npm install --global x", "deny"),
        ("npm install -g *", "npm i -g x", "deny"),
        ("npm install -g *", "npm install x", "allow"),
        ("npm install left-pad", "npm i left-pad", "deny"),
        ("npm install left-pad", "npm i is-odd", "allow"),
        ("docker rm -f *", "docker rm --force x", "deny"),
        ("chmod -R 777 *", "chmod --recursive 777 src", "deny"),
        ("cp -rf a b", "cp -fr a b", "deny"),
        # A runner of packages may be told a version.
        ("npm publish", "npx npm@latest publish", "deny"),
        ("npm publish", "npx -y npm@10 publish", "deny"),
        ("npm publish", "npm exec npm@10 publish", "deny"),
        ("npm publish", "pnpm dlx npm@latest publish", "deny"),
        ("npm publish", "yarn dlx npm@latest publish", "deny"),
        ("npm publish", "bunx npm@latest publish", "deny"),
        ("twine upload *", "uvx twine@latest upload dist/x", "deny"),
        ("twine upload *", "uv tool run twine==5.0 upload dist/x", "deny"),
        ("npm publish", "npx npm@latest view left-pad", "allow"),
        # Of a tool that nobody has listed, nobody knows where it publishes.
        ("npm publish", "npx @scope/tool@2 publish", "ask"),
        ("twine upload *", "uvx ruff@latest check .", "allow"),
        # Of other programs nobody knows whether these are several options or one.
        ("gizmo -ab", "gizmo -b -a", "ask"),
        ("gizmo -a -b", "gizmo -ab", "ask"),
        ("gizmo -ab", "gizmo -a", "allow"),
        ("gizmo -ab", "gizmo --abc", "allow"),
        ("find * -delete", "find . -type f -exec echo {} +", "allow"),
    ],
)
def test_options_in_any_spelling(denied: str, command: str, verdict: str) -> None:
    found = verdict_on(command, denied)
    assert found.decision == verdict, found.reason


@pytest.mark.parametrize("letters", ["".join(order) for order in permutations("rfv")])
def test_no_order_of_the_letters_turns_a_denial_into_leave(letters: str) -> None:
    assert verdict_on(f"rm -{letters} /", "rm -rf /").decision == "deny"
    assert verdict_on(f"rm {' '.join(f'-{x}' for x in letters)} /", "rm -rf /").decision == "deny"


@pytest.mark.parametrize(
    ("allowed", "command", "verdict"),
    [
        ("git push -f origin preview", "git push --force origin preview", "allow"),
        ("git push --force origin preview", "git push -f origin preview", "allow"),
        ("git push --force-with-lease origin preview", "git push -f origin preview", "deny"),
        ("git push -f origin preview", "git push -f origin preview main", "deny"),
    ],
)
def test_a_permission_holds_for_other_spellings_of_its_options(
    allowed: str, command: str, verdict: str
) -> None:
    found = verdict_on(command, "git push", allowed=allowed)
    assert found.decision == verdict, found.reason


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("mv .env x && cat x", "deny"),
        ("mv -t /tmp .env", "deny"),
        ("git mv .env x", "deny"),
        ("mv .env.example .env", "allow"),
        ("git add .env", "deny"),
        ("git add -f ./.env", "deny"),
        ("git add .", "allow"),
        ("git add -A", "allow"),
        ("git show HEAD:.env", "deny"),
        ("git show main:./.env", "deny"),
        ("git cat-file -p HEAD~2:.env", "deny"),
        ("git show HEAD:package.json", "allow"),
        ("git check-ignore .env", "allow"),
        ("git check-ignore -v .env", "allow"),
    ],
)
def test_what_brings_the_text_of_a_file_elsewhere_reads_it(command: str, verdict: str) -> None:
    found = verdict_on(command, "read .env")
    assert found.decision == verdict, found.reason


def test_what_cannot_be_told_names_the_boundary_that_stands_in_the_command() -> None:
    found = verdict_on("awk 'BEGIN { system(\"git push\") }'", "rm -rf /", "git push")
    assert found.decision == "ask"
    assert found.clause and found.clause.pattern.text == "git push"
