"""Complete manifests: keys that are missing, and the values of each kind of setting."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain, islice

from synapse_ls.edits.domain_edits import domain_key, rule_file_path
from synapse_ls.edits.domain_suggestions import distinctive_words
from synapse_ls.formats.carl.manifest import CARL_SETTINGS
from synapse_ls.formats.manifest import EXTENDS_MODES, GLOBAL_KEYS, SETTINGS, Manifest, split_key
from synapse_ls.formats.manifest_settings import split_list
from synapse_ls.formats.story_file import StoryDocument
from synapse_ls.ide import completion_item
from synapse_ls.ide.completion_item import (
    CompletionItem,
    CompletionOffer,
    LineContext,
    escape_snippet,
    parse_assignment,
    snippet_choice,
    unique_offer,
    word_items,
)
from synapse_ls.ide.position_lookup import domain_label
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import WHITE_SPACE, Span
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import file_kinds, tree_domains, tree_folders
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.naming_conventions import (
    domain_of_file,
    kebab_case,
    snake_case,
    squad_prefix,
)

# Domains from which on only so many are offered, and those that fit what was typed.
_MOST_DOMAINS = 12

_TRIGGER_OF = {"AGENT": "AGENT_TRIGGER", "WORKFLOW": "WORKFLOW_TRIGGER"}
_WORDS_OF_KIND: Mapping[str, tuple[str, ...]] = {
    "state": ("active", "inactive"),
    "bool": ("true", "false"),
}
_WORDS_OF_SETTING: Mapping[str, tuple[str, ...]] = {
    "EXTENDS": EXTENDS_MODES,
    "EVERY_N_TURNS": ("5", "10", "20"),
    "ON_TOKENS": ("10000", "25000", "50000"),
}
_GLOBS = ("src/**", "tests/**", "docs/**", "**/*.md", "**/*.py", "**/*.ts")


def complete_manifest(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Return the completions at a place of a manifest: what can be written there."""
    manifest = facts.document
    if place.is_comment or not isinstance(manifest, Manifest):
        return None
    if (line := parse_assignment(place)).in_value(place.caret):
        return _complete_value(view, place, line.key.cut(place.text), line.equals + 1)
    if place.caret > line.key.end:
        return None
    home = view.tree.home_of(facts.path)
    domain, setting = split_key(line.key.cut(place.text))
    name_span = Span(line.key.start, line.key.start + len(domain))
    if domain and place.caret <= name_span.end:
        # The setting is there already: in front of it, a whole key would be too much.
        names = (
            name
            for name in _domain_names(home, manifest)
            if name not in manifest.domains or setting not in manifest.domains[name].entries
        )
        topics = ((name, domain_label(view.tree, facts.path, name)) for name in names)
        return unique_offer(
            name_span,
            (
                CompletionItem(name, "key", topic=("setting", setting, label))
                for name, label in topics
            ),
        )
    typed = place.typed_since(line.key.start)
    offered_domains, is_complete = _offered_domains(home, manifest, place, typed.upper())
    keys = [
        pair
        for domain, settings in offered_domains
        for pair in _missing_keys(view, facts, domain, settings)
    ]
    # The keys of the manifest itself that it does not have yet.
    prefix = squad_prefix(home.squad.folder) if home.squad else ""
    global_keys = (f"{prefix}_EXTENDS",) if home.squad else tuple(GLOBAL_KEYS)
    present = {
        entry.key.value
        for entry in manifest.entries
        if (not entry.domain or entry.setting == "EXTENDS") and not entry.span.touches(place.caret)
    }
    keys += [(key, "") for key in global_keys if key not in present]
    if not any(key.startswith(typed.upper()) for key, _ in keys):
        name = _new_domain_name(view, facts.path, typed.upper())
        if name and name not in manifest.domains:
            keys += _missing_keys(view, facts, name, frozenset())
        is_complete = False  # with every further letter the domain has another name
    items = (_key_item(key, label, has_value=line.equals >= 0) for key, label in keys)
    return unique_offer(line.key, items, is_complete=is_complete)


def _domain_names(home: tree_domains.Home, manifest: Manifest, first: str = "") -> dict[str, None]:
    """Return the domains that keys can be about, in order: ``first``, then files that no domain
    claims, then the others.
    """
    orphans = map(domain_of_file, home.orphan_files)
    undeclared = (domain.name for domain in home.domains if domain.declaration is None)
    return dict.fromkeys(filter(None, (first, *orphans, *undeclared, *manifest.domains)))


def _offered_domains(
    home: tree_domains.Home, manifest: Manifest, place: LineContext, typed: str
) -> tuple[list[tuple[str, frozenset[str]]], bool]:
    """Return the domains whose keys are offered, that of the nearest line above first, each with
    the settings it has, and whether these are all.
    """
    behind = bisect_left(manifest.entries, place.span.start, key=lambda entry: entry.span.start)
    domains_above = (entry.domain for entry in reversed(manifest.entries[:behind]))
    above = next(filter(None, domains_above), "")
    all_names = _domain_names(home, manifest, above)
    is_complete = len(all_names) <= _MOST_DOMAINS
    names: Iterable[str] = all_names
    if not is_complete:
        # Those whose keys begin with what was typed, or that it goes on from.
        near = {typed[:end] for end, char in enumerate(typed) if char == "_"}
        near = near if typed else {above, *map(domain_of_file, home.orphan_files)}
        names = (name for name in all_names if (typed and typed in name) or name in near)
    offered_domains = []
    for name in islice(names, _MOST_DOMAINS):
        entries = manifest.domains[name].entries if name in manifest.domains else {}
        settings = (s for s, entry in entries.items() if not entry.span.touches(place.caret))
        offered_domains.append((name, frozenset(settings)))
    return offered_domains, is_complete


