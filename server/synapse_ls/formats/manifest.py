"""Parse the manifest: the domains of a tree, and what activates each.

``KEY=VALUE`` lines, the key being a domain and a suffix of ``SETTINGS`` (SYNAPSE Context Brackets;
ADR-001 A1; CARL v1 for its spellings). Blank lines and ``#`` lines are skipped; the last of
duplicate keys counts.
"""

from bisect import bisect_right
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from synapse_ls.formats import manifest_settings, suppression_comments
from synapse_ls.formats.manifest_settings import (
    ACTIVE,
    EXTENDS_MODES,
    GLOBAL_KEYS,
    INACTIVE,
    SETTINGS,
    ManifestLine,
    SettingKind,
    parse_line,
    split_key,
    value_problem,
)
from synapse_ls.formats.rule_syntax import MAX_KEY, parse_key, suggest_key_name, to_upper_snake
from synapse_ls.text import edit_distance, line_index
from synapse_ls.text.finding import (
    Finding,
    ParseResult,
    Text,
    place_data,
    problem_data,
    sort_problems,
)
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span, new_tuple

__all__ = [
    "ACTIVE", "EXTENDS_MODES", "GLOBAL_KEYS", "INACTIVE", "SETTINGS", "DomainDeclaration",
    "Manifest", "ManifestEntry", "SettingKind", "parse", "split_key",
]  # fmt: skip

