"""Compile a ``.synapse/`` tree into the fields of a plan."""

from collections import Counter
from collections.abc import Iterable, Iterator
from marshal import dumps
from typing import Any
from weakref import WeakKeyDictionary

from synapse_ls.engine import compiled_plan, plan_compiler, word_matching, workflow_route
from synapse_ls.engine.systems.synapse import rule_files
from synapse_ls.engine.word_matching import EXCLUDE, RECALL, slug_of
from synapse_ls.formats import commands_file, constitution_file, domain_file
from synapse_ls.formats.authority_boundary import guarded_stories
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.rule import Rule
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.naming_conventions import squad_prefix
from synapse_ls.workspace.rule_tree import Tree, collect_command_tasks, collect_spellings
from synapse_ls.workspace.tree_domains import Domain, Squad, rules_in


def boundary_rows(tree: Tree, agents: dict[str, str]) -> Iterator[tuple[Any, ...]]:
    """Yield ``(domain label, owner, said, action, machine, note, key, file, line)`` of each
    authority boundary of a ``.synapse/`` tree.
    """
    folders = tree.snapshot.config.paths.stories
    for domain in tree.domains:
        facts = tree.snapshot.facts(domain.file) if domain.file else None
        if facts is not None and rule_files.have_boundaries(rules_in(facts.document)):
            declaration, rules = domain.declaration, tree.rules_of(domain)
            owner = declaration.agent_trigger if declaration and declaration.is_active else ""
            owner = agents.get(owner.lower(), owner)
            stories = guarded_stories(facts.text, rules_in(facts.document), folders)
            yield from rule_files.boundaries_in(
                domain.label, owner, facts.path, facts.text, rules, stories
            )


NOT_OVERRIDABLE = ("CONSTITUTION", "CONTEXT")
BUILTIN_ROLES = {
    "CONSTITUTION": "constitution",
    "GLOBAL": "global",
    "CONTEXT": "context",
    "COMMANDS": "commands",
}

Values = tuple[Any, ...]

# Facts of a rule file -> label of a domain -> its fields, and the domain packed from both.
_PACKED: WeakKeyDictionary[FileFacts, dict[str, tuple[Values, bytes]]] = WeakKeyDictionary()


def plan_fields(tree: Tree, table: dict[str, Any], *, standing: bool = False) -> dict[str, Any]:
    """Return the plan fields of a ``.synapse/`` tree; see `compile_plan` for ``standing``."""
    config = tree.snapshot.config
    agents = collect_spellings(tree)
    own_aliases = {slug_of(k): slug_of(v) for k, v in config.workflow.aliases.items()}
    alias = workflow_route.WORKFLOW_ALIASES | own_aliases
    brackets = frozenset(row["name"] for row in table["brackets"])
    compiler = _DomainCompiler(tree, agents, alias, brackets, standing=standing)
    packed = tuple(compiler.compile_domains())
    # Stories go by their names; those that share a name by their paths.
    story_stems = {path: path.rpartition("/")[2].removesuffix(".md") for path in tree.stories}
    stems = Counter(story_stems.values())
    # The fields of `PlanSquad`.
    squads = tuple(
        (
            squad.folder,
            squad.name,
            squad.extends,
            tuple(compiler.by_squad.get(position, ())),
            tuple(agents.get(agent.lower(), agent) for agent in squad.agent_files),
        )
        for position, squad in enumerate(compiler.squads)
    )
    return {
        "settings": {
            **plan_compiler.engine_settings(config),
            "readers_of_all": _readers_of_all(compiler.domains),
            "adopted": _adopted_files(tree, compiler.domains),
        },
        "packed": packed,
        "labels": compiler.labels,
        "always": tuple(compiler.always),
        "boundaries": tuple(boundary_rows(tree, agents)),
        "by_agent": {key: tuple(positions) for key, positions in compiler.by_agent.items()},
        "by_workflow": {key: tuple(positions) for key, positions in compiler.by_workflow.items()},
        "periodic": tuple(compiler.periodic),
        "keywords": word_matching.compile_keywords(compiler.keywords, compiler.inflected),
        "commands": _command_table(tree),
        "squad_rows": dumps(squads),
        "owners": {agent: folder for folder, *_, own in reversed(squads) for agent in own},
        **_workflow_states(tree),
        "agents": agents,
        "command_tasks": collect_command_tasks(tree, agents),
        "aliases": alias,
        "phases": plan_compiler.phase_aliases(config, alias),
        "tasks": dict(tree.tasks),
        "stories": {
            (stem if stems[stem] == 1 else path.removesuffix(".md")): path
            for path, stem in story_stems.items()
        },
        "devmode": plan_compiler.is_devmode_on(config, compiler.manifest),
    }


