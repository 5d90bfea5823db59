"""Resolve the names of a tree: domains, squads, agents, tasks and workflows, and their files.

Results are lazy and cached. An agent's names are a domain's trigger, its file's name, id, names and
aliases in its definition, and the client's own agent for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, cast

from synapse_ls.formats.commands_file import StarCommand
from synapse_ls.formats.rule import Rule
from synapse_ls.workspace import tree_domains
from synapse_ls.workspace.agent_spellings import find_agent_id, stands_for
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind, squad_folder_of
from synapse_ls.workspace.naming_conventions import (
    IdMap,
    file_stem,
    is_same_id,
    kebab_case,
    snake_case,
)
from synapse_ls.workspace.path_classification import root_places
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree_folders import CARL, CARL_FILE, ROOT_MARKS, TREE

if TYPE_CHECKING:
    from synapse_ls.formats.agent_definition import AgentDefinition
    from synapse_ls.formats.workflow_state import WorkflowState
    from synapse_ls.workspace.carl_domains import CarlScopes


class Tree:
    """A snapshot with its names resolved.

    ``before`` is the tree of an earlier snapshot: the root and squads whose files did not change
    are taken over from it as they are. ``touched`` are the files whose facts are others than then,
    where somebody knows; else that is found out.
    """

    def __init__(
        self, snapshot: Snapshot, before: Tree | None = None, touched: Iterable[str] | None = None
    ) -> None:
        self.snapshot = snapshot
        self._former = tree_domains.SquadHomes({})
        self._touched: frozenset[str] | None = None
        if before is None:
            return
        # Only what it has already worked out: it must not be made to work for its successor.
        done: tree_domains.SquadHomes | None = vars(before).get("_squads")
        self._former = before._former if done is None else done
        if touched is None:
            return
        new = frozenset(touched)
        if done is not None:
            self._touched = new
        elif before._touched is not None:
            self._touched = before._touched | new
        # The root stays where only files in squads were touched. Of another file somebody may have
        # told the earlier tree no more than an outline of the root.
        is_same_root = self.folder == before.folder and all(
            self._squad_folder_of(path) and not path.startswith(f"{self.folder}/") for path in new
        )
        if is_same_root and "root" in vars(before):
            vars(self)["root"] = vars(before)["root"]

    @cached_property
    def folder(self) -> str:
        """The folder of the root's manifest and rules: ``.synapse``, or ``.carl`` where that is
        served.
        """
        return self.snapshot.folder

    @cached_property
    def manifest_path(self) -> str:
        """The path where the root's manifest is or would be."""
        is_one_file = self.folder == CARL and self.snapshot.facts(CARL_FILE) is not None
        return CARL_FILE if is_one_file else f"{self.folder}/manifest"

    @cached_property
    def manifest(self) -> FileFacts | None:
        """The facts of the root's manifest."""
        return self.snapshot.facts(self.manifest_path)

    @cached_property
    def profile(self) -> str:
        """The profile that the root's files speak for: the first of `ROOT_MARKS` that says
        anything.

        A ``.synapse/`` that holds no rules does not count: sessions of every profile are kept
        there.
        """
        for mark, profile, _ in ROOT_MARKS:
            if mark == TREE:
                rules = (FileKind.MANIFEST, *RULE_KINDS)
                if self.snapshot.config.adopted or any(
                    self.snapshot.paths_under(TREE, kind) for kind in rules
                ):
                    return profile
            elif self.snapshot.facts(mark) is not None or self.snapshot.paths_under(mark):
                return profile
        return ROOT_MARKS[0][1]

    @cached_property
    def domains(self) -> tuple[tree_domains.Domain, ...]:
        """Every domain: the root's in manifest order, then each squad's, by folder name."""
        return tuple(chain.from_iterable(home.domains for home in self.homes))

    @cached_property
    def squads(self) -> tuple[tree_domains.Squad, ...]:
        """Every squad, by folder name."""
        return tuple([home.squad for home in self._squads.homes() if home.squad])

    @cached_property
    def root(self) -> tree_domains.Home:
        """The root's own domains and rule files."""
        folder = self.folder
        paths = sorted(
            path for kind in RULE_KINDS for path in self.snapshot.paths_under(folder, kind)
        )
        if folder == CARL:
            from synapse_ls.workspace.carl_domains import carl_domains

            return tree_domains.Home(None, carl_domains(self.manifest, paths), tuple(paths))
        files = {path[len(folder) + 1 :]: path for path in paths}
        domains = tree_domains.root_domains(self.manifest, files)
        if self.snapshot.config.adopted:
            from synapse_ls.workspace.adopted_sources import adopted_domains

            domains += adopted_domains(self.snapshot, domains)
        return tree_domains.Home(None, domains, tuple(paths))

    def assemble_domains(self, squad: str) -> tuple[tree_domains.Domain, ...]:
        """Return the domains of a folder among the squads, without looking what the squad is."""
        return tree_domains.assemble_domains(
            squad, tree_domains.sort_facts(self._squad_facts(squad))
        )

    @cached_property
    def carl_scopes(self) -> CarlScopes | None:
        """What CARL v2 makes of the tree's file and of those above it; None for every other
        tree.
        """
        paths = (self.manifest_path, *self.snapshot.files_above)
        if self.manifest_path != CARL_FILE:
            return None
        from synapse_ls.workspace.carl_domains import CarlScopes

        facts = [self.snapshot.facts(path) for path in paths]
        files = {
            f.path: carl for f in facts if f and (carl := tree_domains.carl_document(f.document))
        }
        return CarlScopes(files) if self.manifest_path in files else None

    @cached_property
    def homes(self) -> tuple[tree_domains.Home, ...]:
        """The homes: the root, then the squads by folder name."""
        return (self.root, *self._squads.homes())

    def home_of(self, path: str) -> tree_domains.Home:
        """Return the home that a file belongs to."""
        return self._squads.find(self._squad_folder_of(path)) or self.root

    @cached_property
    def orphan_files(self) -> tuple[str, ...]:
        """The rule files that no domain claims, so that no prompt can ever bring them in."""
        return tuple(sorted(path for home in self.homes for path in home.orphan_files))

    def domains_of_file(self, path: str) -> tuple[tree_domains.Domain, ...]:
        """Return the domains that a rule file serves; none where it is no file of a domain's."""
        return self.home_of(path).domains_by_file.get(path, ())

    @cached_property
    def domains_by_label(self) -> Mapping[str, tree_domains.Domain]:
        """The domains by label; of two with the same label the first."""
        domains: dict[str, tree_domains.Domain] = {}
        for domain in self.domains:
            domains.setdefault(domain.label, domain)
        return domains

    def rules_of(self, domain: tree_domains.Domain) -> tuple[Rule, ...]:
        """Return the rules of a domain in the order of its file; none where it has no readable
        file.
        """
        return tree_domains.rules_of(domain, self.snapshot.facts(domain.file or ""))

    @cached_property
    def agents(self) -> Mapping[str, str]:
        """Agent id -> path, in any spelling of the id; the root's agents before those of squads."""
        return self._paths_by_id(FileKind.AGENT)

    @cached_property
    def agent_files(self) -> Mapping[str, str]:
        """What an agent's file is called -> path: all that is known of agents that were not
        read.
        """
        return IdMap((file_stem(path), path) for path in self._paths_by_precedence(FileKind.AGENT))

    @cached_property
    def workflows(self) -> Mapping[str, str]:
        """Workflow id -> path of its definition, in any spelling of the id."""
        return self._paths_by_id(FileKind.WORKFLOW)

    @cached_property
    def tasks(self) -> Mapping[str, str]:
        """Task name (the file's stem) -> path, in any spelling of the name."""
        return self._paths_by_id(FileKind.TASK)

    @cached_property
    def stories(self) -> tuple[str, ...]:
        """The story files, sorted."""
        return self.snapshot.paths(FileKind.STORY)

    @cached_property
    def workflow_states(self) -> tuple[tuple[str, WorkflowState], ...]:
        """The workflow instances with their paths: active ones first, the newest of them first.

        Newest by ``updated_at``, then by the time of the file's last change, then by name.
        """
        ranked = []
        for facts in self.snapshot.files(FileKind.WORKFLOW_STATE):
            state = cast("WorkflowState | None", facts.document)
            if state and state.shape == "instance":
                from synapse_ls.formats.workflow_state import state_order  # with what reads YAML

                ranked.append((state_order(state, facts.mtime_ns, facts.path), facts.path, state))
        return tuple((path, state) for _, path, state in sorted(ranked, key=lambda entry: entry[0]))

    @cached_property
    def commands(self) -> tuple[StarCommand, ...]:
        """The star-commands of the root's commands file, in the order of the file."""
        builtin = (d for d in self.root.domains if d.builtin and d.name.upper() == "COMMANDS")
        facts = self.snapshot.facts(next((domain.file for domain in builtin), None) or "")
        document = tree_domains.commands_in(facts.document) if facts else None
        return document.commands if document else ()

    @cached_property
    def _squads(self) -> tree_domains.SquadHomes:
        """The homes of the folders among the squads."""
        if self._touched is not None:
            folders = set(map(self._squad_folder_of, self._touched)) - {""}
            return self._former.with_facts({path: self._squad_facts(path) for path in folders})
        groups: dict[str, list[FileFacts]] = {folder: [] for folder in self._former.folders}
        for facts in self.snapshot.files(*tree_domains.SQUAD_KINDS):
            if squad := self._squad_folder_of(facts.path):
                groups.setdefault(squad, []).append(facts)
        return self._former.with_facts(groups)

    def _squad_facts(self, squad: str) -> list[FileFacts]:
        """Return the facts of one squad's files."""
        paths = (
            path
            for kind in tree_domains.SQUAD_KINDS
            for path in self.snapshot.paths_under(squad, kind)
        )
        return [facts for facts in map(self.snapshot.facts, paths) if facts]

    def _squad_folder_of(self, path: str) -> str:
        return squad_folder_of(path, self.snapshot.config.paths)

    def _paths_by_id(self, kind: FileKind) -> Mapping[str, str]:
        """Return the files of a kind by id."""
        files = map(self.snapshot.facts, self._paths_by_precedence(kind))
        return IdMap((facts.id, facts.path) for facts in files if facts)

    def _paths_by_precedence(self, kind: FileKind) -> Iterator[str]:
        """Yield the files of a kind: the root's in the order of its places, then the squads'. In
        a folder those come first that have their id as their name.
        """
        paths = self.snapshot.paths(kind)
        squads = {squad.path: rank for rank, squad in enumerate(self.squads if paths else ())}
        home = {
            place.path: rank
            for rank, place in enumerate(root_places(self.snapshot.config.paths))
            if place.kind is kind
        }
        ranked: list[tuple[int, int, bool, str]] = []
        for path in paths:
            facts = self.snapshot.facts(path)
            is_other = facts is not None and not is_same_id(file_stem(path), facts.id)
            if not (squad := self._squad_folder_of(path)):
                rank = home.get(path.rpartition("/")[0], len(home))
                ranked.append((0, rank, is_other, path))
            elif squad in squads:
                ranked.append((1, squads[squad], is_other, path))
        return (path for *_, path in sorted(ranked))


