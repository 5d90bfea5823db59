"""This module converts CARL v2's ``carl.json`` into the files of ``.synapse/``. Pure: a document
in, texts out.

A decision that holds becomes a rule, since CARL tells it with them. What KEY=VALUE has no place
for is kept: what is known of a rule (id, dates, source) as a comment above it, decisions and
staged rules as pages under ``.synapse/carl/``, beside the file itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from synapse_ls.formats.carl.assignment_lines import CARL_BRACKETS
from synapse_ls.formats.carl.carl_json import CarlDocument
from synapse_ls.formats.rule_syntax import Rule
from synapse_ls.setup.migrate.carl_file_conversion import CRITICAL, ConvertedFile
from synapse_ls.setup.migrate.carl_files import CARL_JSON, KEPT_FOLDER
from synapse_ls.setup.migrate.domain_names import SHARED_NAMES, domain_file
from synapse_ls.workspace.naming_conventions import upper_snake
from synapse_ls.workspace.tree_folders import MANIFEST, TREE

DECISIONS_PATH, STAGING_PATH = f"{KEPT_FOLDER}/decisions.md", f"{KEPT_FOLDER}/staging.md"
BRACKET_FLOORS = {"FRESH": 70, "MODERATE": 40, "DEPLETED": 15}
"""Where the brackets of CARL v2 begin, in percent left."""

_NOTED_FIELDS = ("id", "added", "last_reviewed", "source")


def convert_document(
    document: CarlDocument, names: Mapping[str, str]
) -> Iterator[tuple[str, ConvertedFile]]:
    """Converts ``carl.json``: yields the files of the tree, by path; the manifest is the last one."""
    about = _rule_notes(document)
    decided = [one for one in document.decisions if one.agent_text]
    told_of = (*(rule.domain for rule in document.rules.rules), *(one.domain for one in decided))
    for name in dict.fromkeys(told_of):
        rules = [rule for rule in document.rules.rules if rule.domain == name]
        lines = [f"# {names[name]}, from {CARL_JSON}", ""]
        for number, rule in enumerate(rules):
            told = about.get((name, number), "")
            lines += [f"# {told}"] if told else []
            lines.append(f"{names[name]}_RULE_{number}={_rule_line(rule)}")
        for number, one in enumerate((d for d in decided if d.domain == name), len(rules)):
            lines.append(f"# decided{one.date and f' {one.date}'}: {one.id}".rstrip(": "))
            lines.append(f"{names[name]}_RULE_{number}={_one_line_text(one.agent_text)}")
        yield f"{TREE}/{domain_file(names[name])}", _converted_file(lines)
    if context := list(_context_lines(document)):
        yield f"{TREE}/context", _converted_file([f"# Rules by how much of the window is left, from {CARL_JSON}", *context])  # fmt: skip
    if document.commands.commands:
        yield (
            f"{TREE}/commands",
            _converted_file([f"# Star-commands, from {CARL_JSON}", *_command_lines(document)]),
        )
    yield (
        MANIFEST,
        _converted_file([f"# Domains, from {CARL_JSON}", *_manifest_lines(document, names)]),
    )


def kept_pages(document: CarlDocument) -> Iterator[tuple[str, str]]:
    """Yields what in ``carl.json`` has no counterpart, as texts by path."""
    if document.decisions:
        lines = ["# Decisions", "", f"From `{CARL_JSON}`. Those that hold are rules now."]
        for one in document.decisions:
            lines += ["", f"## {one.domain}: {_one_line_text(one.decision)}", ""]
            known = (
                ("id", one.id),
                ("date", one.date),
                ("status", one.status),
                ("source", one.source),
                ("words", ", ".join(one.recall)),
            )
            lines += (f"- {name}: {_one_line_text(value)}" for name, value in known if value)
            lines += ["", _one_line_text(one.rationale)] if one.rationale else []
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


def _rule_notes(document: CarlDocument) -> dict[tuple[str, int], str]:
    """Returns what is known of the rules that are told, by domain and place among these."""
    found: dict[tuple[str, int], str] = {}
    root = document.root.value if document.root is not None else None
    domains = root.get("domains") if isinstance(root, dict) else None
    for name, domain in domains.items() if isinstance(domains, dict) else ():
        rules = domain.get("rules") if isinstance(domain, dict) else None
        told = [rule for rule in rules if _has_text(rule)] if isinstance(rules, list) else []
        for number, rule in enumerate(told):
            said: dict[str, Any] = rule if isinstance(rule, dict) else {}
            known = [
                f"{key} {_one_line_text(str(said[key]))}" for key in _NOTED_FIELDS if said.get(key)
            ]
            found[name, number] = ", ".join(known)
    return found


def _has_text(rule: Any) -> bool:
    text = rule.get("text") if isinstance(rule, dict) else rule
    return isinstance(text, str) and bool(text.strip())


def _rule_line(rule: Rule) -> str:
    """Returns the text on one line: a rule of a file has no more than that."""
    return _one_line_text(rule.text)


def _one_line_text(text: str) -> str:
    return " ".join(text.split())


def _comma_list(words: tuple[str, ...]) -> str:
    """Returns words with commas between them; a comma in a word makes it two, as in every manifest."""
    return ",".join(_one_line_text(word) for word in words)


def _converted_file(lines: list[str]) -> ConvertedFile:
    return ConvertedFile(CARL_JSON, _join_lines(lines))


def _join_lines(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