# Settings of one manifest that are read: those of ten thousand domains take two seconds.
MAX_SETTINGS = 20_000
_NAMED = 3  # endings of keys in one message
_LONGEST_KEY = 200  # characters of a key that is looked through for the name of a domain
# A path in a list of files that lies in no folder of rules.
_OUTSIDE_FILE = lazy_pattern(r"(?!(?:\./)?\.(?:synapse|carl)/)[^\s=,]*/[^\s=,/]+")
_TRIGGERS = frozenset({
    "ALWAYS_ON", "AGENT_TRIGGER", "WORKFLOW_TRIGGER", "RECALL", "PATHS", "EVERY_N_TURNS",
    "ON_TOKENS",
})  # fmt: skip
_DOMAIN = lazy_pattern(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")


class ManifestEntry(NamedTuple):
    """One line of a manifest that has a key.

    ``setting`` is a suffix of ``SETTINGS``, one of ``GLOBAL_KEYS``, or "" when the key is neither;
    ``domain`` is "" for the last two. ``value`` is what counts: without a ``# note`` behind a word,
    a boolean, a state or a number; ``word`` is its text. ``items`` are those of a list. ``span`` is
    the whole line, ``line`` what it says by itself.
    """

    span: Span
    line: ManifestLine

    @property
    def key(self) -> Text:
        key = self.line.key
        assert key is not None
        return self._to_file_text(key)

    @property
    def key_start(self) -> int:
        return self.key.span.start

    @property
    def value(self) -> Text:
        return self._to_file_text(self.line.value)

    @property
    def word(self) -> str:
        return self.line.value.value

    @property
    def domain(self) -> str:
        return self.line.domain

    @property
    def setting(self) -> str:
        return self.line.setting

    @property
    def items(self) -> tuple[Text, ...]:
        return tuple(map(self._to_file_text, self.line.items))

    def _to_file_text(self, text: Text) -> Text:
        return Text(text.value, text.span.shift(self.span.start))


class DomainDeclaration(NamedTuple):
    """One domain as the keys of a manifest declare it; ``entries`` has the entry that counts for
    each setting.
    """

    name: str
    span: Span
    entries: Mapping[str, ManifestEntry]

    @property
    def is_active(self) -> bool:
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
        """The id of the agent; the ``@`` of a mention is no part of it."""
        return self._word("AGENT_TRIGGER").removeprefix("@")

    @property
    def workflow_trigger(self) -> str:
        return self._word("WORKFLOW_TRIGGER")

    @property
    def recall(self) -> tuple[str, ...]:
        return self._list("RECALL")

    @property
    def inflections(self) -> bool:
        """Whether the keywords of recall match in other forms, too."""
        return self._flag("INFLECTIONS")

    @property
    def exclude(self) -> tuple[str, ...]:
        return self._list("EXCLUDE")

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(
            pattern
            for item in self._list("PATHS")
            for pattern in manifest_settings.expand_braces(item)
        )

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
        return entry.word if entry else ""

    def _flag(self, setting: str) -> bool:
        return self._word(setting).lower() in manifest_settings.TRUE

    def _list(self, setting: str) -> tuple[str, ...]:
        entry = self.entries.get(setting)
        return tuple(item.value for item in entry.line.items) if entry else ()

    def _count(self, setting: str) -> int | None:
        entry = self.entries.get(setting)
        return manifest_settings.read_count(entry.line.value)[0] if entry else None


class Manifest(NamedTuple):
    """A parsed manifest; ``entries`` are in text order, ``domains`` in the order of their first
    mention.

    ``extends`` maps the name in ``{SQUAD}_EXTENDS`` to its value; such a key declares no domain.
    ``listed`` has the lines ``name=path``, each of which declares a domain by its file.
    """

    text: str
    entries: tuple[ManifestEntry, ...]
    domains: Mapping[str, DomainDeclaration]
    devmode: bool
    global_exclude: tuple[str, ...]
    extends: Mapping[str, str]
    listed: tuple[ManifestEntry, ...] = ()

    def entry_at(self, offset: int) -> ManifestEntry | None:
        """Return the entry on whose line ``offset`` is, or None."""
        place = bisect_right(self.entries, offset, key=lambda entry: entry.span.start) - 1
        if place >= 0 and self.entries[place].span.touches(offset):
            return self.entries[place]
        return None


def parse(text: str) -> ParseResult[Manifest]:
    """Parse a manifest. Never raises; takes time linear in the text."""
    return assemble_manifest(text, parse_line, DomainDeclaration)


def assemble_manifest(
    text: str, read: Callable[[str], ManifestLine | None], declaration: type[DomainDeclaration]
) -> ParseResult[Manifest]:
    """Assemble the manifest of its lines as ``read`` takes them apart; its domains are of the class
    ``declaration``.
    """
    manifest, problems = _read_lines(text, read, declaration)
    names = manifest.domains.keys()
    # Below a heading of a section the keys may name the domain already.
    problems = [
        p._replace(remedy="Delete the line.") if dict(p.data).get("section") in names else p
        for p in problems
    ]
    # The problems of a manifest in text order, those that have one cause as one.
    ordered = sort_problems(
        # Another one where the usual spelling of an odd name is there too.
        p._replace(
            message=f"This is a second domain on the file of {dict(p.data)['suggestion']}, which "
            "goes by its own settings.",
            kind="twin-domain",
        )
        if p.kind == "odd-domain-name" and dict(p.data).get("suggestion") in names
        else p
        for p in problems
    )
    if manifest.listed:
        # Return the problems of a manifest that lists files, with one for all lines that list a
        # file outside its folder in place of theirs.
        outside = {
            entry.key.span: entry
            for entry in manifest.entries
            if not entry.setting and not entry.line.listed and _OUTSIDE_FILE.fullmatch(entry.word)
        }
        if lost := [p for p in ordered if p.kind == "unknown-key" and p.span in outside]:
            first, others = outside[lost[0].span], lost[1:]
            message = (
                f"`{first.key.value[:80]}` declares no domain, because `{first.word[:80]}` is "
                "not beside the manifest."
            )
            remedy = "Put its rules into a file beside the manifest, and list that."
            if others:
                message = (
                    f"{len(lost)} lines declare no domain, because the files that they list are "
                    f"not beside the manifest; the first lists `{first.word[:80]}`."
                )
                remedy = "Put the rules into files beside the manifest, and list those."
            merged = Finding(lost[0].span, message, remedy, kind="unknown-key")
            ordered = tuple(merged if p is lost[0] else p for p in ordered if p not in others)
    return ParseResult(manifest, tuple(_merge_unknown_keys(ordered, names)))


def _read_lines(
    text: str, read: Callable[[str], ManifestLine | None], declaration: type[DomainDeclaration]
) -> tuple[Manifest, list[Finding]]:
    """Return what the lines of a manifest say, and the problems of each line and domain; the
    arguments are those of `assemble_manifest`.
    """
    problems: list[Finding] = []
    entries: list[ManifestEntry] = []
    counting: dict[str, dict[str, ManifestEntry]] = {"": {}}
    names: dict[str, Span] = {}
    extends: dict[str, ManifestEntry] = {}
    listed: list[ManifestEntry] = []
    directives = suppression_comments.blank_directives(text, suppression_comments.CommentStyle.HASH)
    for start, end in line_index.iter_lines(directives):
        if (line := read(directives[start:end])) is None:
            continue
        if len(entries) == MAX_SETTINGS:
            problems.append(
                Finding(
                    Span(start, end),
                    "Nothing from here on is read, because a manifest has at most "
                    f"{MAX_SETTINGS:,} settings.",
                    "Put domains into squads, which have manifests of their own.",
                    kind="too-many-settings",
                )
            )
            break
        key, value, domain, setting, _, line_problems, listed_file = line
        problems += (p.shift(start) for p in line_problems)
        if key is None:
            continue
        if not (setting or listed_file or line_problems):
            problems.append(unknown_key_problem(key, value).shift(start))
        entry = new_tuple(ManifestEntry, (new_tuple(Span, (start, end)), line))
        entries.append(entry)
        if listed_file:
            listed.append(entry)
            names.setdefault(listed_file.domain, entry.key.span)
            counting.setdefault(listed_file.domain, {})
        if not setting:
            continue
        if setting == "EXTENDS":
            settings, slot = extends, domain
        else:
            if domain and domain not in names:
                key_start = start + key.span[0]
                span = new_tuple(Span, (key_start, key_start + len(domain)))
                if not _DOMAIN.fullmatch(domain):
                    problems.append(_odd_domain_name(domain, span))
                names[domain] = span
            settings, slot = counting.setdefault(domain, {}), setting
        if slot in settings:
            same = value.value == settings[slot].word
            effect = "with the same value" if same else "with another value; this later one wins"
            problems.append(
                Finding(
                    entry.key.span,
                    f"`{entry.key.value[:80]}` is already set above {effect}.",
                    "Delete one of the two lines.",
                    kind="duplicate-key",
                    data=place_data(settings[slot].span),
                )
            )
        settings[slot] = entry
    _add_listed_settings(listed, counting, problems)
    for name, entry in extends.items():
        if name in names:
            counting[name]["EXTENDS"] = entry
    globals_ = DomainDeclaration("", Span(0, 0), counting[""])
    manifest = Manifest(
        text,
        tuple(entries),
        {
            name: new_tuple(declaration, (name, span, counting[name]))
            for name, span in names.items()
        },
        globals_._word("DEVMODE").lower() in manifest_settings.DEVMODE_TRUE,
        globals_._list("GLOBAL_EXCLUDE"),
        {name: entry.word for name, entry in extends.items()},
        tuple(listed),
    )
    return manifest, problems


def _odd_domain_name(domain: str, span: Span) -> Finding:
    usual = suggest_key_name(domain)
    return Finding(
        span,
        f"No key of a rule can begin with `{domain[:50]}`: keys have upper-case letters (A–Z), "
        "digits and `_`.",
        f"Write `{usual[:80]}`." if usual else "Give the domain a name in the letters A to Z.",
        kind="odd-domain-name",
        data=problem_data(suggestion=usual),
    )


# What people call a setting, with the settings that may be meant.
_OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("ENABLED", "STATUS", "ACTIVE"), ("STATE",)),
    **dict.fromkeys(("KEYWORDS", "KEYWORD", "WORDS", "PATTERNS"), ("RECALL",)),
    **dict.fromkeys(("GLOBS", "GLOB", "APPLY_TO"), ("PATHS",)),
    **dict.fromkeys(("EXCEPT", "IGNORE", "NOT"), ("EXCLUDE",)),
    **dict.fromkeys(("REQUIRED", "MANDATORY", "BLOCKING"), ("NON_NEGOTIABLE",)),
    **dict.fromkeys(("TRIGGER", "TRIGGERS"), ("AGENT_TRIGGER", "WORKFLOW_TRIGGER", "RECALL")),
    "AGENT": ("AGENT_TRIGGER",),
    "WORKFLOW": ("WORKFLOW_TRIGGER",),
    "ALWAYS": ("ALWAYS_ON",),
    "EVERY": ("EVERY_N_TURNS",),
    "MODE": ("EXTENDS",),
}