def _readers_of_all(domains: Iterable[Domain]) -> tuple[str, ...]:
    """Return the clients that are given no rule of a tree before they touch files, because they
    have instructions already.
    """
    injected = [domain for domain in domains if not domain.on_request]
    first = [
        domain
        for domain in injected
        if not domain.adopted or (domain.declaration and domain.declaration.always_on)
    ]
    readers = [
        {*domain.native, *(client for client, _ in domain.elsewhere)}
        for domain in first or injected
    ]
    return tuple(sorted(set[str]().union(*readers).intersection(*readers)))


def _adopted_files(tree: Tree, domains: Iterable[Domain]) -> dict[str, str]:
    """Return the files of instructions that the tree refers to, each with its `scope_digest`; ""
    where only a part of the file counts.
    """
    if not (adopted := [domain for domain in domains if domain.adopted]):
        return {}
    from synapse_ls.formats.instruction_scopes import scope_digest

    files: dict[str, str] = {}
    for domain in adopted:
        path = domain.file or ""
        facts = tree.snapshot.facts(path)
        is_whole = facts is not None and domain.lines is None and files.get(path) != ""
        files[path] = scope_digest(facts.text) if facts is not None and is_whole else ""
    return files


class _DomainCompiler:
    """All domains, packed, and the tables by which a prompt finds them."""

    def __init__(
        self,
        tree: Tree,
        agents: dict[str, str],
        alias: dict[str, str],
        brackets: frozenset[str],
        *,
        standing: bool,
    ) -> None:
        self.brackets = brackets
        self.tree = tree
        self.agents = agents
        self.alias = alias
        self.squads: tuple[Squad, ...] = () if standing else tree.squads
        self.domains = tuple(d for d in tree.domains if not standing or _can_stand(d))
        self.squad_at = {squad.folder: i for i, squad in enumerate(self.squads)}
        document = tree.manifest.document if tree.manifest else None
        self.manifest = document if isinstance(document, Manifest) else None
        self.names = {domain.name for domain in self.domains if not domain.squad}
        self.labels: dict[str, int] = {}
        self.always: list[int] = []
        self.periodic: list[int] = []
        self.by_agent: dict[str, list[int]] = {}
        self.by_workflow: dict[str, list[int]] = {}
        self.by_squad: dict[int, list[int]] = {}
        self.keywords: list[tuple[str, int, int]] = []
        self.inflected: set[int] = set()  # positions of domains

    def compile_domains(self) -> Iterator[bytes]:
        """Yield the domains as a plan keeps them, registered on the way."""
        scopes = {-1: self.manifest}
        for i, squad in enumerate(self.squads):
            if manifest := self.tree.snapshot.document(squad.manifest_path or "", Manifest):
                scopes[i] = manifest
        for scope, scope_manifest in scopes.items():
            words = scope_manifest.global_exclude if scope_manifest else ()
            self.keywords += [(word, scope, word_matching.GLOBAL_EXCLUDE) for word in words]
        for position, domain in enumerate(self.domains):
            declaration = domain.declaration
            squad_position = self.squad_at[domain.squad] if domain.squad else -1
            role = BUILTIN_ROLES.get(domain.name, "") if squad_position < 0 else ""
            self.labels.setdefault(domain.label, position)
            if role or (declaration and declaration.always_on):
                self.always.append(position)
            if squad_position >= 0:
                self.by_squad.setdefault(squad_position, []).append(position)
            triggers: dict[str, Any] = {}
            if declaration:
                agent = self.agents.get(
                    declaration.agent_trigger.lower(), declaration.agent_trigger
                )
                facts = self.tree.snapshot.facts(domain.manifest_path or "")
                triggers = {
                    "active": declaration.is_active,
                    "always_on": declaration.always_on,
                    "non_negotiable": declaration.non_negotiable,
                    "agent": agent,
                    "workflow": declaration.workflow_trigger,
                    "recall": tuple(declaration.recall),
                    "exclude": tuple(declaration.exclude),
                    "paths": tuple(declaration.paths),
                    "every_n_turns": declaration.every_n_turns or 0,
                    "on_tokens": declaration.on_tokens or 0,
                    "line": facts.lines.line_of(declaration.span.start) if facts else 0,
                }
                if agent:
                    self.by_agent.setdefault(agent, []).append(position)
                if declaration.workflow_trigger:
                    slug = slug_of(declaration.workflow_trigger)
                    self.by_workflow.setdefault(self.alias.get(slug, slug), []).append(position)
                if declaration.every_n_turns or declaration.on_tokens or declaration.paths:
                    self.periodic.append(position)
                self.keywords += [(word, position, RECALL) for word in declaration.recall]
                self.keywords += [(word, position, EXCLUDE) for word in declaration.exclude]
                if declaration.inflections:
                    self.inflected.add(position)
            fields = plan_compiler.make_domain_fields(
                position,
                domain.label,
                name=domain.name,
                squad=squad_position,
                role=role,
                overrides=self._overridden_names(domain, squad_position),
                file=domain.file or "",
                manifest=domain.manifest_path or "",
                native=domain.native,
                on_request=domain.on_request,
                elsewhere=domain.elsewhere,
                **triggers,
            )
            yield self._pack_domain(domain, fields)

    def _pack_domain(self, domain: Domain, fields: Values) -> bytes:
        """Return the fields and the rules, as they were packed before where neither has changed."""
        facts = self.tree.snapshot.facts(domain.file) if domain.file else None
        # Of rules by bracket the profile decides, too, which bracket there is.
        own = domain.shared or domain.lines is not None
        own = own or (facts is not None and isinstance(facts.document, ContextDocument))
        packed_before = {} if facts is None or own else _PACKED.setdefault(facts, {})
        if (before := packed_before.get(domain.label)) is not None and before[0] == fields:
            return before[1]
        packed = compiled_plan.pack_domain(fields, _domain_rules(self.tree, domain, self.brackets))
        packed_before[domain.label] = (fields, packed)
        return packed

    def _overridden_names(self, domain: Domain, squad: int) -> tuple[str, ...]:
        """Return the root domains of the same name without the squad's namespace (ADR-001,
        override).
        """
        if squad < 0 or self.squads[squad].extends != "override":
            return ()
        bare = domain.name.removeprefix(f"{squad_prefix(domain.squad)}_")
        names = {name for name in (domain.name, bare) if name in self.names}
        return tuple(sorted(names.difference(NOT_OVERRIDABLE)))


