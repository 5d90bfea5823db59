"""The rules of one file of a ``.synapse/`` tree, and the update of a plan when such files change.

Rules, star-commands and boundaries are all that a plan has from rule files.
"""

from __future__ import annotations

from dataclasses import dataclass
from marshal import loads
from typing import TYPE_CHECKING

from synapse_ls.engine.compiled_plan import DOMAIN_FIELDS, Plan, pack_domain
from synapse_ls.engine.text_escaping import neutralise_lines, neutralise_text
from synapse_ls.formats import authority_boundary, context_file
from synapse_ls.formats.rule import Rule
from synapse_ls.text import digest, prohibition_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from synapse_ls.formats import commands_file, constitution_file
    from synapse_ls.formats.context_file import ContextDocument

    CommandTable = dict[str, tuple[str, tuple[tuple[Any, ...], ...]]]

PATTERN_KINDS = ("deny", "allow")


def plain_rules(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Yield the rules of a domain as a plan has them."""
    return map(_compile_rule, _sort_rules(rules))


def context_rules(document: ContextDocument, brackets: frozenset[str]) -> Iterator[Rule]:
    """Yield the rules of a context file as a plan has them; brackets: the names of those that the
    profile has.
    """
    bracketed = [rule for rule in document.general if context_file.bracket_word(rule) in brackets]
    yield from plain_rules(rule for rule in document.general if rule not in bracketed)
    numbered = (rule.replace(index=int(rule.key.rpartition("_")[2])) for rule in bracketed)
    for rule in _sort_rules(numbered):
        yield _compile_rule(rule, kind="bracket", qualifier=context_file.bracket_word(rule))
    for bracket, rules in document.brackets.items():
        if document.switches.get(bracket, True):
            for rule in _sort_rules(rules):
                yield _compile_rule(rule, kind="bracket", qualifier=bracket)


def command_rules(commands: Iterable[commands_file.StarCommand]) -> Iterator[Rule]:
    """Yield the rules of star-commands as a plan has them."""
    for command in commands:
        for rule in _sort_rules(command.rules):
            yield _compile_rule(rule, kind="command", qualifier=command.name)


def add_commands(table: CommandTable, path: str, document: commands_file.StarCommands) -> None:
    """Add the star-commands of a file to a table of them by name."""
    for command in document.commands:
        _, earlier = table.get(command.name, ("", ()))
        rules = tuple(rule.values for rule in command_rules((command,)))
        table[command.name] = (path, earlier + rules)


def constitution_rules(document: constitution_file.ConstitutionDocument) -> Iterator[Rule]:
    """Yield the rules of the constitution as a plan has them."""
    for rule in document.loose:
        yield _compile_rule(rule)
    for article in document.articles:
        number = str(article.number)
        severity = f" ({article.severity})" if article.severity else ""
        title = f"Art. {article.roman} {article.title}{severity}"
        if article.title_rule is not None:
            yield _compile_rule(article.title_rule, kind="title", qualifier=number, text=title)
        for rule in _sort_rules(article.rules):
            yield _compile_rule(rule, kind="article", qualifier=number)


def _sort_rules(rules: Iterable[Rule]) -> list[Rule]:
    """Return rules by index, then by line; authority boundaries before the rest, and rules of plain
    text behind it.
    """
    return sorted(
        rules,
        key=lambda rule: (
            rule.kind != "auth",
            rule.kind == "plain",
            rule.index if rule.index is not None else 1 << 40,
            rule.line,
        ),
    )


def _compile_rule(
    rule: Rule, *, kind: str = "", qualifier: str | None = None, text: str | None = None
) -> Rule:
    """Return a rule of a file as a plan has it."""
    text = neutralise_lines(rule.text if text is None else text)
    return Rule(
        rule.key,
        kind or rule.kind,
        rule.index,
        text,
        neutralise_text(rule.group),
        rule.phase,
        rule.qualifier if qualifier is None else qualifier,
        rule.line,
        digest.hash_text(text),
        prohibition_words.forbids(text),
    )


def have_boundaries(rules: Iterable[Rule]) -> bool:
    """Return whether any of these rules of a ``.synapse/`` file is a boundary."""
    return any(rule.kind in ("article", "auth", *PATTERN_KINDS) for rule in rules)


def boundaries_in(
    label: str, owner: str, path: str, text: str, rules: Iterable[Rule], stories: tuple[str, ...]
) -> Iterator[tuple[Any, ...]]:
    """Yield a row ``(domain label, owner, said, action, machine, note, key, file, line)`` for each
    boundary among the rules of a ``.synapse/`` domain.

    label, path, text: those of the domain and its file. owner: the agent whose the boundaries are,
    "" for everybody's; an article of the constitution names its own, ", @" between them. stories:
    the globs of the stories that it guards (`guarded_stories`). said: "deny", "allow", "exclusive"
    or "free". machine: whether the action is a pattern as it stands (``{D}_DENY_n``,
    ``{D}_ALLOW_n``), and not a sentence. line: from 0.
    """
    verdicts = {
        authority_boundary.ALLOWED: "allow",
        authority_boundary.BLOCKED: "deny",
        authority_boundary.EXCLUSIVE: "exclusive",
    }
    for rule in rules:
        if rule.kind == "article":  # "Only @devops may push"
            agents, reserved = authority_boundary.reserved_commands(rule.text)
            place = ("", rule.key, path, rule.line)
            yield from ((label, ", @".join(agents), "exclusive", *act, *place) for act in reserved)
        machine = rule.kind in PATTERN_KINDS
        if not (machine or (owner and rule.kind == "auth")):
            continue
        dash = authority_boundary.NOTE.search(rule.text)  # "— delegate to @devops"
        place = (rule.text[dash.end() :].strip() if dash else "", rule.key, path, rule.line)
        if rule.text.startswith("UNRESTRICTED:"):  # nobody's exclusive actions bind this agent
            yield (label, owner, "free", "", False, *place)
        for action in authority_boundary.boundary_actions(text, rule):
            if effect := verdicts.get(action.effect):
                named = action.action.value
                acts: tuple[str, ...] = ()
                if not machine and (
                    effect != "allow" or not authority_boundary.story_sections(named)
                ):
                    acts = authority_boundary.act_patterns(named, stories)
                elif not machine and authority_boundary.names_sole_sections(rule.text, named):
                    # Where only some sections of stories may be changed, the others may not.
                    effect, acts = "deny", tuple(f"write {glob}" for glob in stories)
                yield from ((label, owner, effect, act, True, *place) for act in acts)
                if not acts:
                    yield (label, owner, effect, named, machine, *place)


_FILE, _LABEL, _SQUAD = map(DOMAIN_FIELDS.index, ("file", "label", "squad"))
_AGENT, _ACTIVE = map(DOMAIN_FIELDS.index, ("agent", "active"))


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A rule file by which a plan is updated: its text and its document, which the parser ``kind``
    has made: "domain_file", "constitution_file", "context_file" or "commands_file".
    """

    kind: str
    text: str
    document: Any

    def compiled_rules(self, brackets: frozenset[str]) -> Iterator[Rule]:
        """Return the rules of the domains that it serves as a plan has them."""
        if self.kind == "constitution_file":
            return constitution_rules(self.document)
        if self.kind == "context_file":
            return context_rules(self.document, brackets)
        if self.kind == "commands_file":
            return command_rules(self.document.commands)
        return plain_rules(self.document.rules)

    def rules(self) -> Sequence[Rule]:
        """Return its rules, in the order of the file."""
        if self.kind == "commands_file":
            rules = (rule for command in self.document.commands for rule in command.rules)
            return sorted(rules, key=lambda rule: rule.span)
        document = self.document if self.kind == "domain_file" else self.document.rules
        rules_in_order: Sequence[Rule] = document.rules
        return rules_in_order


def with_rule_files(plan: Plan, files: Mapping[str, RuleFile]) -> Plan | None:
    """Return the plan of a ``.synapse/`` tree updated to what these rule files say now, by path;
    None where it has to be made anew.
    """
    if len(plan.labels) != len(plan.packed):
        return None  # boundaries of domains that share a label cannot be told apart
    brackets = frozenset(row["name"] for row in plan.profile_table["brackets"])
    packed = list(plan.packed)
    commands = {
        name: (source, rules)
        for name, (source, rules) in plan.commands.items()
        if source not in files
    }
    boundaries = [row for row in plan.boundaries if row[7] not in files]
    for path, file in files.items():
        if file.kind == "commands_file" and commands:
            return None  # another file adds to the same table
        rules = file.rules()
        stories = None
        if have_boundaries(rules):
            folders = plan.settings["places"]["stories"]
            stories = authority_boundary.guarded_stories(file.text, rules, folders)
        name = path.encode("utf-8", "surrogatepass")
        for position in [at for at, domain in enumerate(packed) if name in domain]:
            *fields, _ = loads(packed[position])
            if fields[_FILE] != path:
                continue
            packed[position] = pack_domain(fields, file.compiled_rules(brackets))
            if file.kind == "commands_file" and fields[_SQUAD] < 0:
                add_commands(commands, path, file.document)
            if stories is not None:
                owner = fields[_AGENT] if fields[_ACTIVE] else ""
                boundaries += boundaries_in(fields[_LABEL], owner, path, file.text, rules, stories)
    boundaries.sort(key=lambda row: plan.labels[row[0]])
    changed: dict[str, Any] = {
        "packed": tuple(packed),
        "commands": commands,
        "boundaries": tuple(boundaries),
    }
    return plan.replace(**changed)
