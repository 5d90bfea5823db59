"""This module converts the files of a CARL tree one by one into those of ``.synapse/``. Pure: texts
in, texts out.

What CARL tells is told, in the same order; comments stay where they are. A line that CARL never
read becomes a comment, because here it might have an effect. CARL's order is that of the file and
its keys count for nothing, so rules are numbered anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from synapse_ls.formats.carl import commands_file as carl_commands
from synapse_ls.formats.carl import context_file as carl_context
from synapse_ls.formats.carl import domain_rules as carl_rules
from synapse_ls.formats.carl.assignment_lines import CARL_BRACKETS
from synapse_ls.formats.keyvalue_values import DEVMODE_TRUE
from synapse_ls.formats.manifest import DomainDeclaration, Manifest, ManifestEntry
from synapse_ls.formats.rule_syntax import parse_key
from synapse_ls.setup.migrate.carl_files import CarlFile
from synapse_ls.setup.migrate.domain_names import SHARED_NAMES
from synapse_ls.text.line_index import LineIndex, iter_lines

UNREAD_MARK = "# not read by CARL: "
"""What stands before a line that had no effect and would have one in the new tree."""


def rewrite_lines(text: str, newline: str, lines: Mapping[int, Sequence[str]]) -> str:
    """Returns the text of a CARL file with the ``lines`` by number (from 0) in the place of its
    own.

    Blank lines and comments stay, any other line is made a comment. Every line ends in ``newline``.
    """
    found: list[str] = []
    for number, (start, end) in enumerate(iter_lines(text)):
        line = text[start:end].strip()
        if number in lines:
            found += lines[number]
        elif not line or line.startswith("#"):
            found.append(text[start:end].rstrip())
        else:
            found.append(f"{UNREAD_MARK}{line}")
    while found and not found[-1]:
        found.pop()
    return "".join(f"{line}{newline}" for line in found)


def unread_lines(text: str, lines: Mapping[int, Sequence[str]]) -> list[int]:
    """Returns the numbers of the lines of a CARL file that its conversion makes comments of."""
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
    """A ConvertedFile is the new file that a CARL file is converted into: its text, and the lines
    (from 0) of the old one that CARL never read.
    """

    source: str
    text: str
    unread: tuple[int, ...] = ()


def convert_manifest(
    source: CarlFile, document: Manifest, names: Mapping[str, str]
) -> ConvertedFile:
    """Converts the manifest file: CARL's words for on and off become those of the format, states
    are explicit.
    """
    index = LineIndex(source.text)
    counting = _effective_entries(document)
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
        told = _setting_lines(entry, declared, names.get(entry.domain, ""))
        lines[index.line_of(entry.key_start)] = [*written, *told]
    return _converted_file(source, lines)


def convert_domain(
    source: CarlFile, name: str, new: str, others: Collection[str] = ()
) -> ConvertedFile:
    """Converts the CARL file of one domain: the rules whose keys begin with its name. ``others``
    are domains with the same file, whose rules go into files of their own.
    """
    document = carl_rules.parse(source.text).document
    rules = [rule for rule in document.rules if rule.domain == name]
    lines = {rule.line: [f"{new}_RULE_{n}={rule.text}"] for n, rule in enumerate(rules)}
    lines |= {rule.line: [] for rule in document.rules if rule.domain in others}
    return _converted_file(source, lines)


def convert_commands(source: CarlFile) -> ConvertedFile:
    """Converts CARL's file of star-commands."""
    lines: dict[int, list[str]] = {}
    for command in carl_commands.parse(source.text).document.commands:
        for number, rule in enumerate(command.rules):
            key = f"COMMANDS_RULE_{rule.qualifier}_{number}"
            parts = parse_key(key)
            if parts is not None and parts.qualifier == rule.qualifier and _is_plain_key(key):
                lines[rule.line] = [f"{key}={rule.text}"]
    return _converted_file(source, lines)


def convert_context(source: CarlFile) -> ConvertedFile:
    """Converts CARL's file with the rules of brackets; those of DEPLETED once more for CRITICAL,
    which is told them too.
    """
    document = carl_context.parse(source.text).document
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
    converted = _converted_file(source, lines)
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
    """Tells whether CARL gives a domain with every prompt, because its only keyword is the empty
    one.
    """
    recall = declared.entries.get("RECALL")
    without = recall is not None and not recall.line.items
    return without and declared.is_active and not declared.always_on


def _effective_entries(document: Manifest) -> dict[tuple[str, str], ManifestEntry]:
    """Returns the line that counts for each setting: the last one."""
    return {(e.domain, e.setting): e for e in document.entries if e.setting}


def _setting_lines(
    entry: ManifestEntry, declared: DomainDeclaration | None, name: str
) -> list[str]:
    """Returns a line of the manifest as the new one has it."""
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
    said = [] if "ALWAYS_ON" in declared.entries else [f"{name}_ALWAYS_ON=true"]
    return [_EMPTY_KEYWORD_NOTE.format(name=name), *said]


def _join_items(entry: ManifestEntry) -> str:
    return ",".join(item.value for item in entry.line.items)


def _boolean_word(value: bool) -> str:
    return "true" if value else "false"


def _switch_line(bracket: str, on: bool) -> str:
    return f"{bracket}_RULES={_boolean_word(on)}"


def _is_plain_key(key: str) -> bool:
    return key.isascii() and key.replace("_", "").isalnum() and key == key.upper()


def _key_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, (start, end) in enumerate(iter_lines(text)):
        line = text[start:end].strip()
        if not line.startswith("#") and "=" in line:
            yield number, line.partition("=")[0].strip()


def _converted_file(source: CarlFile, lines: Mapping[int, list[str]]) -> ConvertedFile:
    text = rewrite_lines(source.text, source.newline, lines)
    return ConvertedFile(source.path, text, tuple(unread_lines(source.text, lines)))
