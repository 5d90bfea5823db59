"""Acts that boundaries name in words, by the commands that do them."""

from __future__ import annotations

import pytest

from synapse_ls.formats.act_commands import (
    ACTS,
    DEPLOY,
    MERGE,
    PUBLISH,
    PULL_REQUEST,
    PUSH,
    RELEASE,
    TAG,
    commands_for_act,
    split_commands,
)
from synapse_ls.guard.action_verdict import judge_action
from synapse_ls.guard.agent_action import AgentAction
from synapse_ls.guard.boundary_patterns import DENY, Policy, parse_clause

FILES = [parse_clause(DENY, "write src/secret.ts", is_pattern=True)]


def clauses(act: str) -> list[object]:
    return [parse_clause(DENY, command, is_pattern=True) for command in commands_for_act(act)]


def verdict(act: str, command: str) -> str:
    boundaries = FILES if act == "write" else clauses(act)
    policy = Policy("dev", boundaries)  # type: ignore[arg-type]
    return judge_action(policy, AgentAction(command=command), root="/p", home="/h").decision


@pytest.mark.parametrize("act", ACTS)
def test_each_command_of_an_act_is_that_act(act: str) -> None:
    commands = [
        command
        for standing, others in ACTS[act].items()
        for command in (standing, *split_commands(others))
        if not command.startswith("request ")
    ]
    spelled = {
        command: command.replace("--create", "v1").replace("*", "x")
        for command in commands
        if "*" not in command.split()[0]
    }
    # As it is typed: a path of an interface has a name where the table has a star.
    assert {c for c, line in spelled.items() if verdict(act, line) == "allow"} == set()


@pytest.mark.parametrize(
    ("act", "command", "decision"),
    [
        (PUBLISH, "npx @vscode/vsce publish", "deny"),
        (PUBLISH, "npx jsr publish", "deny"),
        (PUBLISH, "cargo +nightly publish", "deny"),
        (PUBLISH, "nodemon --exec 'pnpm publish'", "ask"),
        (PUBLISH, "./gradlew publish", "deny"),
        (PUBLISH, "./gradlew publishToMavenLocal", "allow"),
        (PUBLISH, "docker buildx build --push -t x .", "deny"),
        (PUBLISH, "docker build -t x .", "allow"),
        (PUBLISH, "$(echo npm) publish", "ask"),
        (PUBLISH, "npm publish --dry-run", "allow"),
        (PUBLISH, "npm publish --dry-run=false", "deny"),
        (PUBLISH, "npm publish --dry-run false", "deny"),
        (PUBLISH, "npm publish --help", "allow"),
        (PUBLISH, "npm publish --otp --help", "deny"),
        (PUBLISH, "npm run build", "allow"),
        (PUSH, "git push --help", "allow"),
        (PUSH, "git push -h", "allow"),
        (PUSH, "git push -n origin main", "allow"),
        (PUSH, "git push --dry-run --no-dry-run", "deny"),
        (PUSH, "git push -- --help", "deny"),
        (PUSH, "git push -o --help", "deny"),
        (PUSH, "git push $OPTIONS --dry-run", "deny"),
        (PUSH, "hg -R clone push", "ask"),
        (PUSH, 'claude -p "why did git push fail?"', "allow"),
        (PUSH, 'claude -p "$(git push)"', "deny"),
        (PULL_REQUEST, "gh pr create --dry-run", "deny"),  # it may push all the same
        (PULL_REQUEST, "xh post https://api.github.com/repos/a/b/pulls title=x", "deny"),
        (PULL_REQUEST, "xh https://api.github.com/repos/a/b/pulls title=x", "deny"),
        (PULL_REQUEST, "xh https://api.github.com/repos/a/b/pulls", "allow"),
        (PULL_REQUEST, "curl -X POST https://codeberg.org/api/v1/repos/a/b/pulls", "deny"),
        (PULL_REQUEST, "curl https://codeberg.org/api/v1/repos/a/b/pulls", "allow"),
        (PULL_REQUEST, "curl -d @x https://gitlab.com/api/v4/projects/1/merge_requests", "deny"),
        (PULL_REQUEST, "glab api -X POST projects/1/merge_requests", "deny"),
        (PULL_REQUEST, "iwr -Method Post -Uri https://ghe.corp/api/v3/repos/a/b/pulls", "deny"),
        (MERGE, "glab api --method PUT projects/1/merge_requests/2/merge", "deny"),
        (TAG, "git fetch . HEAD:refs/tags/v1", "deny"),
        (TAG, "git fetch origin refs/tags/v1:refs/tags/v1", "allow"),
        (TAG, "git symbolic-ref refs/tags/v1 refs/heads/main", "deny"),
        (TAG, "git symbolic-ref HEAD", "allow"),
        (TAG, "npm version minor", "deny"),
        (TAG, "hg tag v1", "deny"),
        (TAG, "svn cp -m x ^/trunk ^/branches/a ^/tags/v1", "deny"),
        (TAG, "svn cp ^/tags/v1 a", "allow"),
        (TAG, "npm version 1.2.3", "deny"),
        (TAG, "npm version from-git", "deny"),
        (TAG, "python -m semantic_release version", "deny"),
        # The word of an act is of the programs of this act, and of those that nobody has listed.
        (DEPLOY, "eas deploy", "ask"),
        (PUBLISH, "hg push", "allow"),
        (RELEASE, "npx nx release", "deny"),
        (DEPLOY, "kubectl apply -f service.yaml", "deny"),
        (DEPLOY, "kubectl apply -f service.yaml --dry-run=server", "allow"),
        (DEPLOY, "kubectl apply -f service.yaml --dry-run=none", "deny"),
        (DEPLOY, "kubectl get pods", "allow"),
        ("write", "sed -n 1,5p src/secret.ts", "allow"),
        ("write", "sed -ni s/a/b/ src/secret.ts", "deny"),
        ("write", "awk '$3 > 5 {print $1}' src/secret.ts", "allow"),
        ("write", "awk '{print > FILENAME}' src/secret.ts", "ask"),
        ("write", "awk -f x.awk src/secret.ts", "ask"),
        ("write", "gawk -i inplace '{print}' src/secret.ts", "deny"),
        ("write", "perl -ne 'print if /a/' src/secret.ts", "allow"),
        ("write", "perl -ne 'unlink $ARGV' src/secret.ts", "ask"),
        ("write", "perl -0pi -e 's/a/b/' src/secret.ts", "deny"),
        ("write", "ruby -ne 'puts $_' src/secret.ts", "allow"),
    ],
)
def test_what_is_typed_is_judged_by_what_it_does(act: str, command: str, decision: str) -> None:
    assert verdict(act, command) == decision
