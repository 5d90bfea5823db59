"""Convert a CARL tree of either format into ``.synapse/``, with remarks on what changes.

The same rules in the same order, with comments in place. Lines that CARL ignores become comments,
since here they might have an effect. Rules are renumbered, because in CARL order counts and keys do
not. Domain names become upper snake case, and a few are reserved. In v2 a decision in force becomes
a rule; id, dates and source become comments, decisions and staged rules pages under
``.synapse/carl/``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synapse_ls.formats import commands_file, rule_syntax
from synapse_ls.formats.carl import carl_json as carl_document
from synapse_ls.formats.carl import manifest as carl_manifest
from synapse_ls.formats.carl import rule_files
from synapse_ls.formats.carl.carl_json import CarlDocument
from synapse_ls.formats.carl.rule_files import CARL_BRACKETS
from synapse_ls.formats.manifest import DomainDeclaration, Manifest, ManifestEntry, split_key
from synapse_ls.formats.manifest_settings import DEVMODE_TRUE
from synapse_ls.setup.migrate.carl_installation import (
    CARL,
    CARL_JSON,
    CARL_MANIFEST,
    KEPT_FOLDER,
    CarlFile,
    read_carl,
    read_text,
)
from synapse_ls.setup.migrate.migration_journal import KEPT, MigrationChange
from synapse_ls.text.line_index import LineIndex, iter_lines
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import carl_ancestors, file_kinds, naming_conventions, outside_links
from synapse_ls.workspace.tree_folders import MANIFEST, TREE

# Domains that mean the same to both.
SHARED_NAMES = ("GLOBAL", "CONTEXT", "COMMANDS")

_RESERVED_NAMES = {
    *("CACHE", "CARL", "CHANGELOG", "CONSTITUTION", "CONTINUATION", "CONTRIBUTING", "LEARNING"),
    *("LICENCE", "LICENSE", "MANIFEST", "MEMORY", "METRICS", "NOTICE", "README", "SESSIONS"),
    "TESTS",
}


def new_domain_names(domains: Iterable[str]) -> dict[str, str]:
    """Return the new name of each of CARL's domains, in the same order; no two of them have the
    same.
    """
    names: dict[str, str] = {}
    for name in domains:
        if name in SHARED_NAMES:
            names[name] = name
            continue
        base = naming_conventions.upper_snake(name) or "DOMAIN"
        choices = [base, f"{base}_RULES", f"DOMAIN_{base}"]
        choices += (f"{base}_{n}" for n in range(2, len(names) + 3))
        choices += (f"DOMAIN_{n}" for n in range(len(names) + 2))
        names[name] = next(c for c in choices if c not in names.values() and _is_free(c))
    return names


def domain_file(name: str) -> str:
    """Return the file of a domain with a new name in the tree's folder."""
    return naming_conventions.rule_file_names(name)[0]


def _is_free(name: str) -> bool:
    """Return whether a name is one of a domain and of nothing else, in a manifest and in keys of
    rules.
    """
    first = name.split("_", maxsplit=1)[0]
    if name in _RESERVED_NAMES or name in SHARED_NAMES or first in ("", *map(str, range(10))):
        return False
    key = rule_syntax.parse_key(f"{name}_RULE_0")
    return (
        name[0].isalpha()
        and name.isascii()
        and domain_file(name) not in file_kinds.BUILT_IN
        and key is not None
        and key[:2] == ("rule", name)
        and split_key(f"{name}_STATE") == (name, "STATE")
    )


# What stands before a line that had no effect and would have one in the new tree.
UNREAD_MARK = "# not read by CARL: "


CRITICAL = "CRITICAL"
_CARL_HELP = re.compile(r"(?<![\w./-])\.carl/|\bcarl-help\b")
_HELP_REMARK = "`*carl` is CARL's own help, so it stays behind: `*synapse help` takes its place."


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


def is_carl_help(command: commands_file.StarCommand) -> bool:
    """Return whether a star-command is the help that CARL brings along, on its own files."""
    return command.name == "carl" and any(_CARL_HELP.search(rule.text) for rule in command.rules)


