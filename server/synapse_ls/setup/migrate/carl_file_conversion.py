"""Conversion of CARL's files, one by one, into those of ``.synapse/``. Pure: texts in, texts out.

What CARL tells is told, in the same order; comments stay where they are. A line that CARL never
read becomes a comment, because here it might have an effect. CARL's order is that of the file and
its keys count for nothing, so rules are numbered anew. CARL takes any word for a domain's name and
compares it letter by letter; here names are in upper snake case, and a few mean something already.

Of CARL v2's ``carl.json``, a decision that holds becomes a rule, since CARL tells it with them.
What KEY=VALUE has no place for is kept: what is known of a rule (id, dates, source) as a comment
above it, decisions and staged rules as pages under ``.synapse/carl/``, beside the file itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from synapse_ls.formats.carl import rule_files
from synapse_ls.formats.carl.carl_json import CarlDocument
from synapse_ls.formats.carl.rule_files import CARL_BRACKETS
from synapse_ls.formats.manifest import DomainDeclaration, Manifest, ManifestEntry, split_key
from synapse_ls.formats.manifest_line import DEVMODE_TRUE
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.rule_syntax import parse_key
from synapse_ls.setup.migrate.carl_installation import CARL_JSON, KEPT_FOLDER, CarlFile
from synapse_ls.text.line_index import LineIndex, iter_lines
from synapse_ls.workspace.file_kinds import BUILT_IN
from synapse_ls.workspace.naming_conventions import rule_file_names, upper_snake
from synapse_ls.workspace.tree_folders import MANIFEST, TREE

SHARED_NAMES = ("GLOBAL", "CONTEXT", "COMMANDS")
"""Domains that mean the same to both."""

_RESERVED_NAMES = frozenset(
    [
        "CACHE",
        "CARL",
        "CHANGELOG",
        "CONSTITUTION",
        "CONTINUATION",
        "CONTRIBUTING",
        "LEARNING",
        "LICENCE",
        "LICENSE",
        "MANIFEST",
        "MEMORY",
        "METRICS",
        "NOTICE",
        "README",
        "SESSIONS",
        "TESTS",
    ]
)


def new_domain_names(domains: Iterable[str]) -> dict[str, str]:
    """Return the new name of each of CARL's domains, in the same order; no two of them have the
    same.
    """
    names: dict[str, str] = {}
    for name in domains:
        if name in SHARED_NAMES:
            names[name] = name
            continue
        base = upper_snake(name) or "DOMAIN"
        choices = [base, f"{base}_RULES", f"DOMAIN_{base}"]
        choices += (f"{base}_{n}" for n in range(2, len(names) + 3))
        used = set(names.values())
        names[name] = next(
            choice
            for choice in (*choices, *(f"DOMAIN_{n}" for n in range(len(names) + 2)))
            if choice not in used and _is_free(choice)
        )
    return names


def domain_file(name: str) -> str:
    """Return the file of a domain with a new name in the tree's folder."""
    return rule_file_names(name)[0]


def _is_free(name: str) -> bool:
    """Return whether a name is one of a domain and of nothing else, in a manifest and in keys of
    rules.
    """
    if (
        name in _RESERVED_NAMES
        or name in SHARED_NAMES
        or name.split("_", maxsplit=1)[0] in ("", *map(str, range(10)))
    ):
        return False
    key = parse_key(f"{name}_RULE_0")
    return (
        name[0].isalpha()
        and name.isascii()
        and domain_file(name) not in BUILT_IN
        and key is not None
        and key[:2] == ("rule", name)
        and split_key(f"{name}_STATE") == (name, "STATE")
    )


UNREAD_MARK = "# not read by CARL: "
"""What stands before a line that had no effect and would have one in the new tree."""


def unread_lines(text: str, lines: Mapping[int, Sequence[str]]) -> list[int]:
    """Return the numbers of the lines of a CARL file that its conversion makes comments of."""
    spans = enumerate(iter_lines(text))
    bodies = [(number, text[start:end].strip()) for number, (start, end) in spans]
    return [n for n, body in bodies if body and not body.startswith("#") and n not in lines]


CRITICAL = "CRITICAL"
_EMPTY_KEYWORD_NOTE = (
    "# CARL found the empty keyword in every prompt, so {name} was always told, and still is."
)
_EFFECTLESS_NOTE = "# has no effect, because {name} {why}: {line}"
_CRITICAL_NOTE = "# In CRITICAL, CARL tells the rules of DEPLETED."


