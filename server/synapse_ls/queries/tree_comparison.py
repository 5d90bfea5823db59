"""Compare two trees by their blocks for the same questions (``synapse diff``)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.block_renderer import summarize_keys
from synapse_ls.engine.block_sections import Entry
from synapse_ls.engine.situation import Request
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.tree_tests import TreeTests
from synapse_ls.ide.tree_view import CompiledTree, view_for_request
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.phrases import format_count
from synapse_ls.workspace.file_kinds import FileKind

_MAX_KEYWORDS = 3  # new and lost keywords of a domain that are tried out
_MAX_DOMAINS = 500  # domains whose keywords are tried out

# A rule: its domain, and its key or, where it has none, its text.
RuleName = tuple[str, str]


class ComparedQuestion(NamedTuple):
    """A question that both compared trees are asked: a prompt and its situation, but for the
    bracket.

    ``label`` names it; ``request_fields`` are the fields of a request. ``kind`` is "any", "agent",
    "workflow", "squad", "keyword", "path", "turn", "command" or "case".
    """

    kind: str
    label: str
    request_fields: Mapping[str, object]


class ComparedBlocks(NamedTuple):
    """A question to two compared trees in a bracket, and the tokens of its two blocks. bracket: its
    name, and the earlier one where they differ.
    """

    question: ComparedQuestion
    bracket: str
    before: int
    after: int
    budget: int


class RuleDifference(NamedTuple):
    """What differs between the blocks of two trees, as (rule, text) in the order of the block.

    ``crowded`` fitted before and do not any more, ``fitting`` did not and do now; ``cut`` are among
    the added ones and do not fit.
    """

    added: tuple[tuple[RuleName, str], ...] = ()
    removed: tuple[tuple[RuleName, str], ...] = ()
    changed: tuple[tuple[RuleName, str, str], ...] = ()
    crowded: tuple[RuleName, ...] = ()
    fitting: tuple[RuleName, ...] = ()
    cut: tuple[RuleName, ...] = ()

    def subtract(self, other: RuleDifference) -> RuleDifference:
        """Return what is not in ``other`` too."""
        remaining = (
            tuple(item for item in own if item not in other_rules)
            for own, other_rules in zip(self, other, strict=True)
        )
        return RuleDifference._make(remaining)


class TreeDifference(NamedTuple):
    """One difference of two trees, and every question that meets it."""

    delta: RuleDifference
    blocks: tuple[ComparedBlocks, ...]


class Comparison(NamedTuple):
    """The result of comparing two trees: ``changes``, those of every prompt first; how many
    questions were asked; ``brackets`` as in `ComparedBlocks`.
    """

    changes: tuple[TreeDifference, ...]
    question_count: int
    brackets: tuple[str, ...]


def compare_trees(before: CompiledTree, after: CompiledTree) -> Comparison:
    """Compare two trees: asks both everything that their files give reason to ask, and return what
    differs. Brackets are compared that hold while the same share of the context is left.
    """
    profiles = before.plan.profile, after.plan.profile
    floors = {0, *(b.floor for profile in profiles for b in profile.brackets)}
    pairs = dict.fromkeys(
        tuple(profile.bracket_at(floor).name for profile in profiles)
        for floor in sorted(floors, reverse=True)
    )
    brackets = {(old, new): new if new == old else f"{new} (was {old})" for old, new in pairs}
    groups: dict[RuleDifference, list[ComparedBlocks]] = {}
    questions = list(_build_questions(before, after))
    for names, bracket in brackets.items():
        base = RuleDifference()
        for question in questions:
            old, new = (
                _assemble_block(tree, question, name)
                for tree, name in zip((before, after), names, strict=True)
            )
            was, now = _selected_rules(old), _selected_rules(new)
            was_cut, now_cut = _rule_names(old.cut_entries), _rule_names(new.cut_entries)
            delta = RuleDifference(
                tuple((name, text) for name, text in now.items() if name not in was),
                tuple((name, text) for name, text in was.items() if name not in now),
                tuple(
                    (name, was[name], text)
                    for name, text in now.items()
                    if name in was and was[name] != text
                ),
                tuple(n for n in now if n in was and n in now_cut and n not in was_cut),
                tuple(n for n in now if n in was and n in was_cut and n not in now_cut),
                tuple(n for n in now if n not in was and n in now_cut),
            )
            if question.kind == "any":
                base = delta
            else:
                # What every prompt meets is told once.
                delta = delta.subtract(base)
            if any(delta):
                met = ComparedBlocks(question, bracket, old.tokens, new.tokens, new.budget)
                groups.setdefault(delta, []).append(met)
    changes = (TreeDifference(delta, tuple(met)) for delta, met in groups.items())
    return Comparison(tuple(changes), len(questions) * len(brackets), tuple(brackets.values()))


def _build_questions(before: CompiledTree, after: CompiledTree) -> Iterator[ComparedQuestion]:
    plans = before.plan, after.plan
    yield ComparedQuestion("any", "every prompt", {})
    for agent in _merge_names(plan.by_agent for plan in plans):
        yield ComparedQuestion("agent", f"@{agent}", {"agent": agent})
    for workflow in _merge_names(plan.by_workflow for plan in plans):
        yield ComparedQuestion("workflow", f"workflow {workflow}", {"workflow": workflow})
    for squad in _merge_names([squad.folder for squad in plan.squads] for plan in plans):
        yield ComparedQuestion("squad", f"squad {squad}", {"squad": squad})
    for word in dict.fromkeys(_keyword_prompts(before, after)):
        yield ComparedQuestion("keyword", f'"{word}"', {"prompt": word})
    domains = [domain for plan in plans for domain in plan.domains()]
    for glob in _merge_names(domain.paths for domain in domains)[:_MAX_DOMAINS]:
        yield ComparedQuestion("path", f"a file of {glob}", {"files": (glob,)})  # it fits itself
    for turn in sorted({domain.every_n_turns for domain in domains if domain.every_n_turns}):
        yield ComparedQuestion("turn", f"prompt {turn}", {"turn": turn})
    for command in _merge_names(plan.commands for plan in plans):
        yield ComparedQuestion("command", f"*{command}", {"prompt": f"*{command}"})
    tests = after.tree.snapshot.documents(FileKind.TESTS, TreeTests)
    for case in (case for _, document in tests for case in document.cases if case.is_readable):
        state = {
            name: value for name, value in case.state.items() if name in Request.__annotations__
        }
        if "bracket" not in state and "remaining" not in case.state:
            yield ComparedQuestion("case", f"test {case.name.value!r}", state)


def _merge_names(names: Iterable[Iterable[str]]) -> list[str]:
    """Return the names of both trees, each once, sorted."""
    return sorted({name for some in names for name in some})


def _keyword_prompts(before: CompiledTree, after: CompiledTree) -> Iterator[str]:
    """Yield prompts with keywords: one that stayed, some that came or went, some with an
    exclusion.
    """
    stopped = _changed_words(_global_excludes(before), _global_excludes(after))
    for label in _merge_names((before.plan.labels, after.plan.labels))[:_MAX_DOMAINS]:
        (old_recall, old_exclude), (new_recall, new_exclude) = (
            (domain.recall, domain.exclude) if domain else ((), ())
            for domain in (
                plan.domain(plan.labels[label]) if label in plan.labels else None
                for plan in (before.plan, after.plan)
            )
        )
        stayed = [word for word in new_recall if word in old_recall][:1]
        yield from (*stayed, *_changed_words(old_recall, new_recall))
        # An exclusion only matters beside a keyword.
        for word in (*_changed_words(old_exclude, new_exclude), *stopped):
            yield from (f"{keyword} {word}" for keyword in stayed)


def _changed_words(old: tuple[str, ...], new: tuple[str, ...]) -> list[str]:
    """Return words that came, and word that went; some of each."""
    came = [word for word in new if word not in old][:_MAX_KEYWORDS]
    return came + [word for word in old if word not in new][:_MAX_KEYWORDS]


def _global_excludes(compiled: CompiledTree) -> tuple[str, ...]:
    manifest = compiled.tree.snapshot.document(compiled.tree.manifest_path, Manifest)
    return manifest.global_exclude if manifest else ()


def _assemble_block(compiled: CompiledTree, question: ComparedQuestion, bracket: str) -> Assembly:
    request = Request(**{**question.request_fields, "bracket": bracket})  # type: ignore[arg-type]
    return view_for_request(compiled, request).assembly


def _selected_rules(block: Assembly) -> dict[RuleName, str]:
    """Return the rules that were selected, in the block's order, with their texts."""
    entries = (
        entry for section in block.wanted_sections for entry in section.entries if entry.file
    )
    return {_rule_name(entry): entry.text for entry in entries}