def convert_commands(source: CarlFile) -> ConvertedFile:
    """Convert CARL's file of star-commands; CARL's own help stays behind, with its comment."""
    lines: dict[int, list[str]] = {}
    rows = [source.text[start:end].strip() for start, end in iter_lines(source.text)]
    for command in rule_files.parse_commands_file(source.text).document.commands:
        if is_carl_help(command):
            first = above = command.rules[0].line
            while above and rows[above - 1].startswith("#"):
                above -= 1
            dropped = (*range(above, first), *(rule.line for rule in command.rules))
            lines |= {number: [] for number in dropped}
            continue
        for number, rule in enumerate(command.rules):
            key = f"COMMANDS_RULE_{rule.qualifier}_{number}"
            parts = rule_syntax.parse_key(key)
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
    lines: dict[int, list[str]] = {
        rule.line: [f"CONTEXT_RULE_{n}={rule.text}"] for n, rule in enumerate(document.general)
    }
    for bracket in CARL_BRACKETS:
        for number, rule in enumerate(document.brackets[bracket]):
            lines[rule.line] = [f"CONTEXT_RULE_{bracket}_{number}={rule.text}"]
    switches: dict[str, int] = {}
    for number, (start, end) in enumerate(iter_lines(source.text)):
        key, equals, _ = source.text[start:end].strip().partition("=")
        bracket = key.rstrip().removesuffix("_RULES")
        if equals and bracket in document.switches and key.rstrip() == f"{bracket}_RULES":
            switches[bracket] = number  # the last one counts
    for bracket, number in switches.items():
        lines[number] = [_switch_line(bracket, document.switches[bracket])]
    converted = _rewritten_file(source, lines)
    if not (depleted := document.brackets["DEPLETED"]):
        return converted
    again = ["", "# In CRITICAL, CARL injects the rules of DEPLETED."]
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
        return [f"# has no effect, because {name} {why}: {key}={entry.value.value}"]
    flags = [] if "ALWAYS_ON" in declared.entries else [f"{name}_ALWAYS_ON=true"]
    effect = f"so {name} was always injected, and still is."
    return [f"# CARL found the empty keyword in every prompt, {effect}", *flags]


def _join_items(entry: ManifestEntry) -> str:
    return ",".join(item.value for item in entry.line.items)


def _boolean_word(value: bool) -> str:
    return "true" if value else "false"


def _switch_line(bracket: str, on: bool) -> str:
    return f"{bracket}_RULES={_boolean_word(on)}"


def _rewritten_file(source: CarlFile, lines: Mapping[int, list[str]]) -> ConvertedFile:
    """Return a CARL file with the ``lines`` by number (from 0) in the place of its own.

    Blank lines and comments stay, any other line is made a comment. Every line ends as the file's
    do.
    """
    rows: list[str] = []
    unread: list[int] = []
    for number, (start, end) in enumerate(iter_lines(source.text)):
        line = source.text[start:end].strip()
        if number in lines:
            rows += lines[number]
        elif not line or line.startswith("#"):
            rows.append(source.text[start:end].rstrip())
        else:
            rows.append(f"{UNREAD_MARK}{line}")
            unread.append(number)
    while rows and not rows[-1]:
        rows.pop()
    text = "".join(f"{line}{source.newline}" for line in rows)
    return ConvertedFile(source.path, text, tuple(unread))


