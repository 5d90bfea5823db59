"""Extract what a parsed file defines and mentions, by one function for each kind of file.

A `Definition` or `Reference` has a key, a family and a name such as ``("domain", "AGENT_DEV")``.
Whether a reference resolves is for the index.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from synapse_ls.formats import authority_boundary, rule_syntax
from synapse_ls.formats.manifest_settings import SETTINGS
from synapse_ls.formats.name_normalization import normalize_agent_id
from synapse_ls.text.span import Span, new_tuple
from synapse_ls.workspace import naming_conventions, rule_comparison
from synapse_ls.workspace.file_kinds import CHATI_KINDS, RULE_KINDS, FileKind
from synapse_ls.workspace.tree_folders import TREE, is_in_rule_folder

if TYPE_CHECKING:
    from synapse_ls.formats import commands_file, constitution_file, task_file, workflow_definition
    from synapse_ls.formats.agent_definition import AgentDefinition
    from synapse_ls.formats.brainiac.long_term_memory import LongTermMemory
    from synapse_ls.formats.brainiac.memory_index import MemoryIndex
    from synapse_ls.formats.carl.carl_json import CarlDocument
    from synapse_ls.formats.chati.memory_files import MemoryEntry
    from synapse_ls.formats.constitution_source import ConstitutionSource
    from synapse_ls.formats.context_file import ContextDocument
    from synapse_ls.formats.domain_file import RulesDocument
    from synapse_ls.formats.manifest import DomainDeclaration, Manifest
    from synapse_ls.formats.memory_file import MemoryDocument
    from synapse_ls.formats.rule import Rule
    from synapse_ls.formats.squad_manifest import SquadDocument
    from synapse_ls.formats.tree_tests import TreeTests
    from synapse_ls.formats.workflow_state import WorkflowState, WorkflowStep
    from synapse_ls.formats.yaml_tree import YamlNode

# A family and a name, such as ``("domain", "AGENT_DEV")``; made by `make_key`.
Key = tuple[str, str]


_SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "domain": naming_conventions.upper_snake,
    "bracket": naming_conventions.upper_snake,
    "workflow": naming_conventions.snake_case,
    "steps": naming_conventions.snake_case,
    "agent": naming_conventions.kebab_case,
    "squad": naming_conventions.kebab_case,
    "task": naming_conventions.kebab_case,
    "story": naming_conventions.kebab_case,
    "command": naming_conventions.kebab_case,
    "agent-command": naming_conventions.kebab_case,
    "keyword": lambda text: " ".join(text.casefold().split()),
}


@lru_cache(maxsize=65_536)
def make_key(family: str, name: str) -> Key:
    """Return the key of an object; name that differ in spelling only have the same one.

    Families: domain and bracket (``UPPER_SNAKE``), workflow and steps (of the workflow of that
    name; ``snake_case``), agent, squad, task, story and command (``kebab-case``), keyword
    (lower case); and, with names as they stand, file (a path), trigger (``agent:dev``,
    ``workflow:story_development``), article (a number), state (the path of its file), rule (the
    text of one that stands in every block), rules (the path of a file of them), authority (an
    action of a boundary), agent-command (a command of an agent), identity and index (the paths
    of Brainiac's), memory-id (the id of a memory), source (the path of a constitution's
    source), session and memory (an id), chati (the path of a file of Chati.dev), setting
    (``GLOBAL_EXCLUDE``, ``DEVMODE``, ``config``).
    """
    spell = _SPELLINGS.get(family)
    return (family, spell(name) if spell else name)


def content_key(path: str) -> Key:
    """Return the key that changes with every change of a file's text. Nothing defines or mentions
    it.
    """
    return ("content", path)


def changed_paths(changed_keys: Iterable[Key]) -> frozenset[str]:
    """Return the files that came, went or changed their text, where ``changed_keys`` are those that
    changed.
    """
    return frozenset(name for family, name in changed_keys if family in ("content", "file"))


class Definition(NamedTuple):
    """A place that says what ``key`` is.

    ``value`` is what it says: while it stays the same, the place may move within its file
    without the key counting as changed.
    """

    key: Key
    span: Span
    value: Hashable = ()


class Reference(NamedTuple):
    """A place that mentions ``key``."""

    key: Key
    span: Span


Facts = Iterable[Definition | Reference]
# The place of what a file as a whole defines or mentions.
WHOLE = Span(0, 0)


def find_identity(path: str, kind: FileKind, document: Any) -> tuple[str, Span]:
    """Return the id that an agent, workflow or story gives itself, as a fact of its file, and its
    span; else the file's stem.
    """
    if document is not None and kind is FileKind.AGENT and document.id:
        return document.id, document.span
    if document is not None and kind is FileKind.WORKFLOW and document.id and document.id.value:
        return document.id.value, document.id.span
    if document is not None and kind is FileKind.STORY and document.id:
        return document.id, WHOLE
    return naming_conventions.file_stem(path), WHOLE


def _workflow_state_facts(path: str, state: WorkflowState) -> Facts:
    step = state.current_step
    value = (
        state.shape,
        state.workflow_id,
        state.status,
        state.current_phase,
        state.squad_name,
        state.updated_at,
        (step.index, step.phase, step.step_id, step.agent, step.task) if step else None,
    )
    yield Definition(make_key("state", path), WHOLE, value)
    if state.shape != "instance":
        return
    for family, field, name in (
        ("workflow", "workflow_id", state.workflow_id),
        ("squad", "squad_name", state.squad_name),
    ):
        if name:
            yield Reference(make_key(family, name), _field_span(state.root, field, WHOLE))
    yield from _step_facts(state.steps, state.root.get("steps") if state.root else None)


def _workflow_facts(path: str, workflow: workflow_definition.WorkflowDefinition) -> Facts:
    name, _ = find_identity(path, FileKind.WORKFLOW, workflow)
    steps = tuple(
        (step.id, step.step, step.name, step.phase, step.agent) for step in workflow.steps
    )
    yield Definition(make_key("steps", name), WHOLE, steps)
    yield from _step_facts(workflow.steps, workflow.root.get("sequence") if workflow.root else None)


def _step_facts(
    steps: Sequence[WorkflowStep | workflow_definition.StepDefinition], steps_node: YamlNode | None
) -> Facts:
    """Yield the agents and tasks of steps, at their fields where ``steps_node`` holds just these
    steps.
    """
    nodes = steps_node.items if steps_node and len(steps_node.items) == len(steps) else ()
    for step in steps:
        yield from _work_facts(step, nodes[step.index].target_node if nodes else None)


def _work_facts(
    step: WorkflowStep | workflow_definition.StepDefinition | workflow_definition.ChainStep,
    node: YamlNode | None,
) -> Facts:
    """Yield who works at a step, and at what."""
    if step.agent:
        yield Reference(make_key("agent", step.agent), _field_span(node, "agent", step.span))
    if step.task:
        task = make_key("task", naming_conventions.file_stem(step.task))
        yield Reference(task, _field_span(node, "task", step.span))


def _pattern_facts(_: str, patterns: tuple[workflow_definition.WorkflowPattern, ...]) -> Facts:
    for pattern in patterns:
        yield Definition(make_key("workflow", pattern.id.value), pattern.id.span)
        for agent in pattern.agents:
            yield Reference(make_key("agent", agent.value), agent.span)


def _chain_facts(_: str, chains: tuple[workflow_definition.WorkflowChain, ...]) -> Facts:
    for chain in chains:
        yield Definition(make_key("workflow", chain.id.value), chain.id.span)
        for step in chain.steps:
            for chain_step in (step, *step.alternatives):
                yield from _work_facts(chain_step, chain_step.node)


def _task_facts(_: str, task: task_file.TaskDocument) -> Facts:
    if task.story:
        yield Reference(make_key("story", task.story), task.story_span or WHOLE)
    owner = task.responsible
    if owner and owner.value.startswith("@") and normalize_agent_id(owner.value):
        yield Reference(make_key("agent", normalize_agent_id(owner.value)), owner.span)


def _agent_facts(path: str, agent: AgentDefinition) -> Facts:
    owner, _ = find_identity(path, FileKind.AGENT, agent)
    for command in agent.commands:
        yield Definition(make_key("agent-command", command.name), command.span, owner)
    for task in agent.tasks:
        yield Reference(make_key("task", naming_conventions.file_stem(task.value)), task.span)


def _field_span(node: YamlNode | None, name: str, default: Span) -> Span:
    """Return the span of a field of a YAML node, ``default`` where the node has no such text."""
    text = node.text(name) if node else None
    return text.span if text else default


WORK_EXTRACTORS: Mapping[FileKind, Callable[[str, Any], Facts]] = {
    FileKind.AGENT: _agent_facts,
    FileKind.WORKFLOW_STATE: _workflow_state_facts,
    FileKind.WORKFLOW: _workflow_facts,
    FileKind.PATTERNS: _pattern_facts,
    FileKind.CHAINS: _chain_facts,
    FileKind.TASK: _task_facts,
    FileKind.STORY: lambda _, story: (
        Reference(make_key("agent", agent.value), agent.span) for agent in story.agent_mentions
    ),
}


def extract_facts(path: str, kind: FileKind, document: Any) -> Facts:
    """Extract the facts of a file, its definitions and references, in no particular order.

    ``document`` is None where the file was only listed: its name still says something.
    """
    yield Definition(make_key("file", path), WHOLE)
    squad = _squad_folder_name(path)
    if kind in _OBJECT_KINDS:
        name, span = find_identity(path, kind, document)
        yield Definition(make_key(kind.value, name), span)
    elif kind in _SQUAD_SIGNS and squad:
        yield Definition(make_key("squad", squad), WHOLE)
    elif kind in RULE_KINDS and squad and naming_conventions.rule_file_stem(path) == "rules":
        yield Reference(make_key("squad", squad), WHOLE)
    elif kind in RULE_KINDS:
        yield Reference(_domain_key(path, naming_conventions.domain_of_file(path)), WHOLE)
    if document is not None and (extract := _BY_CONTENT.get(kind)):
        yield from extract(path, document)


# Kinds of the files that are one object each, whose family is called like the kind.
_OBJECT_KINDS = frozenset(
    {FileKind.AGENT, FileKind.WORKFLOW, FileKind.TASK, FileKind.STORY, FileKind.SESSION}
)
# Kinds of the files that make a folder a squad.
_SQUAD_SIGNS = (FileKind.MANIFEST, FileKind.SQUAD, FileKind.OLD_SQUAD)


def extract_manifest_facts(path: str, manifest: Manifest) -> Facts:
    """Yield the facts of a manifest that its lines say."""
    squad = _squad_folder_name(path)
    # A list, because it is long and each of its items would come through two generators.
    facts: list[Definition | Reference] = []
    keys: dict[str, Key] = {}
    for name, declaration in manifest.domains.items():
        keys[name] = make_key(
            "domain", naming_conventions.namespaced_domain(squad, name) if squad else name
        )
        facts += _declaration_facts(keys[name], declaration)
    for span, line in manifest.entries:
        key, value, domain, setting = line[:4]
        if not setting or key is None:
            continue
        start = span[0] + key.span[0]
        if setting == "EXTENDS":
            place = Span(start, start + len(domain))
            facts.append(Definition(make_key("squad", squad), place, value.value))
        elif not domain:
            place = Span(start, start + len(key.value))
            facts.append(Definition(make_key("setting", setting), place, value.value))
        elif start != manifest.domains[domain].span[0]:
            place = new_tuple(Span, (start, start + len(domain)))
            facts.append(new_tuple(Reference, (keys[domain], place)))
    return facts


def _declaration_facts(domain: Key, declaration: DomainDeclaration) -> list[Definition | Reference]:
    """Return the definition of a domain with the values of its settings, what wakes it (its agent,
    its workflow, its recall keywords), and that it is non-negotiable.
    """
    name, entries = domain[1], declaration.entries
    settings = tuple(
        (setting, bool(line.items) if SETTINGS[setting].kind == "list" else line.value.value)
        for setting, (_, line) in sorted(entries.items())
    )
    facts: list[Definition | Reference] = [
        new_tuple(Definition, (domain, declaration.span, settings))
    ]
    if protected := entries.get("NON_NEGOTIABLE"):  # it is so everywhere
        said_so = (name, declaration.non_negotiable)
        facts.append(Definition(make_key("setting", "NON_NEGOTIABLE"), protected.key.span, said_so))
    for setting, family, spell in _TRIGGERS:
        if (entry := entries.get(setting)) and entry.word:
            word, span = entry.word, entry.value.span
            facts.append(Reference(make_key(family, word), span))
            facts.append(Definition(make_key("trigger", f"{family}:{spell(word)}"), span, name))
    if recall := entries.get("RECALL"):
        start = recall.span.start
        facts += [
            new_tuple(
                Definition,
                (make_key("keyword", word), new_tuple(Span, (start + first, start + after)), name),
            )
            for word, (first, after) in recall.line.items
        ]
    return facts


_TRIGGERS = (
    ("AGENT_TRIGGER", "agent", naming_conventions.kebab_case),
    ("WORKFLOW_TRIGGER", "workflow", naming_conventions.snake_case),
)


def _rules_facts(path: str, document: RulesDocument) -> Facts:
    yield _rule_keys_fact(path, document.rules)
    # The facts of a file of rules that each rule has by itself.
    yield from _key_prefix_facts(path, document.rules)
    for rule in document.rules:
        if rule.kind in _BOUNDARIES:
            for action in authority_boundary.boundary_actions(document.text, rule):
                value = (action.effect, rule.domain)
                yield Definition(make_key("authority", action.name), action.action.span, value)
    if is_in_rule_folder(path) and naming_conventions.rule_file_stem(path) == "global":
        yield from _permanent_rule_facts(document.rules)


_BOUNDARIES = frozenset({"auth", "allow", "deny"})
_MAX_COMPARED_LENGTH = 1_000  # code points of a text that is worth looking for elsewhere


def _permanent_rule_facts(rules: Iterable[Rule]) -> Facts:
    """Yield the texts of rules that are in every block, so that copies of them can be found
    elsewhere.
    """
    for rule in rules:
        if len(rule.text) <= _MAX_COMPARED_LENGTH:
            key = make_key("rule", rule_comparison.comparable_rule_text(rule.text))
            yield new_tuple(Definition, (key, rule.text_span, ()))


def _context_facts(path: str, document: ContextDocument) -> Facts:
    yield _rule_keys_fact(path, document.rules.rules)
    # In CARL's keys the bracket itself stands where the domain would.
    yield from _key_prefix_facts(
        path, (r for r in document.rules.rules if r.domain not in document.brackets)
    )
    yield from _bracket_facts(document)


def _bracket_facts(document: ContextDocument) -> Facts:
    return [
        Definition(make_key("bracket", name), rules[0].span, tuple(rule.text for rule in rules))
        for name, rules in document.brackets.items()
        if rules
    ]


def _constitution_facts(path: str, document: constitution_file.ConstitutionDocument) -> Facts:
    yield from _key_prefix_facts(path, document.rules.rules)
    yield _rule_keys_fact(path, document.rules.rules)
    if is_in_rule_folder(path):
        yield from _permanent_rule_facts(document.rules.rules)
    for article in document.articles:
        first = article.title_rule or next(iter(article.rules), None)
        key, value = make_key("article", str(article.number)), (article.title, article.severity)
        yield Definition(key, first.span if first else WHOLE, value)


def _constitution_source_facts(path: str, source: ConstitutionSource) -> Facts:
    articles = tuple(
        (a.number, a.heading, tuple(r.plain_line for r in a.rules)) for a in source.articles
    )
    yield Definition(make_key("source", path), WHOLE, articles)


def _command_facts(path: str, document: commands_file.StarCommands) -> Facts:
    yield _rule_keys_fact(path, (rule for command in document.commands for rule in command.rules))
    for command in document.commands:
        texts = tuple(rule.text for rule in command.rules)
        yield Definition(make_key("command", command.name), command.span, texts)
        keyed = (rule for rule in command.rules if rule.kind == "command")
        yield from _key_prefix_facts(path, keyed)


def _rule_keys_fact(path: str, rules: Iterable[Rule]) -> Definition:
    """Return the definition that lists the keys of a file's rules: tests of the tree name rules by
    them.
    """
    return Definition(make_key("rules", path), WHOLE, tuple(rule.key for rule in rules if rule.key))


def _key_prefix_facts(path: str, rules: Iterable[Rule]) -> Facts:
    """Yield a reference to the domain that each rule key begins with."""
    own = naming_conventions.domain_of_file(path)
    usual = rule_syntax.rule_prefixes(own, "")
    keys: dict[str, Key] = {}  # one object for all the rules of a prefix: there may be very many
    facts: list[Definition | Reference] = []
    for rule in rules:
        if not (prefix := rule.domain):
            continue
        if prefix not in keys:
            keys[prefix] = _domain_key(path, own if prefix in usual else prefix)
        start = rule.key_span.start
        place = new_tuple(Span, (start, start + len(prefix)))
        facts.append(new_tuple(Reference, (keys[prefix], place)))
    return facts


def _squad_yaml_facts(path: str, squad: SquadDocument) -> Facts:
    name, extends = squad.name, squad.extends
    components = tuple(
        (kind, tuple(item.value for item in items)) for kind, items in squad.components.items()
    )
    value = (
        name.value if name else "",
        extends.value if extends else "",
        components,
        squad.agents_elsewhere,
    )
    key = make_key("squad", _squad_folder_name(path))
    yield Definition(key, name.span if name else WHOLE, value)
    for component, family in (("agents", "agent"), ("tasks", "task"), ("workflows", "workflow")):
        for item in squad.components.get(component, ()):
            yield Reference(make_key(family, naming_conventions.file_stem(item.value)), item.span)
    for other in squad.dependencies:
        yield Reference(make_key("squad", other.value), other.span)


def _tree_test_facts(_: str, tests: TreeTests) -> Facts:
    for case in tests.cases:
        for family, name in case.references.items():
            yield Reference(make_key(family, name.value), name.span)
        for field in ("domains", "no_domains"):
            for item in case.lists.get(field, ()):
                yield Reference(make_key("domain", item.value), item.span)


def _memory_facts(path: str, memory: MemoryDocument) -> Facts:
    named = memory.fields.get("id")
    id, span = (
        (named.value, named.span)
        if named and named.value
        else (naming_conventions.file_stem(path), WHOLE)
    )
    yield Definition(make_key("memory", id), span)


def _carl_facts(path: str, document: CarlDocument) -> Facts:
    """Yield the facts of CARL v2's one file, which is manifest, rules, star-commands and brackets
    together.
    """
    for name, declaration in document.manifest.domains.items():
        yield from _declaration_facts(make_key("domain", name), declaration)
    texts = tuple((rule.domain, rule.text) for rule in document.rules.rules)
    yield Definition(make_key("rules", path), WHOLE, texts)
    for command in document.commands.commands:
        command_texts = tuple(rule.text for rule in command.rules)
        yield Definition(make_key("command", command.name), command.span, command_texts)
    yield from _bracket_facts(document.context)


def _long_term_facts(_: str, memory: LongTermMemory) -> Facts:
    if memory.uuid:
        yield Definition(make_key("memory-id", memory.uuid), memory.fields["uuid"].span)


def _memory_index_facts(path: str, index: MemoryIndex) -> Facts:
    listed = tuple(entry.path.value for entry in index.entries)
    yield Definition(make_key("index", path), WHOLE, listed)
    for related in index.related:
        yield Reference(make_key("memory-id", related.value), related.span)


def _chati_facts(path: str, document: Hashable) -> Facts:
    """Yield one definition with the whole document: the files of Chati.dev refer to each other in
    many ways.
    """
    yield Definition(make_key("chati", path), WHOLE, document)


def _chati_memory_facts(path: str, memory: MemoryEntry) -> Facts:
    yield from _chati_facts(path, memory)
    if memory.id and memory.id.value:
        yield Definition(make_key("chati-memory", memory.id.value), memory.id.span)


_BY_CONTENT: Mapping[FileKind, Callable[[str, Any], Facts]] = {
    **WORK_EXTRACTORS,
    FileKind.MANIFEST: extract_manifest_facts,
    FileKind.RULES: _rules_facts,
    FileKind.CONTEXT: _context_facts,
    FileKind.CONSTITUTION: _constitution_facts,
    FileKind.CONSTITUTION_SOURCE: _constitution_source_facts,
    FileKind.COMMANDS: _command_facts,
    FileKind.SQUAD: _squad_yaml_facts,
    FileKind.OLD_SQUAD: _squad_yaml_facts,
    FileKind.TESTS: _tree_test_facts,
    FileKind.MEMORY: _memory_facts,
    FileKind.CARL: _carl_facts,
    FileKind.CONFIG: lambda _, config: (
        Definition(make_key("setting", "config"), WHOLE, repr(config)),
    ),
    **dict.fromkeys(CHATI_KINDS, _chati_facts),
    FileKind.CHATI_MEMORY: _chati_memory_facts,
    FileKind.IDENTITY: lambda path, identity: (
        Definition(make_key("identity", path), WHOLE, len(identity.body)),
    ),
    FileKind.LONG_TERM: _long_term_facts,
    FileKind.MEMORY_INDEX: _memory_index_facts,
}


def _squad_folder_name(path: str) -> str:
    """Return the folder name of the squad that a file belongs to; "" for files of the root."""
    home = path.partition(f"/{TREE}/")[0] if f"/{TREE}/" in path else path.rpartition("/")[0]
    return "" if is_in_rule_folder(path) else home.rpartition("/")[2]


def _domain_key(path: str, name: str) -> Key:
    """Return the key of a domain that a file names, with the namespace of the file's squad."""
    squad = _squad_folder_name(path)
    return make_key("domain", naming_conventions.namespaced_domain(squad, name) if squad else name)
