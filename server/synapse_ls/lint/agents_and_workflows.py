"""This module tells lint rules which agents and workflows a tree defines, by every name that they
go by.

Rules ask it whether an agent or a workflow that a file mentions exists. Workflows may be called by
their id, in any spelling, or by an alias of the table or of the configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from synapse_ls.engine.name_slugs import slug_of
from synapse_ls.engine.workflow_aliases import WORKFLOWS
from synapse_ls.formats.workflow_definition import WorkflowDefinition
from synapse_ls.lint.answer_caches import weak_cache
from synapse_ls.workspace.agent_spellings import find_agent_id, possible_names
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.index_keys import make_key
from synapse_ls.workspace.naming_conventions import IdMap
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_agents import collect_spellings

NOT_AGENTS = ("system", "user", "human", "squad", "orchestrator")
"""What workflows name where no agent of the tree is meant."""

FRAMEWORK_AGENTS = (
    *("aiox-master", "analyst", "architect", "data-engineer", "dev", "devops", "pm", "po", "qa"),
    *("sm", "squad-creator", "ux-design-expert"),
)
"""The agents that the framework brings along (SynkraAI/aios-core), where no file says which there are."""


@weak_cache
def known_agent_ids(tree: Tree) -> IdMap[None]:
    """Returns, for lint rules, the agents of a tree by id: those with a file, by id and by file
    name, and those that squads list. The map is empty where the tree has none.
    """
    listed = (name for squad in tree.squads for name in squad.agents)
    return IdMap((name, None) for name in (*tree.agents, *tree.agent_files, *listed))


def is_unknown_agent(tree: Tree, agent: str) -> bool:
    """Tells lint rules whether no agent of the tree has this name: by a file, in a squad's list, or
    as the trigger of a domain. False where the tree has no agents at all, and for names such as
    ``user`` that mean no agent.
    """
    known = known_agent_ids(tree)
    if not known or agent in NOT_AGENTS:
        return False
    return not (
        any(name in known for name in possible_names(agent))
        or find_agent_id(_agent_spellings(tree), agent)
    )


def addresses_trigger(tree: Tree, trigger: str, written: str) -> bool:
    """Returns whether a prompt that begins with the agent ``written`` brings in the domains that wait
    for the agent ``trigger``, as the engine resolves both.
    """
    spellings = _agent_spellings(tree)
    return find_agent_id(spellings, written) == spellings.get(trigger.lower(), trigger)


@weak_cache
def _agent_spellings(tree: Tree) -> Mapping[str, str]:
    """Returns every spelling that addresses an agent -> its id."""
    return collect_spellings(tree)


_DEFINITION_KINDS = (FileKind.WORKFLOW, FileKind.PATTERNS)  # chains are of some workflows only
_NAMING_KINDS = (*_DEFINITION_KINDS, FileKind.CHAINS)


def has_workflows(tree: Tree) -> bool:
    """Tells lint rules whether the tree has any workflow definition or pattern. Only then can one
    be missing.
    """
    return any(tree.snapshot.paths(kind) for kind in _DEFINITION_KINDS)


def workflow_names(tree: Tree, workflow: str) -> frozenset[str]:
    """Returns every slug that a workflow goes by: its own, and those that the table of aliases
    has for it.
    """
    aliases = _workflow_aliases(tree)
    slug = slug_of(workflow)
    names = {slug, aliases.get(slug, slug)}
    return frozenset(names | {other for other, target in aliases.items() if target in names})


def is_workflow_defined(tree: Tree, workflow: str) -> bool:
    """Tells lint rules whether a definition, a pattern or a chain defines the workflow under one of
    its names.
    """
    names = workflow_names(tree, workflow)
    return any(tree.snapshot.defining_paths(make_key("workflow", name)) for name in names)


@weak_cache
def aliased_workflow_names(tree: Tree) -> tuple[str, ...]:
    """Returns the workflow slugs that the table of aliases knows, which may be used though no file
    defines them.
    """
    aliases = _workflow_aliases(tree)
    return tuple(dict.fromkeys((*aliases, *aliases.values())))


@weak_cache
def known_workflow_names(tree: Tree) -> tuple[str, ...]:
    """Returns, for lint rules, the names of all workflows, those of definitions, patterns and
    chains, as the index spells them, and all aliases.
    """
    return (*dict.fromkeys(_defined_workflow_ids(tree)), *_workflow_aliases(tree))


def workflow_definitions(tree: Tree, workflow: str) -> Iterator[tuple[str, WorkflowDefinition]]:
    """Yields path and document of each file that defines a workflow under one of its names,
    sorted by name and path.
    """
    for name in sorted(workflow_names(tree, workflow)):
        for path in tree.snapshot.defining_paths(make_key("workflow", name)):
            facts = tree.snapshot.facts(path)
            if facts and isinstance(facts.document, WorkflowDefinition):
                yield path, facts.document


@weak_cache
def _workflow_aliases(tree: Tree) -> Mapping[str, str]:
    """Returns alias -> workflow, both as slugs: the built-in table, and over it the configuration."""
    own = tree.snapshot.config.workflow_aliases
    return WORKFLOWS | {slug_of(other): slug_of(name) for other, name in own.items()}


def _defined_workflow_ids(tree: Tree) -> Iterator[str]:
    """Yields the workflow ids that definitions, patterns and chains define."""
    for kind in _NAMING_KINDS:
        for path in tree.snapshot.paths(kind):
            facts = tree.snapshot.facts(path)
            if facts:
                yield from (d.key[1] for d in facts.definitions if d.key[0] == "workflow")