@dataclass(frozen=True, slots=True)
class ConvertedFile:
    """The new file that a CARL file is converted into: its text, and the lines (from 0) of the old
    one that CARL never read.
    """

    source: str
    text: str
    unread: tuple[int, ...] = ()


def convert_manifest(
    source: CarlFile, document: Manifest, names: Mapping[str, str]
) -> ConvertedFile:
    """Convert the manifest file: CARL's words for on and off become those of the format, states are
    explicit.
    """
    index = LineIndex(source.text)
    counting = {(e.domain, e.setting): e for e in document.entries if e.setting}
    stated: set[str] = set()
    lines: dict[int, list[str]] = {}
    for entry in document.entries:
        if counting.get((entry.domain, entry.setting)) is not entry:
            continue
        declared = document.domains.get(entry.domain)
        written = []
        if declared is not None and entry.domain not in stated:
            stated.add(entry.domain)
            if "STATE" not in declared.entries and entry.domain not in SHARED_NAMES:
                state = "active" if declared.is_active else "inactive"
                written.append(f"{names[entry.domain]}_STATE={state}")
        lines_for_setting = _setting_lines(entry, declared, names.get(entry.domain, ""))
        lines[index.line_of(entry.key_start)] = [*written, *lines_for_setting]
    return _rewritten_file(source, lines)


def convert_domain(
    source: CarlFile, name: str, new: str, others: Collection[str] = ()
) -> ConvertedFile:
    """Convert the CARL file of one domain: the rules whose keys begin with its name. ``others`` are
    domains with the same file, whose rules go into files of their own.
    """
    document = rule_files.parse_domain_rules(source.text).document
    rules = [rule for rule in document.rules if rule.domain == name]
    lines = {rule.line: [f"{new}_RULE_{n}={rule.text}"] for n, rule in enumerate(rules)}
    lines |= {rule.line: [] for rule in document.rules if rule.domain in others}
    return _rewritten_file(source, lines)


def convert_commands(source: CarlFile) -> ConvertedFile:
    """Convert CARL's file of star-commands."""
    lines: dict[int, list[str]] = {}
    for command in rule_files.parse_commands_file(source.text).document.commands:
        for number, rule in enumerate(command.rules):
            key = f"COMMANDS_RULE_{rule.qualifier}_{number}"
            parts = parse_key(key)
            if (
                parts is not None
                and parts.qualifier == rule.qualifier
                and key.isascii()
                and key.replace("_", "").isalnum()
                and key == key.upper()
            ):
                lines[rule.line] = [f"{key}={rule.text}"]
    return _rewritten_file(source, lines)


def convert_context(source: CarlFile) -> ConvertedFile:
    """Convert CARL's file with the rules of brackets; those of DEPLETED once more for CRITICAL,
    which is told them too.
    """
    document = rule_files.parse_context_file(source.text).document
    lines: dict[int, list[str]] = {}
    for number, rule in enumerate(document.general):
        lines[rule.line] = [f"CONTEXT_RULE_{number}={rule.text}"]
    for bracket in CARL_BRACKETS:
        for number, rule in enumerate(document.brackets[bracket]):
            lines[rule.line] = [f"CONTEXT_RULE_{bracket}_{number}={rule.text}"]
    switches: dict[str, int] = {}
    for number, key in _key_lines(source.text):
        bracket = key.removesuffix("_RULES")
        if bracket in document.switches and key == f"{bracket}_RULES":
            switches[bracket] = number  # the last one counts
    for bracket, number in switches.items():
        lines[number] = [_switch_line(bracket, document.switches[bracket])]
    converted = _rewritten_file(source, lines)
    depleted = document.brackets["DEPLETED"]
    if not depleted:
        return converted
    again = ["", _CRITICAL_NOTE]
    if "DEPLETED" in document.switches:
        again.append(_switch_line(CRITICAL, document.switches["DEPLETED"]))
    again += (f"CONTEXT_RULE_{CRITICAL}_{n}={rule.text}" for n, rule in enumerate(depleted))
    added = "".join(f"{line}{source.newline}" for line in again)
    return ConvertedFile(source.path, converted.text + added, converted.unread)


def is_always_told(declared: DomainDeclaration) -> bool:
    """Return whether CARL gives a domain with every prompt, because its only keyword is the empty
    one.
    """
    recall = declared.entries.get("RECALL")
    without = recall is not None and not recall.line.items
    return without and declared.is_active and not declared.always_on


