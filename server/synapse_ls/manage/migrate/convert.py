"""The files of a CARL tree as those of ``.synapse/``. Pure: texts in, texts out.

What CARL tells is told, in the same order; comments stay where they are. A line that CARL never read
becomes a comment, because here it might have an effect. CARL's order is that of the file and its
keys count for nothing, so rules are numbered anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.formats.carl import commands as carl_commands
from synapse_ls.formats.carl import context as carl_context
from synapse_ls.formats.carl import rules as carl_rules
from synapse_ls.formats.carl.lines import BRACKETS
from synapse_ls.formats.manifest import Declaration, Manifest, ManifestEntry
from synapse_ls.formats.rule_keys import parse_key
from synapse_ls.formats.values import DEVMODE_TRUE
from synapse_ls.manage.migrate.names import KEPT
from synapse_ls.manage.migrate.reading import Source
from synapse_ls.manage.migrate.rewriting import rewritten, unread
from synapse_ls.text.lines import LineIndex, iter_lines

CRITICAL = "CRITICAL"
_EMPTY_KEYWORD = (
    "# CARL found the empty keyword in every prompt, so {name} was always told, and still is."
)
_EFFECTLESS = "# has no effect, because {name} {why}: {line}"
_AGAIN = "# In CRITICAL, CARL tells the rules of DEPLETED."


@dataclass(frozen=True, slots=True)
class Converted:
    """A new file: its text, and the lines (from 0) of the old one that CARL never read."""

    source: str
    text: str
    unread: tuple[int, ...] = ()


def manifest(source: Source, document: Manifest, names: Mapping[str, str]) -> Converted:
    """The manifest: CARL's words for on and off become those of the format, states are explicit."""
    index = LineIndex(source.text)
    counting = _counting(document)
    stated: set[str] = set()
    lines: dict[int, list[str]] = {}
    for entry in document.entries:
        if counting.get((entry.domain, entry.setting)) is not entry:
            continue
        declared = document.domains.get(entry.domain)
        written = []
        if declared is not None and entry.domain not in stated:
            stated.add(entry.domain)
            if "STATE" not in declared.entries and entry.domain not in KEPT:
                state = "active" if declared.active else "inactive"
                written.append(f"{names[entry.domain]}_STATE={state}")
        told = _setting(entry, declared, names.get(entry.domain, ""))
        lines[index.line_of(entry.key_start)] = [*written, *told]
    return _converted(source, lines)


def domain(source: Source, name: str, new: str, others: Collection[str] = ()) -> Converted:
    """The file of one domain: the rules whose keys begin with its name. ``others`` are domains with
    the same file, whose rules go into files of their own."""
    document = carl_rules.parse(source.text).document
    rules = [rule for rule in document.rules if rule.domain == name]
    lines = {rule.line: [f"{new}_RULE_{n}={rule.text}"] for n, rule in enumerate(rules)}
    lines |= {rule.line: [] for rule in document.rules if rule.domain in others}
    return _converted(source, lines)


def commands(source: Source) -> Converted:
    """The star-commands."""
    lines: dict[int, list[str]] = {}
    for command in carl_commands.parse(source.text).document.commands:
        for number, rule in enumerate(command.rules):
            key = f"COMMANDS_RULE_{rule.qualifier}_{number}"
            parts = parse_key(key)
            if parts is not None and parts.qualifier == rule.qualifier and _is_plain(key):
                lines[rule.line] = [f"{key}={rule.text}"]
    return _converted(source, lines)


def context(source: Source) -> Converted:
    """The rules of brackets; those of DEPLETED once more for CRITICAL, which is told them too."""
    document = carl_context.parse(source.text).document
    lines: dict[int, list[str]] = {}
    for number, rule in enumerate(document.general):
        lines[rule.line] = [f"CONTEXT_RULE_{number}={rule.text}"]
    for bracket in BRACKETS:
        for number, rule in enumerate(document.brackets[bracket]):
            lines[rule.line] = [f"CONTEXT_RULE_{bracket}_{number}={rule.text}"]
    switches: dict[str, int] = {}
    for number, key in _keys(source.text):
        bracket = key.removesuffix("_RULES")
        if bracket in document.switches and key == f"{bracket}_RULES":
            switches[bracket] = number  # the last one counts
    for bracket, number in switches.items():
        lines[number] = [_switch(bracket, document.switches[bracket])]
    converted = _converted(source, lines)
    depleted = document.brackets["DEPLETED"]
    if not depleted:
        return converted
    again = ["", _AGAIN]
    if "DEPLETED" in document.switches:
        again.append(_switch(CRITICAL, document.switches["DEPLETED"]))
    again += (f"CONTEXT_RULE_{CRITICAL}_{n}={rule.text}" for n, rule in enumerate(depleted))
    added = "".join(f"{line}{source.newline}" for line in again)
    return Converted(source.path, converted.text + added, converted.unread)


def always_told(declared: Declaration) -> bool:
    """Whether CARL tells a domain with every prompt, because its only keyword is the empty one."""
    recall = declared.entries.get("RECALL")
    without = recall is not None and not recall.line.items
    return without and declared.active and not declared.always_on


def _counting(document: Manifest) -> dict[tuple[str, str], ManifestEntry]:
    """The line that counts for each setting: the last one."""
    return {(e.domain, e.setting): e for e in document.entries if e.setting}


def _setting(entry: ManifestEntry, declared: Declaration | None, name: str) -> list[str]:
    """A line of the manifest as the new one has it."""
    if declared is None:
        if entry.setting == "DEVMODE":
            return [f"DEVMODE={_word(entry.word.lower() in DEVMODE_TRUE)}"]
        return [f"{entry.setting}={_items(entry)}"]
    key = f"{name}_{entry.setting}"
    if entry.setting == "STATE":
        return [f"{key}={'active' if declared.active else 'inactive'}"]
    if entry.setting == "ALWAYS_ON":
        return [f"{key}={_word(declared.always_on or always_told(declared))}"]
    if entry.setting == "EXCLUDE" or (entry.line.items and not declared.always_on):
        return [f"{key}={_items(entry)}"]
    if not always_told(declared):
        why = "is always on" if declared.always_on else "is off"
        return [_EFFECTLESS.format(name=name, why=why, line=f"{key}={entry.value.value}")]
    said = [] if "ALWAYS_ON" in declared.entries else [f"{name}_ALWAYS_ON=true"]
    return [_EMPTY_KEYWORD.format(name=name), *said]


def _items(entry: ManifestEntry) -> str:
    return ",".join(item.value for item in entry.line.items)


def _word(value: bool) -> str:
    return "true" if value else "false"


def _switch(bracket: str, on: bool) -> str:
    return f"{bracket}_RULES={_word(on)}"


def _is_plain(key: str) -> bool:
    return key.isascii() and key.replace("_", "").isalnum() and key == key.upper()


def _keys(text: str) -> Iterator[tuple[int, str]]:
    for number, (start, end) in enumerate(iter_lines(text)):
        line = text[start:end].strip()
        if not line.startswith("#") and "=" in line:
            yield number, line.partition("=")[0].strip()


def _converted(source: Source, lines: Mapping[int, list[str]]) -> Converted:
    text = rewritten(source.text, source.newline, lines)
    return Converted(source.path, text, tuple(unread(source.text, lines)))
