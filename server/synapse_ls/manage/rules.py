"""Changes to single rules of a domain. Plans only, no IO.

A rule's index is its identity: people and stories refer to "rule 3", so a new rule gets an index
above all others and a removed one leaves a gap. Nothing is ever renumbered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import MappingProxyType

from synapse_ls.formats.rule_keys import BRACKETS
from synapse_ls.formats.rules import Rule
from synapse_ls.manage.checks import check_change, one_line
from synapse_ls.manage.edits import line_after, lines_at_end, paragraph_after, without_lines
from synapse_ls.manage.lookup import find_domain, rules_file_of
from synapse_ls.manage.plan import ManageError, Plan, edit
from synapse_ls.text.edit import TextEdit
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.naming import kebab, near_misses, upper_snake
from synapse_ls.workspace.tree import Tree

# How the key of the first rule of a kind is spelled: SYNAPSE's own keys; ADR-001 A5 for rules.
_KEYS = MappingProxyType(
    {
        "rule": "{prefix}_RULE_",
        "auth": "{prefix}_AUTH_",
        "deny": "{prefix}_DENY_",
        "allow": "{prefix}_ALLOW_",
        "article": "{prefix}_RULE_ART{qualifier}_",
        "bracket": "{prefix}_RULE_{qualifier}_",
        "command": "{prefix}_RULE_{qualifier}_",
    }
)
# The kinds that one domain alone has, and what their qualifier names.
_QUALIFIED = MappingProxyType(
    {
        "article": ("CONSTITUTION", "an article"),
        "bracket": ("CONTEXT", "a bracket"),
        "command": ("COMMANDS", "a star-command"),
    }
)
_INDEX = re.compile(r"\d+\Z")
_NUMBERED = re.compile(r"(\s*)(\d+)([.)].*)", re.DOTALL)
_TITLE = re.compile(r".+ \((NON-NEGOTIABLE|MUST|SHOULD)\)")
_LISTED = 12  # keys that an error message spells out

KINDS = tuple(_KEYS)
"""The kinds of rules that can be added."""


def add_rule(
    tree: Tree,
    name: str,
    text: str,
    *,
    kind: str = "rule",
    qualifier: str | int = "",
    named_by: str = "with --{}",
) -> Plan:
    """Add a rule to a domain, behind the last one of its kind.

    ``kind`` is one of `KINDS`. ``qualifier`` is the number of an article, the name of a bracket or
    that of a star-command, for the kinds that have one. The first rule of an article is its title
    and severity, "No Invention (MUST)". Plain-text files keep their own style. ``named_by`` is how
    whoever asks says what a rule belongs to, for a remedy; ``{}`` stands for the kind.

    Raises ManageError where there is no such domain or file, where the text is empty, not one line,
    already there, or would not be read as this rule.
    """
    domain = find_domain(tree, name)
    facts = rules_file_of(tree, domain)
    text = one_line(text, "rule")
    rules = tree.rules_of(domain)
    marked = _qualifier(domain, kind, qualifier, rules, named_by)
    plain = bool(rules) and not any(rule.key for rule in rules)
    wanted = "plain" if plain and kind == "rule" else kind
    alike = [rule for rule in rules if rule.kind == wanted]
    same = [rule for rule in alike if rule.qualifier == marked]
    for rule in same:
        if rule.text == text:
            raise ManageError(f"{_name(rule)} of {domain.label} already says this.", "")
    if kind == "article" and not (plain or same or _TITLE.fullmatch(text)):
        raise ManageError(
            f"There is no article {marked} yet, and the first rule of an article is its title.",
            'Add one with its severity first, such as "No Invention (MUST)".',
        )
    header = f"[*{kebab(str(qualifier))}] COMMAND:"
    if plain:
        key, change = "", _plain(facts.text, domain, kind, header, same, text)
    else:
        key = next_key(domain, rules, kind, marked)
        heading = [f"# {header}"] if kind == "command" else []
        change = (
            line_after(facts.text, same[-1].span.end, f"{key}={text}")
            if same
            else lines_at_end(facts.text, [*heading, f"{key}={text}"], apart=bool(marked))
        )
    result = edit(facts.path, facts.text, [change])
    check_change(facts, result.after, added=((key, text),))
    return Plan((result,))


def edit_rule(tree: Tree, name: str, which: str | int, text: str) -> Plan:
    """Give a rule another text; ``which`` is its key, or the index in its key.

    An index alone means a rule of the ordinary kind (``{D}_RULE_n``); in plain text it counts the
    rules of the file from 0. Raises ManageError as `add_rule` does, and where there is no such rule.
    """
    domain = find_domain(tree, name)
    facts = rules_file_of(tree, domain)
    text = one_line(text, "rule")
    rule = _find(tree, domain, which)
    if rule.text == text:
        return Plan()
    result = edit(facts.path, facts.text, [TextEdit(rule.text_span, text)])
    old, new = (rule.key, rule.text), (rule.key, text)
    check_change(facts, result.after, added=(new,), removed=(old,))
    return Plan((result,))


def remove_rule(tree: Tree, name: str, which: str | int) -> Plan:
    """Take a rule out, its line with it; the others keep their indices.

    ``which`` is as in `edit_rule`. Raises ManageError where there is no such domain, file or rule.
    """
    domain = find_domain(tree, name)
    facts = rules_file_of(tree, domain)
    rule = _find(tree, domain, which)
    return Plan((edit(facts.path, facts.text, [without_lines(facts.text, rule.span)]),))


def _qualifier(
    domain: Domain, kind: str, qualifier: str | int, rules: Sequence[Rule], named_by: str
) -> str:
    """The qualifier as keys spell it; raises ManageError where kind, domain and it do not agree."""
    if kind not in _KEYS:
        raise ManageError(f'"{kind}" is not a kind of rule.', f"Use {_one_of(KINDS)}.")
    marked = upper_snake(str(qualifier))
    home, noun = _QUALIFIED.get(kind, ("", ""))
    if home and domain.label != home:
        raise ManageError(f"Only {home} has rules for {noun}, not {domain.label}.", f"Name {home}.")
    own = next((k for k, (label, _) in _QUALIFIED.items() if label == domain.label), "")
    if own and not marked and kind in (own, "rule"):
        noun = _QUALIFIED[own][1]
        raise ManageError(
            f"A rule of {domain.label} has to belong to {noun}.",
            _choices(own, noun, rules, named_by.format(own)),
        )
    if not home and marked:
        raise ManageError(f"A rule of kind {kind} belongs to no {qualifier}.", "Name nothing else.")
    if kind == "article" and not marked.isdecimal():
        raise ManageError(f'"{qualifier}" is not the number of an article.', "Write it in digits.")
    if kind == "bracket" and marked not in BRACKETS:
        raise ManageError(
            f'"{qualifier}" is not a bracket, so the rule would be told in every one.',
            f"Name {_one_of(BRACKETS)}.",
        )
    return marked


def _choices(kind: str, noun: str, rules: Sequence[Rule], how: str) -> str:
    """What a rule of a kind can belong to, for people."""
    if kind == "bracket":
        return f"Name {_one_of(BRACKETS)} {how}; what holds in all of them belongs in GLOBAL."
    first = {r.qualifier: r for r in reversed(rules) if r.kind == kind and r.qualifier}
    titles = {"article": "{0} ({1.text})", "command": "*{2}"}
    names = [titles[kind].format(q, r, kebab(q)) for q, r in reversed(first.items())]
    listed = f": {', '.join(names)}" if 0 < len(names) <= _LISTED else ""
    return f"Name {noun} {how}{listed}, or a new one."


def _one_of(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def next_key(domain: Domain, rules: Sequence[Rule], kind: str, marked: str = "") -> str:
    """The key of a new rule, spelled like its nearest relative among the domain's ``rules``.

    ``marked`` is the article, bracket or command of the kinds that have one, as keys spell it.
    """
    alike = [rule for rule in rules if rule.kind == kind]
    same = [rule for rule in alike if rule.qualifier == marked]
    index = max((rule.index for rule in same if rule.index is not None), default=-1) + 1
    if same:
        return f"{_INDEX.sub('', same[-1].key)}{index}"
    if domain.exact and marked:
        # CARL has the bracket or the command where a domain would be.
        return f"{marked}_RULE_{index}"
    if alike:
        # For another bracket or command: FRESH_RULE_0 is the model for CRITICAL_RULE_0.
        before, _, behind = _INDEX.sub("", alike[-1].key).rpartition(alike[-1].qualifier)
        return f"{before}{marked}{behind}{index}"
    prefixes = [rule.domain for rule in rules if rule.domain in domain.prefixes]
    prefix = prefixes[-1] if prefixes else domain.name
    return f"{_KEYS[kind].format(prefix=prefix, qualifier=marked)}{index}"


def _plain(
    text: str, domain: Domain, kind: str, header: str, same: Sequence[Rule], rule: str
) -> TextEdit:
    """The edit that adds a rule to a plain-text file, with the marks of the one before it."""
    if kind == "command" and not same:
        return lines_at_end(text, [header, rule], apart=True)
    if not same:
        raise ManageError(
            f"The file of {domain.label} is plain text, which has no place for this {kind} rule.",
            "Turn its lines into KEY=VALUE first.",
        )
    last = same[-1]
    marks = text[last.span.start : last.text_span.start]
    if not marks.strip() and kind != "command":
        return paragraph_after(text, last.span.end, marks + rule)
    numbered = _NUMBERED.fullmatch(marks)
    if numbered:
        marks = f"{numbered[1]}{int(numbered[2]) + 1}{numbered[3]}"
    return line_after(text, last.span.end, marks + rule)


def _find(tree: Tree, domain: Domain, which: str | int) -> Rule:
    """The one rule that a key or an index means; raises ManageError where that is not one rule."""
    rules = tree.rules_of(domain)
    if not rules:
        raise ManageError(f"{domain.file} has no rules.", "Add one with `synapse domain rule add`.")
    wanted = str(which).strip().upper()
    if wanted.removeprefix("-").isdecimal():
        found = [r for r in rules if r.index == int(wanted) and r.kind in ("rule", "plain")]
    else:
        found = [rule for rule in rules if rule.key == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        lines = " and ".join(str(rule.line + 1) for rule in found)
        raise ManageError(
            f"{_name(found[0])} stands in {domain.file} more than once, on lines {lines}.",
            "Give one of them another index first.",
        )
    names = [_name(rule) for rule in rules]
    near = () if wanted.removeprefix("-").isdecimal() else near_misses(wanted, names)
    raise ManageError(
        f"{domain.label} has no rule {which}.",
        f"Did you mean {' or '.join(near)}?" if near else f"It has {_listing(names)}.",
    )


def _name(rule: Rule) -> str:
    return rule.key or f"rule {rule.index}"


def _listing(names: Sequence[str]) -> str:
    """All names of a short list; of a long one, the first and the last."""
    if len(names) <= _LISTED:
        return ", ".join(names)
    return f"{len(names)} rules, {names[0]} to {names[-1]}"
