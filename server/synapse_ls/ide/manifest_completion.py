"""Complete manifests: keys that are missing, and the values of each kind of setting."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice

from synapse_ls.edits.distinctive_words import distinctive_words
from synapse_ls.edits.domain_edits import domain_key, rule_file_path
from synapse_ls.formats.carl.manifest import CARL_SETTINGS
from synapse_ls.formats.keyvalue_values import split_list
from synapse_ls.formats.manifest import EXTENDS_MODES, GLOBAL_KEYS, SETTINGS, Manifest, split_key
from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.ide import completion_item
from synapse_ls.ide.completion_item import (
    CompletionItem,
    CompletionOffer,
    LineContext,
    ListTyping,
    escape_snippet,
    list_item_span,
    parse_assignment,
    snippet_choice,
    unique_offer,
)
from synapse_ls.ide.position_lookup import domain_label
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import WHITE_SPACE, Span
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import BUILT_IN
from synapse_ls.workspace.naming_conventions import (
    domain_of_file,
    kebab_case,
    snake_case,
    squad_prefix,
)
from synapse_ls.workspace.tree_domains import Home
from synapse_ls.workspace.tree_folders import CARL

_MOST_DOMAINS = 12
"""Domains from which on only so many are offered, and those that fit what was typed."""

_TRIGGER_OF = {"AGENT": "AGENT_TRIGGER", "WORKFLOW": "WORKFLOW_TRIGGER"}
_STATES = ("active", "inactive")
_BOOLEAN_WORDS = ("true", "false")
_WORDS_OF_KIND: Mapping[str, tuple[str, ...]] = {
    "state": _STATES,
    "bool": _BOOLEAN_WORDS,
}
_EXAMPLE_VALUES: Mapping[str, tuple[str, ...]] = {
    "EVERY_N_TURNS": ("5", "10", "20"),
    "ON_TOKENS": ("10000", "25000", "50000"),
}
_GLOBS = ("src/**", "tests/**", "docs/**", "**/*.md", "**/*.py", "**/*.ts")


def complete_manifest(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a manifest: what can be written there."""
    if place.is_comment:
        return None
    line = parse_assignment(place)
    if line.in_value(place.caret):
        return _complete_value(view, place, line.key.cut(place.text), line.equals + 1)
    if place.caret > line.key.end:
        return None
    home = view.tree.home_of(facts.path)
    manifest = facts.document if isinstance(facts.document, Manifest) else None
    domain, setting = split_key(line.key.cut(place.text))
    name_span = Span(line.key.start, line.key.start + len(domain))
    if domain and place.caret <= name_span.end:
        # The setting is there already: in front of it, a whole key would be too much.
        return unique_offer(name_span, _domain_items(view, home, manifest, facts.path, setting))
    typed = place.typed_since(line.key.start)
    wanted, is_complete = _offered_domains(home, manifest, place, typed)
    ends = line.equals >= 0
    keys = [
        pair for domain, settings in wanted for pair in _missing_keys(view, facts, domain, settings)
    ]
    keys += ((key, "") for key in _missing_global_keys(home, manifest, place))
    if not any(key.startswith(typed.upper()) for key, _ in keys):
        name = _new_domain_name(view, facts, typed.upper())
        keys += _missing_keys(view, facts, name, frozenset()) if name else ()
        is_complete = False  # with every further letter the domain has another name
    items = (_key_item(key, label, has_value=ends) for key, label in keys)
    return unique_offer(line.key, items, is_complete=is_complete)


def _domain_items(
    view: View, home: Home, manifest: Manifest | None, path: str, setting: str
) -> Iterator[CompletionItem]:
    """Yield the domains that do not have ``setting`` yet, those that no manifest declares first."""
    declared = manifest.domains if manifest else {}
    for name in _domain_names(home, manifest):
        if name not in declared or setting not in declared[name].entries:
            topic = ("setting", setting, domain_label(view.tree, path, name))
            yield CompletionItem(name, "key", topic=topic)


def _domain_names(home: Home, manifest: Manifest | None, first: str = "") -> dict[str, None]:
    """Return the domains that keys can be about, in order: ``first``, then files that no domain
    claims, then the others.
    """
    orphans = (domain_of_file(path) for path in home.orphan_files)
    undeclared = (domain.name for domain in home.domains if domain.declaration is None)
    declared = manifest.domains if manifest else ()
    return dict.fromkeys(filter(None, (first, *orphans, *undeclared, *declared)))