def overriding_domains(tree: Tree, domain: tree_domains.Domain) -> tuple[tree_domains.Domain, ...]:
    """Return the squads' domains that take the place of a root's domain because they have its
    name.
    """
    squads = () if domain.squad else tree.squads
    labels = (f"{s.namespace}_{domain.name}" for s in squads if s.extends == "override")
    domains = map(tree.domains_by_label.get, labels)
    return tuple(domain for domain in domains if domain and domain.squad)


def overridden_domain(tree: Tree, domain: tree_domains.Domain) -> tree_domains.Domain | None:
    """Return the root's domain whose place a squad's domain takes; None where it takes none's."""
    if not domain.squad:
        return None
    squad = next((squad for squad in tree.squads if squad.folder == domain.squad), None)
    name = domain.label.removeprefix(f"{squad.namespace}_") if squad else ""
    root = tree.domains_by_label.get(name)
    return root if root is not None and domain in overriding_domains(tree, root) else None


# Definitions that are read for their names and commands, the root's first; the agents of others go
# by the names of their files.
MAX_DEFINITIONS = 200


def defining_paths(tree: Tree) -> tuple[str, ...]:
    """Return the agent files whose definitions count, by precedence."""
    return tuple(islice(tree.agent_files.values(), MAX_DEFINITIONS))