# Endings of keys that trees have for what is said in another way, with that way.
_FOREIGN_SUFFIXES = (
    (
        "_SQUAD_TRIGGER",
        "there is no setting `SQUAD_TRIGGER`",
        "Delete it; a domain of a squad is declared in the squad's own `.synapse/manifest` and "
        "activates with the squad.",
    ),
    (
        "_FILE",
        "there is no setting `FILE`",
        "Delete it, and give the rule file the name of the domain: lower case, `-` for `_`, beside "
        "the manifest.",
    ),
    (
        "_PRIORITY",
        "domains have no priority",
        "Say in a rule how important it is, or delete the line.",
    ),
)


def unknown_key_problem(key: Text, value: Text) -> Finding:
    """Return the problem of a key that is no setting, with what was probably meant."""
    if len(key.value) <= MAX_KEY and parse_key(key.value):
        return Finding(
            key.span,
            f"`{key.value}` is ignored, because rules are read from the domain's own file.",
            "Move the line to the domain's file.",
            kind="unknown-key",
        )
    shown = f"`{key.value[:80]}`"
    if (usual := to_upper_snake(key.value[:MAX_KEY])) in SETTINGS:
        return Finding(
            key.span,
            f"{shown} is ignored, because it does not begin with a domain.",
            f"Write a domain before it, for example `TESTING_{usual}`, or begin the line with `#` "
            "to make it a comment.",
            kind="unknown-key",
            data=problem_data(key=key.value),
        )
    foreign = (row for row in _FOREIGN_SUFFIXES if key.value.endswith(row[0]))
    ending, why, elsewhere = next(foreign, ("", "", ""))
    is_readable = len(key.value) <= MAX_KEY and not ending
    word, meant_keys = _suggest_keys(key.value) if is_readable else ("", ())
    meant_key = meant_keys[0] if len(meant_keys) == 1 else ""
    if not (word or ending):
        why = "it does not end in a setting of the manifest"
    elif word and key.value.upper() == meant_key:
        why = "keys are in upper case"
    elif word and key.value.upper().replace("-", "_") == meant_key:
        why = "a key has `_`, not `-`"
    elif key.value.rstrip("_") == meant_key:
        why = "it ends in `_`"
    elif word:
        why = f"there is no setting `{word}`"
    problem = value_problem(split_key(meant_key)[1], value) if meant_key else None
    if problem and problem.kind.startswith("bad-"):
        # The value is a slip, too.
        word = dict(problem.data).get("suggestion", "")
        meant_key = f"{meant_key}={word}" if word else meant_key
    remedy = f"Write `{meant_key}`." if meant_key else elsewhere
    if "=" in meant_key:
        remedy = f"Write `{meant_key}` in place of `{key.value[:80]}={value.value}`."
    return Finding(
        key.span,
        f"{shown} is ignored, because {why}.",
        "Write `{}` for an agent, `{}` for a workflow, or `{}` for words in a prompt.".format(
            *meant_keys
        )
        if meant_keys[1:]
        else remedy or "Begin the line with `#`, or delete the line.",
        kind="unknown-key",
        data=problem_data(suggestion=meant_key)
        or problem_data(ending=ending)
        or problem_data(key=key.value),
    )


