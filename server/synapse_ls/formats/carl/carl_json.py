"""Parse CARL v2's ``.carl/carl.json``: configuration, domains, decisions and staged rules.

``config`` has ``devmode``, ``global_exclude``, ``context_brackets`` (each with ``enabled`` and
``rules``) and ``commands`` (name → rules, or an object with ``rules``); ``domains`` maps a name to
``state``, ``always_on``, ``recall``, ``exclude``, ``rules`` and ``decisions``. The result has the
types of CARL v1's documents, with places in the JSON. Unknown fields are ignored; those that
resemble a known one are reported.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from synapse_ls.formats import context_file, domain_file, manifest_settings, session_values
from synapse_ls.formats.carl.manifest import ACTIVE, INACTIVE, CarlDeclaration
from synapse_ls.formats.carl.rule_files import CARL_BRACKETS, RULE_MARK
from synapse_ls.formats.commands_file import StarCommand, StarCommands
from synapse_ls.formats.manifest import Manifest, ManifestEntry
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.rule_syntax import BRACKETS as ALL
from synapse_ls.formats.rule_syntax import RuleKey, build_rule, leading_phase
from synapse_ls.text import edit_distance, fast_json, jsonc_tree
from synapse_ls.text.finding import Finding, ParseResult, Text, sort_problems
from synapse_ls.text.jsonc_tree import JsonElement, JsonNode
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span

# Path of an object -> the names that CARL v2 has in it; "*" is any name or item.
_MEMBER_NAMES = {
    (): ("version", "last_modified", "config", "domains", "staging"),
    ("config",): ("devmode", "post_compact_gate", "global_exclude", "context_brackets", "commands"),
    ("config", "context_brackets", "*"): ("enabled", "rules"),
    ("config", "commands", "*"): ("rules",),
    ("domains", "*"): ("state", "always_on", "recall", "exclude", "rules", "decisions"),
    ("domains", "*", "decisions", "*"): (
        ("id", "decision", "rationale", "date", "source", "recall", "status")
    ),
}


def _members_at(node: JsonNode, path: tuple[str, ...]) -> Iterator[JsonElement]:
    if not path:
        yield from node.elements if isinstance(node.value, dict) else ()
        return
    for element in node.elements:
        if path[0] in ("*", element.key):
            yield from _members_at(element.node, path[1:])


_CLOSED_STATUSES = ("superseded", "archived", "rejected", "deprecated", "inactive")


class Decision(NamedTuple):
    """A decision that a domain of ``carl.json`` keeps; ``recall`` are words, ``status`` such as
    "active".
    """

    domain: str
    id: str
    decision: str
    rationale: str
    date: str
    source: str
    status: str
    recall: tuple[str, ...]
    line: int

    @property
    def agent_text(self) -> str:
        """What an agent is told of it, "" where it does not hold any more."""
        if self.status.lower() in _CLOSED_STATUSES:
            return ""
        why = f" ({self.rationale})" if self.rationale and self.decision else ""
        return f"{self.decision}{why}"


class StagedRule(NamedTuple):
    """A rule in ``carl.json`` that somebody proposed and nobody accepted; ``text`` and ``domain``
    may be empty.
    """

    id: str
    domain: str
    text: str


class CarlDocument(NamedTuple):
    """A parsed ``carl.json``; ``rules`` are those of all domains, each under its domain's name.

    ``post_compact_gate`` is the switch of that name, None where the file does not say.
    """

    text: str
    version: int | None
    manifest: Manifest
    rules: domain_file.RulesDocument
    commands: StarCommands
    context: context_file.ContextDocument
    decisions: tuple[Decision, ...]
    staging: tuple[StagedRule, ...]
    post_compact_gate: bool | None
    root: JsonNode | None

    def config_value(self, name: str) -> object:
        """Return what ``config`` says of ``name``; None where it says nothing."""
        config = self.root.get("config") if self.root else None
        member = config.node.get(name) if config else None
        return member.node.value if member else None

    @property
    def named_brackets(self) -> tuple[str, ...]:
        """The names in ``context_brackets`` of ``config``."""
        brackets = self.config_value("context_brackets")
        return tuple(brackets) if isinstance(brackets, dict) else ()


def parse(text: str) -> ParseResult[CarlDocument]:
    """Parse a ``carl.json``. Never raises; takes time linear in the text."""
    reader = _CarlReader(text)
    try:
        document = jsonc_tree.parse_jsonc(text)
    except fast_json.JsonError as error:
        at = min(error.offset, len(text))
        message = f"The file is not read, because it is not JSON: {error.what}."
        reader.problems.append(
            Finding(Span(at, min(at + 1, len(text))), message, kind="invalid-carl-json")
        )
        return ParseResult(reader.build_document(None), tuple(reader.problems))
    for span in (*document.comments, *(Span(at, at + 1) for at in document.trailing_commas)):
        what = "JSON has no comments" if span.length > 1 else "a comma behind the last item"
        reader.report_problem(span, f"CARL cannot read the file: {what}.", "Delete it.")
    reader.read(document.root)
    rules = [*reader.rules, *chain.from_iterable(reader.brackets.values())]
    rules += (rule for command in reader.commands for rule in command.rules)
    # Names that nobody reads and that look like one that is read.
    for path, names in _MEMBER_NAMES.items():
        for member in _members_at(document.root, path):
            if near := "" if member.key in names else edit_distance.nearest_word(member.key, names):
                message = f"`{member.key[:40]}` is not read, so it has no effect."
                reader.report_problem(_key_span(member), message, f"Write `{near}`.")
    problems = [
        *reader.problems,
        *domain_file.forged_markup_problems(text, sorted(rules, key=lambda rule: rule.span)),
    ]
    return ParseResult(reader.build_document(document.root), sort_problems(problems))


@dataclass(slots=True)
class _CarlReader:
    """What is read of the JSON, part by part."""

    text: str
    problems: list[Finding] = field(default_factory=list)
    version: int | None = None
    devmode: bool = False
    gate: bool | None = None
    exclude: tuple[str, ...] = ()
    entries: list[ManifestEntry] = field(default_factory=list)
    domains: dict[str, CarlDeclaration] = field(default_factory=dict)
    rules: list[Rule] = field(default_factory=list)
    brackets: dict[str, list[Rule]] = field(default_factory=lambda: {b: [] for b in ALL})
    switches: dict[str, bool] = field(default_factory=dict)
    commands: list[StarCommand] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    staging: list[StagedRule] = field(default_factory=list)
    lines: LineIndex = field(init=False)

    def __post_init__(self) -> None:
        self.lines = LineIndex(self.text)

    def report_problem(self, span: Span, message: str, remedy: str = "") -> None:
        self.problems.append(Finding(span, message, remedy, kind="invalid-carl-json"))

    def build_document(self, root: JsonNode | None) -> CarlDocument:
        manifest = Manifest(
            self.text, tuple(self.entries), self.domains, self.devmode, self.exclude, {}
        )
        bracketed = [rule for rules in self.brackets.values() for rule in rules]
        context = context_file.ContextDocument(
            domain_file.RulesDocument(self.text, "keyvalue", tuple(bracketed), self.switches),
            {bracket: tuple(rules) for bracket, rules in self.brackets.items()},
            (),
            self.switches,
        )
        return CarlDocument(
            self.text,
            self.version,
            manifest,
            domain_file.RulesDocument(self.text, "keyvalue", tuple(self.rules), {}),
            StarCommands(self.text, tuple(self.commands)),
            context,
            tuple(self.decisions),
            tuple(self.staging),
            self.gate,
            root,
        )

    def read(self, root: JsonNode) -> None:
        if not isinstance(root.value, dict):
            self.report_problem(root.span, "The file is not read, because it holds no JSON object.")
            return
        version = root.get("version")
        self.version = session_values.read_whole(version.node.value) if version else None
        if config := root.get("config"):
            self._read_config(config.node)
        if domains := root.get("domains"):
            self._read_domains(domains.node)
        for item in staging.node.elements if (staging := root.get("staging")) else ():
            value = item.node.value if isinstance(item.node.value, dict) else {}
            id, domain, text, rule = map(session_values.read_text, map(value.get, _STAGED_FIELDS))
            self.staging.append(StagedRule(id, domain, text or rule))

    def _read_config(self, node: JsonNode) -> None:
        for member in self._object_members(node, "config"):
            match member.key:
                case "devmode":
                    self.devmode = self._read_flag(member)
                case "post_compact_gate":
                    self.gate = self._read_flag(member)
                case "global_exclude":
                    entry = self._read_word_list(member, "", "GLOBAL_EXCLUDE")
                    self.exclude = tuple(item.value for item in entry.line.items)
                    self.entries.append(entry)
                case "context_brackets":
                    for bracket in self._object_members(member.node, "context_brackets"):
                        name = bracket.key
                        if name not in CARL_BRACKETS:
                            message = (
                                f"`{name[:40]}` has no effect: rules are injected in FRESH, "
                                "MODERATE and DEPLETED."
                            )
                            self.report_problem(_key_span(bracket), message)
                            continue
                        if enabled := bracket.node.get("enabled"):
                            self.switches[name] = self._read_flag(enabled)
                        if rules := bracket.node.get("rules"):
                            self.brackets[name] += self._read_rules(
                                rules.node, name, "bracket", name
                            )
                case "commands":
                    self._read_commands(member.node)

    def _read_commands(self, node: JsonNode) -> None:
        for member in self._object_members(node, "commands"):
            rules = member.node.get("rules") if isinstance(member.node.value, dict) else member
            name = member.key.lower().lstrip("*")
            found_rules = (
                self._read_rules(rules.node, member.key.upper(), "command", name) if rules else ()
            )
            self.commands.append(StarCommand(name, _key_span(member), tuple(found_rules)))

    def _read_domains(self, node: JsonNode) -> None:
        for domain in self._object_members(node, "domains"):
            name = domain.key
            if not isinstance(domain.node.value, dict):
                self.report_problem(
                    domain.node.span, f"{name[:40]} is not read: it is no JSON object."
                )
                continue
            manifest_entries: dict[str, ManifestEntry] = {}
            for member in domain.node.elements:
                # The member as the entry of a manifest that would say it.
                if not (setting := _SETTINGS.get(member.key, "")):
                    continue
                if setting in ("RECALL", "EXCLUDE"):
                    entry = self._read_word_list(member, name, setting)
                else:
                    value = member.node.value
                    # A state may be a word, as it is in the manifest.
                    is_word = isinstance(value, str) and value.lower() in ACTIVE | INACTIVE
                    word = value if is_word else str(self._read_flag(member)).lower()
                    entry = _manifest_entry(member, name, setting, word, ())
                manifest_entries[setting] = entry
                self.entries.append(entry)
            self.domains[name] = CarlDeclaration(
                name, _unquoted_span(_key_span(domain)), manifest_entries
            )
            if rules := domain.node.get("rules"):
                self.rules += self._read_rules(rules.node, name, "rule", "")
            if decisions := domain.node.get("decisions"):
                self.decisions += self._read_decisions(name, decisions.node)

    def _read_word_list(self, member: JsonElement, domain: str, setting: str) -> ManifestEntry:
        """Return a list of words as the entry of a manifest that would have it."""
        words = self._read_words(member.node, member.key)
        items = tuple(Text(word.value, word.span.shift(-member.start)) for word in words)
        said = ",".join(word.value for word in words)
        return _manifest_entry(member, domain, setting, said, items)

    def _read_rules(
        self, node: JsonNode, domain: str, rule_kind: str, qualifier: str
    ) -> Iterator[Rule]:
        """Yield the rules of a list: texts, or objects with a ``text``."""
        if not isinstance(node.value, list):
            self.report_problem(
                node.span, f"The rules of {domain[:40]} are not read: they are no list."
            )
            return
        for number, item in enumerate(node.elements):
            text = item.node.get("text") if isinstance(item.node.value, dict) else item
            value = text.node.value if text else None
            if text is None or not isinstance(value, str) or not value.strip():
                self.report_problem(
                    item.node.span, "The rule is not injected, because it has no text."
                )
                continue
            span = item.node.span
            yield build_rule(
                *(f"{domain}{RULE_MARK}{number}", RuleKey(rule_kind, domain, qualifier, number)),
                *(value.strip(), leading_phase(value), ""),
                self.lines.line_of(text.node.span.start),
                *(span, Span(span.start, span.start), _unquoted_span(text.node.span)),
            )

    def _read_decisions(self, domain: str, node: JsonNode) -> Iterator[Decision]:
        for item in node.elements:
            if not isinstance(item.node.value, dict):
                self.report_problem(
                    item.node.span, "The decision is not read: it is no JSON object."
                )
                continue
            values = map(item.node.value.get, _DECISION_FIELDS)
            id, decision, rationale, date, source, status = map(session_values.read_text, values)
            recall = item.node.get("recall")
            words = self._read_words(recall.node, "recall") if recall else ()
            recalled = tuple(word.value for word in words)
            line = self.lines.line_of(item.node.span.start)
            yield Decision(domain, id, decision, rationale, date, source, status, recalled, line)

    def _object_members(self, node: JsonNode, name: str) -> tuple[JsonElement, ...]:
        if isinstance(node.value, dict):
            return node.elements
        self.report_problem(node.span, f"`{name}` is not read, because it is no JSON object.")
        return ()

    def _read_flag(self, member: JsonElement) -> bool:
        value = member.node.value
        if isinstance(value, bool):
            return value
        self.report_problem(
            member.node.span,
            f"`{member.key}` is neither true nor false; it counts as false.",
            "Write true or false.",
        )
        return False

    def _read_words(self, node: JsonNode, name: str) -> tuple[Text, ...]:
        """Return the words of a list; an empty one is reported, since CARL finds it in every
        prompt.
        """
        if not isinstance(node.value, list):
            self.report_problem(node.span, f"`{name}` is not read, because it is no list of words.")
            return ()
        words: list[Text] = []
        for item in node.elements:
            value = item.node.value
            if not isinstance(value, str):
                self.report_problem(item.node.span, f"`{name}` has an item that is no text.")
            elif not value.strip():
                self.report_problem(
                    item.node.span, f"`{name}` has an empty word, which is ignored."
                )
            else:
                words.append(Text(value.strip(), _unquoted_span(item.node.span)))
        return tuple(words)


_DECISION_FIELDS = ("id", "decision", "rationale", "date", "source", "status")
_STAGED_FIELDS = ("id", "domain", "text", "rule")
_SETTINGS = {"state": "STATE", "always_on": "ALWAYS_ON", "recall": "RECALL", "exclude": "EXCLUDE"}


def _manifest_entry(
    member: JsonElement, domain: str, setting: str, written: str, items: tuple[Text, ...]
) -> ManifestEntry:
    """Return a member as the line of a manifest; place count from its beginning."""
    name = f"{domain}_{setting}" if domain else setting
    key = Text(name, Span(0, _key_span(member).length))
    value = Text(written, member.node.span.shift(-member.start))
    line = manifest_settings.ManifestLine(key, value, domain, setting, items, ())
    return ManifestEntry(Span(member.start, member.end), line)


def _key_span(member: JsonElement) -> Span:
    """Return the span of a member's name with its quotes, as it is written where it has
    no escapes.
    """
    return Span(member.start, member.start + len(member.key) + 2)


def _unquoted_span(span: Span) -> Span:
    return Span(span.start + 1, max(span.end - 1, span.start + 1))
