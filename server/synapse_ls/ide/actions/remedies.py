"""Quick fixes for the other ways out that a finding's remedy names.

They are somebody's choice and no fixes: what they delete or put aside may have been meant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from functools import partial

from synapse_ls.formats.manifest import Manifest, split_key
from synapse_ls.formats.toml_places import Path, places
from synapse_ls.formats.toml_text import load
from synapse_ls.formats.tree_tests import BY_NAME
from synapse_ls.ide.actions.action import QUICK_FIX, Action, Asked
from synapse_ls.lint.diagnostic import Diagnostic
from synapse_ls.lint.lookup import folder_of
from synapse_ls.lint.rules import (
    bad_config,
    file_without_domain,
    invalid_test,
    malformed_line,
    manifest_key_in_rules,
    prose_in_keyvalue,
    repeated_rule,
)
from synapse_ls.manage.edits import line_after, lines_at_end, without_lines
from synapse_ls.manage.plan import Plan, edit
from synapse_ls.text.edit import TextEdit
from synapse_ls.text.span import Span, trim
from synapse_ls.workspace.domains import rules_in
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.naming import domain_of_file

_Way = Callable[[Asked, Diagnostic], Iterator[Action]]


def ways_out(asked: Asked) -> Iterator[Action]:
    """What else a finding's remedy tells its reader to do."""
    for found in asked.found:
        for way in _WAYS.get(found.code, ()):
            yield from way(asked, found)


def _comment(asked: Asked, found: Diagnostic) -> Iterator[Action]:
    if "`#`" not in found.remedy:
        return
    facts = asked.facts
    first, last = (facts.lines.line_of(offset) for offset in found.span)
    bodies = (trim(facts.text, *facts.lines.line_span(n)) for n in range(first, last + 1))
    edits = tuple(TextEdit(Span(b.start, b.start), "# ") for b in bodies if b.length)
    title = "Begin the line with `#`" if len(edits) == 1 else "Begin the lines with `#`"
    yield _action(title, found, _plan(facts, *edits))


def _delete(asked: Asked, found: Diagnostic) -> Iterator[Action]:
    if "or delete the " in found.remedy:
        change = without_lines(asked.facts.text, found.span)
        yield _action("Delete the line", found, _plan(asked.facts, change))


def _declare(asked: Asked, found: Diagnostic) -> Iterator[Action]:
    """A rule file's domain, switched on; what is to bring it in is left to its author."""
    path = asked.facts.path
    domain = domain_of_file(path)
    manifest = asked.tree.snapshot.facts(f"{folder_of(path)}/manifest")
    if manifest and all(known.name != domain for known in asked.tree.home_of(path).domains):
        change = lines_at_end(manifest.text, (f"{domain}_STATE=active",))
        plan = Plan((edit(manifest.path, manifest.text, (change,)),))
        yield _action(f"Declare {domain} in the manifest", found, plan, preferred=True)


def _delete_rule(asked: Asked, found: Diagnostic) -> Iterator[Action]:
    facts = asked.facts
    rule = next((one for one in rules_in(facts.document) if one.text_span == found.span), None)
    if rule:
        yield _action("Delete this rule", found, _plan(facts, without_lines(facts.text, rule.span)))


def _delete_setting(asked: Asked, found: Diagnostic) -> Iterator[Action]:
    """The setting or the table at which something was found; in a test, one that is no field."""
    text = asked.facts.text
    where = places(text)
    named = [
        path
        for path, place in where.items()
        if isinstance(path[-1], str) and any(map(partial(_covers, found.span), place))
    ]
    path = max(named, key=len, default=())
    if not path or (found.code == invalid_test.RULE.code and path[-1] in BY_NAME):
        return
    end = max(place.value.end for at, place in where.items() if at[: len(path)] == path)
    change = without_lines(text, Span(where[path].key.start, end))
    if _takes_only(text, change, path):
        yield _action(f"Delete `{path[-1]}`", found, _plan(asked.facts, change))


def _covers(span: Span, part: Span) -> bool:
    return part.start <= span.start and span.end <= part.end


def _takes_only(text: str, change: TextEdit, path: Path) -> bool:
    """Whether a text without some lines says the same but for the setting at ``path``."""
    data, problem = load(text, "", "")
    if problem:
        return False
    wanted = inner = deepcopy(data)
    for part in path[:-1]:
        inner = inner[part]  # type: ignore[index]
    del inner[path[-1]]  # type: ignore[arg-type]
    after, problem = load(text[: change.span.start] + text[change.span.end :], "", "")
    return problem is None and after == wanted


def _move(asked: Asked, found: Diagnostic) -> Iterator[Action]:
    """A setting among rules, to the manifest; deleted where that has one, which counts already."""
    facts = asked.facts
    line = facts.lines.line_span(facts.lines.line_of(found.span.start)).cut(facts.text).strip()
    manifest = asked.tree.snapshot.facts(f"{folder_of(facts.path)}/manifest")
    if manifest is None or not isinstance(manifest.document, Manifest):
        return
    gone = edit(facts.path, facts.text, (without_lines(facts.text, found.span),))
    key, known = found.span.cut(facts.text), manifest.document
    if any(entry.key.value == key for entry in known.entries):
        yield _action(f"Delete `{key}`: the manifest sets it", found, Plan((gone,)))
        return
    own = known.domains.get(split_key(key)[0])
    last = max((entry.span.end for entry in own.entries.values()), default=-1) if own else -1
    change = (
        lines_at_end(manifest.text, (line,)) if last < 0 else line_after(manifest.text, last, line)
    )
    plan = Plan((edit(manifest.path, manifest.text, (change,)), gone))
    yield _action(f"Move `{key}` to the manifest", found, plan, preferred=True)


def _plan(facts: FileFacts, *changes: TextEdit) -> Plan:
    return Plan((edit(facts.path, facts.text, changes),))


def _action(title: str, found: Diagnostic, plan: Plan, *, preferred: bool = False) -> Action:
    return Action(title, QUICK_FIX, lambda: plan, (found,), preferred)


_WAYS: Mapping[str, tuple[_Way, ...]] = {
    malformed_line.RULE.code: (_comment, _delete),
    prose_in_keyvalue.RULE.code: (_comment,),
    manifest_key_in_rules.RULE.code: (_move,),
    bad_config.RULE.code: (_delete_setting,),
    invalid_test.RULE.code: (_delete_setting,),
    repeated_rule.RULE.code: (_delete_rule,),
    file_without_domain.RULE.code: (_declare,),
}
