"""Plans of changes to single rules of a domain: add, edit, remove. No IO.

A rule's index is its identity, since people and stories refer to "rule 3". A new rule gets the
highest index plus one, a removed one leaves a gap, and nothing is renumbered.
"""

import re
from collections.abc import Sequence

from synapse_ls.edits import edit_targets
from synapse_ls.engine.profiles import build_profile
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.rule_syntax import BRACKETS
from synapse_ls.text import text_edit
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.phrases import join_names
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import EditPlan, edit_file
from synapse_ls.workspace.naming_conventions import kebab_case, suggest_names, upper_snake
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain

# How the key of the first rule of a kind is spelled: SYNAPSE's own keys; ADR-001 A5 for rules.
_KEY_TEMPLATES = {
    "rule": "{prefix}_RULE_",
    "auth": "{prefix}_AUTH_",
    "deny": "{prefix}_DENY_",
    "allow": "{prefix}_ALLOW_",
    "check": "{prefix}_CHECK_",
    "article": "{prefix}_RULE_ART{qualifier}_",
    "bracket": "{prefix}_RULE_{qualifier}_",
    "command": "{prefix}_RULE_{qualifier}_",
}
# The kinds that one domain alone has, and what their qualifier names.
_QUALIFIED_KINDS = {
    "article": ("CONSTITUTION", "an article"),
    "bracket": ("CONTEXT", "a bracket"),
    "command": ("COMMANDS", "a star-command"),
}
_TRAILING_INDEX = lazy_pattern(r"\d+\Z")
_NUMBERED_MARK = lazy_pattern(r"(\s*)(\d+)([.)].*)", re.DOTALL)
_ARTICLE_TITLE = lazy_pattern(r".+ \((NON-NEGOTIABLE|MUST|SHOULD)\)")
_MOST_NAMES = 12  # keys that an error message spells out

# The kinds of rules that can be added.
ADDABLE_KINDS = tuple(_KEY_TEMPLATES)


def add_rule(
    tree: Tree,
    name: str,
    text: str,
    *,
    kind: str = "rule",
    qualifier: str | int = "",
    named_by: str = "with --{}",
    heading: str = "",
) -> EditPlan:
    """Plan a rule that is added to a domain, behind the last one of its kind.

    ``kind`` is one of `ADDABLE_KINDS`. ``qualifier`` is the number of an article, the name of a
    bracket or that of a star-command, for the kinds that have one. The first rule of an article is
    its title and severity, "No Invention (MUST)". Plain-text files keep their own style.
    ``heading`` is a comment above the rule, in other files.
    ``named_by`` is how whoever asks says what a rule belongs to, for a remedy; ``{}`` stands for
    the kind.

    Raises UserError where there is no such domain or file, where the text is empty, not one line,
    already there, or would not be read as this rule.
    """
    domain = edit_targets.find_domain(tree, name)
    facts = edit_targets.require_rule_file(tree, domain)
    text = edit_targets.require_one_line(text, "rule")
    rules = tree.rules_of(domain)
    marked = _check_qualifier(tree, domain, kind, qualifier, named_by)
    plain = bool(rules) and not any(rule.key for rule in rules)
    wanted = "plain" if plain and kind == "rule" else kind
    alike = [rule for rule in rules if rule.kind == wanted]
    same = [rule for rule in alike if rule.qualifier == marked]
    for rule in same:
        if rule.text == text:
            raise UserError(f"{_rule_name(rule)} of {domain.label} already says this.", "")
    if kind == "article" and not (plain or same or _ARTICLE_TITLE.fullmatch(text)):
        raise UserError(
            f"There is no article {marked} yet, and the first rule of an article is its title.",
            'Add one with its severity first, such as "No Invention (MUST)".',
        )
    header = f"[*{kebab_case(str(qualifier))}] COMMAND:"
    if plain:
        key, change = "", _plain_text_edit(facts.text, domain, kind, header, same, text)
    else:
        key = next_rule_key(domain, rules, kind, marked)
        title = header if kind == "command" and not same else heading
        lines = [f"# {title}", f"{key}={text}"] if title else [f"{key}={text}"]
        if same:
            between = text_edit.line_break_at(facts.text, len(facts.text))
            lines = ["", *lines] if title else lines
            change = text_edit.insert_line_after(facts.text, same[-1].span.end, between.join(lines))
        else:
            change = text_edit.append_lines(facts.text, lines, apart=bool(marked or heading))
    result = edit_file(facts.path, facts.text, [change])
    edit_targets.check_rule_change(facts, result.after, added=((key, text),))
    return EditPlan((result,))


