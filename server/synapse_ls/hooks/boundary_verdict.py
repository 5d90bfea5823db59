"""This module gives the guard's verdict on what an agent is about to do, by the boundaries of the
tree; it also reads git's aliases for that.

git's aliases come from the configuration of the repository, of its folder, and of the user, as git
reads it; files that these include are not looked at, and an alias that only they have is unknown.
"""

from __future__ import annotations

import os

from synapse_ls.guard.action_verdict import Verdict, judge_action
from synapse_ls.guard.agent_action import ENFORCE, AgentAction
from synapse_ls.guard.boundary_clauses import (
    DENY,
    EXCLUSIVE,
    Policy,
    parse_clause,
    protection_clauses,
)
from synapse_ls.text.lazy_import import load_module
from synapse_ls.workspace.regular_files import read_beginning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation


MAX_CONFIG_BYTES: Final = 1_000_000  # bytes of a configuration that are read


def read_git_aliases(folder: str) -> dict[str, str]:
    """Returns git's aliases that count in ``folder``, name -> what it stands for; what cannot be
    read has none.
    """
    found: dict[str, str] = {}
    home = os.path.expanduser("~")
    settings = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    for path in (
        os.path.join(settings, "git", "config"),
        os.path.join(home, ".gitconfig"),
        *_repository_configs(folder),
    ):
        found.update(_parse_aliases(path))
    return found


def _repository_configs(folder: str) -> Iterator[str]:
    """Yields the configuration of the repository that ``folder`` is in, of a linked work tree's
    too.
    """
    while True:
        place = os.path.join(folder, ".git")
        if os.path.isdir(place):
            yield os.path.join(place, "config")
            return
        if os.path.isfile(place):
            target = _read_config(place).partition("gitdir:")[2].strip()
            common = os.path.join(folder, target, "..", "..", "config")
            yield os.path.normpath(common)
            return
        above = os.path.dirname(folder)
        if above == folder:
            return
        folder = above


def _parse_aliases(path: str) -> dict[str, str]:
    found: dict[str, str] = {}
    inside = False
    for line in _read_config(path).replace("\\\n", "").split("\n"):
        text = line.strip()
        if text.startswith("["):
            inside = text.partition("]")[0].strip("[ ").casefold() == "alias"
            text = text.partition("]")[2].strip()
        name, equals, value = text.partition("=")
        if inside and equals and name.strip()[:1] not in ("#", ";", ""):
            value = value.strip()
            if value[:1] == '"' and value[-1:] == '"' and len(value) > 1:
                value = value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
            found[name.strip()] = value
    return found


def read_forge_aliases() -> dict[str, str]:
    """Returns the aliases of GitHub's command line, each with ``gh`` before its name; what cannot
    be read has none.
    """
    settings = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    folder = os.environ.get("GH_CONFIG_DIR") or os.path.join(settings, "gh")
    found: dict[str, str] = {}
    _, _, listed = _read_config(os.path.join(folder, "config.yml")).partition("\naliases:")
    name = ""
    for line in listed.split("\n")[1:]:
        if line.strip() and not line.startswith((" ", "\t", "#")):
            break
        key, colon, value = line.strip().partition(": ")
        if line.rstrip().endswith((": |", ": |-", ": >", ": >-")):
            name = key  # the lines that follow are its text
        elif colon and not (name and line.startswith("        ")):
            name = ""
            found[f"gh {key}"] = value.strip().strip("'\"")
        elif name:
            found[f"gh {name}"] = f"{found.get(f'gh {name}', '')} {line.strip()}".strip()
    return found


def _read_config(path: str) -> str:
    try:
        return read_beginning(path, MAX_CONFIG_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


FREE_WORD: Final = "free"  # of a boundary: what is exclusive to others does not bind its owner


def judge_use(
    plan: Plan,
    situation: Situation,
    use: AgentAction,
    *,
    project_root: str,
    agent: str = "",
    mode: str = "",
) -> Verdict:
    """Returns the verdict on ``use`` in ``situation``.

    project_root: the folder that paths of boundaries are relative to. agent: who acts, where that
    is not the active agent (a sub-agent has an id of its own). mode: that of the tree unless given.
    """
    policy = build_policy(plan, situation, agent or situation.agent)
    if (mode or plan.settings["guard"]) == ENFORCE:
        policy.clauses += protection_clauses()
    aliases = read_git_aliases(project_root) if "git" in use.command else {}
    if "gh" in use.command:
        aliases.update(read_forge_aliases())
    resolved = AgentAction(
        command=use.command,
        files=[(verb, _resolve_path(path, project_root, use.folder)) for verb, path in use.files],
        tool=use.tool,
        folder=use.folder,
        shell=use.shell,
    )
    home = os.path.expanduser("~")
    return judge_action(policy, resolved, root=project_root, aliases=aliases, home=home)


def build_policy(plan: Plan, situation: Situation, agent: str) -> Policy:
    """Returns what the tree says to ``agent``: its own boundaries, what belongs to others, and the
    ``DENY`` and ``ALLOW`` rules of the domains that take part.
    """
    taking_part: set[str] | None = None
    policy = Policy(agent, [])
    for label, owner, said, action, machine, note, key, file, line in plan.boundaries:
        if not owner:
            if taking_part is None:
                select = load_module("synapse_ls.engine.domain_selection").select_domains
                taken = select(plan, situation).by_layer.values()
                taking_part = {domain.label for listed in taken for domain, _ in listed}
            if label not in taking_part:
                continue
        elif owner != agent and said != EXCLUSIVE:
            continue
        if said == FREE_WORD:
            policy.is_free = True
            continue
        place = {"owner": owner, "key": key, "file": file, "line": line}
        if made := parse_clause(said, action, is_pattern=machine, note=note, **place):
            policy.clauses.append(made)
    return policy


def unreadable_clauses(plan: Plan, agent: str) -> list[tuple[str, str, int, str]]:
    """Returns ``(key, file, line, action)`` of an agent's prohibitions in which no command can be
    recognised: the agent is told of them, the guard cannot see to them.
    """
    return [
        (key, file, line, action)
        for _, owner, said, action, machine, _, key, file, line in plan.boundaries
        if owner == agent
        and said == DENY
        and parse_clause(said, action, is_pattern=machine) is None
    ]


def _resolve_path(path: str, project: str, folder: str) -> str:
    """Returns where a path of a tool really leads: links in it have been followed."""
    start = folder if os.path.isabs(folder) else os.path.join(project, folder)
    real = os.path.realpath(os.path.join(start, os.path.expanduser(path)))
    root = os.path.realpath(project)
    return os.path.join(project, os.path.relpath(real, root)) if real.startswith(root) else real