@lru_cache(maxsize=1024)
def _suggest_keys(key: str) -> tuple[str, tuple[str, ...]]:
    """Return the end of ``key`` that is no setting, and the keys that it may stand for, by its
    spelling or another name of a setting: a global one, or a domain with a setting.
    """
    if word := edit_distance.nearest_word(key, GLOBAL_KEYS):
        return key, (word,)
    usual = to_upper_snake(key)
    if split_key(usual)[1]:
        return key[len(split_key(usual)[0]) :].lstrip("_"), (usual,)
    words = key.replace("-", "_").split("_")
    for count in range(min(len(words) - 1, 3), 0, -1):
        ending = "_".join(words[-count:])
        domain = "_".join(words[:-count])
        if key.islower():
            domain, ending = domain.upper(), ending.upper()
        setting = ending if ending in SETTINGS else edit_distance.nearest_word(ending, SETTINGS)
        settings = (setting,) if setting else _OTHER_NAMES.get(ending, ())
        if domain and settings:
            return ending, tuple(f"{domain}_{setting}" for setting in settings)
    return "", ()


def _merge_unknown_keys(problems: Sequence[Finding], domains: Container[str]) -> Iterator[Finding]:
    """Yield problems with one for all keys of the same unknown ending, since whoever wrote the
    first had the others from the same template, and with one for all others of a domain.
    """
    parts = {
        n: _split_unknown_key(p, domains) for n, p in enumerate(problems) if p.kind == "unknown-key"
    }
    by_ending = group_pairs((ending, n) for n, (_, ending) in parts.items() if ending)
    by_domain = group_pairs(
        (domain, n)
        for n, (domain, ending) in parts.items()
        if domain and len(by_ending.get(ending, ())) == 1
    )
    merged: dict[int, Finding | None] = {}
    for ending, group in by_ending.items():
        if group[1:]:
            first = problems[group[0]]
            message = (
                f"{len(group)} keys that end in `{ending}` are ignored, because that is no "
                "setting of the manifest."
            )
            remedy = _REMEDIES_OF_ENDINGS.get(ending, _COMMENT_OUT)
            merged[group[0]] = first._replace(message=message, remedy=remedy)
            merged |= dict.fromkeys(group[1:])
    for domain, group in by_domain.items():
        if group[1:]:
            endings = [parts[n][1] for n in group]
            first = problems[group[0]]
            shown = ", ".join(f"`{ending}`" for ending in endings[:_NAMED])
            if (more := len(endings) - _NAMED) > 0:
                shown = f"{shown} and {more} more"
            merged[group[0]] = first._replace(
                message=f"{len(endings)} keys of {domain} are ignored, because they do not end in "
                f"a setting of the manifest: {shown}.",
                remedy=_COMMENT_OUT,
            )
            merged |= dict.fromkeys(group[1:])
        else:
            first, ending = problems[group[0]], parts[group[0]][1][1:]
            shown, why = f"`{domain}_{ending}`", f"there is no setting `{ending}`"
            merged[group[0]] = first._replace(message=f"{shown} is ignored, because {why}.")
    for n, problem in enumerate(problems):
        if (now := merged.get(n, problem)) is not None:
            yield now


