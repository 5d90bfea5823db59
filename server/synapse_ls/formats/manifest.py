"""The manifest: which domains a tree has and what brings each of them in.

``KEY=VALUE`` lines, the key a domain and one of the suffixes of ``SETTINGS`` (SYNAPSE Context
Brackets; ADR-001 A1; CARL v1 for the spellings it takes). Blank lines and lines whose first
character is ``#`` are skipped; the last of duplicate keys wins.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from synapse_ls.formats import values
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.formats.rule_keys import MAX_KEY, parse_key, upper_snake
from synapse_ls.text.lines import iter_lines
from synapse_ls.text.near import nearest
from synapse_ls.text.span import WHITE_SPACE, Span, trim


@dataclass(frozen=True, slots=True)
class Setting:
    """How the value of a suffix is read: as "state", "bool", "list", "word" or "int"."""

    kind: str
    summary: str


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "STATE": Setting("state", "Whether the domain is switched on: `active` or `inactive`."),
        "ALWAYS_ON": Setting("bool", "Whether the domain is in every block, without a trigger."),
        "NON_NEGOTIABLE": Setting("bool", "Whether the budget may never cut the domain's rules."),
        "AGENT_TRIGGER": Setting("word", "The id of the agent that brings the domain in."),
        "WORKFLOW_TRIGGER": Setting("word", "The id of the workflow that brings the domain in."),
        "RECALL": Setting("list", "Words and phrases in a prompt that bring the domain in."),
        "EXCLUDE": Setting("list", "Words and phrases in a prompt that stop the domain's recall."),
        "PATHS": Setting("list", "Patterns of files whose use brings the domain in."),
        "EVERY_N_TURNS": Setting("int", "Brings the domain in at every n-th prompt."),
        "ON_TOKENS": Setting("int", "Brings the domain in each time n more tokens are in use."),
        "EXTENDS": Setting("word", "How a squad meets the root: `extend`, `override` or `none`."),
    }
)
GLOBAL_KEYS: Mapping[str, Setting] = MappingProxyType(
    {
        "DEVMODE": Setting("bool", "Whether the block ends in a section about itself."),
        "GLOBAL_EXCLUDE": Setting("list", "Words and phrases in a prompt that stop all recall."),
    }
)
EXTENDS_MODES = ("extend", "override", "none")

ACTIVE = frozenset({"active", "true", "yes", "1", "on", "enabled"})
INACTIVE = frozenset({"inactive", "false", "no", "0", "off", "disabled"})

_KEY = re.compile(rf"(.+)_({'|'.join(SETTINGS)})", re.DOTALL)
_DOMAIN = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
_COLON = re.compile(r"([A-Z][A-Z0-9_]*)[ \t]*:")


@lru_cache(maxsize=8192)
def split_key(key: str) -> tuple[str, str]:
    """``AGENT_DEV_STATE`` -> ``("AGENT_DEV", "STATE")``; ``("", key)`` for a global; else ``("", "")``."""
    if key in GLOBAL_KEYS:
        return "", key
    match = _KEY.fullmatch(key)
    return (match[1], match[2]) if match else ("", "")


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """One line that has a key.

    ``setting`` is a suffix of ``SETTINGS``, one of ``GLOBAL_KEYS``, or "" when the key is neither;
    ``domain`` is "" for the last two. ``value`` is what counts: without a ``# note`` behind a word,
    a boolean, a state or a number. ``items`` are those of a list. ``span`` is the whole line.
    """

    key: Text
    value: Text
    domain: str
    setting: str
    items: tuple[Text, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Declaration:
    """One domain as its keys declare it; ``entries`` has the entry that counts for each setting."""

    name: str
    span: Span
    entries: Mapping[str, ManifestEntry]

    @property
    def active(self) -> bool:
        """False only where the state says so: no state, or one that cannot be read, is active."""
        return self._word("STATE").lower() not in INACTIVE

    @property
    def always_on(self) -> bool:
        return self._flag("ALWAYS_ON")

    @property
    def non_negotiable(self) -> bool:
        return self._flag("NON_NEGOTIABLE")

    @property
    def agent_trigger(self) -> str:
        return self._word("AGENT_TRIGGER")

    @property
    def workflow_trigger(self) -> str:
        return self._word("WORKFLOW_TRIGGER")

    @property
    def recall(self) -> tuple[str, ...]:
        return self._list("RECALL")

    @property
    def exclude(self) -> tuple[str, ...]:
        return self._list("EXCLUDE")

    @property
    def paths(self) -> tuple[str, ...]:
        return self._list("PATHS")

    @property
    def every_n_turns(self) -> int | None:
        return self._count("EVERY_N_TURNS")

    @property
    def on_tokens(self) -> int | None:
        return self._count("ON_TOKENS")

    @property
    def extends(self) -> str:
        return self._word("EXTENDS")

    def _word(self, setting: str) -> str:
        entry = self.entries.get(setting)
        return entry.value.value if entry else ""

    def _flag(self, setting: str) -> bool:
        return self._word(setting).lower() in values.TRUE

    def _list(self, setting: str) -> tuple[str, ...]:
        entry = self.entries.get(setting)
        return tuple(item.value for item in entry.items) if entry else ()

    def _count(self, setting: str) -> int | None:
        entry = self.entries.get(setting)
        return values.read_count(entry.value)[0] if entry else None


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest; ``entries`` in text order, ``domains`` in the order of their first mention.

    ``extends`` maps the name in ``{SQUAD}_EXTENDS`` to its value; such a key declares no domain.
    """

    text: str
    entries: tuple[ManifestEntry, ...]
    domains: Mapping[str, Declaration]
    devmode: bool
    global_exclude: tuple[str, ...]
    extends: Mapping[str, str]

    def entry_at(self, offset: int) -> ManifestEntry | None:
        """The entry on whose line ``offset`` is."""
        place = bisect_right(self.entries, offset, key=lambda entry: entry.span.start) - 1
        if place >= 0 and self.entries[place].span.touches(offset):
            return self.entries[place]
        return None