def _new_domain_name(view: View, path: str, typed: str) -> str:
    """Return the domain of which somebody begins to type the first key; "" where there could be
    none.
    """
    ends = (
        end
        for end, char in enumerate(typed)
        if char == "_" and any(setting.startswith(typed[end + 1 :]) for setting in SETTINGS)
    )
    name = typed[: next(ends, len(typed))]
    try:
        rule_file_path(view.tree, path.rpartition("/")[0], domain_key(name))
    except UserError:
        return ""  # no file could be called after it
    return name


def _missing_keys(
    view: View, facts: FileFacts, domain: str, taken: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield (key, the domain's label) for each setting that a domain does not have yet."""
    label = domain_label(view.tree, facts.path, domain)
    kind = domain.partition("_")[0]
    for setting in _ordered_settings(kind, in_carl=facts.path.startswith(f"{tree_folders.CARL}/")):
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


def _key_item(key: str, label: str, *, has_value: bool) -> CompletionItem:
    """Return a key as an item, with its ``=`` and the value that is meant most often where there is
    none yet.
    """
    domain, setting = split_key(key)
    kind = _setting_kind(setting)
    topic = ("setting", setting, label)
    if has_value:
        return CompletionItem(key, "key", "", "", kind, topic, "=")
    words = EXTENDS_MODES if setting == "EXTENDS" else _WORDS_OF_KIND.get(kind, ())
    if words:
        snippet = f"{escape_snippet(key)}={snippet_choice(1, words)}"
        return CompletionItem(key, "key", f"{key}={words[0]}", snippet, kind, topic)
    trigger = _own_trigger(domain, setting)
    snippet = f"{escape_snippet(key)}=${{1:{escape_snippet(trigger)}}}" if trigger else ""
    return CompletionItem(key, "key", f"{key}=", snippet, kind, topic, "=")


def _setting_kind(setting: str) -> str:
    """Return the kind of value that a setting of a domain or of the manifest has."""
    return (SETTINGS.get(setting) or GLOBAL_KEYS[setting]).kind


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
    text, caret = place.text, place.caret
    start = caret - len(text[start:caret].lstrip(WHITE_SPACE))
    value = Span(start, max(place.body.end, caret))
    if (kind := _setting_kind(setting)) != "list":
        if words := _WORDS_OF_KIND.get(kind) or _WORDS_OF_SETTING.get(setting):
            return unique_offer(value, word_items(words, topic=("setting", setting, "")))
        return unique_offer(value, _trigger_items(view, domain, setting))
    # The item of the list at the caret, without the white space around it.
    start = text.rfind(",", value.start, caret) + 1 or value.start
    end = text.find(",", caret, value.end)
    end = value.end if end < 0 else end
    start = caret - len(text[start:caret].lstrip(WHITE_SPACE))
    span = Span(start, caret + len(text[caret:end].rstrip(WHITE_SPACE)))
    other_items = [
        item.value for item in split_list(text, value)[0] if not item.span.touches(caret)
    ]
    typed = place.typed_since(start)
    items = tuple(_list_items(view, domain, setting, other_items, typed, span.cut(text)))
    return unique_offer(span, items, is_complete=len(items) < completion_item.MOST_WORDS)


def _trigger_items(view: View, domain: str, setting: str) -> Iterator[CompletionItem]:
    """Yield the agents or workflows, the one that the domain's name speaks of first."""
    trigger = _own_trigger(domain, setting)
    if setting == "WORKFLOW_TRIGGER":
        workflows = completion_item.workflow_items(view.tree)
        yield from sorted(workflows, key=lambda item: snake_case(item.label) != trigger)
        return
    agents = tuple(completion_item.agent_items(view.tree))
    yield from sorted(agents, key=lambda item: kebab_case(item.label) != trigger)
    if trigger and not agents:
        yield CompletionItem(trigger, "agent")


def _list_items(
    view: View, domain: str, setting: str, others: list[str], typed: str, item: str
) -> Iterator[CompletionItem]:
    """Yield the keywords and patterns that are known, without the ``others`` of the list.

    Words of the domain's name come first in a recall list; at the end are recall keywords where
    words are excluded, folders in which stories work and usual patterns where paths are named.
    """
    if setting == "RECALL" and domain.lower() not in file_kinds.BUILT_IN:
        for word in distinctive_words(domain.replace("_", " ")):
            if word not in others:
                yield CompletionItem(word, "keyword", detail=domain, commit_characters=",")
    like = "EXCLUDE" if setting == "GLOBAL_EXCLUDE" else setting
    yield from completion_item.keyword_items(view.tree, like, others, typed, item)
    if like == "EXCLUDE":
        yield from completion_item.keyword_items(view.tree, "RECALL", others)
    elif setting == "PATHS":
        stories = (view.tree.snapshot.document(path, StoryDocument) for path in view.tree.stories)
        files = chain.from_iterable(story.files for story in stories if story)
        folders = dict.fromkeys(file.path.rpartition("/")[0] for file in files)
        for pattern in (*(f"{folder}/**" for folder in folders if folder), *_GLOBS):
            if pattern not in others:
                topic = ("setting", "PATHS", "")
                yield CompletionItem(pattern, "file", topic=topic, commit_characters=",")
