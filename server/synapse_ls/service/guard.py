"""What an agent is about to do → a verdict, by the boundaries of the tree it works in."""

from __future__ import annotations

import os

from synapse_ls.guard.clauses import DENY, EXCLUSIVE, Policy, clause, protection
from synapse_ls.guard.judge import Verdict, judge
from synapse_ls.guard.use import ENFORCE, Use
from synapse_ls.service.git_aliases import git_aliases
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.situation import Situation

FREE: Final = "free"  # of a boundary: what is exclusive to others does not bind its owner


def verdict(
    plan: Plan, situation: Situation, use: Use, *, project: str, agent: str = "", mode: str = ""
) -> Verdict:
    """The verdict on ``use`` in ``situation``.

    project: the folder that paths of boundaries are relative to. agent: who acts, where that is not
    the active agent (a sub-agent has an id of its own). mode: that of the tree unless given.
    """
    policy = policy_of(plan, situation, agent or situation.agent)
    if (mode or plan.settings["guard"]) == ENFORCE:
        policy.clauses += protection()
    aliases = git_aliases(project) if "git" in use.command else {}
    resolved = Use(
        command=use.command,
        files=[(verb, _resolved(path, project, use.folder)) for verb, path in use.files],
        tool=use.tool,
        folder=use.folder,
        shell=use.shell,
    )
    home = os.path.expanduser("~")
    return judge(policy, resolved, root=project, aliases=aliases, home=home)


def policy_of(plan: Plan, situation: Situation, agent: str) -> Policy:
    """What the tree says to ``agent``: its own boundaries, what belongs to others, and the
    ``DENY`` and ``ALLOW`` rules of the domains that take part."""
    taking_part: set[str] | None = None
    policy = Policy(agent, [])
    for label, owner, said, action, machine, note, key, file, line in plan.boundaries:
        if not owner:
            if taking_part is None:
                select = load("synapse_ls.engine.selection").select
                taken = select(plan, situation).by_layer.values()
                taking_part = {domain.label for listed in taken for domain, _ in listed}
            if label not in taking_part:
                continue
        elif owner != agent and said != EXCLUSIVE:
            continue
        if said == FREE:
            policy.is_free = True
            continue
        place = {"owner": owner, "key": key, "file": file, "line": line}
        if made := clause(said, action, machine=machine, note=note, **place):
            policy.clauses.append(made)
    return policy


def unread(plan: Plan, agent: str) -> list[tuple[str, str, int, str]]:
    """``(key, file, line, action)`` of an agent's prohibitions in which no command can be
    recognised: the agent is told of them, the guard cannot see to them."""
    return [
        (key, file, line, action)
        for _, owner, said, action, machine, _, key, file, line in plan.boundaries
        if owner == agent and said == DENY and clause(said, action, machine=machine) is None
    ]


def _resolved(path: str, project: str, folder: str) -> str:
    """Where a path of a tool really leads: links in it have been followed."""
    start = folder if os.path.isabs(folder) else os.path.join(project, folder)
    real = os.path.realpath(os.path.join(start, os.path.expanduser(path)))
    root = os.path.realpath(project)
    return os.path.join(project, os.path.relpath(real, root)) if real.startswith(root) else real
