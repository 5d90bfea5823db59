"""Lookups in a tree that several lint rules share: domains, agents, workflows, similar names.

A workflow also matches by any spelling of its id and by the aliases of the table and the
configuration.
"""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain

from synapse_ls.engine import compiled_plan, profiles
from synapse_ls.engine.word_matching import slug_of
from synapse_ls.engine.workflow_route import WORKFLOW_ALIASES
from synapse_ls.formats.manifest import Manifest, ManifestEntry
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.lint.fixes import word_fix
from synapse_ls.lint.lint_rule import weak_cache
from synapse_ls.text.edit_distance import edit_distance
from synapse_ls.text.finding import Finding, Text
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span
from synapse_ls.workspace.agent_spellings import find_agent_id, possible_names
from synapse_ls.workspace.fact_extraction import Reference, make_key
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.naming_conventions import IdMap, domain_file_names, near_misses
from synapse_ls.workspace.rule_tree import Tree, collect_spellings
from synapse_ls.workspace.tree_domains import Domain, Home


def first_line_span(facts: FileFacts | None) -> Span:
    """Look up the span of the first line, where findings about a whole file are placed."""
    return Span(*next(iter_lines(facts.text))) if facts else Span(0, 0)


def parent_folder(path: str) -> str:
    """Look up the folder that a file is in."""
    return path.rpartition("/")[0]


def declared_domains(tree: Tree, manifest: str) -> tuple[Domain, ...]:
    """Look up the domains that a manifest declares, in its order."""
    return tuple(
        domain
        for domain in tree.home_of(manifest).domains
        if domain.declaration is not None and domain.manifest_path == manifest
    )


@weak_cache
def tree_profile(tree: Tree) -> compiled_plan.Profile:
    """Look up the profile that a tree is served with."""
    return compiled_plan.Profile(profiles.profile_table_of(tree))


# Every spelling that addresses an agent of a tree -> its id.
_agent_spellings = weak_cache(collect_spellings)

# What workflows name where no agent of the tree is meant.
NOT_AGENTS = ("system", "user", "human", "squad", "orchestrator")

# The agents that the framework brings along (SynkraAI/aios-core), where no file says which there
# are.
FRAMEWORK_AGENTS = (
    *("aiox-master", "analyst", "architect", "data-engineer", "dev", "devops", "pm", "po", "qa"),
    *("sm", "squad-creator", "ux-design-expert"),
)


@weak_cache
def known_agent_ids(tree: Tree) -> IdMap[None]:
    """Return, for lint rules, the agents of a tree by id: those with a file, by id and by file
    name, and those that squads list. The map is empty where the tree has none.
    """
    listed = (name for squad in tree.squads for name in squad.agents)
    return IdMap((name, None) for name in (*tree.agents, *tree.agent_files, *listed))


def is_unknown_agent(tree: Tree, agent: str) -> bool:
    """Tell lint rules whether no agent of the tree has this name: by a file, in a squad's list, or
    as the trigger of a domain. False where the tree has no agents at all, and for names such as
    ``user`` that mean no agent.
    """
    if not (agent_ids := known_agent_ids(tree)) or agent in NOT_AGENTS:
        return False
    return not (
        any(name in agent_ids for name in possible_names(agent))
        or find_agent_id(_agent_spellings(tree), agent)
    )


def addresses_trigger(tree: Tree, trigger: str, written: str) -> bool:
    """Return whether a prompt that begins with the agent ``written`` brings in the domains that
    wait for the agent ``trigger``, as the engine resolves both.
    """
    spellings = _agent_spellings(tree)
    return find_agent_id(spellings, written) == spellings.get(trigger.lower(), trigger)


_DEFINITION_KINDS = (FileKind.WORKFLOW, FileKind.PATTERNS)  # chains are of some workflows only
_NAMING_KINDS = (*_DEFINITION_KINDS, FileKind.CHAINS)


def has_workflows(tree: Tree) -> bool:
    """Tell lint rules whether the tree has any workflow definition or pattern. Only then can one be
    missing.
    """
    return any(tree.snapshot.paths(kind) for kind in _DEFINITION_KINDS)


def workflow_names(tree: Tree, workflow: str) -> frozenset[str]:
    """Return every slug that a workflow goes by: its own, and those that the table of aliases has
    for it.
    """
    aliases = workflow_aliases(tree)
    slug = slug_of(workflow)
    names = {slug, aliases.get(slug, slug)}
    return frozenset(names | {other for other, target in aliases.items() if target in names})


def is_workflow_defined(tree: Tree, workflow: str) -> bool:
    """Tell lint rules whether a definition, a pattern or a chain defines the workflow under one of
    its names.
    """
    names = workflow_names(tree, workflow)
    return any(tree.snapshot.defining_paths(make_key("workflow", name)) for name in names)


@weak_cache
def known_workflow_names(tree: Tree) -> tuple[str, ...]:
    """Return, for lint rules, the names of all workflows, those of definitions, patterns and
    chains, as the index spells them, and all aliases.
    """
    paths = chain.from_iterable(map(tree.snapshot.paths, _NAMING_KINDS))
    files = filter(None, map(tree.snapshot.facts, paths))
    keys = (definition.key for facts in files for definition in facts.definitions)
    ids = dict.fromkeys(name for family, name in keys if family == "workflow")
    return (*ids, *workflow_aliases(tree))


@weak_cache
def workflow_aliases(tree: Tree) -> Mapping[str, str]:
    """Return alias -> workflow, both as slugs: the built-in table, and over it the
    configuration.
    """
    configured = tree.snapshot.config.workflow.aliases
    return WORKFLOW_ALIASES | {slug_of(other): slug_of(name) for other, name in configured.items()}