def _offered_domains(
    home: Home, manifest: Manifest | None, place: LineContext, typed: str
) -> tuple[list[tuple[str, frozenset[str]]], bool]:
    """Return the domains whose keys are offered, that of the nearest line above first, each with
    the settings it has, and whether these are all.
    """
    declared = manifest.domains if manifest else {}
    # The domain of the nearest key above the caret's line.
    entries_in_order = manifest.entries if manifest else ()
    behind = bisect_left(entries_in_order, place.span.start, key=lambda entry: entry.span.start)
    above = next(
        (
            entries_in_order[n].domain
            for n in range(behind - 1, -1, -1)
            if entries_in_order[n].domain
        ),
        "",
    )
    names = _domain_names(home, manifest, above)
    few = len(names) <= _MOST_DOMAINS
    order: Iterable[str] = names
    if not few:
        word = typed.upper()
        # Those whose keys begin with what was typed, or that it goes on from.
        orphans = map(domain_of_file, home.orphan_files)
        near = (
            {word[:end] for end, char in enumerate(word) if char == "_"}
            if word
            else {above, *orphans}
        )
        order = (name for name in names if (word and word in name) or name in near)
    offered = []
    for name in islice(order, _MOST_DOMAINS):
        entries = declared[name].entries if name in declared else {}
        settings = (s for s, entry in entries.items() if not entry.span.touches(place.caret))
        offered.append((name, frozenset(settings)))
    return offered, few


def _new_domain_name(view: View, facts: FileFacts, typed: str) -> str:
    """Return the domain of which somebody begins to type the first key; "" where there could be
    none.
    """
    name = typed
    for end in (at for at, char in enumerate(typed) if char == "_"):
        if any(setting.startswith(typed[end + 1 :]) for setting in SETTINGS):
            name = typed[:end]
            break
    declared = facts.document.domains if isinstance(facts.document, Manifest) else {}
    try:
        rule_file_path(view.tree, facts.path.rpartition("/")[0], domain_key(name))
    except UserError:
        return ""  # no file could be called after it
    return "" if name in declared else name


