"""CARL v2's ``carl.json`` as the files of ``.synapse/``. Pure: a document in, texts out.

A decision that holds becomes a rule, since CARL tells it with them. What KEY=VALUE has no place for is
kept: what is known of a rule (id, dates, source) as a comment above it, decisions and staged rules as
pages under ``.synapse/carl/``, beside the file itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from synapse_ls.formats.carl.document import CarlDocument
from synapse_ls.formats.carl.lines import BRACKETS
from synapse_ls.formats.rule import Rule
from synapse_ls.manage.migrate.convert import CRITICAL, Converted
from synapse_ls.manage.migrate.kept import FOLDER
from synapse_ls.manage.migrate.names import KEPT, file_of
from synapse_ls.manage.migrate.reading import V2
from synapse_ls.workspace.folders import MANIFEST, TREE
from synapse_ls.workspace.naming import upper_snake

DECISIONS, STAGING = f"{FOLDER}/decisions.md", f"{FOLDER}/staging.md"
FLOORS = {"FRESH": 70, "MODERATE": 40, "DEPLETED": 15}
"""Where the brackets of CARL v2 begin, in percent left."""

_KNOWN = ("id", "added", "last_reviewed", "source")


def converted(document: CarlDocument, names: Mapping[str, str]) -> Iterator[tuple[str, Converted]]:
    """The files of the tree, by path; the manifest is the last one."""
    about = _about(document)
    decided = [one for one in document.decisions if one.told]
    told_of = (*(rule.domain for rule in document.rules.rules), *(one.domain for one in decided))
    for name in dict.fromkeys(told_of):
        rules = [rule for rule in document.rules.rules if rule.domain == name]
        lines = [f"# {names[name]}, from {V2}", ""]
        for number, rule in enumerate(rules):
            told = about.get((name, number), "")
            lines += [f"# {told}"] if told else []
            lines.append(f"{names[name]}_RULE_{number}={_line(rule)}")
        for number, one in enumerate((d for d in decided if d.domain == name), len(rules)):
            lines.append(f"# decided{one.date and f' {one.date}'}: {one.id}".rstrip(": "))
            lines.append(f"{names[name]}_RULE_{number}={_plain(one.told)}")
        yield f"{TREE}/{file_of(names[name])}", _file(lines)
    if context := list(_context(document)):
        yield f"{TREE}/context", _file([f"# Rules by how much of the window is left, from {V2}", *context])  # fmt: skip
    if document.commands.commands:
        yield f"{TREE}/commands", _file([f"# Star-commands, from {V2}", *_commands(document)])
    yield MANIFEST, _file([f"# Domains, from {V2}", *_manifest(document, names)])


def pages(document: CarlDocument) -> Iterator[tuple[str, str]]:
    """What has no counterpart, as texts by path."""
    if document.decisions:
        lines = ["# Decisions", "", f"From `{V2}`. Those that hold are rules now."]
        for one in document.decisions:
            lines += ["", f"## {one.domain}: {_plain(one.decision)}", ""]
            known = (
                ("id", one.id),
                ("date", one.date),
                ("status", one.status),
                ("source", one.source),
                ("words", ", ".join(one.recall)),
            )
            lines += (f"- {name}: {_plain(value)}" for name, value in known if value)
            lines += ["", _plain(one.rationale)] if one.rationale else []
        yield DECISIONS, _text(lines)
    if document.staging:
        lines = ["# Staged rules", "", f"From `{V2}`: proposed, and accepted by nobody yet.", ""]
        for staged in document.staging:
            where = f" for {staged.domain}" if staged.domain else ""
            lines.append(f"- {staged.id or '?'}{where}: {_plain(staged.text)}".rstrip())
        yield STAGING, _text(lines)


def _manifest(document: CarlDocument, names: Mapping[str, str]) -> Iterator[str]:
    manifest = document.manifest
    if manifest.devmode:
        yield from ("", "DEVMODE=true")
    if manifest.global_exclude:
        yield from ("", f"GLOBAL_EXCLUDE={_list(manifest.global_exclude)}")
    for name, declared in manifest.domains.items():
        new = names[name]
        yield from ("", f"{new}_STATE={'active' if declared.active else 'inactive'}")
        if declared.always_on and new not in KEPT:
            yield f"{new}_ALWAYS_ON=true"
        if declared.recall and not declared.always_on:
            yield f"{new}_RECALL={_list(declared.recall)}"
        if declared.exclude:
            yield f"{new}_EXCLUDE={_list(declared.exclude)}"


def _context(document: CarlDocument) -> Iterator[str]:
    brackets, switches = document.context.brackets, document.context.switches
    for bracket, source in (*((b, b) for b in BRACKETS), (CRITICAL, "DEPLETED")):
        rules = brackets.get(source, ())
        if not rules:
            continue
        yield ""
        if not switches.get(source, True):
            yield f"{bracket}_RULES=false"
        yield from (f"CONTEXT_RULE_{bracket}_{n}={_line(rule)}" for n, rule in enumerate(rules))


def _commands(document: CarlDocument) -> Iterator[str]:
    for command in document.commands.commands:
        key = upper_snake(command.name)
        yield ""
        for number, rule in enumerate(command.rules):
            yield f"COMMANDS_RULE_{key}_{number}={_line(rule)}"


def _about(document: CarlDocument) -> dict[tuple[str, int], str]:
    """What is known of the rules that are told, by domain and place among these."""
    found: dict[tuple[str, int], str] = {}
    root = document.root.value if document.root is not None else None
    domains = root.get("domains") if isinstance(root, dict) else None
    for name, domain in domains.items() if isinstance(domains, dict) else ():
        rules = domain.get("rules") if isinstance(domain, dict) else None
        told = [rule for rule in rules if _has_text(rule)] if isinstance(rules, list) else []
        for number, rule in enumerate(told):
            said: dict[str, Any] = rule if isinstance(rule, dict) else {}
            known = [f"{key} {_plain(str(said[key]))}" for key in _KNOWN if said.get(key)]
            found[name, number] = ", ".join(known)
    return found


def _has_text(rule: Any) -> bool:
    text = rule.get("text") if isinstance(rule, dict) else rule
    return isinstance(text, str) and bool(text.strip())


def _line(rule: Rule) -> str:
    """The text on one line: a rule of a file has no more than that."""
    return _plain(rule.text)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _list(words: tuple[str, ...]) -> str:
    """Words with commas between them; a comma in a word makes it two, as in every manifest."""
    return ",".join(_plain(word) for word in words)


def _file(lines: list[str]) -> Converted:
    return Converted(V2, _text(lines))


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
