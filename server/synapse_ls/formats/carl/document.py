"""CARL v2's ``.carl/carl.json``: configuration, domains, rules, decisions and staged rules in one file.

``config`` has ``devmode``, ``global_exclude``, ``context_brackets`` (each with ``enabled`` and ``rules``) and
``commands`` (name → rules, or an object with ``rules``); ``domains`` maps a name to ``state``,
``always_on``, ``recall``, ``exclude``, ``rules`` and ``decisions``. The parts are handed out as the
documents that CARL v1 has files for, so that whoever reads those reads this one too; every place is
one in the JSON. Fields that nobody here reads are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from synapse_ls.formats.carl.lines import BRACKETS
from synapse_ls.formats.carl.manifest import ACTIVE, INACTIVE, CarlDeclaration
from synapse_ls.formats.carl.misspelt import misspelt
from synapse_ls.formats.carl.rules import MARK
from synapse_ls.formats.commands import Command, Commands
from synapse_ls.formats.context import ContextDocument
from synapse_ls.formats.manifest import Manifest, ManifestEntry
from synapse_ls.formats.manifest_line import Line
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.formats.rule import Rule, phase_of
from synapse_ls.formats.rule_keys import BRACKETS as ALL
from synapse_ls.formats.rules import RulesDocument, forged, in_order
from synapse_ls.text import jsonc
from synapse_ls.text.json import JsonError
from synapse_ls.text.jsonc import Element, Node
from synapse_ls.text.lines import LineIndex
from synapse_ls.text.span import Span

_OVER = ("superseded", "archived", "rejected", "deprecated", "inactive")


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision that a domain keeps; ``recall`` are words, ``status`` such as "active"."""

    domain: str
    id: str
    decision: str
    rationale: str
    date: str
    source: str
    recall: tuple[str, ...]
    status: str
    line: int
    span: Span

    @property
    def told(self) -> str:
        """What an agent is told of it, "" where it does not hold any more."""
        if self.status.lower() in _OVER:
            return ""
        why = f" ({self.rationale})" if self.rationale and self.decision else ""
        return f"{self.decision}{why}"


@dataclass(frozen=True, slots=True)
class Staged:
    """A rule that somebody proposed and nobody accepted; ``text`` and ``domain`` may be empty."""

    id: str
    domain: str
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class CarlDocument:
    """A ``carl.json``; ``rules`` are those of all domains, each under its domain's name.

    ``post_compact_gate`` is the switch of that name, None where the file does not say.
    """

    text: str
    version: int | None
    manifest: Manifest
    rules: RulesDocument
    commands: Commands
    context: ContextDocument
    decisions: tuple[Decision, ...]
    staging: tuple[Staged, ...]
    post_compact_gate: bool | None
    root: Node | None

    def configured(self, name: str) -> object:
        """What ``config`` says of ``name``; None where it says nothing."""
        config = self.root.get("config") if self.root else None
        member = config.node.get(name) if config else None
        return member.node.value if member else None

    def members(self, name: str) -> tuple[str, ...]:
        """The names in an object of ``config``."""
        found = self.configured(name)
        return tuple(found) if isinstance(found, dict) else ()


def parse(text: str) -> Parsed[CarlDocument]:
    """Read a ``carl.json``. Never raises; takes time linear in the text."""
    reader = _Reader(text)
    try:
        found = jsonc.parse(text)
    except JsonError as error:
        at = min(error.offset, len(text))
        message = f"The file is not read, because it is not JSON: {error}."
        reader.problems.append(
            Problem("invalid-carl-json", Span(at, min(at + 1, len(text))), message)
        )
        return Parsed(reader.document(None), tuple(reader.problems))
    for span in (*found.comments, *(Span(at, at + 1) for at in found.trailing)):
        what = "JSON has no comments" if span.length > 1 else "a comma behind the last item"
        reader.wrong(span, f"CARL cannot read the file: {what}.", "Delete it.")
    reader.read(found.root)
    problems = [*reader.problems, *misspelt(found.root), *forged(text, reader.all_rules())]
    return Parsed(reader.document(found.root), in_order(problems))