def edit_rule(tree: Tree, name: str, which: str | int, text: str) -> EditPlan:
    """Plan another text for a rule; ``which`` is its key, or the index in its key.

    An index alone means a rule of the ordinary kind (``{D}_RULE_n``); in plain text it counts the
    rules of the file from 0. Raises UserError as `add_rule` does, and where there is no such rule.
    """
    domain = edit_targets.find_domain(tree, name)
    facts = edit_targets.require_rule_file(tree, domain)
    text = edit_targets.require_one_line(text, "rule")
    if (rule := _find_rule(tree, domain, which)).text == text:
        return EditPlan()
    result = edit_file(facts.path, facts.text, [text_edit.TextEdit(rule.text_span, text)])
    old, new = (rule.key, rule.text), (rule.key, text)
    edit_targets.check_rule_change(facts, result.after, added=(new,), removed=(old,))
    return EditPlan((result,))


def remove_rule(tree: Tree, name: str, which: str | int) -> EditPlan:
    """Plan the removal of a rule, its line with it; the others keep their indices.

    ``which`` is as in `edit_rule`. Raises UserError where there is no such domain, file or rule.
    """
    domain = edit_targets.find_domain(tree, name)
    facts = edit_targets.require_rule_file(tree, domain)
    gone = text_edit.delete_lines(facts.text, _find_rule(tree, domain, which).span)
    return EditPlan((edit_file(facts.path, facts.text, [gone]),))


def _check_qualifier(
    tree: Tree, domain: Domain, kind: str, qualifier: str | int, named_by: str
) -> str:
    """Return the qualifier as keys spell it; raise UserError where kind, domain and it do not
    agree.
    """
    if kind not in _KEY_TEMPLATES:
        raise UserError(
            f'"{kind}" is not a kind of rule.', f"Use {join_names(ADDABLE_KINDS, 'or')}."
        )
    # The brackets of the profile that the tree has, the four of SYNAPSE where it has none.
    config = tree.snapshot.config
    built = build_profile(config.profile, config.profiles)
    brackets = tuple(row["name"] for row in built.table["brackets"]) if built else ()
    brackets = brackets if len(brackets) > 1 else BRACKETS
    marked = upper_snake(str(qualifier))
    home, noun = _QUALIFIED_KINDS.get(kind, ("", ""))
    if home and domain.label != home:
        raise UserError(f"Only {home} has rules for {noun}, not {domain.label}.", f"Name {home}.")
    same = ((k, noun) for k, (label, noun) in _QUALIFIED_KINDS.items() if label == domain.label)
    own, noun = next(same, ("", ""))
    if own and not marked and kind in (own, "rule"):
        raise UserError(
            f"A rule of {domain.label} has to belong to {noun}.",
            _describe_choices(own, noun, tree.rules_of(domain), named_by.format(own), brackets),
        )
    if not home and marked:
        raise UserError(f"A rule of kind {kind} belongs to no {qualifier}.", "Name nothing else.")
    if kind == "article" and not marked.isdecimal():
        raise UserError(f'"{qualifier}" is not the number of an article.', "Write it in digits.")
    if kind == "bracket" and marked not in brackets:
        raise UserError(
            f'"{qualifier}" is not a bracket, so the rule would be injected in every one.',
            suggest_names(marked, brackets, f"Name {join_names(brackets, 'or')}."),
        )
    return marked


