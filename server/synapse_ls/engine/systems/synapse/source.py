"""This module compiles a ``.synapse/`` tree into the fields of a plan.

The only place where resolved objects of the workspace become the plain rows a prompt reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from marshal import dumps
from typing import Any
from weakref import WeakKeyDictionary

from synapse_ls.engine import plan_settings, workflow_aliases
from synapse_ls.engine.compiled_plan import DOMAIN_FIELDS, slug_of
from synapse_ls.engine.keyword_table import EXCLUDE, GLOBAL_EXCLUDE, RECALL, compile_keywords
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.engine.text_identity import hash_text
from synapse_ls.formats.authority_acts import act_patterns, names_sole_sections, story_sections
from synapse_ls.formats.authority_boundary import (
    ALLOWED,
    BLOCKED,
    EXCLUSIVE,
    boundary_actions,
    boundary_note,
    is_unrestricted,
)
from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.formats.constitution_file import ConstitutionDocument
from synapse_ls.formats.context_file import ContextDocument, bracket_word
from synapse_ls.formats.domain_rules import Rule, RulesDocument
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.workflow_definition import WorkflowDefinition
from synapse_ls.formats.workflow_state import DefinedStep, plan_row
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.naming_conventions import squad_prefix
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_agents import collect_command_tasks, collect_spellings
from synapse_ls.workspace.tree_domains import Domain, guarded_stories, rules_in
from synapse_ls.workspace.tree_squads import Squad

BOUNDARY_VERDICTS = {ALLOWED: "allow", BLOCKED: "deny", EXCLUSIVE: "exclusive"}
PATTERN_KINDS = ("deny", "allow")


def boundary_rows(tree: Tree, agents: dict[str, str]) -> Iterator[tuple[Any, ...]]:
    """Yields ``(domain label, owner, said, action, machine, note, key, file, line)`` of each
    boundary.

    owner: the agent whose it is, "" for everybody's. said: "deny", "allow", "exclusive" or
    "free". machine: whether the action is a pattern as it stands (``{D}_DENY_n``,
    ``{D}_ALLOW_n``), and not a sentence. line: from 0.
    """
    for domain in tree.domains:
        facts = tree.snapshot.facts(domain.file) if domain.file else None
        if facts is None or not _has_boundaries(facts):
            continue
        owner = _owner_agent(domain, agents)
        stories = guarded_stories(facts, tree.snapshot.config.paths.stories)
        for rule in tree.rules_of(domain):
            machine = rule.kind in PATTERN_KINDS
            if not (machine or (owner and rule.kind == "auth")):
                continue
            place = (boundary_note(rule.text), rule.key, facts.path, rule.line)
            if is_unrestricted(rule.text):
                yield (domain.label, owner, "free", "", False, *place)
            for action in boundary_actions(facts.text, rule):
                if said := BOUNDARY_VERDICTS.get(action.effect):
                    named = action.action.value
                    acts: tuple[str, ...] = ()
                    if not machine:
                        said, acts = _named_acts(rule.text, said, named, stories)
                    yield from ((domain.label, owner, said, act, True, *place) for act in acts)
                    if not acts:
                        yield (domain.label, owner, said, named, machine, *place)


def _named_acts(
    rule: str, said: str, named: str, stories: tuple[str, ...]
) -> tuple[str, tuple[str, ...]]:
    """Returns what a sentence says of the acts that it names, and their patterns; where only some
    sections of stories may be changed, it forbids the others.
    """
    if said != "allow" or not story_sections(named):
        return said, act_patterns(named, stories)
    if names_sole_sections(rule, named):
        return "deny", tuple(f"write {glob}" for glob in stories)
    return said, ()


def _has_boundaries(facts: FileFacts) -> bool:
    """Checks whether a file has boundaries: of most, nobody has to look at the rules again."""
    known = _HAS_BOUNDARIES.get(facts)
    if known is None:
        known = any(rule.kind in ("auth", *PATTERN_KINDS) for rule in rules_in(facts.document))
        _HAS_BOUNDARIES[facts] = known
    return known


_HAS_BOUNDARIES: WeakKeyDictionary[FileFacts, bool] = WeakKeyDictionary()


def _owner_agent(domain: Domain, agents: dict[str, str]) -> str:
    said = domain.declaration
    if said is None or not said.agent_trigger or not said.is_active:
        return ""
    return agents.get(said.agent_trigger.lower(), said.agent_trigger)


NOT_OVERRIDABLE = ("CONSTITUTION", "CONTEXT")
BUILTIN_ROLES = {
    "CONSTITUTION": "constitution",
    "GLOBAL": "global",
    "CONTEXT": "context",
    "COMMANDS": "commands",
}

RowFields = tuple[Any, ...]

# Facts of a rule file -> label of a domain -> its fields, and the row packed from both.
_PACKED: WeakKeyDictionary[FileFacts, dict[str, tuple[RowFields, bytes]]] = WeakKeyDictionary()


def plan_fields(tree: Tree, table: dict[str, Any], *, standing: bool = False) -> dict[str, Any]:
    """Returns the fields of the plan of ``tree``; see `compile_plan` for ``standing``."""
    config = tree.snapshot.config
    agents = collect_spellings(tree)
    alias = {
        **workflow_aliases.WORKFLOWS,
        **{slug_of(k): slug_of(v) for k, v in config.workflow_aliases.items()},
    }
    brackets = frozenset(row["name"] for row in table["brackets"])
    compiler = _DomainCompiler(tree, agents, alias, brackets, standing=standing)
    packed = tuple(compiler.compile_domains())
    squads = tuple(compiler.compile_squads())
    return {
        "settings": plan_settings.engine_settings(config),
        "packed": packed,
        "labels": compiler.labels,
        "always": tuple(compiler.always),
        "boundaries": tuple(boundary_rows(tree, agents)),
        "by_agent": {key: tuple(found) for key, found in compiler.by_agent.items()},
        "by_workflow": {key: tuple(found) for key, found in compiler.by_workflow.items()},
        "periodic": tuple(compiler.periodic),
        "keywords": compile_keywords(compiler.keywords),
        "commands": _command_table(tree),
        "squad_rows": squads,
        "owners": {agent: folder for folder, *_, own in reversed(squads) for agent in own},
        "state_rows": tuple(_workflow_state_rows(tree)),
        "agents": agents,
        "command_tasks": collect_command_tasks(tree, agents),
        "aliases": alias,
        "phases": plan_settings.phase_aliases(config, alias),
        "tasks": dict(tree.tasks),
        "stories": _story_names(tree),
        "devmode": plan_settings.is_devmode_on(config, compiler.manifest),
    }


class _DomainCompiler:
    """A _DomainCompiler makes the rows of all domains, and the tables by which a prompt finds
    them.
    """

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

    def compile_domains(self) -> Iterator[bytes]:
        """Yields the domains as the packed fields of `PlanDomain`, registered on the way."""
        self._add_global_excludes(-1, self.manifest)
        for i, squad in enumerate(self.squads):
            facts = self.tree.snapshot.facts(squad.manifest_path) if squad.manifest_path else None
            if facts is not None and isinstance(facts.document, Manifest):
                self._add_global_excludes(i, facts.document)
        for position, domain in enumerate(self.domains):
            yield self._compile_domain(position, domain)

    def _add_global_excludes(self, scope: int, manifest: Manifest | None) -> None:
        words = manifest.global_exclude if manifest else ()
        self.keywords += [(word, scope, GLOBAL_EXCLUDE) for word in words]

    def _compile_domain(self, position: int, domain: Domain) -> bytes:
        said = domain.declaration
        squad = self.squad_at[domain.squad] if domain.squad else -1
        role = BUILTIN_ROLES.get(domain.name, "") if squad < 0 else ""
        agent = said.agent_trigger if said else ""
        agent = self.agents.get(agent.lower(), agent)
        workflow = said.workflow_trigger if said else ""
        values: dict[str, Any] = {
            "position": position,
            "name": domain.name,
            "label": domain.label,
            "squad": squad,
            "role": role,
            "active": said.is_active if said else True,
            "always_on": said.always_on if said else False,
            "non_negotiable": said.non_negotiable if said else False,
            "agent": agent,
            "workflow": workflow,
            "recall": tuple(said.recall) if said else (),
            "exclude": tuple(said.exclude) if said else (),
            "paths": tuple(said.paths) if said else (),
            "every_n_turns": (said.every_n_turns or 0) if said else 0,
            "on_tokens": (said.on_tokens or 0) if said else 0,
            "overrides": self._overridden_names(domain, squad),
            "file": domain.file or "",
            "manifest": domain.manifest_path or "",
            "line": self._declaration_line(domain),
        }
        self._register_domain(position, values)
        return self._pack_domain(domain, tuple(values[name] for name in DOMAIN_FIELDS))

    def _pack_domain(self, domain: Domain, fields: RowFields) -> bytes:
        """Returns the fields and the rows, as they were packed before where neither has changed."""
        facts = self.tree.snapshot.facts(domain.file) if domain.file else None
        # Of rules by bracket the profile decides, too, which bracket there is.
        own = domain.shared or (facts is not None and isinstance(facts.document, ContextDocument))
        known = {} if facts is None or own else _PACKED.setdefault(facts, {})
        before = known.get(domain.label)
        if before is not None and before[0] == fields:
            return before[1]
        packed = dumps((*fields, tuple(_domain_rows(self.tree, domain, self.brackets))))
        known[domain.label] = (fields, packed)
        return packed

    def _declaration_line(self, domain: Domain) -> int:
        if domain.declaration is None or not domain.manifest_path:
            return 0
        facts = self.tree.snapshot.facts(domain.manifest_path)
        return facts.lines.line_of(domain.declaration.span.start) if facts else 0

    def _overridden_names(self, domain: Domain, squad: int) -> tuple[str, ...]:
        """Returns the root domains of the same name without the squad's namespace (ADR-001,
        override).
        """
        if squad < 0 or self.squads[squad].extends != "override":
            return ()
        bare = domain.name.removeprefix(f"{squad_prefix(domain.squad)}_")
        found = {name for name in (domain.name, bare) if name in self.names}
        return tuple(sorted(found.difference(NOT_OVERRIDABLE)))

    def _register_domain(self, position: int, values: dict[str, Any]) -> None:
        self.labels.setdefault(values["label"], position)
        if values["role"] or values["always_on"]:
            self.always.append(position)
        if values["agent"]:
            self.by_agent.setdefault(values["agent"], []).append(position)
        if values["workflow"]:
            slug = slug_of(values["workflow"])
            self.by_workflow.setdefault(self.alias.get(slug, slug), []).append(position)
        if values["every_n_turns"] or values["on_tokens"] or values["paths"]:
            self.periodic.append(position)
        if values["squad"] >= 0:
            self.by_squad.setdefault(values["squad"], []).append(position)
        self.keywords += [(word, position, RECALL) for word in values["recall"]]
        self.keywords += [(word, position, EXCLUDE) for word in values["exclude"]]

    def compile_squads(self) -> Iterator[tuple[Any, ...]]:
        """Yields the squads as the fields of `PlanSquad`; ``compile_domains`` has to be exhausted
        before.
        """
        for i, squad in enumerate(self.squads):
            agents = tuple(self.agents.get(agent.lower(), agent) for agent in squad.agent_files)
            domains = tuple(self.by_squad.get(i, ()))
            yield (squad.folder, squad.name, squad.extends, domains, agents)


def _can_stand(domain: Domain) -> bool:
    """Checks whether a domain can take part without a prompt, a workflow or a squad."""
    said = domain.declaration
    if domain.squad or said is None:
        return not domain.squad
    return domain.builtin or said.always_on or bool(said.agent_trigger)


def _domain_rows(tree: Tree, domain: Domain, brackets: frozenset[str]) -> Iterator[RowFields]:
    facts = tree.snapshot.facts(domain.file) if domain.file else None
    document = facts.document if facts else None
    if isinstance(document, ConstitutionDocument):
        yield from _constitution_rows(document)
    elif isinstance(document, ContextDocument):
        own = [rule for rule in document.general if bracket_word(rule) in brackets]
        for rule in _sort_rules(rule for rule in document.general if rule not in own):
            yield _rule_row(rule)
        for rule in _sort_rules(rule._replace(index=_last_number(rule)) for rule in own):
            yield _rule_row(rule, kind="bracket", qualifier=bracket_word(rule))
        for bracket, rules in document.brackets.items():
            if document.switches.get(bracket, True):
                for rule in _sort_rules(rules):
                    yield _rule_row(rule, kind="bracket", qualifier=bracket)
    elif isinstance(document, StarCommands):
        for command in document.commands:
            for rule in _sort_rules(command.rules):
                yield _rule_row(rule, kind="command", qualifier=command.name)
    elif isinstance(document, RulesDocument):
        for rule in _sort_rules(tree.rules_of(domain)):
            yield _rule_row(rule)


def _last_number(rule: Rule) -> int:
    return int(rule.key.rpartition("_")[2])


def _constitution_rows(document: ConstitutionDocument) -> Iterator[RowFields]:
    for rule in document.loose:
        yield _rule_row(rule)
    for article in document.articles:
        number = str(article.number)
        severity = f" ({article.severity})" if article.severity else ""
        title = f"Art. {article.roman} {article.title}{severity}"
        if article.title_rule is not None:
            yield _rule_row(article.title_rule, kind="title", qualifier=number, text=title)
        for rule in _sort_rules(article.rules):
            yield _rule_row(rule, kind="article", qualifier=number)


def _sort_rules(rules: Iterable[Rule]) -> list[Rule]:
    """Returns rules by index, then by line; authority boundaries before the rest."""
    return sorted(
        rules,
        key=lambda rule: (
            rule.kind != "auth",
            rule.index if rule.index is not None and rule.kind != "plain" else 1 << 40,
            rule.line,
        ),
    )


def _rule_row(
    rule: Rule, *, kind: str = "", qualifier: str | None = None, text: str | None = None
) -> RowFields:
    told = neutralise_text(rule.text if text is None else text)
    return (
        rule.key,
        kind or rule.kind,
        rule.index,
        told,
        neutralise_text(rule.group),
        rule.phase,
        rule.qualifier if qualifier is None else qualifier,
        rule.line,
        hash_text(told),
    )


def _command_table(tree: Tree) -> dict[str, tuple[str, tuple[RowFields, ...]]]:
    table: dict[str, tuple[str, tuple[RowFields, ...]]] = {}
    for domain in tree.domains:
        facts = tree.snapshot.facts(domain.file) if domain.file and not domain.squad else None
        if facts is not None and isinstance(facts.document, StarCommands):
            for command in facts.document.commands:
                rows = tuple(
                    _rule_row(rule, kind="command", qualifier=command.name)
                    for rule in _sort_rules(command.rules)
                )
                _, earlier = table.get(command.name, ("", ()))
                table[command.name] = (domain.file or "", earlier + rows)
    return table


def _workflow_state_rows(tree: Tree) -> Iterator[tuple[Any, ...]]:
    """Yields active workflow instances, newest first, each with the names of its current step."""
    for path, state in tree.workflow_states:
        if state.shape != "instance" or state.status != "active":
            continue
        yield plan_row(state, path, defined_steps(tree, state.workflow_id))


def defined_steps(tree: Tree, workflow_id: str) -> tuple[DefinedStep, ...]:
    """Returns the steps that a workflow's definition has, as far as it was read."""
    definition = _find_definition(tree, workflow_id)
    return tuple(
        (step.index, step.id, step.step, step.phase, step.task)
        for step in (definition.steps if definition else ())
    )


def _find_definition(tree: Tree, workflow_id: str) -> WorkflowDefinition | None:
    path = tree.workflows.get(workflow_id)
    facts = tree.snapshot.facts(path) if path else None
    document = facts.document if facts else None
    return document if isinstance(document, WorkflowDefinition) else None


def _story_names(tree: Tree) -> dict[str, str]:
    """Returns the stories by name; those that share a name by their paths."""
    counts = Counter(map(_markdown_stem, tree.stories))
    stems = ((_markdown_stem(path), path) for path in tree.stories)
    return {(stem if counts[stem] == 1 else path.removesuffix(".md")): path for stem, path in stems}


def _markdown_stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