def step_mentions(facts: FileFacts, family: str) -> Iterator[Reference]:
    """Yield the agents or tasks that steps of a workflow name; of one in progress, those of the
    steps that are still to be done.
    """
    mentions = (reference for reference in facts.references if reference.key[0] == family)
    if not isinstance(state := facts.document, WorkflowState):
        yield from mentions
    elif state.status == "active" and state.current_step:
        begin = state.current_step.span.start
        yield from (reference for reference in mentions if begin <= reference.span.start)


# Names that are compared with each other in search of a misspelt one; beyond it none is looked for.
MAX_COMPARISONS = 250_000


@weak_cache
def misnamed_rule_files(home: Home) -> Mapping[str, str]:
    """Return domain whose rule file is missing -> the rule file without a domain that was probably
    meant for it.

    A file is meant by one domain only: the first whose likeliest file it is.
    """
    files = {path.rpartition("/")[2]: path for path in home.orphan_files}
    homeless = [d for d in home.domains if d.declaration and d.is_active and d.file is None]
    rule_files: dict[str, str] = {}
    if len(files) * len(homeless) > MAX_COMPARISONS:
        return rule_files
    for domain in homeless:
        expected = domain_file_names(domain.name, parent_folder(domain.manifest_path))[0]
        if near_files := near_misses(expected, files):
            rule_files[domain.name] = files.pop(near_files[0])
    return rule_files


def named_rule_file(
    tree: Tree, manifest: FileFacts, domain: str
) -> tuple[ManifestEntry, str] | None:
    """Return the entry ``{domain}_FILE`` of a manifest, a key of other systems, with the path from
    the root that it names; None without one.
    """
    document = manifest.document
    entries = document.entries if isinstance(document, Manifest) else ()
    entry = next((e for e in entries if e.key.value == f"{domain}_FILE" and e.word), None)
    if entry is None:
        return None
    path = posixpath.normpath(entry.word)
    beside = posixpath.normpath(f"{parent_folder(manifest.path)}/{path}")
    is_from_root = path.startswith(f"{parent_folder(manifest.path)}/")
    return entry, path if is_from_root and tree.snapshot.facts(beside) is None else beside


@weak_cache
def misspelt_domains(home: Home) -> Mapping[str, str]:
    """Return domain whose rule file is missing -> the domain with a file whose name it misspells.

    One is meant where the two together read like one domain: they share no setting, and the
    misspelt name has no state.
    """
    mentioned = {
        d.name: d.declaration for d in home.domains if d.declaration and d.declaration.entries
    }
    homeless = [
        d.name
        for d in home.domains
        if d.name in mentioned and d.file is None and "STATE" not in mentioned[d.name].entries
    ]
    served = [d.name for d in home.domains if d.name in mentioned and d.file is not None]
    domains: dict[str, str] = {}
    if len(served) * len(homeless) > MAX_COMPARISONS:
        return domains
    for name in homeless:
        apart = [
            other
            for other in served
            if mentioned[other].entries.keys().isdisjoint(mentioned[name].entries)
        ]
        near_domains = near_misses(name, apart) if name not in misnamed_rule_files(home) else ()
        for meant in near_domains[:1]:
            # One that is the beginning or the end of the other is no misspelling.
            pairs = ((name, meant), (meant, name))
            if not any(o.startswith(f"{part}_") or o.endswith(f"_{part}") for part, o in pairs):
                domains[name] = meant
    return domains


# Known names among which a misspelt one is looked for.
MAX_KNOWN_NAMES = 1_000

_LONG_NAME = 9  # letters of a name in which two slips leave no doubt what was meant


@lru_cache(maxsize=4096)
def misspelt_name(name: str, known_names: tuple[str, ...]) -> str:
    """Return the known name that ``name`` misspells beyond doubt, else ""; both in one spelling.

    It is for names that may well exist elsewhere, so it is strict: a short one must have the same
    letters, and neither may be the beginning of the other, as in ``review`` and ``reviewed``.
    """
    if name in known_names:
        return ""
    for other in known_names:
        if len(other) < 3 or other.startswith(name) or name.startswith(other):
            continue
        slips = 1 + (len(other) >= _LONG_NAME)
        if (len(other) > 4 or sorted(name) == sorted(other)) and edit_distance(
            name, other, slips
        ) <= slips:
            return other
    return ""


def unknown_name_finding(
    facts: FileFacts,
    name: Text,
    message: str,
    known_names: Iterable[str],
    default_remedy: str,
    *,
    meant: str = "",
) -> Finding:
    """Return the finding for an unknown name, with a fix that writes the nearest known name.

    ``default_remedy`` is the remedy where no known name is near; ``meant`` is the name that was
    meant, where the caller knows it. Quotation marks and the like
    around the name are left alone.
    """
    # The name itself within its place, which may take in quotation marks.
    start = name.span.cut(facts.text).find(name.value)
    place = name.span
    if start >= 0:
        place = Span(start, start + len(name.value)).shift(name.span.start)
    meant = meant or _nearest_name(name.value, tuple(known_names))
    if not meant:
        return Finding(place, message, default_remedy)
    return Finding(place, message, f"Write `{meant}`.", word_fix(facts, place, meant))


@lru_cache(maxsize=4096)
def _nearest_name(name: str, known_names: tuple[str, ...]) -> str:
    """Return the nearest known name, "" if none is near; cached, because most edits
    change neither.
    """
    near_names = near_misses(name, known_names) if len(known_names) <= MAX_KNOWN_NAMES else ()
    return near_names[0] if near_names else ""