def _can_stand(domain: Domain) -> bool:
    """Check whether a domain can take part without a prompt, a workflow or a squad."""
    declaration = domain.declaration
    if domain.squad or declaration is None:
        return not domain.squad
    return domain.builtin or declaration.always_on or bool(declaration.agent_trigger)


def _domain_rules(tree: Tree, domain: Domain, brackets: frozenset[str]) -> Iterable[Rule]:
    facts = tree.snapshot.facts(domain.file) if domain.file else None
    document = facts.document if facts else None
    if isinstance(document, constitution_file.ConstitutionDocument):
        return rule_files.constitution_rules(document)
    if isinstance(document, ContextDocument):
        return rule_files.context_rules(document, brackets)
    if isinstance(document, commands_file.StarCommands):
        return rule_files.command_rules(document.commands)
    if isinstance(document, domain_file.RulesDocument):
        return rule_files.plain_rules(tree.rules_of(domain))
    return ()


def _command_table(tree: Tree) -> dict[str, tuple[str, tuple[Values, ...]]]:
    table: dict[str, tuple[str, tuple[Values, ...]]] = {}
    for domain in tree.domains:
        path = "" if domain.squad else domain.file or ""
        if commands := tree.snapshot.document(path, commands_file.StarCommands):
            rule_files.add_commands(table, path, commands)
    return table


def _workflow_states(tree: Tree) -> dict[str, Any]:
    """Return the fields of a plan about workflow instances."""
    states: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = {}
    steps: dict[str, tuple[Any, ...]] = {}
    for path, state in tree.workflow_states:
        facts = tree.snapshot.facts(path)
        if facts is None or state.shape != "instance" or state.status != "active":
            continue
        from synapse_ls.formats import workflow_definition, workflow_state

        workflow = tree.workflows.get(state.workflow_id, "")
        definition = tree.snapshot.document(workflow, workflow_definition.WorkflowDefinition)
        defined = steps[state.workflow_id] = tuple(
            (step.index, step.id, step.step, step.phase, step.task)
            for step in (definition.steps if definition else ())
        )
        order = workflow_state.state_order(state, facts.mtime_ns, path)
        states[path] = order, workflow_state.plan_row(state, path, defined)
    return {
        "state_rows": compiled_plan.active_rows(states),
        "workflow_states": states,
        "workflow_steps": steps,
    }