def _setting_lines(
    entry: ManifestEntry, declared: DomainDeclaration | None, name: str
) -> list[str]:
    """Return a line of the manifest as the new one has it."""
    if declared is None:
        if entry.setting == "DEVMODE":
            return [f"DEVMODE={_boolean_word(entry.word.lower() in DEVMODE_TRUE)}"]
        return [f"{entry.setting}={_join_items(entry)}"]
    key = f"{name}_{entry.setting}"
    if entry.setting == "STATE":
        return [f"{key}={'active' if declared.is_active else 'inactive'}"]
    if entry.setting == "ALWAYS_ON":
        return [f"{key}={_boolean_word(declared.always_on or is_always_told(declared))}"]
    if entry.setting == "EXCLUDE" or (entry.line.items and not declared.always_on):
        return [f"{key}={_join_items(entry)}"]
    if not is_always_told(declared):
        why = "is always on" if declared.always_on else "is off"
        return [_EFFECTLESS_NOTE.format(name=name, why=why, line=f"{key}={entry.value.value}")]
    flags = [] if "ALWAYS_ON" in declared.entries else [f"{name}_ALWAYS_ON=true"]
    return [_EMPTY_KEYWORD_NOTE.format(name=name), *flags]


def _join_items(entry: ManifestEntry) -> str:
    return ",".join(item.value for item in entry.line.items)


def _boolean_word(value: bool) -> str:
    return "true" if value else "false"


def _switch_line(bracket: str, on: bool) -> str:
    return f"{bracket}_RULES={_boolean_word(on)}"


def _key_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, (start, end) in enumerate(iter_lines(text)):
        line = text[start:end].strip()
        if not line.startswith("#") and "=" in line:
            yield number, line.partition("=")[0].strip()


def _rewritten_file(source: CarlFile, lines: Mapping[int, list[str]]) -> ConvertedFile:
    """Return a CARL file with the ``lines`` by number (from 0) in the place of its own.

    Blank lines and comments stay, any other line is made a comment. Every line ends as the file's
    do.
    """
    rows: list[str] = []
    for number, (start, end) in enumerate(iter_lines(source.text)):
        line = source.text[start:end].strip()
        if number in lines:
            rows += lines[number]
        elif not line or line.startswith("#"):
            rows.append(source.text[start:end].rstrip())
        else:
            rows.append(f"{UNREAD_MARK}{line}")
    while rows and not rows[-1]:
        rows.pop()
    text = "".join(f"{line}{source.newline}" for line in rows)
    return ConvertedFile(source.path, text, tuple(unread_lines(source.text, lines)))


DECISIONS_PATH, STAGING_PATH = f"{KEPT_FOLDER}/decisions.md", f"{KEPT_FOLDER}/staging.md"
BRACKET_FLOORS = {"FRESH": 70, "MODERATE": 40, "DEPLETED": 15}
"""Where the brackets of CARL v2 begin, in percent left."""

_NOTED_FIELDS = ("id", "added", "last_reviewed", "source")


def convert_document(
    document: CarlDocument, names: Mapping[str, str]
) -> Iterator[tuple[str, ConvertedFile]]:
    """Convert ``carl.json``: yield the files of the tree, by path; the manifest is the last one."""
    # What is known of the rules that are told, by domain and place among these.
    about: dict[tuple[str, int], str] = {}
    root = document.root.value if document.root is not None else None
    domains = root.get("domains") if isinstance(root, dict) else None
    for name, domain in domains.items() if isinstance(domains, dict) else ():
        items = domain.get("rules") if isinstance(domain, dict) else None
        texts = filter(_has_text, items) if isinstance(items, list) else ()
        for number, item in enumerate(texts):
            fields: dict[str, Any] = item if isinstance(item, dict) else {}
            notes = (
                f"{key} {_one_line_text(str(fields[key]))}"
                for key in _NOTED_FIELDS
                if fields.get(key)
            )
            about[name, number] = ", ".join(notes)
    decided = [decision for decision in document.decisions if decision.agent_text]
    told_of = (
        *(rule.domain for rule in document.rules.rules),
        *(decision.domain for decision in decided),
    )
    for name in dict.fromkeys(told_of):
        rules = [rule for rule in document.rules.rules if rule.domain == name]
        lines = [f"# {names[name]}, from {CARL_JSON}", ""]
        for number, rule in enumerate(rules):
            told = about.get((name, number), "")
            lines += [f"# {told}"] if told else []
            lines.append(f"{names[name]}_RULE_{number}={_rule_line(rule)}")
        for number, decision in enumerate((d for d in decided if d.domain == name), len(rules)):
            lines.append(
                f"# decided{decision.date and f' {decision.date}'}: {decision.id}".rstrip(": ")
            )
            lines.append(f"{names[name]}_RULE_{number}={_one_line_text(decision.agent_text)}")
        yield f"{TREE}/{domain_file(names[name])}", _converted_file_json(lines)
    if context := list(_context_lines(document)):
        title = f"# Rules by how much of the window is left, from {CARL_JSON}"
        yield f"{TREE}/context", _converted_file_json([title, *context])
    if document.commands.commands:
        yield (
            f"{TREE}/commands",
            _converted_file_json([f"# Star-commands, from {CARL_JSON}", *_command_lines(document)]),
        )
    yield (
        MANIFEST,
        _converted_file_json([f"# Domains, from {CARL_JSON}", *_manifest_lines(document, names)]),
    )