_COMMENT_OUT = "Begin the lines with `#`, or delete them."
_REMEDIES_OF_ENDINGS = {
    "_FILE": (
        "Delete them, and give each rule file the name of its domain: lower case, `-` for `_`, "
        "beside the manifest."
    ),
    "_SQUAD_TRIGGER": (
        "Delete them; a domain of a squad is declared in the squad's own `.synapse/manifest` and "
        "activates with the squad."
    ),
}


def _split_unknown_key(problem: Finding, domains: Container[str]) -> tuple[str, str]:
    """Return the domain and the ending of a key that ends in no setting: ``("ETL", "_TYPE")``; two
    empty texts where it is known what was meant, or no domain begins it.
    """
    data = dict(problem.data)
    if ending := data.get("ending"):
        return "", ending
    key = data.get("key", "")
    place = key.rfind("_") if len(key) <= _LONGEST_KEY else 0
    while place > 0:
        if key[:place] in domains:
            return key[:place], key[place:]
        place = key.rfind("_", 0, place)
    return "", ""


def _add_listed_settings(
    listed: Sequence[ManifestEntry],
    counting: Mapping[str, dict[str, ManifestEntry]],
    problems: list[Finding],
) -> None:
    """Add what the names of listed files amount to, where the manifest says nothing of it, and one
    problem for all of them.
    """
    for span, line in listed:
        if line.listed is None:
            continue
        domain, implied = line.listed
        if counting[domain].keys() & _TRIGGERS:
            continue
        for setting, value in implied:
            manifest_line = ManifestLine(line.key, value, domain, setting, (), ())
            counting[domain][setting] = ManifestEntry(span, manifest_line)
    if listed:
        what = "a path: this file is an active domain here, but other programs skip the line."
        if len(listed) > 1:
            what = (
                f"paths: these {len(listed)} files are active domains here, but other programs "
                "skip the lines."
            )
        problems.append(
            Finding(
                listed[0].key.span,
                f"The manifest lists {what}",
                "Write DOMAIN_STATE=active, and what activates the domain.",
                kind="listed-files",
                data=(("count", str(len(listed))),),
            )
        )