def parse(text: str) -> Parsed[Manifest]:
    """Read a manifest. Never raises; takes time linear in the text."""
    problems: list[Problem] = []
    entries: list[ManifestEntry] = []
    counting: dict[str, dict[str, ManifestEntry]] = {"": {}}
    names: dict[str, Span] = {}
    extends: dict[str, ManifestEntry] = {}
    for start, end in iter_lines(text):
        body = trim(text, start, end)
        if not body.length or text[body.start] == "#":
            continue
        equals = text.find("=", body.start, body.end)
        if equals in (-1, body.start):
            problems.append(_malformed(text, body))
            continue
        entry = _entry(text, body, equals, Span(start, end), problems)
        entries.append(entry)
        if not entry.setting:
            problems.append(_unknown_key(entry.key))
            continue
        if entry.setting == "EXTENDS":
            settings, slot = extends, entry.domain
        else:
            if entry.domain and entry.domain not in names:
                names[entry.domain] = _declare(entry, problems)
            settings, slot = counting.setdefault(entry.domain, {}), entry.setting
        if slot in settings:
            problems.append(_duplicate(entry, settings[slot]))
        settings[slot] = entry
    for name, entry in extends.items():
        if name in names:
            counting[name]["EXTENDS"] = entry
    globals_ = Declaration("", Span(0, 0), counting[""])
    manifest = Manifest(
        text,
        tuple(entries),
        {name: Declaration(name, span, counting[name]) for name, span in names.items()},
        _devmode(counting[""]),
        globals_._list("GLOBAL_EXCLUDE"),
        {name: entry.value.value for name, entry in extends.items()},
    )
    return Parsed(manifest, tuple(sorted(problems, key=lambda problem: problem.span)))


def _devmode(settings: Mapping[str, ManifestEntry]) -> bool:
    entry = settings.get("DEVMODE")
    return entry is not None and entry.value.value.lower() in values.DEVMODE_TRUE


def _entry(
    text: str, body: Span, equals: int, line: Span, problems: list[Problem]
) -> ManifestEntry:
    key_end = body.start + len(text[body.start : equals].rstrip(WHITE_SPACE))
    key_span = Span(body.start, key_end)
    key = Text(key_span.cut(text), key_span)
    value_span = trim(text, equals + 1, body.end)
    value = Text(value_span.cut(text), value_span)
    domain, name = split_key(key.value)
    items: tuple[Text, ...] = ()
    if name:
        setting = SETTINGS.get(name) or GLOBAL_KEYS[name]
        if setting.kind == "list":
            items, gaps = values.split_list(text, value_span)
            problems += (_empty_item(gap, name) for gap in gaps)
            comment = values.comment_in_list(value)
        else:
            value, comment = values.before_comment(value)
            problems += _check(name, setting.kind, value)
        if comment:
            problems.append(comment)
    return ManifestEntry(key, value, domain, name, items, line)


def _check(name: str, kind: str, value: Text) -> Iterator[Problem]:
    problem: Problem | None = None
    if kind == "state":
        problem = _bad_state(value)
    elif kind == "bool":
        true = values.DEVMODE_TRUE if name == "DEVMODE" else values.TRUE
        problem = values.read_bool(value, true)[1]
    elif kind == "int":
        problem = values.read_count(value)[1]
    elif name == "EXTENDS":
        problem = _bad_extends(value)
    if problem:
        yield problem