DECISIONS_PATH, STAGING_PATH = f"{KEPT_FOLDER}/decisions.md", f"{KEPT_FOLDER}/staging.md"
# Where the brackets of CARL v2 begin, in percent left.
BRACKET_FLOORS = {"FRESH": 70, "MODERATE": 40, "DEPLETED": 15}

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
        for number, item in enumerate(filter(_has_text, items) if isinstance(items, list) else ()):
            fields: dict[str, Any] = item if isinstance(item, dict) else {}
            noted = (key for key in _NOTED_FIELDS if fields.get(key))
            notes = (f"{key} {_one_line_text(str(fields[key]))}" for key in noted)
            about[name, number] = ", ".join(notes)
    decided = [decision for decision in document.decisions if decision.agent_text]
    told_of = (*(r.domain for r in document.rules.rules), *(d.domain for d in decided))
    for name in dict.fromkeys(told_of):
        rules = [rule for rule in document.rules.rules if rule.domain == name]
        lines = [f"# {names[name]}, from {CARL_JSON}", ""]
        for number, rule in enumerate(rules):
            if note := about.get((name, number)):
                lines.append(f"# {note}")
            lines.append(f"{names[name]}_RULE_{number}={_one_line_text(rule.text)}")
        for number, decision in enumerate((d for d in decided if d.domain == name), len(rules)):
            date = f" {decision.date}" if decision.date else ""
            lines.append(f"# decided{date}: {decision.id}".rstrip(": "))
            lines.append(f"{names[name]}_RULE_{number}={_one_line_text(decision.agent_text)}")
        yield f"{TREE}/{domain_file(names[name])}", _converted_file_json(lines)
    lines = [f"# Rules by how much of the window is left, from {CARL_JSON}"]
    for bracket in (*CARL_BRACKETS, CRITICAL):
        source = "DEPLETED" if bracket == CRITICAL else bracket
        if bracket_rules := document.context.brackets.get(source, ()):
            lines.append("")
            if not document.context.switches.get(source, True):
                lines.append(f"{bracket}_RULES=false")
        for number, rule in enumerate(bracket_rules):
            lines.append(f"CONTEXT_RULE_{bracket}_{number}={_one_line_text(rule.text)}")
    if len(lines) > 1:
        yield f"{TREE}/context", _converted_file_json(lines)
    if commands := [c for c in document.commands.commands if not is_carl_help(c)]:
        lines = [f"# Star-commands, from {CARL_JSON}"]
        for command in commands:
            key = f"COMMANDS_RULE_{naming_conventions.upper_snake(command.name)}"
            lines.append("")
            lines += (f"{key}_{n}={_one_line_text(r.text)}" for n, r in enumerate(command.rules))
        yield f"{TREE}/commands", _converted_file_json(lines)
    lines = [f"# Domains, from {CARL_JSON}", *_manifest_lines(document, names)]
    yield MANIFEST, _converted_file_json(lines)


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
        about = f"From `{CARL_JSON}`: proposed, and accepted by nobody yet."
        lines = ["# Staged rules", "", about, ""]
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


def _has_text(rule: Any) -> bool:
    text = rule.get("text") if isinstance(rule, dict) else rule
    return isinstance(text, str) and bool(text.strip())


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


_MOST_LINES = 10  # that a remark names
_MISREAD_KINDS = ("bad-state", "bad-boolean", "inline-comment")


@dataclass(frozen=True, slots=True)
class Remark:
    """Something to know about the conversion of a line of the CARL tree; ``line`` counts from 1, 0
    is the whole file.
    """

    path: str
    line: int
    sentence: str


@dataclass(frozen=True, slots=True)
class CarlConversion:
    """A CARL tree with what it becomes. ``always_domains``: domains whose only keyword is the empty
    one, which CARL finds in every prompt; ``waiting_domains``: those that have others beside it.
    ``floors``: where its brackets begin, in percent left, None for where those of a tree do.
    ``names``: new names of its domains. ``texts``: the files that its rules become, by path, the
    manifest last. ``kept``: what is kept to be read. ``left``: (file, why) of the rest.
    """

    always_domains: tuple[str, ...]
    waiting_domains: tuple[str, ...]
    floors: Mapping[str, int] | None
    names: Mapping[str, str]
    texts: Mapping[str, ConvertedFile]
    kept: tuple[MigrationChange, ...]
    remarks: tuple[Remark, ...]
    left: tuple[tuple[str, str], ...]


