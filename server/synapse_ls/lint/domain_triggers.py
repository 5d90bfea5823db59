"""What activates a domain: its layers, triggers and keywords, and whether it is dormant."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from synapse_ls.engine.compiled_plan import Bracket
from synapse_ls.engine.systems.synapse.compiler import BUILTIN_ROLES
from synapse_ls.formats.manifest import DomainDeclaration, Manifest, ManifestEntry
from synapse_ls.formats.rule_syntax import to_upper_snake
from synapse_ls.lint import fixes, lint_rule
from synapse_ls.text.finding import Finding, Fix, Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.workspace import naming_conventions, tree_domains, tree_folders
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.rule_tree import Tree

_BUILTIN_LAYERS = {"constitution": "L0", "global": "L1", "context": "L1", "commands": "L7"}
_TRIGGER_LAYERS = {
    "AGENT_TRIGGER": "L2",
    "WORKFLOW_TRIGGER": "L3",
    "RECALL": "L6",
    "PATHS": "L6",
    "EVERY_N_TURNS": "L6",
    "ON_TOKENS": "L6",
}


def domain_layers(domain: tree_domains.Domain) -> frozenset[str]:
    """Return the layers (L0-L7) through which a domain can be injected; empty where nothing
    triggers it.
    """
    if domain.squad:
        return frozenset({"L5"})
    declaration = domain.declaration
    if domain.builtin and domain.name in BUILTIN_ROLES:
        return frozenset({_BUILTIN_LAYERS[BUILTIN_ROLES[domain.name]]})
    if declaration is None:
        return frozenset()
    if declaration.always_on:
        return frozenset({"L1"})
    entries = declaration.entries
    return frozenset(
        _TRIGGER_LAYERS[s] for s in _TRIGGER_LAYERS.keys() & entries.keys() if entries[s].word
    )


def is_awake(bracket: Bracket, layers: frozenset[str]) -> bool:
    """Return whether at least one of the layers through which a domain can be triggered is active
    in a bracket.
    """
    return not bracket.layers.isdisjoint(layers)


_ID_SEPARATOR = lazy_pattern(r"[,;|]")
_ID_LIST = lazy_pattern(r"\w[ \t]*[,;|][ \t]*@?\w")


class Trigger(NamedTuple):
    """The id of an agent or workflow that ``domain`` waits for."""

    domain: str
    id: Text


def domain_triggers(facts: FileFacts, setting: str) -> Iterator[Trigger]:
    """Yield the triggers of a manifest's active domains; ``setting`` is `AGENT_TRIGGER` or
    `WORKFLOW_TRIGGER`.
    """
    if not isinstance(facts.document, Manifest):
        return
    for declaration in facts.document.domains.values():
        entry = declaration.entries.get(setting)
        if entry and entry.value.value and declaration.is_active:
            yield Trigger(declaration.name, entry.value)


def id_list_finding(
    facts: FileFacts, trigger: Trigger, noun: str, brings_in: Callable[[str], bool], mark: str = ""
) -> Finding | None:
    """Return the finding for a trigger of a domain that lists several ids where one is expected,
    else None.

    ``noun`` says what the id is of, ``brings_in`` whether one of the ids brings the domain in all
    the same, and ``mark`` is written before an id.
    """
    domain, name = trigger
    if not _ID_LIST.search(name.value):
        return None
    ids = split_ids(name.value)
    if not (idle := [f"{mark}{name_part[:80]}" for name_part in ids if not brings_in(name_part)]):
        return None
    if len(idle) == 1:
        none = f"`{idle[0]}` does not activate {domain}"
    elif len(idle) == 2:
        none = f"neither `{idle[0]}` nor `{idle[1]}` activates {domain}"
    elif len(idle) <= 5:
        none = f"none of `{'`, `'.join(idle)}` activates {domain}"
    else:
        none = f"none of `{'`, `'.join(idle[:5])}` and others activates {domain}"
    key = f"{domain}_{to_upper_snake(ids[1])}"
    state, waiting = f"{key}_STATE=active", f"{key}_{noun.upper()}_TRIGGER={ids[1]}"
    folder = facts.path.rpartition("/")[0]
    file = f"{folder}/{naming_conventions.domain_file_names(key, folder)[0]}"
    remedy = (
        f"For `{ids[1]}`, make a second domain: add `{state}` and `{waiting}`, and copy the rules "
        f"into a new file `{file}`."
    )
    if len(ids) > 2:
        remedy = (
            f"For each other, add lines such as `{state}` and `{waiting}`, and copy the rules into "
            f"a file such as `{file}`."
        )
    always = f"If every {noun} needs these rules, write `{domain}_ALWAYS_ON=true` instead."
    return Finding(
        name.span,
        f"Only one {noun} can stand here, so {none}.",
        " ".join((f"Keep `{ids[0]}`.", remedy, always)),
    )


def split_ids(value: str) -> tuple[str, ...]:
    """Return the ids that the value of a trigger lists, each once."""
    parts = (part.strip(" \t@") for part in _ID_SEPARATOR.split(value))
    return tuple(dict.fromkeys(filter(None, parts)))


_LIST_SETTINGS = ("RECALL", "PATHS")
_WORD_SETTINGS = ("AGENT_TRIGGER", "WORKFLOW_TRIGGER", "EVERY_N_TURNS", "ON_TOKENS")
# Problems for which a line may not say what its author meant by it.
LOST_LINE_PROBLEMS = frozenset({"unknown-key", "malformed-line", "bad-boolean"})


def has_trigger(declaration: DomainDeclaration) -> bool:
    """Return whether a domain is always on or has any trigger: keywords, paths, agent, workflow,
    turns, tokens.
    """
    entries = declaration.entries
    return (
        declaration.always_on
        or any(entries[s].line.items for s in _LIST_SETTINGS if s in entries)
        or any(entries[s].word for s in _WORD_SETTINGS if s in entries)
    )


def is_dormant(domain: tree_domains.Domain) -> bool:
    """Return whether a domain is dormant: it is active, but nothing triggers it. A squad brings in
    its own domains.
    """
    declaration = domain.declaration
    return (
        declaration is not None
        and not domain.squad
        and declaration.is_active
        and not (domain.builtin and domain.name in BUILTIN_ROLES)
        and not has_trigger(declaration)
    )


def has_unreadable_line(facts: FileFacts, domain: str) -> bool:
    """Return whether a line about ``domain`` in a manifest is reported as one that cannot be
    read.
    """
    prefix = f"{to_upper_snake(domain)}_"
    for problem in facts.problems:
        if problem.kind in LOST_LINE_PROBLEMS and not fixes.is_understood_value(problem):
            start = max(facts.text.rfind(end, 0, problem.span.start) for end in "\r\n") + 1
            head = facts.text[start : start + len(domain) + 8].lstrip()
            if to_upper_snake(head).startswith(prefix):
                return True
    return False


# Keywords of a domain that are looked at; nobody has written a longer list by hand.
MAX_KEYWORDS = 2_000


@lint_rule.weak_cache
def domains_with_recall(facts: FileFacts) -> tuple[tuple[DomainDeclaration, ManifestEntry], ...]:
    """Return the active domains of a manifest that have a list of keywords, each with its
    ``_RECALL`` entry.
    """
    domains = facts.document.domains.values() if isinstance(facts.document, Manifest) else ()
    lists = ((domain, domain.entries.get("RECALL")) for domain in domains)
    return tuple(
        (domain, entry)
        for domain, entry in lists
        if entry and 0 < len(entry.line.items) <= MAX_KEYWORDS and domain.is_active
    )


def matches_inside_words(tree: Tree) -> bool:
    """Return whether the tree also matches keywords inside of words (CARL does)."""
    matching = tree.snapshot.config.matching
    return matching == "substring" if matching else tree.folder == tree_folders.CARL


def keyword_deletion(
    facts: FileFacts, keywords: tuple[Text, ...], place: int, *, safe: bool
) -> Fix | None:
    """Return the fix that deletes a keyword from its list, None for the last keyword of a domain,
    which stays: without it nothing would bring the domain in.
    """
    if len(keywords) < 2:
        return None
    span = fixes.item_deletion_span(keywords, place)
    return fixes.single_edit_fix(facts, "Delete the keyword", span, "", safe=safe)


_PLACEHOLDER_TEXT = lazy_pattern(
    r"(?:TODO|FIXME|TBD|TBA|XXX+)\s*[.:!]?"
    r"|\.{3}|…"
    r"|\{\{[^{}]*\}\}|\{[A-Za-z][\w .-]*\}"
    r"|[\[<](?i:(?:your|the|insert|describe|add|put|replace|rule"
    r"|seus?|suas?|insira|descreva|regra)\b)"
    r"[^\]>]*[\]>]"
    r"|(?i:(?:(?:your|add|insert|put|write)\s(?:\S+\s){0,4}|rule(?:\stext)?\s)here)[.!]?"
    r"|(?i:(?:sua|insira|escreva)\s(?:\S+\s){0,4}aqui)[.!]?"
)
_PLACEHOLDER_START = lazy_pattern(
    r"(?:TODO|FIXME|TBD)\s*:\s|This is Rule [0-9]+\b|(?i:lorem ipsum)\b"
)
PLACEHOLDER_KEYWORD = lazy_pattern(
    r"(?i:(?:keyword|palavra(?:-chave)?)[ _-]?[0-9]|trigger phrases?|your (?:keywords?|triggers?))"
)


def is_placeholder(text: str) -> bool:
    """Return whether the text of a rule is only a placeholder, such as ``TODO`` or ``[your rule
    here]``.
    """
    return bool(_PLACEHOLDER_TEXT.fullmatch(text) or _PLACEHOLDER_START.match(text))