def kept_pages(document: CarlDocument) -> Iterator[tuple[str, str]]:
    """Yield what in ``carl.json`` has no counterpart, as texts by path."""
    if document.decisions:
        lines = ["# Decisions", "", f"From `{CARL_JSON}`. Those that hold are rules now."]
        for decision in document.decisions:
            lines += ["", f"## {decision.domain}: {_one_line_text(decision.decision)}", ""]
            fields = (
                ("id", decision.id),
                ("date", decision.date),
                ("status", decision.status),
                ("source", decision.source),
                ("words", ", ".join(decision.recall)),
            )
            lines += (f"- {name}: {_one_line_text(value)}" for name, value in fields if value)
            lines += ["", _one_line_text(decision.rationale)] if decision.rationale else []
        yield DECISIONS_PATH, _join_lines(lines)
    if document.staging:
        lines = [
            "# Staged rules",
            "",
            f"From `{CARL_JSON}`: proposed, and accepted by nobody yet.",
            "",
        ]
        for staged in document.staging:
            where = f" for {staged.domain}" if staged.domain else ""
            lines.append(f"- {staged.id or '?'}{where}: {_one_line_text(staged.text)}".rstrip())
        yield STAGING_PATH, _join_lines(lines)


def _manifest_lines(document: CarlDocument, names: Mapping[str, str]) -> Iterator[str]:
    manifest = document.manifest
    if manifest.devmode:
        yield from ("", "DEVMODE=true")
    if manifest.global_exclude:
        yield from ("", f"GLOBAL_EXCLUDE={_comma_list(manifest.global_exclude)}")
    for name, declared in manifest.domains.items():
        new = names[name]
        yield from ("", f"{new}_STATE={'active' if declared.is_active else 'inactive'}")
        if declared.always_on and new not in SHARED_NAMES:
            yield f"{new}_ALWAYS_ON=true"
        if declared.recall and not declared.always_on:
            yield f"{new}_RECALL={_comma_list(declared.recall)}"
        if declared.exclude:
            yield f"{new}_EXCLUDE={_comma_list(declared.exclude)}"


def _context_lines(document: CarlDocument) -> Iterator[str]:
    brackets, switches = document.context.brackets, document.context.switches
    for bracket, source in (*((b, b) for b in CARL_BRACKETS), (CRITICAL, "DEPLETED")):
        rules = brackets.get(source, ())
        if not rules:
            continue
        yield ""
        if not switches.get(source, True):
            yield f"{bracket}_RULES=false"
        yield from (
            f"CONTEXT_RULE_{bracket}_{n}={_rule_line(rule)}" for n, rule in enumerate(rules)
        )


def _command_lines(document: CarlDocument) -> Iterator[str]:
    for command in document.commands.commands:
        key = upper_snake(command.name)
        yield ""
        for number, rule in enumerate(command.rules):
            yield f"COMMANDS_RULE_{key}_{number}={_rule_line(rule)}"


def _has_text(rule: Any) -> bool:
    text = rule.get("text") if isinstance(rule, dict) else rule
    return isinstance(text, str) and bool(text.strip())


def _rule_line(rule: Rule) -> str:
    """Return the text on one line: a rule of a file has no more than that."""
    return _one_line_text(rule.text)


def _one_line_text(text: str) -> str:
    return " ".join(text.split())


def _comma_list(words: tuple[str, ...]) -> str:
    """Return words with commas between them; a comma in a word makes it two, as in every
    manifest.
    """
    return ",".join(_one_line_text(word) for word in words)


def _converted_file_json(lines: list[str]) -> ConvertedFile:
    return ConvertedFile(CARL_JSON, _join_lines(lines))


def _join_lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