def convert_tree(root: Path) -> CarlConversion:
    """Convert the CARL tree in ``root``, CARL v2's where it has both. UserError where there is
    none.
    """
    if (root / CARL_JSON).is_file():
        return _convert_version2(root)
    if (root / CARL_MANIFEST).is_file():
        return _convert_version1(root)
    raise UserError(
        f"There is no {CARL_MANIFEST} in {root}, so there is nothing to migrate.",
        "Name the folder that has one: `synapse migrate DIR`.",
    )


def _convert_version1(root: Path) -> CarlConversion:
    carl = read_carl(root)
    domains = carl.document.domains
    names = new_domain_names(dict.fromkeys((*carl.rules, *domains)))
    texts: dict[str, ConvertedFile] = {}
    for name, source in carl.rules.items():
        path = f"{TREE}/{domain_file(names[name])}"
        sharing = [n for n, s in carl.rules.items() if s.path == source.path and n != name]
        rules = rule_files.parse_domain_rules(source.text).document.rules
        own = [rule for rule in rules if rule.domain == name]
        rows = {rule.line: [f"{names[name]}_RULE_{n}={rule.text}"] for n, rule in enumerate(own)}
        # Those of domains with the same file go into files of their own.
        rows |= {rule.line: [] for rule in rules if rule.domain in sharing}
        texts[path] = _rewritten_file(source, rows)
    if carl.context is not None:
        texts[f"{TREE}/context"] = convert_context(carl.context)
    if carl.commands is not None:
        texts[f"{TREE}/commands"] = convert_commands(carl.commands)
    texts[MANIFEST] = convert_manifest(carl.manifest, carl.document, names)
    remarks = [*_rename_remarks(CARL_MANIFEST, names)]
    if carl.commands is not None:
        commands = rule_files.parse_commands_file(carl.commands.text).document.commands
        helps = (command.rules[0] for command in commands if is_carl_help(command))
        remarks += (Remark(carl.commands.path, rule.line + 1, _HELP_REMARK) for rule in helps)
    remarks += _keyword_remarks(carl.manifest, carl.document)
    # Values that CARL takes for something else than they seem to say.
    lines = LineIndex(carl.manifest.text)
    remarks += (
        Remark(CARL_MANIFEST, lines.line_of(p.span.start) + 1, f"{p.message} It stays so.")
        for p in carl_manifest.parse(carl.manifest.text).problems
        if p.kind in _MISREAD_KINDS
    )
    for file in texts.values():
        if file.unread:
            numbers = ", ".join(str(line + 1) for line in file.unread[:_MOST_LINES])
            more = len(file.unread) - _MOST_LINES
            numbers += f" and {more} more" if more > 0 else ""
            several = len(file.unread) > 1
            become = "they are comments" if several else "it is a comment"
            sentence = f"CARL never read line{'s' * several} {numbers}; {become} now."
            remarks.append(Remark(file.source, file.unread[0] + 1, sentence))
    # The files of CARL's folder that no domain has, as they are.
    kept_files = []
    for source in carl.others:
        path = f"{KEPT_FOLDER}/{source.path.rpartition('/')[2]}"
        why = f"{source.path}, which no domain has"
        kept_files.append(MigrationChange(path, root / path, None, source.data, KEPT, why))
    return CarlConversion(
        always_domains=tuple(n for n, declared in domains.items() if is_always_told(declared)),
        waiting_domains=tuple(
            n for n, declared in domains.items() if n in carl.rules and _has_empty_keyword(declared)
        ),
        floors=None,
        names=names,
        texts=texts,
        kept=tuple(kept_files),
        remarks=tuple(remarks),
        left=tuple((f"{CARL}/{name}", why) for name, why in carl.left.items()),
    )


_READ = ("carl.json", "sessions")  # of CARL v2's folder