def _malformed(text: str, body: Span) -> Problem:
    if text[body.start] == "=":
        return Problem(
            "malformed-line",
            body,
            "The line is not read, because there is no key before `=`.",
            "Write a key before the `=`, or delete the line.",
        )
    colon = _COLON.match(text, body.start, body.end)
    if colon and any(split_key(colon[1])):
        return Problem(
            "malformed-line",
            Span(colon.end() - 1, colon.end()),
            "The line is not read, because a key ends in `=`, not in `:`.",
            "Write `=`.",
            (("suggestion", "="),),
        )
    return Problem(
        "malformed-line",
        body,
        "The line is not read, because it has no `=`.",
        "Write KEY=value, or begin the line with `#`.",
    )


def _bad_state(value: Text) -> Problem | None:
    word = value.value.lower()
    if word in ("active", "inactive"):
        return None
    read, said = "inactive" if word in INACTIVE else "active", values.unquoted(word)
    if word in ACTIVE | INACTIVE:
        message = f"`{value.value}` is read as {read}, but other readers know only `active`."
    elif word:
        message = f"`{value.value[:40]}` is not a state; the domain is taken as active."
    else:
        message = "The state is empty; the domain is taken as active."
    near = nearest(word, ("active", "inactive"))
    known = "active" if said in ACTIVE else "inactive" if said in INACTIVE else ""
    meant = known or near or read
    data = values.reading(meant, read, near=bool(near), known=bool(known))
    return Problem("bad-state", value.span, message, f"Write `{meant}`.", data)


def _bad_extends(value: Text) -> Problem | None:
    if value.value in EXTENDS_MODES:
        return None
    meant = nearest(value.value, EXTENDS_MODES)
    return Problem(
        "bad-extends",
        value.span,
        f"`{value.value[:40]}` is no way to meet the root, so the squad adds to it as `extend` does.",
        f"Write `{meant}`." if meant else "Write `extend`, `override` or `none`.",
        (("suggestion", meant),) if meant else (),
    )


def _empty_item(gap: Span, name: str) -> Problem:
    return Problem(
        "empty-recall-item",
        gap,
        f"The list {name} has an empty item, which is ignored here but matches every prompt in CARL.",
        "Delete the comma.",
        (("suggestion", ""),),
    )


def _duplicate(entry: ManifestEntry, first: ManifestEntry) -> Problem:
    same = entry.value.value == first.value.value
    effect = "with the same value" if same else "with another value; this later one wins"
    return Problem(
        "duplicate-key",
        entry.key.span,
        f"`{entry.key.value[:80]}` is already set above {effect}.",
        "Delete one of the two lines.",
        (("first_start", str(first.span.start)), ("first_end", str(first.span.end))),
    )


def _declare(entry: ManifestEntry, problems: list[Problem]) -> Span:
    start = entry.key.span.start
    span = Span(start, start + len(entry.domain))
    if not _DOMAIN.fullmatch(entry.domain):
        usual = upper_snake(entry.domain)
        problems.append(
            Problem(
                "odd-domain-name",
                span,
                f"`{entry.domain[:80]}` is read as it stands; domain names are upper-case snake.",
                f"Write `{usual[:80]}`." if usual else "Give the domain an upper-case name.",
                (("suggestion", usual),) if usual else (),
            )
        )
    return span


def _unknown_key(key: Text) -> Problem:
    if len(key.value) <= MAX_KEY and parse_key(key.value):
        return Problem(
            "unknown-key",
            key.span,
            f"`{key.value}` is ignored, because rules are read from the domain's own file.",
            "Move the line to the domain's file.",
        )
    meant = _meant(key.value) if len(key.value) <= MAX_KEY else ""
    return Problem(
        "unknown-key",
        key.span,
        f"`{key.value[:80]}` is ignored, because it does not end in a setting of the manifest.",
        f"Write `{meant}`." if meant else "Correct the key or make the line a comment.",
        (("suggestion", meant),) if meant else (),
    )


@lru_cache(maxsize=1024)
def _meant(key: str) -> str:
    """The key that ``key`` misspells: a global one, or a domain with a setting; else ""."""
    found = nearest(key, GLOBAL_KEYS)
    if found:
        return found
    words = key.split("_")
    for count in range(min(len(words) - 1, 3), 0, -1):
        setting = nearest("_".join(words[-count:]), SETTINGS)
        if setting:
            domain = "_".join(words[:-count])
            return f"{domain.upper() if key.islower() else domain}_{setting}"
    return ""
