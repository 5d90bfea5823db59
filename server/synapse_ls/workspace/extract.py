"""What a document defines and mentions, one function for each kind of file.

Nothing here looks beyond the one file: whether what it mentions exists is for the index to say.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from synapse_ls.formats.authority import actions
from synapse_ls.formats.manifest_line import SETTINGS
from synapse_ls.formats.rule_keys import rule_prefixes
from synapse_ls.text.span import Span
from synapse_ls.workspace.extract_work import WHOLE, WORK, identity
from synapse_ls.workspace.folders import TREE, is_rule_folder
from synapse_ls.workspace.keys import Definition, Key, Reference, key
from synapse_ls.workspace.kinds import CHATI_KINDS, FileKind
from synapse_ls.workspace.naming import (
    domain_of_file,
    kebab,
    namespace,
    rule_file_stem,
    snake,
    stem,
)

if TYPE_CHECKING:
    from synapse_ls.formats.brainiac.identity import CoreIdentity
    from synapse_ls.formats.brainiac.index import MemoryIndex
    from synapse_ls.formats.brainiac.long_term import Memory
    from synapse_ls.formats.carl.document import CarlDocument
    from synapse_ls.formats.chati.memory import MemoryFile
    from synapse_ls.formats.commands import Commands
    from synapse_ls.formats.config import Config
    from synapse_ls.formats.constitution import ConstitutionDocument
    from synapse_ls.formats.constitution_source import ConstitutionSource
    from synapse_ls.formats.context import ContextDocument
    from synapse_ls.formats.manifest import Declaration, Manifest
    from synapse_ls.formats.manifest_line import Line
    from synapse_ls.formats.memory import MemoryDocument
    from synapse_ls.formats.rules import Rule, RulesDocument
    from synapse_ls.formats.squad import SquadDocument
    from synapse_ls.formats.tree_tests import TreeTests

    Facts = Iterator[Definition | Reference]


def extract(path: str, kind: FileKind, document: Any) -> Facts:
    """The definitions and references of a file, in no particular order.

    ``document`` is None where the file was only listed: its name still says something.
    """
    yield Definition(key("file", path), WHOLE)
    family = _FAMILIES.get(kind)
    if family:
        name, span = identity(path, kind, document)
        yield Definition(key(family, name), span)
    yield from _BY_NAME.get(kind, _nothing)(path)
    if document is not None:
        yield from _BY_CONTENT.get(kind, _nothing)(path, document)


_FAMILIES: Mapping[FileKind, str] = {
    FileKind.AGENT: "agent",
    FileKind.WORKFLOW: "workflow",
    FileKind.TASK: "task",
    FileKind.STORY: "story",
    FileKind.SESSION: "session",
}


def _nothing(*_: object) -> Facts:
    return iter(())


def _serves(path: str) -> Facts:
    """A rule file mentions the domain that it is named after, or, as ``rules``, its squad."""
    squad = _squad(path)
    if squad and rule_file_stem(path) == "rules":
        yield Reference(key("squad", squad), WHOLE)
    else:
        yield Reference(_domain(path, domain_of_file(path)), WHOLE)


def _of_squad(path: str) -> Facts:
    """Both a squad's manifest and its ``squad.yaml`` make the folder a squad."""
    squad = _squad(path)
    if squad:
        yield Definition(key("squad", squad), WHOLE)


_BY_NAME: Mapping[FileKind, Callable[[str], Facts]] = {
    FileKind.MANIFEST: _of_squad,
    FileKind.SQUAD: _of_squad,
    FileKind.RULES: _serves,
    FileKind.COMMANDS: _serves,
    FileKind.CONTEXT: _serves,
    FileKind.CONSTITUTION: _serves,
}


def _manifest(path: str, manifest: Manifest) -> Facts:
    squad = _squad(path)
    # A list, because it is long and each of its items would come through two generators.
    found: list[Definition | Reference] = []
    keys: dict[str, Key] = {}
    for name, declaration in manifest.domains.items():
        keys[name] = key("domain", namespace(squad, name) if squad else name)
        found.append(_declared(keys[name], declaration))
        found += _triggers(keys[name], declaration)
    for span, line in manifest.entries:
        domain, setting = line.domain, line.setting
        if not setting or line.key is None:
            continue
        start = span.start + line.key.span.start
        if setting == "EXTENDS":
            place = Span(start, start + len(domain))
            found.append(Definition(key("squad", squad), place, line.value.value))
        elif not domain:
            place = Span(start, start + len(line.key.value))
            found.append(Definition(key("setting", setting), place, line.value.value))
        elif start != manifest.domains[domain].span.start:
            found.append(Reference(keys[domain], Span(start, start + len(domain))))
    return iter(found)