def _convert_version2(root: Path) -> CarlConversion:
    source = read_text(root, CARL_JSON)
    document, problems = carl_document.parse(source.text)
    if document.root is None:
        line, column = LineIndex(source.text).position(problems[0].span.start)
        raise UserError(
            f"{CARL_JSON}:{line + 1}:{column + 1} {problems[0].message}", "Mend the file."
        )
    domains = [*document.manifest.domains, *(rule.domain for rule in document.rules.rules)]
    domains += (decision.domain for decision in document.decisions)
    names = new_domain_names(dict.fromkeys(domains))
    pages = {path: text.encode("utf-8", "replace") for path, text in kept_pages(document)}
    pages[f"{KEPT_FOLDER}/carl.json"] = source.data
    why = f"from {CARL_JSON}"
    kept_files = (MigrationChange(p, root / p, None, data, KEPT, why) for p, data in pages.items())
    lines = LineIndex(source.text)
    remarks = [
        *_rename_remarks(CARL_JSON, names),
        *(Remark(CARL_JSON, lines.line_of(p.span.start) + 1, p.message) for p in problems),
        *(
            Remark(CARL_JSON, 0, _HELP_REMARK)
            for c in document.commands.commands
            if is_carl_help(c)
        ),
        *(Remark(CARL_JSON, 0, sentence) for sentence in _count_sentences(document)),
    ]
    for ancestor in carl_ancestors.ancestor_files(str(root)):  # CARL merges them with this one
        if (root / ancestor.path).is_file():
            sentence = "CARL injects its domains here too; a tree of .synapse/ takes nothing from "
            remarks.append(Remark(ancestor.path, 0, f"{sentence}above."))
    others = (root / CARL / n for n in outside_links.list_names(str(root), CARL) if n not in _READ)
    return CarlConversion(
        always_domains=(),
        waiting_domains=(),
        floors=BRACKET_FLOORS,
        names=names,
        texts=dict(convert_document(document, names)),
        kept=tuple(kept_files),
        remarks=tuple(remarks),
        left=tuple(
            (f"{CARL}/{e.name}{'/' * e.is_dir()}", f"CARL v2 reads {CARL_JSON} alone")
            for e in others
        ),
    )


def _rename_remarks(path: str, names: Mapping[str, str]) -> Iterator[Remark]:
    for name, new in names.items():
        if new != name:
            yield Remark(path, 0, f"The domain {name} is called {new} here.")


def _count_sentences(document: CarlDocument) -> Iterator[str]:
    """Yield a remark on each thing that has no counterpart."""
    if count := len(document.decisions):
        rules = sum(bool(decision.agent_text) for decision in document.decisions)
        yield (
            f"{format_count(count, 'decision')}, {rules} of them held and became rules; their ids, "
            f"reasons, dates and words are kept in {DECISIONS_PATH}."
        )
    if count := len(document.staging):
        yield f"{format_count(count, 'staged rule')}: kept in {STAGING_PATH}, not injected."
    if document.post_compact_gate is not None:
        yield (
            "`post_compact_gate` has no counterpart: after a compaction the block is always "
            "injected anew."
        )


def _has_empty_keyword(declared: DomainDeclaration) -> bool:
    """Return whether a domain has an empty keyword beside others."""
    recall = declared.entries.get("RECALL")
    if recall is None or not recall.line.items or declared.always_on or not declared.is_active:
        return False
    return any(problem.kind == "empty-recall-item" for problem in recall.line.problems)


def _keyword_remarks(source: CarlFile, manifest: Manifest) -> Iterator[Remark]:
    """Yield remarks on what becomes of empty keywords."""
    lines = LineIndex(source.text)
    for name, declared in manifest.domains.items():
        recall = declared.entries.get("RECALL")
        if recall is None or not declared.is_active or declared.always_on:
            continue
        line = lines.line_of(recall.key_start) + 1
        was = f"{name} was injected with every prompt, because"
        if is_always_told(declared):
            why = "its keyword is empty; it is always on now. Give it keywords instead if that was "
            yield Remark(source.path, line, f"{was} {why}not meant.")
        elif _has_empty_keyword(declared):
            why = f"one of its keywords is empty; now the others count. Write {name}_ALWAYS_ON=true"
            yield Remark(source.path, line, f"{was} {why} to have it injected always.")