def collect_spellings(tree: Tree) -> dict[str, str]:
    """Return every spelling that addresses an agent, in lower case -> its id: triggers win over
    files, files over the names in them.
    """
    triggers = [
        (domain.declaration.agent_trigger, domain.name)
        for domain in tree.domains
        if domain.declaration is not None and domain.declaration.agent_trigger
    ]
    spellings: dict[str, str] = {}
    for trigger, _ in triggers:
        _add_spellings(spellings, trigger, trigger)
    short = {kebab_case(name.removeprefix("AGENT_")): trigger for trigger, name in triggers}
    # Add the agents with a file whose trigger is written as another one of their names.
    files = {kebab_case(name): name for name in tree.agent_files}
    for file_trigger in tuple(spellings.values()):
        if file_other := stands_for(files, kebab_case(file_trigger)):
            spellings.setdefault(file_other, file_trigger)
    for path, definition in _read_definitions(tree):
        names = (spellings[name] for name in _own_names(definition) if name in spellings)
        if file_trigger := next(names, ""):
            _add_spellings(spellings, file_stem(path), file_trigger)
    ids = {**{kebab_case(name): name for name in tree.agent_files}, **short, **spellings}
    for name in tree.agent_files:
        other = "" if name.lower() in spellings else stands_for(ids, kebab_case(name))
        _add_spellings(spellings, name, ids[other] if other else name)
    for name, trigger in short.items():
        spellings.setdefault(name, trigger)
    # The names that definitions give their agents; one that two agents share addresses neither.
    agents_by_name: dict[str, set[str]] = {}
    for agent, definition in _definitions(tree, spellings):
        for alias in _own_names(definition):
            agents_by_name.setdefault(alias, set()).add(agent)
    unique = {alias: agents.pop() for alias, agents in agents_by_name.items() if len(agents) == 1}
    return {**unique, **spellings}


