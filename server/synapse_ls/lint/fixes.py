"""Fixes of findings as text edits, and the planner that combines them. No IO."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from synapse_ls.edits.edit_targets import plan_between
from synapse_ls.formats.manifest import Manifest, ManifestEntry
from synapse_ls.formats.rule import Rule
from synapse_ls.lint.lint_rule import weak_cache
from synapse_ls.text.finding import Finding, Fix, Text
from synapse_ls.text.line_index import iter_lines, line_break_style
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits, with_line_break
from synapse_ls.workspace.edit_plan import EditPlan
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.naming_conventions import SQUAD_RULES, domain_of_file, file_stem
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import rules_in


def own_fix(facts: FileFacts, title: str, edits: Iterable[TextEdit], *, safe: bool = False) -> Fix:
    """Return a fix that consists of edits in the file itself."""
    return Fix(title, safe, tuple((facts.path, edit) for edit in edits))


def single_edit_fix(
    facts: FileFacts, title: str, span: Span, new_text: str, *, safe: bool = False
) -> Fix:
    """Return a fix that consists of one edit in the file itself."""
    return own_fix(facts, title, (TextEdit(span, new_text),), safe=safe)


def word_fix(facts: FileFacts, span: Span, word: str, *, safe: bool = False) -> Fix:
    """Return the fix that writes a word in place of what stands at ``span``."""
    return single_edit_fix(facts, f"Write `{word}`", span, word, safe=safe)


def replace_words(facts: FileFacts, starts: Iterable[int], word: str, meant: str) -> Fix:
    """Return the fix that writes another word wherever one begins."""
    edits = (TextEdit(Span(start, start + len(word)), meant) for start in starts)
    return own_fix(facts, f"Write `{meant}`", edits)


def write_suggestion(facts: FileFacts, problem: Finding, *, safe: bool = False) -> Fix | None:
    """Return the fix that writes the parser's suggestion in place of the wrong text.

    It is safe if ``safe`` is true, or where the parser already reads the text as the suggestion.
    """
    if (suggestion := dict(problem.data).get("suggestion")) is None:
        return None
    return single_edit_fix(
        facts,
        problem.remedy.removesuffix(".").partition(", or ")[0],
        problem.span,
        suggestion,
        safe=safe or _keeps_meaning(problem),
    )


write_safe_suggestion = partial(write_suggestion, safe=True)


def write_near_word(facts: FileFacts, problem: Finding, *, quote: str = "") -> Fix | None:
    """Return the fix that replaces an unknown word by the nearest allowed one, in ``quote``s."""
    if (word := dict(problem.data).get("near")) is None:
        return None
    return word_fix(facts, problem.span, f"{quote}{word}{quote}")


def write_meant_field(facts: FileFacts, problem: Finding) -> Fix | None:
    """Return the fix that writes the nearest allowed word, the parser's suggestion, or a missing
    field: the name of a squad's folder, its first version, the id of a workflow by its file. Its
    title stands in the remedy, too.
    """
    *_, folder, file = ("", *facts.path.split("/"))
    values = {"name": folder, "version": "1.0.0", "id": file_stem(file)}
    data = dict(problem.data)
    if (missing := data.get("missing")) in values:
        place = int(data.get("place", problem.span.start))
        start = Span(place, place)
        indent = facts.text[facts.text.rfind("\n", 0, start.start) + 1 : start.start]
        if indent.strip("\ufeff "):
            return None
        line_break = line_break_style(facts.text)
        field = f"{missing}: {values[missing]}"
        title = f"Add `{field}`"
        if missing == "name":
            title = f"Add `{field}` (the name of its folder)"
        line = f"{field}{line_break}{indent.strip(chr(0xFEFF))}"
        return single_edit_fix(facts, title, start, line)
    return write_near_word(facts, problem) or write_suggestion(facts, problem)


def is_understood_value(problem: Finding) -> bool:
    """Return whether a value needs no fix, since it is a common word (such as ``yes``) that is
    already read as what it means.
    """
    return _keeps_meaning(problem) and "known" in dict(problem.data)


def _keeps_meaning(problem: Finding) -> bool:
    """Return whether the parser already reads the value as what it suggests in its place."""
    data = dict(problem.data)
    return "read_as" in data and data["read_as"] == data.get("suggestion")


def item_deletion_span(items: Sequence[Text], place: int) -> Span:
    """Return the span that a fix deletes to take an item out of a list: the item, and one comma if
    there are others.
    """
    item = items[place]
    if place:
        return Span(items[place - 1].span.end, item.span.end)
    if len(items) > 1:
        return Span(item.span.start, items[1].span.start)
    return item.span


def mend_pattern(facts: FileFacts, problem: Finding) -> Fix | None:
    """Return the fix that writes a pattern of paths as it was meant, or deletes one that matches
    no file, whatever was meant.
    """
    manifest = facts.document
    if "suggestion" in dict(problem.data) or not isinstance(manifest, Manifest):
        return write_suggestion(facts, problem)
    entry = manifest.entry_at(problem.span.start)
    places = [item.span for item in entry.items] if entry else []
    if entry is None or problem.span not in places:
        return None
    gone = item_deletion_span(entry.items, places.index(problem.span))
    if len(places) == 1:
        gone = with_line_break(facts.text, entry.span)
    return single_edit_fix(facts, "Delete the pattern", gone, "")


def next_index(model: Rule, rules: Iterable[Rule]) -> int:
    """Return the number that a fix gives to a rule, the next free one in the list that ``model``
    belongs to: the highest one plus 1.
    """
    indexes = (rule.index or 0 for rule in rules if rule_list_key(rule) == rule_list_key(model))
    return max(indexes, default=-1) + 1


def rule_list_key(rule: Rule) -> tuple[str, str, str]:
    """Return the key of the list in which fixes number a rule: kind, domain, and article or
    command.
    """
    return rule.kind, rule.domain, rule.qualifier


def write_near_setting(facts: FileFacts, problem: Finding) -> Fix | None:
    """Return the fix that writes the nearest allowed key or value into the configuration: a key
    bare, a value in quotes.
    """
    quote = "" if problem.kind == "unknown-config-key" else '"'
    return write_near_word(facts, problem, quote=quote)


def renumber_rule(facts: FileFacts, problem: Finding) -> Fix | None:
    """Return the fix that gives a rule with a duplicate number, its index, the next free one of its
    list.
    """
    by_place, highest = _numbered_rules(facts)
    if (rule := by_place.get(problem.span)) is None:
        return None
    index = highest[rule_list_key(rule)] + 1
    span = Span(rule.key_span.end - len(rule.key.rpartition("_")[2]), rule.key_span.end)
    return single_edit_fix(facts, f"Renumber the rule to {index}", span, str(index))


@weak_cache
def _numbered_rules(
    facts: FileFacts,
) -> tuple[Mapping[Span, Rule], Mapping[tuple[str, str, str], int]]:
    """Return the rules of a file by the span of their key, and the highest number of each list."""
    rules = rules_in(facts.document)
    highest: dict[tuple[str, str, str], int] = {}
    for rule in rules:
        highest[rule_list_key(rule)] = max(highest.get(rule_list_key(rule), -1), rule.index or 0)
    return {rule.key_span: rule for rule in reversed(rules)}, highest


def delete_repeated_line(facts: FileFacts, problem: Finding) -> Fix | None:
    """Return the fix that deletes the line of a duplicate key, or the earlier one where the values
    differ, since it has no effect.
    """
    manifest = facts.document
    first = dict(problem.data).get("first_start")
    if not isinstance(manifest, Manifest) or first is None:
        return None
    earlier, later = manifest.entry_at(int(first)), manifest.entry_at(problem.span.start)
    if earlier is None or later is None:
        return None
    same = earlier.value.value == later.value.value
    title = "Delete the repeated line" if same else "Delete the earlier line, which has no effect"
    # The first mention of a domain gives it its place, so of two equal lines the first one stays.
    span = with_line_break(facts.text, (later if same else earlier).span)
    return single_edit_fix(facts, title, span, "", safe=same)


def move_note_up(facts: FileFacts, problem: Finding) -> Fix:
    """Return the fix that moves an inline comment, the note behind a value, to a line above."""
    text, (start, end) = facts.text, problem.span
    line = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    manifest = facts.document
    entry = manifest.entry_at(start) if isinstance(manifest, Manifest) else None
    note = TextEdit(Span(line, line), text[start:end] + line_break_style(text))
    edits = (note, TextEdit(Span(len(text[:start].rstrip()), end), ""))
    safe = not (entry and entry.items)
    return own_fix(facts, "Move the note to a line of its own", edits, safe=safe)


def mend_yaml_lines(facts: FileFacts, problem: Finding) -> Fix | None:
    """Return the fix that makes the file readable, None where the parser knows of none."""
    written = (value.split(" ", 2) for key, value in problem.data if key == "edit")
    if not (edits := [TextEdit(Span(int(start), int(end)), text) for start, end, text in written]):
        return None
    title = dict(problem.data)["title"] if len(edits) == 1 else f"Mend the {len(edits)} lines"
    return own_fix(facts, title, edits)


def write_listed_settings(facts: FileFacts, _: Finding) -> Fix | None:
    if not isinstance(facts.document, Manifest):
        return None
    edits = (
        TextEdit(entry.span, "\n".join(_setting_lines(facts.document, entry)))
        for entry in facts.document.listed
    )
    return own_fix(facts, "Write the settings of the listed files", edits, safe=True)


def _setting_lines(manifest: Manifest, entry: ManifestEntry) -> Iterator[str]:
    """Yield the lines that a listed file amounts to, without those that the manifest has."""
    if entry.line.listed is None:
        return
    domain = entry.line.listed.domain
    entries = manifest.domains[domain].entries
    if "STATE" not in entries:
        yield f"{domain}_STATE=active"
    for setting, declared in entries.items():
        if declared.span == entry.span:
            yield f"{domain}_{setting}={declared.word}"


def give_keys(facts: FileFacts, problem: Finding) -> Fix | None:
    """Return the fix that makes a rule of every line of prose, under the prefix of the file's
    domain; where no rule has that, under the prefix of the rule above or else of the first one.
    """
    rules = [rule for rule in rules_in(facts.document) if rule.kind == "rule" and rule.domain]
    if not rules:
        return None
    # A key above that is mistyped is no model.
    domain_rules = [rule for rule in rules if rule.domain == domain_of_file(facts.path)] or rules
    above = [rule for rule in domain_rules if rule.span.end <= problem.span.start]
    model = above[-1] if above else domain_rules[0]
    index = next_index(model, rules)
    prose = problem.span.cut(facts.text)
    pieces: list[str] = []
    last = 0
    for start, end in iter_lines(prose):
        line = prose[start:end].strip().lstrip("-*• ")
        pieces.append(prose[last:start])
        if line:
            pieces.append(f"{model.domain}_RULE_{index}={line}")
            index += 1
        last = end
    return single_edit_fix(facts, "Give every line a key", problem.span, "".join(pieces))


def mend_prose(facts: FileFacts, problem: Finding) -> Fix | None:
    """Return the fix that joins the rest of a rule to the line above it, or gives keys to prose
    that goes on with no rule.
    """
    if "rest" not in dict(problem.data):
        return give_keys(facts, problem)
    line = facts.lines.line_of(problem.span.start) - 1
    rule = next((rule for rule in rules_in(facts.document) if rule.line == line), None)
    # A comment that suppresses a finding may stand between the two.
    if rule is None or Span(rule.text_span.end, problem.span.start).cut(facts.text).strip():
        return None
    parts = [rule.text_span.cut(facts.text), *problem.span.cut(facts.text).splitlines()]
    text = " ".join(part.strip().removesuffix("\\").rstrip() for part in parts)
    span = Span(rule.text_span.start, problem.span.end)
    title = "Join it to the line above"
    if parts[0].rstrip().endswith("\\"):
        title = "Join it to the line above, without `\\`"
    return single_edit_fix(facts, title, span, text)


def write_new_key(facts: FileFacts, problem: Finding) -> Fix | None:
    """Return the fix that writes the suggested key, None where another line has it already."""
    key, has_value, _ = dict(problem.data).get("suggestion", "").partition("=")
    entries = facts.document.entries if isinstance(facts.document, Manifest) else ()
    if any(entry.key.value == key for entry in entries):
        return None
    entry = next((entry for entry in entries if entry.key.span == problem.span), None)
    if has_value and entry:
        problem = problem._replace(span=Span(problem.span.start, entry.value.span.end))
    return write_suggestion(facts, problem)


def write_rule_keys(facts: FileFacts, problem: Finding) -> Fix | None:
    """Return the fix that gives all keys of a list the shape of a rule's key, each with its own
    number or the next free one; None where another line has such a key already.
    """
    data, rules = dict(problem.data), rules_in(facts.document)
    keys: dict[Rule, str] = {}
    if prefix := data.get("prefix"):
        listed = (rule for rule in rules if rule.key.rpartition("_")[0] == prefix)
        head, _, word = data["meant"].rpartition("_")
        domain = domain_of_file(facts.path)
        head = head if head == domain or domain == SQUAD_RULES.upper() else domain
        keys = {rule: f"{head}_{word}_{rule.key.rpartition('_')[2]}" for rule in listed}
    elif problem.kind == "odd-index":
        for rule in (r for r in rules if r.key and r.index is None and r.domain):
            keys[rule] = "_".join(filter(None, (rule.domain, "RULE", rule.qualifier)))
            number = next_index(rule, rules) + list(keys.values()).count(keys[rule]) - 1
            keys[rule] = f"{keys[rule]}_{number}"
    if not keys or {rule.key for rule in rules} & set(keys.values()):
        return None
    first = next(iter(keys.values()))
    title = f"Write `{first}`" if len(keys) == 1 else f"Write `{first}` and so on"
    return own_fix(facts, title, (TextEdit(rule.key_span, key) for rule, key in keys.items()))


def write_rule_id(facts: FileFacts, problem: Finding) -> Fix | None:
    if (key := dict(problem.data).get("key")) is None or problem.span.cut(facts.text) != key:
        return None
    _, column = facts.lines.position(problem.span.start)
    text = f"id: {key}\n{' ' * column}text"
    return single_edit_fix(facts, f"Make `{key}` its id", problem.span, text)


_MOST_ROUNDS = 20  # a fix may bring up another one; what goes on longer than this is a defect


# Problems of files that could not be written back as they were.
_ENCODING_PROBLEMS = frozenset({"not-utf8", "invalid-utf8"})


def is_rewritable(tree: Tree, path: str) -> bool:
    """Check whether a fix can write a file with another text and leave it elsewhere as it is."""
    facts = tree.snapshot.facts(path)
    return facts is None or not any(
        problem.kind in _ENCODING_PROBLEMS for problem in facts.problems
    )


@dataclass(frozen=True, slots=True)
class FixOutcome:
    """The plan, how many findings it mends, and the tree as it will be."""

    plan: EditPlan
    count: int
    tree: Tree


def plan_fixes(
    tree: Tree,
    check: Callable[[Tree], Iterable[Finding]],
    *,
    unsafe: bool = False,
    accepts: Callable[[Finding], bool] = lambda _: True,
) -> FixOutcome:
    """Plan the safe fixes of what ``check`` finds, until it finds none that is left.

    ``unsafe`` applies those too that may change what is injected; ``accepts`` leaves findings out.
    Of two fixes that touch each other the first is applied; the other one is looked at again in the
    text that results. A fix is applied whole or not at all, and only if the finding that it is for
    is gone afterwards. Where fixes lead back to a text that was there before, it
    stays as it was then, and none of them counts.
    """

    def find_fixable(tree: Tree) -> list[Finding]:
        findings = ((finding, finding.fix) for finding in check(tree) if accepts(finding))
        return [finding for finding, fix in findings if fix and (unsafe or fix.safe)]

    now, count, findings = tree, 0, find_fixable(tree)
    visited = [(now, count)]
    futile: set[_FindingKey] = set()  # in the text of now
    for _ in range(_MOST_ROUNDS):
        edits: dict[str, list[TextEdit]] = {}
        fixes = ((_finding_key(d), d.fix) for d in findings if d.fix)
        applied = Counter(
            key for key, fix in fixes if key not in futile and _collect_edits(fix, edits)
        )
        if not applied:
            break
        snapshot = now.snapshot
        for path, own in edits.items():
            facts = snapshot.facts(path)
            snapshot = snapshot.with_text(path, apply_edits(facts.text if facts else "", own))
        after = Tree(snapshot)
        fixable = find_fixable(after)
        before = Counter(map(_finding_key, findings))
        remaining = Counter(map(_finding_key, fixable))
        if useless := {key for key in applied if remaining[key] >= before[key]}:
            futile |= useless
            continue
        if earlier := next((visit for visit in visited if not plan_between(visit[0], after)), None):
            now, count = earlier
            break
        now, count, findings, futile = after, count + applied.total(), fixable, set()
        visited.append((now, count))
    return FixOutcome(plan_between(tree, now), count, now)


_FindingKey: TypeAlias = tuple[str, str, str]


def _finding_key(finding: Finding) -> _FindingKey:
    """Return what stays of a finding while its place moves."""
    return finding.code, finding.path, finding.message


def _collect_edits(fix: Fix, edits: dict[str, list[TextEdit]]) -> bool:
    """Add the edits of a fix to those by path, unless one of them touches another."""
    for path, (start, end) in ((path, edit.span) for path, edit in fix.edits):
        if any(
            start <= other.span.end and other.span.start <= end for other in edits.get(path, ())
        ):
            return False
    for path, edit in fix.edits:
        edits.setdefault(path, []).append(edit)
    return True
