"""The agents that a tree knows, by every name that they are mentioned by."""

from __future__ import annotations

from synapse_ls.lint.lookup import once
from synapse_ls.workspace.naming import IdMap
from synapse_ls.workspace.tree import Tree

NOBODY = ("system", "user", "human", "squad", "orchestrator")
"""What workflows name where no agent of the tree is meant."""

FRAMEWORK = (
    *("aiox-master", "analyst", "architect", "data-engineer", "dev", "devops", "pm", "po", "qa"),
    *("sm", "squad-creator", "ux-design-expert"),
)
"""The agents that the framework brings along (SynkraAI/aios-core), where no file says which there are."""


@once
def known_agents(tree: Tree) -> IdMap[None]:
    """Ids and file names of the agents with a file, and what squads list; empty without any."""
    listed = (name for squad in tree.squads for name in squad.agents)
    return IdMap((name, None) for name in (*tree.agents, *tree.agent_files, *listed))


def is_unknown(tree: Tree, agent: str) -> bool:
    """Whether no agent is called so, where agents were found at all."""
    known = known_agents(tree)
    return bool(known) and agent not in known and agent not in NOBODY