def _declared(domain: Key, declaration: Declaration) -> Definition:
    said = [(name, _said(name, entry.line)) for name, entry in declaration.entries.items()]
    said.sort()
    return Definition(domain, declaration.span, tuple(said))


def _triggers(domain: Key, declaration: Declaration) -> Facts:
    entries = declaration.entries
    protected = entries.get("NON_NEGOTIABLE")
    if protected:  # it is so everywhere
        said_so = (domain[1], declaration.non_negotiable)
        yield Definition(key("setting", "NON_NEGOTIABLE"), protected.key.span, said_so)
    for setting, family, spell in _TRIGGERS:
        entry = entries.get(setting)
        if entry and entry.word:
            named, span = entry.word, entry.value.span
            yield Reference(key(family, named), span)
            yield Definition(key("trigger", f"{family}:{spell(named)}"), span, domain[1])
    recall = entries.get("RECALL")
    if recall:
        start, name = recall.span.start, domain[1]
        for word, span in recall.line.items:
            place = Span(start + span.start, start + span.end)
            yield Definition(key("keyword", word), place, name)


def _said(setting: str, line: Line) -> str | bool:
    """What a setting says to other files: of lists, which grow with every word, that they are there."""
    return bool(line.items) if SETTINGS[setting].kind == "list" else line.value.value


_TRIGGERS = (("AGENT_TRIGGER", "agent", kebab), ("WORKFLOW_TRIGGER", "workflow", snake))


def _rules(path: str, document: RulesDocument) -> Facts:
    yield from _prefixes(path, document.rules)
    yield _keys(path, document.rules)
    for rule in document.rules:
        if rule.kind in _BOUNDARIES:
            for action in actions(document.text, rule):
                said = (action.said, rule.domain)
                yield Definition(key("authority", action.name), action.what.span, said)
    if is_rule_folder(path) and rule_file_stem(path) == "global":
        yield from _standing(document.rules)


_BOUNDARIES = frozenset({"auth", "allow", "deny"})


def _standing(rules: Iterable[Rule]) -> Facts:
    """The texts of rules that are in every block, whoever else says the same."""
    for rule in rules:
        if len(rule.text) <= _LONGEST:
            yield Definition(key("rule", told(rule.text)), rule.text_span)


_LONGEST = 1_000  # code points of a text that is worth looking for elsewhere


def told(text: str) -> str:
    """A rule's text by which copies of it are found: on one line."""
    return " ".join(text.split())


def _context(path: str, document: ContextDocument) -> Facts:
    yield _keys(path, document.rules.rules)
    # In CARL's keys the bracket itself stands where the domain would.
    yield from _prefixes(
        path, (r for r in document.rules.rules if r.domain not in document.brackets)
    )
    for bracket, rules in document.brackets.items():
        if rules:
            texts = tuple(rule.text for rule in rules)
            yield Definition(key("bracket", bracket), rules[0].span, texts)


def _constitution(path: str, document: ConstitutionDocument) -> Facts:
    yield from _prefixes(path, document.rules.rules)
    yield _keys(path, document.rules.rules)
    if is_rule_folder(path):
        yield from _standing(document.rules.rules)
    for article in document.articles:
        first = article.title_rule or next(iter(article.rules), None)
        value = (article.title, article.severity)
        yield Definition(key("article", str(article.number)), first.span if first else WHOLE, value)


def _constitution_source(path: str, source: ConstitutionSource) -> Facts:
    said = tuple((a.number, a.heading, tuple(r.line for r in a.rules)) for a in source.articles)
    yield Definition(key("source", path), WHOLE, said)


def _commands(path: str, document: Commands) -> Facts:
    yield _keys(path, (rule for command in document.commands for rule in command.rules))
    for command in document.commands:
        texts = tuple(rule.text for rule in command.rules)
        yield Definition(key("command", command.name), command.span, texts)
        yield from _prefixes(path, (rule for rule in command.rules if rule.kind == "command"))


def _keys(path: str, rules: Iterable[Rule]) -> Definition:
    """The keys of a file's rules, whatever these say: what tests of the tree call them by."""
    return Definition(key("rules", path), WHOLE, tuple(rule.key for rule in rules if rule.key))


def _prefixes(path: str, rules: Iterable[Rule]) -> Facts:
    """The domains that the keys of rules begin with, at each place."""
    own = domain_of_file(path)
    usual = rule_prefixes(own, "")
    keys: dict[str, Key] = {}  # one object for all the rules of a prefix: there may be very many
    for rule in rules:
        prefix = rule.domain
        if prefix and prefix not in keys:
            keys[prefix] = _domain(path, own if prefix in usual else prefix)
        if prefix:
            start = rule.key_span.start
            yield Reference(keys[prefix], Span(start, start + len(prefix)))