def _rule_names(entries: Iterable[Entry]) -> set[RuleName]:
    return {_rule_name(entry) for entry in entries if entry.file}


def _rule_name(entry: Entry) -> RuleName:
    return entry.domain, entry.key or entry.text


_MAX_NAMES = 4  # questions of one kind that are named one by one


def describe_prompts(change: TreeDifference, comparison: Comparison) -> str:
    """Return the prompts that meet a difference of two trees: "Every prompt", "@dev's first
    prompt".
    """
    brackets = group_pairs((met.question.label, met.bracket) for met in change.blocks)
    kinds = {met.question.label: met.question.kind for met in change.blocks}
    groups = group_pairs(((kinds[label], *names), label) for label, names in brackets.items())
    parts: list[str] = []
    for (kind, *prompts), labels in groups.items():
        who = ", ".join(labels[:_MAX_NAMES])
        if len(labels) > _MAX_NAMES:
            plural = "prompts with a keyword" if kind == "keyword" else f"{kind}s"
            who = f"{len(labels)} {plural} ({who} …)"
        if kind == "agent" and tuple(prompts) == comparison.brackets[:1] != comparison.brackets:
            # A session begins in the first bracket.
            who = f"{who}'s first prompt" if len(labels) == 1 else f"the first prompt of {who}"
        elif tuple(prompts) != comparison.brackets:
            who += f" in {', '.join(prompts)}"
        parts.append(who)
    text = "; ".join(parts)
    return text[:1].upper() + text[1:]


def describe_change(change: TreeDifference) -> str:
    """Return what a difference of two trees does: "adds 3 rules, +120 tokens; GLOBAL_RULE_9 no
    longer fits".
    """
    delta = change.delta
    does = [
        f"{verb} {format_count(len(items), 'rule')}"
        for verb, items in (
            ("adds", delta.added),
            ("removes", delta.removed),
            ("changes", delta.changed),
        )
        if items
    ]
    tokens = sorted({blocks.after - blocks.before for blocks in change.blocks})
    cost = " to ".join(f"{n:+}" if n else "±0" for n in dict.fromkeys((tokens[0], tokens[-1])))
    parts = [", ".join((*does, f"{cost} tokens"))]
    parts += [
        f"{summarize_keys(name[1] for name in names)} {verb if len(names) == 1 else verbs}"
        for names, verb, verbs in (
            (delta.crowded, "no longer fits", "no longer fit"),
            (delta.fitting, "fits now", "fit now"),
            (delta.cut, "does not fit", "do not fit"),
        )
        if names
    ]
    return "; ".join(parts)