def _describe_choices(
    kind: str, noun: str, rules: Sequence[Rule], how: str, brackets: Sequence[str]
) -> str:
    """Return what a rule of a kind can belong to, for people."""
    if kind == "bracket":
        names = join_names(brackets, "or")
        return f"Name {names} {how}; what holds in all of them belongs in GLOBAL."
    first = {r.qualifier: r for r in reversed(rules) if r.kind == kind and r.qualifier}
    titles = {"article": "{0} ({1.text})", "command": "*{2}"}
    choices = [titles[kind].format(q, r, kebab_case(q)) for q, r in reversed(first.items())]
    listed = f": {', '.join(choices)}" if 0 < len(choices) <= _MOST_NAMES else ""
    return f"Name {noun} {how}{listed}, or a new one."


def next_rule_key(domain: Domain, rules: Sequence[Rule], kind: str, marked: str = "") -> str:
    """Return the key of a new rule, spelled like its nearest relative among the domain's ``rules``.

    ``marked`` is the article, bracket or command of the kinds that have one, as keys spell it.
    """
    alike = [rule for rule in rules if rule.kind == kind]
    same = [rule for rule in alike if rule.qualifier == marked]
    index = max((rule.index for rule in same if rule.index is not None), default=-1) + 1
    if same:
        return f"{_TRAILING_INDEX.sub('', same[-1].key)}{index}"
    if domain.exact and marked:
        # CARL has the bracket or the command where a domain would be.
        return f"{marked}_RULE_{index}"
    if alike:
        # For another bracket or command: FRESH_RULE_0 is the model for CRITICAL_RULE_0.
        before, _, behind = _TRAILING_INDEX.sub("", alike[-1].key).rpartition(alike[-1].qualifier)
        return f"{before}{marked}{behind}{index}"
    prefixes = [rule.domain for rule in rules if rule.domain in domain.prefixes]
    prefix = prefixes[-1] if prefixes else domain.name
    return f"{_KEY_TEMPLATES[kind].format(prefix=prefix, qualifier=marked)}{index}"


def _plain_text_edit(
    text: str, domain: Domain, kind: str, header: str, same: Sequence[Rule], rule: str
) -> text_edit.TextEdit:
    """Return the edit that adds a rule to a plain-text file, with the marks of the one before
    it.
    """
    if kind == "command" and not same:
        return text_edit.append_lines(text, [header, rule], apart=True)
    if not same:
        raise UserError(
            f"The file of {domain.label} is plain text, which has no place for this {kind} rule.",
            "Turn its lines into KEY=VALUE first.",
        )
    last = same[-1]
    marks = text[last.span.start : last.text_span.start]
    is_paragraph = not marks.strip() and kind != "command"
    if numbered := _NUMBERED_MARK.fullmatch(marks):
        marks = f"{numbered[1]}{int(numbered[2]) + 1}{numbered[3]}"
    return text_edit.insert_line_after(text, last.span.end, marks + rule, apart=is_paragraph)


def _find_rule(tree: Tree, domain: Domain, which: str | int) -> Rule:
    """Find the one rule that a key or an index means; raise UserError where that is not one
    rule.
    """
    if not (rules := tree.rules_of(domain)):
        raise UserError(f"{domain.file} has no rules.", "Add one with `synapse domain rule add`.")
    key = str(which).strip().upper()
    if is_index := key.removeprefix("-").isdecimal():
        matches = [r for r in rules if r.index == int(key) and r.kind in ("rule", "plain")]
    else:
        matches = [rule for rule in rules if rule.key == key]
    if len(matches) == 1:
        return matches[0]
    if matches:
        lines = " and ".join(str(rule.line + 1) for rule in matches)
        raise UserError(
            f"{_rule_name(matches[0])} is in {domain.file} more than once, on lines {lines}.",
            "Give one of them another index first.",
        )
    names = [_rule_name(rule) for rule in rules]
    few = len(names) <= _MOST_NAMES
    listed = ", ".join(names) if few else f"{len(names)} rules, {names[0]} to {names[-1]}"
    remedy = suggest_names(key, () if is_index else names, f"It has {listed}.")
    raise UserError(f"{domain.label} has no rule {which}.", remedy)


def _rule_name(rule: Rule) -> str:
    return rule.key or f"rule {rule.index}"
