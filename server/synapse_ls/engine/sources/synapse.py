"""A ``.synapse/`` tree → the fields of a plan.

The only place where resolved objects of the workspace become the plain rows a prompt reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from marshal import dumps
from typing import Any
from weakref import WeakKeyDictionary

from synapse_ls.engine import aliases, boundaries, settings
from synapse_ls.engine.escape import neutralise
from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.matching import EXCLUDE, GLOBAL_EXCLUDE, RECALL, compile_table
from synapse_ls.engine.plan import DOMAIN_FIELDS, slug_of
from synapse_ls.formats.commands import Commands
from synapse_ls.formats.constitution import ConstitutionDocument
from synapse_ls.formats.context import ContextDocument
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.rules import Rule, RulesDocument
from synapse_ls.formats.workflow import WorkflowDefinition
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.naming import kebab, snake, squad_prefix
from synapse_ls.workspace.squads import Squad
from synapse_ls.workspace.tree import Tree

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


def fields(tree: Tree, table: dict[str, Any], *, standing: bool = False) -> dict[str, Any]:
    """The fields of the plan of ``tree``; see `compile_plan` for ``standing``."""
    config = tree.snapshot.config
    agents = _agents(tree)
    alias = {
        **aliases.WORKFLOWS,
        **{slug_of(k): slug_of(v) for k, v in config.workflow_aliases.items()},
    }
    compiler = _Compiler(tree, agents, alias, standing=standing)
    packed = tuple(compiler.rows())
    squads = tuple(compiler.squad_rows())
    return {
        "settings": settings.settings(config),
        "packed": packed,
        "labels": compiler.labels,
        "always": tuple(compiler.always),
        "boundaries": tuple(boundaries.rows(tree, agents)),
        "by_agent": {key: tuple(found) for key, found in compiler.by_agent.items()},
        "by_workflow": {key: tuple(found) for key, found in compiler.by_workflow.items()},
        "periodic": tuple(compiler.periodic),
        "keywords": compile_table(compiler.keywords),
        "commands": _commands(tree),
        "squad_rows": squads,
        "owners": {agent: folder for folder, *_, own in reversed(squads) for agent in own},
        "state_rows": tuple(_states(tree)),
        "agents": agents,
        "aliases": alias,
        "phases": settings.phases(config, alias),
        "tasks": dict(tree.tasks),
        "stories": {_stem(path): path for path in tree.stories},
        "devmode": settings.devmode(config, compiler.manifest),
    }


def _agents(tree: Tree) -> dict[str, str]:
    """Every spelling that addresses an agent → its id; triggers win over files, files over names.

    Agents go by the names of their files: a prompt does not read them.
    """
    spellings: dict[str, str] = {}
    triggers = [
        (domain.declaration.agent_trigger, domain.name)
        for domain in tree.domains
        if domain.declaration is not None and domain.declaration.agent_trigger
    ]
    for identity in (*(trigger for trigger, _ in triggers), *tree.agent_files):
        for spelling in (identity.lower(), kebab(identity), snake(identity)):
            spellings.setdefault(spelling, identity)
    for trigger, name in triggers:
        spellings.setdefault(kebab(name.removeprefix("AGENT_")), spellings[trigger.lower()])
    return spellings


class _Compiler:
    """Rows of all domains, and the tables by which a prompt finds them."""

    def __init__(
        self, tree: Tree, agents: dict[str, str], alias: dict[str, str], *, standing: bool
    ) -> None:
        self.tree = tree
        self.agents = agents
        self.alias = alias
        self.squads: tuple[Squad, ...] = () if standing else tree.squads
        self.domains = tuple(d for d in tree.domains if not standing or _stands(d))
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

    def rows(self) -> Iterator[bytes]:
        """The domains as the packed fields of ``plan.Domain``, registered on the way."""
        self._global_excludes(-1, self.manifest)
        for i, squad in enumerate(self.squads):
            facts = self.tree.snapshot.facts(squad.manifest_path) if squad.manifest_path else None
            if facts is not None and isinstance(facts.document, Manifest):
                self._global_excludes(i, facts.document)
        for position, domain in enumerate(self.domains):
            yield self._row(position, domain)

    def _global_excludes(self, scope: int, manifest: Manifest | None) -> None:
        words = manifest.global_exclude if manifest else ()
        self.keywords += [(word, scope, GLOBAL_EXCLUDE) for word in words]

    def _row(self, position: int, domain: Domain) -> bytes:
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
            "active": said.active if said else True,
            "always_on": said.always_on if said else False,
            "non_negotiable": said.non_negotiable if said else False,
            "agent": agent,
            "workflow": workflow,
            "recall": tuple(said.recall) if said else (),
            "exclude": tuple(said.exclude) if said else (),
            "paths": tuple(said.paths) if said else (),
            "every_n_turns": (said.every_n_turns or 0) if said else 0,
            "on_tokens": (said.on_tokens or 0) if said else 0,
            "overrides": self._overrides(domain, squad),
            "file": domain.file or "",
            "manifest": domain.manifest_path or "",
            "line": self._line(domain),
        }
        self._register(position, values)
        return self._packed(domain, tuple(values[name] for name in DOMAIN_FIELDS))

    def _packed(self, domain: Domain, fields: RowFields) -> bytes:
        """The fields and the rules, as they were packed before where neither has changed."""
        facts = self.tree.snapshot.facts(domain.file) if domain.file else None
        known = {} if facts is None or domain.shared else _PACKED.setdefault(facts, {})
        before = known.get(domain.label)
        if before is not None and before[0] == fields:
            return before[1]
        packed = dumps((*fields, tuple(_domain_rows(self.tree, domain))))
        known[domain.label] = (fields, packed)
        return packed

    def _line(self, domain: Domain) -> int:
        if domain.declaration is None or not domain.manifest_path:
            return 0
        facts = self.tree.snapshot.facts(domain.manifest_path)
        return facts.lines.line_of(domain.declaration.span.start) if facts else 0

    def _overrides(self, domain: Domain, squad: int) -> tuple[str, ...]:
        """The root domains of the same name without the squad's namespace (ADR-001, override)."""
        if squad < 0 or self.squads[squad].extends != "override":
            return ()
        bare = domain.name.removeprefix(f"{squad_prefix(domain.squad)}_")
        found = {name for name in (domain.name, bare) if name in self.names}
        return tuple(sorted(found.difference(NOT_OVERRIDABLE)))

    def _register(self, position: int, values: dict[str, Any]) -> None:
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

    def squad_rows(self) -> Iterator[tuple[Any, ...]]:
        """The squads as the fields of ``plan.Squad``; ``rows`` has to be exhausted before."""
        for i, squad in enumerate(self.squads):
            agents = tuple(self.agents.get(agent.lower(), agent) for agent in squad.agent_files)
            domains = tuple(self.by_squad.get(i, ()))
            yield (squad.folder, squad.name, squad.extends, domains, agents)


