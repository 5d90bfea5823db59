"""Completion in a manifest: keys that are missing, and the values of each kind of setting."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping

from synapse_ls.formats.carl.manifest import KNOWN
from synapse_ls.formats.manifest import EXTENDS_MODES, GLOBAL_KEYS, SETTINGS, Manifest, split_key
from synapse_ls.formats.story import StoryDocument
from synapse_ls.formats.values import split_list
from synapse_ls.ide.completion import names
from synapse_ls.ide.completion.item import Item, Offer, choice, literal, offer
from synapse_ls.ide.completion.names import Typing
from synapse_ls.ide.completion.place import Here, assignment, list_item
from synapse_ls.ide.lookup import declared_label
from synapse_ls.ide.view import View
from synapse_ls.manage.domains import domain_key, rule_path
from synapse_ls.manage.plan import ManageError
from synapse_ls.manage.words import distinctive
from synapse_ls.text.span import WHITE_SPACE, Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.folders import CARL
from synapse_ls.workspace.home import Home
from synapse_ls.workspace.kinds import BUILT_IN
from synapse_ls.workspace.naming import domain_of_file, kebab, snake, squad_prefix

_MANY = 12
"""Domains from which on only so many are offered, and those that fit what was typed."""

_TRIGGER_OF = {"AGENT": "AGENT_TRIGGER", "WORKFLOW": "WORKFLOW_TRIGGER"}
_STATES = ("active", "inactive")
_BOOLEANS = ("true", "false")
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "state": _STATES,
    "bool": _BOOLEANS,
}
_EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "EVERY_N_TURNS": ("5", "10", "20"),
    "ON_TOKENS": ("10000", "25000", "50000"),
}
_GLOBS = ("src/**", "tests/**", "docs/**", "**/*.md", "**/*.py", "**/*.ts")


def complete(view: View, facts: FileFacts, place: Here) -> Offer | None:
    """What can be written at a place of a manifest."""
    if place.is_comment:
        return None
    line = assignment(place)
    if line.in_value(place.caret):
        return _value(view, place, line.key.cut(place.text), line.equals + 1)
    if place.caret > line.key.end:
        return None
    typed = place.typed(line.key.start)
    home = view.tree.home_of(facts.path)
    manifest = facts.document if isinstance(facts.document, Manifest) else None
    wanted, is_complete = _domains(home, manifest, place, typed)
    ends = line.equals >= 0
    keys = [pair for domain, taken in wanted for pair in _missing(view, facts, domain, taken)]
    keys += ((key, "") for key in _globals(home, manifest, place))
    if not any(key.startswith(typed.upper()) for key, _ in keys):
        name = _new_domain(view, facts, typed.upper())
        keys += _missing(view, facts, name, frozenset()) if name else ()
        is_complete = False  # with every further letter the domain has another name
    items = (_key(key, label, has_value=ends) for key, label in keys)
    return offer(line.key, items, is_complete=is_complete)


def _domains(
    home: Home, manifest: Manifest | None, place: Here, typed: str
) -> tuple[list[tuple[str, frozenset[str]]], bool]:
    """The domains whose keys are offered, each with the settings it has; whether these are all.

    First the one of the nearest line above, then files that no domain claims, then the others.
    """
    declared = manifest.domains if manifest else {}
    above = _above(manifest, place)
    orphans = [domain_of_file(path) for path in home.orphans]
    undeclared = [domain.name for domain in home.domains if domain.declaration is None]
    order = dict.fromkeys(filter(None, (above, *orphans, *undeclared, *declared)))
    few = len(order) <= _MANY
    if not few:
        word = typed.upper()
        near = {above, *orphans} if not word else set()
        order = {
            name: None
            for name in order
            if (word and (word in name or word.startswith(f"{name}_"))) or name in near
        }
    found = []
    for name in list(order)[:_MANY]:
        entries = declared[name].entries if name in declared else {}
        taken = (s for s, entry in entries.items() if not entry.span.touches(place.caret))
        found.append((name, frozenset(taken)))
    return found, few


def _new_domain(view: View, facts: FileFacts, typed: str) -> str:
    """The domain of which somebody begins to type the first key; "" where there could be none."""
    name = typed
    for end in (at for at, char in enumerate(typed) if char == "_"):
        if any(setting.startswith(typed[end + 1 :]) for setting in SETTINGS):
            name = typed[:end]
            break
    declared = facts.document.domains if isinstance(facts.document, Manifest) else {}
    try:
        rule_path(view.tree, facts.path.rpartition("/")[0], domain_key(name))
    except ManageError:
        return ""  # no file could be called after it
    return "" if name in declared else name


def _above(manifest: Manifest | None, place: Here) -> str:
    """The domain of the nearest key above the caret's line."""
    entries = manifest.entries if manifest else ()
    behind = bisect_left(entries, place.span.start, key=lambda entry: entry.span.start)
    return next((entries[n].domain for n in range(behind - 1, -1, -1) if entries[n].domain), "")