def _squad_yaml(path: str, squad: SquadDocument) -> Facts:
    name = squad.name
    said = (
        name.value if name else "",
        squad.extends.value if squad.extends else "",
        tuple(
            (kind, tuple(item.value for item in items)) for kind, items in squad.components.items()
        ),
    )
    yield Definition(key("squad", _squad(path)), name.span if name else WHOLE, said)
    for component, family in (("agents", "agent"), ("tasks", "task"), ("workflows", "workflow")):
        for item in squad.components.get(component, ()):
            yield Reference(key(family, stem(item.value)), item.span)
    for other in squad.dependencies:
        yield Reference(key("squad", other.value), other.span)


def _tests(_: str, tests: TreeTests) -> Facts:
    for case in tests.cases:
        for family, name in case.named.items():
            yield Reference(key(family, name.value), name.span)
        for field in ("domains", "no_domains"):
            for item in case.lists.get(field, ()):
                yield Reference(key("domain", item.value), item.span)


def _memory(path: str, memory: MemoryDocument) -> Facts:
    named = memory.fields.get("id")
    id, span = (named.value, named.span) if named and named.value else (stem(path), WHOLE)
    yield Definition(key("memory", id), span)


def _carl(path: str, document: CarlDocument) -> Facts:
    """CARL's one file is manifest, rules, star-commands and brackets."""
    for name, declaration in document.manifest.domains.items():
        yield _declared(key("domain", name), declaration)
        yield from _triggers(key("domain", name), declaration)
    texts = tuple((rule.domain, rule.text) for rule in document.rules.rules)
    yield Definition(key("rules", path), WHOLE, texts)
    for command in document.commands.commands:
        said = tuple(rule.text for rule in command.rules)
        yield Definition(key("command", command.name), command.span, said)
    for bracket, rules in document.context.brackets.items():
        if rules:
            told_there = tuple(rule.text for rule in rules)
            yield Definition(key("bracket", bracket), rules[0].span, told_there)


def _identity(path: str, identity: CoreIdentity) -> Facts:
    yield Definition(key("identity", path), WHOLE, len(identity.said))


def _long_term(_: str, memory: Memory) -> Facts:
    if memory.uuid:
        yield Definition(key("memory-id", memory.uuid), memory.fields["uuid"].span)


def _memory_index(path: str, index: MemoryIndex) -> Facts:
    listed = tuple(entry.path.value for entry in index.entries)
    yield Definition(key("index", path), WHOLE, listed)
    for related in index.related:
        yield Reference(key("memory-id", related.value), related.span)


def _chati(path: str, document: Hashable) -> Facts:
    """All that a file of Chati.dev says: its files speak of each other in many ways."""
    yield Definition(key("chati", path), WHOLE, document)


def _chati_memory(path: str, memory: MemoryFile) -> Facts:
    yield from _chati(path, memory)
    if memory.id and memory.id.value:
        yield Definition(key("chati-memory", memory.id.value), memory.id.span)


def _config(_: str, config: Config) -> Facts:
    yield Definition(key("setting", "config"), WHOLE, repr(config))


_BY_CONTENT: Mapping[FileKind, Callable[[str, Any], Facts]] = {
    **WORK,
    FileKind.MANIFEST: _manifest,
    FileKind.RULES: _rules,
    FileKind.CONTEXT: _context,
    FileKind.CONSTITUTION: _constitution,
    FileKind.CONSTITUTION_SOURCE: _constitution_source,
    FileKind.COMMANDS: _commands,
    FileKind.SQUAD: _squad_yaml,
    FileKind.TESTS: _tests,
    FileKind.MEMORY: _memory,
    FileKind.CARL: _carl,
    FileKind.CONFIG: _config,
    **dict.fromkeys(CHATI_KINDS, _chati),
    FileKind.CHATI_MEMORY: _chati_memory,
    FileKind.IDENTITY: _identity,
    FileKind.LONG_TERM: _long_term,
    FileKind.MEMORY_INDEX: _memory_index,
}


def _squad(path: str) -> str:
    """The folder name of the squad that a file of a squad belongs to; empty for the root's files."""
    home = path.partition(f"/{TREE}/")[0] if f"/{TREE}/" in path else path.rpartition("/")[0]
    return "" if is_rule_folder(path) else home.rpartition("/")[2]


def _domain(path: str, name: str) -> Key:
    squad = _squad(path)
    return key("domain", namespace(squad, name) if squad else name)