def _stands(domain: Domain) -> bool:
    """Whether a domain can take part without a prompt, a workflow or a squad."""
    said = domain.declaration
    if domain.squad or said is None:
        return not domain.squad
    return domain.builtin or said.always_on or bool(said.agent_trigger)


def _domain_rows(tree: Tree, domain: Domain) -> Iterator[RowFields]:
    facts = tree.snapshot.facts(domain.file) if domain.file else None
    document = facts.document if facts else None
    if isinstance(document, ConstitutionDocument):
        yield from _constitution_rows(document)
    elif isinstance(document, ContextDocument):
        for rule in _in_order(document.general):
            yield _row(rule)
        for bracket, rules in document.brackets.items():
            if document.switches.get(bracket, True):
                for rule in _in_order(rules):
                    yield _row(rule, kind="bracket", qualifier=bracket)
    elif isinstance(document, Commands):
        for command in document.commands:
            for rule in _in_order(command.rules):
                yield _row(rule, kind="command", qualifier=command.name)
    elif isinstance(document, RulesDocument):
        for rule in _in_order(tree.rules_of(domain)):
            yield _row(rule)


def _constitution_rows(document: ConstitutionDocument) -> Iterator[RowFields]:
    for rule in document.loose:
        yield _row(rule)
    for article in document.articles:
        number = str(article.number)
        severity = f" ({article.severity})" if article.severity else ""
        title = f"Art. {article.roman} {article.title}{severity}"
        if article.title_rule is not None:
            yield _row(article.title_rule, kind="title", qualifier=number, text=title)
        for rule in _in_order(article.rules):
            yield _row(rule, kind="article", qualifier=number)


def _in_order(rules: Iterable[Rule]) -> list[Rule]:
    """Rules by index, then by line; authority boundaries before the rest."""
    return sorted(
        rules,
        key=lambda rule: (
            rule.kind != "auth",
            rule.index if rule.index is not None and rule.kind != "plain" else 1 << 40,
            rule.line,
        ),
    )


def _row(
    rule: Rule, *, kind: str = "", qualifier: str | None = None, text: str | None = None
) -> RowFields:
    told = neutralise(rule.text if text is None else text)
    return (
        rule.key,
        kind or rule.kind,
        rule.index,
        told,
        neutralise(rule.group),
        rule.phase,
        rule.qualifier if qualifier is None else qualifier,
        rule.line,
        text_hash(told),
    )


def _commands(tree: Tree) -> dict[str, tuple[str, tuple[RowFields, ...]]]:
    table: dict[str, tuple[str, tuple[RowFields, ...]]] = {}
    for domain in tree.domains:
        facts = tree.snapshot.facts(domain.file) if domain.file and not domain.squad else None
        if facts is not None and isinstance(facts.document, Commands):
            for command in facts.document.commands:
                rows = tuple(
                    _row(rule, kind="command", qualifier=command.name)
                    for rule in _in_order(command.rules)
                )
                _, earlier = table.get(command.name, ("", ()))
                table[command.name] = (domain.file or "", earlier + rows)
    return table


def _states(tree: Tree) -> Iterator[tuple[Any, ...]]:
    """Active workflow instances, newest first, each with the names of its current step."""
    for path, state in tree.states:
        if state.shape != "instance" or state.status != "active":
            continue
        step = state.current_step
        definition = _definition(tree, state.workflow_id)
        names: list[str] = []
        task = ""
        if step is not None:
            written = (
                next((d for d in definition.steps if d.index == step.index), None)
                if definition
                else None
            )
            names += [step.phase, step.step_id]
            if written is not None:
                names += [written.id, written.step, written.phase]
                task = written.task
            task = step.task or task
        if state.current_phase:
            names.insert(0, state.current_phase)
        yield (
            state.workflow_id,
            tuple(dict.fromkeys(name for name in names if name)),
            step.agent if step else "",
            task.removesuffix(".md"),
            state.squad_name,
            path,
        )


def _definition(tree: Tree, workflow_id: str) -> WorkflowDefinition | None:
    path = tree.workflows.get(workflow_id)
    facts = tree.snapshot.facts(path) if path else None
    document = facts.document if facts else None
    return document if isinstance(document, WorkflowDefinition) else None


def _stem(path: str) -> str:
    return path.rpartition("/")[2].removesuffix(".md")