def _missing(
    view: View, facts: FileFacts, domain: str, taken: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """(key, the domain's label) for each setting that a domain does not have yet."""
    label = declared_label(view.tree, facts.path, domain)
    kind = domain.partition("_")[0]
    usual = ("STATE", _TRIGGER_OF.get(kind, "RECALL"), "RECALL", "EXCLUDE", "PATHS", "ALWAYS_ON")
    other = _TRIGGER_OF.get({"AGENT": "WORKFLOW", "WORKFLOW": "AGENT"}.get(kind, ""), "")
    order = dict.fromkeys((*usual, *(name for name in SETTINGS if name != other), other))
    known = KNOWN if facts.path.startswith(f"{CARL}/") else tuple(SETTINGS)
    for setting in order:
        if setting in known and setting not in taken and setting != "EXTENDS":
            yield f"{domain}_{setting}", label


def _globals(home: Home, manifest: Manifest | None, place: Here) -> Iterator[str]:
    """The keys of the manifest itself that it does not have yet."""
    entries = manifest.entries if manifest else ()
    # Looking at every key would be what a long manifest has no time for.
    some = (e for e in entries if not e.domain or e.setting == "EXTENDS")
    taken = {e.key.value for e in some if not e.span.touches(place.caret)}
    own = (f"{squad_prefix(home.squad.folder)}_EXTENDS",) if home.squad else tuple(GLOBAL_KEYS)
    yield from (key for key in own if key not in taken)


def _key(key: str, label: str, *, has_value: bool) -> Item:
    """A key, with its ``=`` and the value that is meant most often where there is none yet."""
    domain, setting = split_key(key)
    about = SETTINGS.get(setting) or GLOBAL_KEYS[setting]
    topic = ("setting", setting, label)
    if has_value:
        return Item(key, "key", detail=about.kind, topic=topic, commit="=")
    words = EXTENDS_MODES if setting == "EXTENDS" else _CHOICES.get(about.kind, ())
    if words:
        first = f"{key}={words[0]}"
        return Item(key, "key", first, f"{literal(key)}={choice(1, words)}", about.kind, topic)
    own = _own_word(domain, setting)
    snippet = f"{literal(key)}=${{1:{literal(own)}}}" if own else ""
    return Item(key, "key", f"{key}=", snippet, about.kind, topic, "=")


def _own_word(domain: str, setting: str) -> str:
    """The trigger that a domain's name speaks of."""
    kind, _, subject = domain.partition("_")
    if setting == "AGENT_TRIGGER" and kind == "AGENT":
        return kebab(subject)
    return snake(subject) if setting == "WORKFLOW_TRIGGER" and kind == "WORKFLOW" else ""


def _value(view: View, place: Here, key: str, start: int) -> Offer | None:
    """The values that make sense for a key."""
    domain, setting = split_key(key)
    if not setting:
        return None
    about = SETTINGS.get(setting) or GLOBAL_KEYS[setting]
    start += len(place.text[start : place.caret]) - len(
        place.text[start : place.caret].lstrip(WHITE_SPACE)
    )
    value = Span(start, max(place.body.end, place.caret))
    if about.kind == "list":
        span = list_item(place.text, value, place.caret)
        item = span.cut(place.text)
        others, _ = split_list(place.text, value)
        taken = [other.value for other in others if not other.span.touches(place.caret)]
        items = tuple(_LISTS[setting](view, domain, taken, Typing(place.typed(span.start), item)))
        return offer(span, items, is_complete=len(items) < names.MOST_WORDS)
    words = _CHOICES.get(about.kind, ())
    if words:
        return offer(value, _words(words, setting))
    return offer(value, _WORDS[setting](view, domain))


def _words(words: Iterable[str], setting: str) -> Iterator[Item]:
    for word in words:
        yield Item(word, "value", topic=("setting", setting, ""))


def _agents(view: View, domain: str) -> Iterator[Item]:
    own = _own_word(domain, "AGENT_TRIGGER")
    found = tuple(names.agents(view.tree))
    yield from sorted(found, key=lambda item: kebab(item.label) != own)
    if own and not found:
        yield Item(own, "agent")


def _workflows(view: View, domain: str) -> Iterator[Item]:
    own = _own_word(domain, "WORKFLOW_TRIGGER")
    yield from sorted(names.workflows(view.tree), key=lambda item: snake(item.label) != own)


def _modes(_: View, __: str) -> Iterator[Item]:
    return _words(EXTENDS_MODES, "EXTENDS")


_WORDS: Mapping[str, Callable[[View, str], Iterable[Item]]] = {
    "AGENT_TRIGGER": _agents,
    "WORKFLOW_TRIGGER": _workflows,
    "EXTENDS": _modes,
    "EVERY_N_TURNS": lambda _, __: _words(_EXAMPLES["EVERY_N_TURNS"], "EVERY_N_TURNS"),
    "ON_TOKENS": lambda _, __: _words(_EXAMPLES["ON_TOKENS"], "ON_TOKENS"),
}


def _recall(view: View, domain: str, taken: list[str], typing: Typing) -> Iterator[Item]:
    """The words of the domain's name, then those that others are recalled by."""
    for word in distinctive(domain.replace("_", " ")) if domain.lower() not in BUILT_IN else ():
        if word not in taken:
            yield Item(word, "keyword", detail=domain, commit=",")
    yield from names.keywords(view.tree, "RECALL", taken, typing)


def _exclude(view: View, domain: str, taken: list[str], typing: Typing) -> Iterator[Item]:
    del domain
    yield from names.keywords(view.tree, "EXCLUDE", taken, typing)
    yield from names.keywords(view.tree, "RECALL", taken)


def _paths(view: View, domain: str, taken: list[str], typing: Typing) -> Iterator[Item]:
    """Patterns of other domains, those of the folders in which stories work, usual ones."""
    del domain
    yield from names.keywords(view.tree, "PATHS", taken, typing)
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
            yield Item(pattern, "file", topic=("setting", "PATHS", ""), commit=",")


_LISTS: Mapping[str, Callable[[View, str, list[str], Typing], Iterable[Item]]] = {
    "RECALL": _recall,
    "EXCLUDE": _exclude,
    "GLOBAL_EXCLUDE": _exclude,
    "PATHS": _paths,
}