@dataclass(slots=True)
class _Reader:
    """What is found in the JSON, part by part."""

    text: str
    problems: list[Problem] = field(default_factory=list)
    version: int | None = None
    devmode: bool = False
    gate: bool | None = None
    exclude: tuple[str, ...] = ()
    entries: list[ManifestEntry] = field(default_factory=list)
    domains: dict[str, CarlDeclaration] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    brackets: dict[str, list[Rule]] = field(default_factory=lambda: {b: [] for b in ALL})
    switches: dict[str, bool] = field(default_factory=dict)
    commands: list[Command] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    staging: list[Staged] = field(default_factory=list)
    lines: LineIndex = field(init=False)

    def __post_init__(self) -> None:
        self.lines = LineIndex(self.text)

    def wrong(self, span: Span, message: str, remedy: str = "") -> None:
        self.problems.append(Problem("invalid-carl-json", span, message, remedy))

    def all_rules(self) -> list[Rule]:
        found = [*self.rules, *(rule for rules in self.brackets.values() for rule in rules)]
        found += (rule for command in self.commands for rule in command.rules)
        return sorted(found, key=lambda rule: rule.span)

    def document(self, root: Node | None) -> CarlDocument:
        manifest = Manifest(
            self.text, tuple(self.entries), self.domains, self.devmode, self.exclude, {}
        )
        bracketed = [rule for rules in self.brackets.values() for rule in rules]
        context = ContextDocument(
            RulesDocument(self.text, "keyvalue", tuple(bracketed), self.switches),
            {bracket: tuple(rules) for bracket, rules in self.brackets.items()},
            (),
            self.switches,
        )
        return CarlDocument(
            self.text,
            self.version,
            manifest,
            RulesDocument(self.text, "keyvalue", tuple(self.rules), {}),
            Commands(self.text, tuple(self.commands)),
            context,
            tuple(self.decisions),
            tuple(self.staging),
            self.gate,
            root,
        )

    def read(self, root: Node) -> None:
        if not isinstance(root.value, dict):
            self.wrong(root.span, "The file is not read, because it holds no JSON object.")
            return
        version = root.get("version")
        self.version = version.node.value if version and _is_count(version.node.value) else None
        for name, reading in (
            ("config", self._config),
            ("domains", self._domains),
            ("staging", self._staging),
        ):
            member = root.get(name)
            if member is not None:
                reading(member.node)

    def _config(self, node: Node) -> None:
        for member in self._members(node, "config"):
            match member.key:
                case "devmode":
                    self.devmode = self._flag(member)
                case "post_compact_gate":
                    self.gate = self._flag(member)
                case "global_exclude":
                    entry = self._list(member, "", "GLOBAL_EXCLUDE")
                    self.exclude = tuple(item.value for item in entry.line.items)
                    self.entries.append(entry)
                case "context_brackets":
                    self._brackets(member.node)
                case "commands":
                    self._commands(member.node)

    def _brackets(self, node: Node) -> None:
        for member in self._members(node, "context_brackets"):
            name = member.key
            if name not in BRACKETS:
                self.wrong(
                    _key_span(member),
                    f"`{name[:40]}` has no effect: rules are told in FRESH, MODERATE and DEPLETED.",
                )
                continue
            enabled = member.node.get("enabled")
            if enabled is not None:
                self.switches[name] = self._flag(enabled)
            rules = member.node.get("rules")
            if rules is not None:
                self.brackets[name] += self._texts(rules.node, name, "bracket", name)

    def _commands(self, node: Node) -> None:
        for member in self._members(node, "commands"):
            rules = member.node.get("rules") if isinstance(member.node.value, dict) else member
            name = member.key.lower().lstrip("*")
            found = self._texts(rules.node, member.key.upper(), "command", name) if rules else ()
            self.commands.append(Command(name, _key_span(member), tuple(found)))

    def _domains(self, node: Node) -> None:
        for domain in self._members(node, "domains"):
            name = domain.key
            if not isinstance(domain.node.value, dict):
                self.wrong(domain.node.span, f"{name[:40]} is not read: it is no JSON object.")
                continue
            said: dict[str, ManifestEntry] = {}
            for member in domain.node.elements:
                entry = self._setting(name, member)
                if entry is not None:
                    said[entry.setting] = entry
                    self.entries.append(entry)
            self.domains[name] = CarlDeclaration(name, _inner(_key_span(domain)), said)
            rules = domain.node.get("rules")
            if rules is not None:
                self.rules += self._texts(rules.node, name, "rule", "")
            decisions = domain.node.get("decisions")
            if decisions is not None:
                self.decisions += self._decisions(name, decisions.node)

    def _setting(self, domain: str, member: Element) -> ManifestEntry | None:
        """A member that a line of the manifest would say."""
        setting = _SETTINGS.get(member.key, "")
        if setting in ("RECALL", "EXCLUDE"):
            return self._list(member, domain, setting)
        if not setting:
            return None
        value = member.node.value
        # A state may be a word, as it is in the manifest.
        is_word = isinstance(value, str) and value.lower() in ACTIVE | INACTIVE
        said = value if is_word else str(self._flag(member)).lower()
        return _entry(member, domain, setting, said, ())

    def _list(self, member: Element, domain: str, setting: str) -> ManifestEntry:
        """A list of words that a line of the manifest would have."""
        words = self._words(member.node, member.key)
        items = tuple(Text(word.value, word.span.shift(-member.start)) for word in words)
        said = ",".join(word.value for word in words)
        return _entry(member, domain, setting, said, items)

    def _texts(self, node: Node, domain: str, sort: str, qualifier: str) -> Iterator[Rule]:
        """The rules of a list: texts, or objects with a ``text``."""
        if not isinstance(node.value, list):
            self.wrong(node.span, f"The rules of {domain[:40]} are not read: they are no list.")
            return
        for number, item in enumerate(node.elements):
            said = item.node.get("text") if isinstance(item.node.value, dict) else item
            value = said.node.value if said else None
            if said is None or not isinstance(value, str) or not value.strip():
                self.wrong(item.node.span, "The rule is not told, because it has no text.")
                continue
            start = item.node.span.start
            yield Rule(
                f"{domain}{MARK}{number}",
                sort,
                domain,
                qualifier,
                number,
                value.strip(),
                phase_of(value),
                "",
                self.lines.line_of(said.node.span.start),
                item.node.span,
                Span(start, start),
                _inner(said.node.span),
            )

    def _decisions(self, domain: str, node: Node) -> Iterator[Decision]:
        for item in node.elements:
            if not isinstance(item.node.value, dict):
                self.wrong(item.node.span, "The decision is not read: it is no JSON object.")
                continue
            said = item.node.value
            recall = item.node.get("recall")
            yield Decision(
                domain=domain,
                id=_text(said.get("id")),
                decision=_text(said.get("decision")),
                rationale=_text(said.get("rationale")),
                date=_text(said.get("date")),
                source=_text(said.get("source")),
                recall=tuple(w.value for w in self._words(recall.node, "recall")) if recall else (),
                status=_text(said.get("status")),
                line=self.lines.line_of(item.node.span.start),
                span=item.node.span,
            )

    def _staging(self, node: Node) -> None:
        for item in node.elements:
            said: Mapping[str, object] = (
                item.node.value if isinstance(item.node.value, dict) else {}
            )
            text = _text(said.get("text")) or _text(said.get("rule"))
            self.staging.append(
                Staged(_text(said.get("id")), _text(said.get("domain")), text, item.node.span)
            )

    def _members(self, node: Node, name: str) -> tuple[Element, ...]:
        if isinstance(node.value, dict):
            return node.elements
        self.wrong(node.span, f"`{name}` is not read, because it is no JSON object.")
        return ()

    def _flag(self, member: Element) -> bool:
        value = member.node.value
        if isinstance(value, bool):
            return value
        self.wrong(
            member.node.span,
            f"`{member.key}` is neither true nor false; it counts as false.",
            "Write true or false.",
        )
        return False

    def _words(self, node: Node, name: str) -> tuple[Text, ...]:
        """The words of a list; an empty one is reported, since CARL finds it in every prompt."""
        if not isinstance(node.value, list):
            self.wrong(node.span, f"`{name}` is not read, because it is no list of words.")
            return ()
        found: list[Text] = []
        for item in node.elements:
            value = item.node.value
            if not isinstance(value, str):
                self.wrong(item.node.span, f"`{name}` has an item that is no text.")
            elif not value.strip():
                self.wrong(item.node.span, f"`{name}` has an empty word, which is ignored.")
            else:
                found.append(Text(value.strip(), _inner(item.node.span)))
        return tuple(found)


_SETTINGS = {
    "state": "STATE",
    "always_on": "ALWAYS_ON",
    "recall": "RECALL",
    "exclude": "EXCLUDE",
}


def _entry(
    member: Element, domain: str, setting: str, said: str, items: tuple[Text, ...]
) -> ManifestEntry:
    """A member as the line of a manifest; places count from its beginning."""
    name = f"{domain}_{setting}" if domain else setting
    key = Text(name, Span(0, _key_span(member).length))
    value = Text(said, member.node.span.shift(-member.start))
    line = Line(key, value, domain, setting, items, ())
    return ManifestEntry(Span(member.start, member.end), line)


def _key_span(member: Element) -> Span:
    """The name of a member with its quotes, as it is written where it has no escapes."""
    return Span(member.start, member.start + len(member.key) + 2)


def _inner(span: Span) -> Span:
    """A string without its quotes."""
    return Span(span.start + 1, max(span.end - 1, span.start + 1))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