def _own_names(definition: AgentDefinition) -> Iterator[str]:
    return filter(None, map(kebab_case, (definition.id, definition.name, *definition.aliases)))


def collect_command_tasks(tree: Tree, spellings: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Return agent -> its commands that take up a task -> the task, by the tasks that its
    definition depends on: ``gate`` and ``qa-gate`` of ``qa`` take up ``qa-gate``.
    """
    tasks_by_agent: dict[str, dict[str, str]] = {}
    for agent, definition in _definitions(tree, spellings):
        own = tasks_by_agent.setdefault(agent, {})
        names = [task.value.removesuffix(".md").lower() for task in definition.tasks]
        for name in names:
            own.setdefault(name, name)
        for name in names:
            bare = name.removeprefix(f"{agent}-")
            for command in (bare, name.removesuffix("-story"), bare.removesuffix("-story")):
                own.setdefault(command, name)
    return {agent: own for agent, own in tasks_by_agent.items() if own}


def _definitions(tree: Tree, spellings: Mapping[str, str]) -> Iterator[tuple[str, AgentDefinition]]:
    """Yield agents with a definition of theirs; of one agent there may be several."""
    for path, definition in _read_definitions(tree):
        name = file_stem(path)
        yield find_agent_id(spellings, name) or name, definition


def _read_definitions(tree: Tree) -> Iterator[tuple[str, AgentDefinition]]:
    if not (paths := defining_paths(tree)):
        return
    from synapse_ls.formats.agent_definition import AgentDefinition

    for path in paths:
        if definition := tree.snapshot.document(path, AgentDefinition):
            yield path, definition


def _add_spellings(found: dict[str, str], name: str, identity: str) -> None:
    for spelling in (name.lower(), kebab_case(name), snake_case(name)):
        found.setdefault(spelling, identity)