def _missing_keys(
    view: View, facts: FileFacts, domain: str, taken: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield (key, the domain's label) for each setting that a domain does not have yet."""
    label = domain_label(view.tree, facts.path, domain)
    kind = domain.partition("_")[0]
    kind = kind if kind in _TRIGGER_OF else ""
    for setting in _ordered_settings(kind, in_carl=facts.path.startswith(f"{CARL}/")):
        if setting not in taken:
            yield f"{domain}_{setting}", label


@lru_cache
def _ordered_settings(kind: str, *, in_carl: bool) -> tuple[str, ...]:
    """Return the settings that a domain may have, the most usual first for its ``kind``: "AGENT",
    "WORKFLOW" or "" for any other.
    """
    usual = ("STATE", _TRIGGER_OF.get(kind, "RECALL"), "RECALL", "EXCLUDE", "PATHS", "ALWAYS_ON")
    other = _TRIGGER_OF.get({"AGENT": "WORKFLOW", "WORKFLOW": "AGENT"}.get(kind, ""), "")
    order = dict.fromkeys((*usual, *(name for name in SETTINGS if name != other), other))
    settings = CARL_SETTINGS if in_carl else tuple(SETTINGS)
    return tuple(name for name in order if name in settings and name != "EXTENDS")


def _missing_global_keys(
    home: Home, manifest: Manifest | None, place: LineContext
) -> Iterator[str]:
    """Yield the keys of the manifest itself that it does not have yet."""
    own = (f"{squad_prefix(home.squad.folder)}_EXTENDS",) if home.squad else tuple(GLOBAL_KEYS)
    values: set[str] = set()
    # Looking at every key would be what a long manifest has no time for: most have none of these.
    if manifest and any(key in place.text for key in own):
        some = [e for e in manifest.entries if not (at := e.line).domain or at.setting == "EXTENDS"]
        values = {e.key.value for e in some if not e.span.touches(place.caret)}
    yield from (key for key in own if key not in values)


def _key_item(key: str, label: str, *, has_value: bool) -> CompletionItem:
    """Return a key as an item, with its ``=`` and the value that is meant most often where there is
    none yet.
    """
    domain, setting = split_key(key)
    about = SETTINGS.get(setting) or GLOBAL_KEYS[setting]
    topic = ("setting", setting, label)
    if has_value:
        return CompletionItem(key, "key", detail=about.kind, topic=topic, commit_characters="=")
    words = EXTENDS_MODES if setting == "EXTENDS" else _WORDS_OF_KIND.get(about.kind, ())
    if words:
        first = f"{key}={words[0]}"
        return CompletionItem(
            key,
            "key",
            first,
            f"{escape_snippet(key)}={snippet_choice(1, words)}",
            about.kind,
            topic,
        )
    own = _own_trigger(domain, setting)
    snippet = f"{escape_snippet(key)}=${{1:{escape_snippet(own)}}}" if own else ""
    return CompletionItem(key, "key", f"{key}=", snippet, about.kind, topic, "=")


def _own_trigger(domain: str, setting: str) -> str:
    """Return the trigger that a domain's name speaks of."""
    kind, _, subject = domain.partition("_")
    if setting == "AGENT_TRIGGER" and kind == "AGENT":
        return kebab_case(subject)
    return snake_case(subject) if setting == "WORKFLOW_TRIGGER" and kind == "WORKFLOW" else ""


def _complete_value(view: View, place: LineContext, key: str, start: int) -> CompletionOffer | None:
    """Return the values that make sense for a key."""
    domain, setting = split_key(key)
    if not setting:
        return None
    about = SETTINGS.get(setting) or GLOBAL_KEYS[setting]
    start += len(place.text[start : place.caret]) - len(
        place.text[start : place.caret].lstrip(WHITE_SPACE)
    )
    value = Span(start, max(place.body.end, place.caret))
    if about.kind == "list":
        span = list_item_span(place.text, value, place.caret)
        item = span.cut(place.text)
        other_texts, _ = split_list(place.text, value)
        values = [other.value for other in other_texts if not other.span.touches(place.caret)]
        items = tuple(
            _LIST_SUPPLIERS[setting](
                view, domain, values, ListTyping(place.typed_since(span.start), item)
            )
        )
        return unique_offer(span, items, is_complete=len(items) < completion_item.MOST_WORDS)
    words = _WORDS_OF_KIND.get(about.kind, ())
    if words:
        return unique_offer(value, _word_items(words, setting))
    return unique_offer(value, _VALUE_SUPPLIERS[setting](view, domain))


def _word_items(words: Iterable[str], setting: str) -> Iterator[CompletionItem]:
    for word in words:
        yield CompletionItem(word, "value", topic=("setting", setting, ""))


def _agent_items(view: View, domain: str) -> Iterator[CompletionItem]:
    own = _own_trigger(domain, "AGENT_TRIGGER")
    agent_items = tuple(completion_item.agent_items(view.tree))
    yield from sorted(agent_items, key=lambda item: kebab_case(item.label) != own)
    if own and not agent_items:
        yield CompletionItem(own, "agent")


def _workflow_items(view: View, domain: str) -> Iterator[CompletionItem]:
    own = _own_trigger(domain, "WORKFLOW_TRIGGER")
    yield from sorted(
        completion_item.workflow_items(view.tree), key=lambda item: snake_case(item.label) != own
    )


def _mode_items(_: View, __: str) -> Iterator[CompletionItem]:
    return _word_items(EXTENDS_MODES, "EXTENDS")


_VALUE_SUPPLIERS: Mapping[str, Callable[[View, str], Iterable[CompletionItem]]] = {
    "AGENT_TRIGGER": _agent_items,
    "WORKFLOW_TRIGGER": _workflow_items,
    "EXTENDS": _mode_items,
    "EVERY_N_TURNS": lambda _, __: _word_items(_EXAMPLE_VALUES["EVERY_N_TURNS"], "EVERY_N_TURNS"),
    "ON_TOKENS": lambda _, __: _word_items(_EXAMPLE_VALUES["ON_TOKENS"], "ON_TOKENS"),
}


def _recall_items(
    view: View, domain: str, taken: list[str], typing: ListTyping
) -> Iterator[CompletionItem]:
    """Yield the words of the domain's name, then those that others are recalled by."""
    for word in (
        distinctive_words(domain.replace("_", " ")) if domain.lower() not in BUILT_IN else ()
    ):
        if word not in taken:
            yield CompletionItem(word, "keyword", detail=domain, commit_characters=",")
    yield from completion_item.keyword_items(view.tree, "RECALL", taken, typing)


def _exclude_items(
    view: View, domain: str, taken: list[str], typing: ListTyping
) -> Iterator[CompletionItem]:
    del domain
    yield from completion_item.keyword_items(view.tree, "EXCLUDE", taken, typing)
    yield from completion_item.keyword_items(view.tree, "RECALL", taken)


def _path_items(
    view: View, domain: str, taken: list[str], typing: ListTyping
) -> Iterator[CompletionItem]:
    """Yield patterns of other domains, those of the folders in which stories work, and usual
    ones.
    """
    del domain
    yield from completion_item.keyword_items(view.tree, "PATHS", taken, typing)
    folders: dict[str, None] = {}
    for path in view.tree.stories:
        story = view.tree.snapshot.facts(path)
        document = story.document if story else None
        for file in document.files if isinstance(document, StoryDocument) else ():
            folder = file.path.rpartition("/")[0]
            if folder:
                folders.setdefault(f"{folder}/**")
    for pattern in (*folders, *_GLOBS):
        if pattern not in taken:
            yield CompletionItem(
                pattern, "file", topic=("setting", "PATHS", ""), commit_characters=","
            )


_LIST_SUPPLIERS: Mapping[
    str, Callable[[View, str, list[str], ListTyping], Iterable[CompletionItem]]
] = {
    "RECALL": _recall_items,
    "EXCLUDE": _exclude_items,
    "GLOBAL_EXCLUDE": _exclude_items,
    "PATHS": _path_items,
}
