"""What a finding calls impossible, no prompt and no situation brings about: the engine is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.lint.tree_lookups import FRAMEWORK_AGENTS
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.naming_conventions import kebab_case
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree
from tests.engine.blocks import block
from tests.lint.random_trees import trees
from tests.support import corpus
from tests.trees import Files, stored_plan, tree_of

REMAINING = {"FRESH": 95, "MODERATE": 50, "DEPLETED": 30, "CRITICAL": 10}
NAMED_WORKFLOWS = ("load-data", "nightly", "story_development", "sdc")
FIRING = {"EVERY_N_TURNS": "turns", "ON_TOKENS": "tokens"}
FILES = ("src/a.py", "docs/a.md", "a.py", "a/nowhere/b.rs")


@dataclass(frozen=True)
class Outcome:
    """What came of one attempt to bring a tree's rules in."""

    prompt: str
    given: dict[str, Any]
    bracket: str
    made: Assembly

    def came_in(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """(label, code of the reason, words of it) of each domain that took part."""
        for taken in self.made.selection.by_layer.values():
            for domain, verdict in taken:
                yield domain.label, verdict.code, verdict.detail

    def told(self) -> Iterator[tuple[str, int, str]]:
        """(file, line, text) of each entry that was wanted, whether it fitted or not."""
        for section in self.made.wanted_sections:
            for entry in section.entries:
                yield entry.file, entry.line, entry.text


def attempts(tree: Tree, plan: Plan) -> Iterator[tuple[str, dict[str, Any]]]:
    """Prompts and situations made of everything that the tree could be waiting for."""
    yield "", {}
    yield "go on", {"files": FILES, "turn": 3}
    for path in sorted(tree.snapshot.paths()):
        facts = tree.snapshot.facts(path)
        if not facts or not isinstance(facts.document, Manifest):
            continue
        for entry in facts.document.entries:
            if entry.setting in ("RECALL", "RECAL", "EXCLUDE", "GLOBAL_EXCLUDE"):
                for item in (text.value for text in entry.items):
                    yield f"we say {item} here", {}
                    bare = item.strip('[]*" ')
                    yield f"we say {bare} here", {}
            elif entry.setting == "AGENT_TRIGGER":
                yield f"@{entry.word.removeprefix('@')} go", {}
                yield f"@{kebab_case(entry.domain.removeprefix('AGENT_'))} go", {}
                for name in re.split(r"[,;|]\s*", entry.word):
                    yield f"@{name.removeprefix('@')} go", {}
                    yield "", {"agent": name}
            elif entry.setting == "WORKFLOW_TRIGGER":
                for name in re.split(r"[,;|]\s*", entry.word):
                    yield "", {"workflow": name}
    for agent in (*tree.agents, *FRAMEWORK_AGENTS):
        yield f"@{agent} go", {}
    for workflow in dict.fromkeys((*NAMED_WORKFLOWS, *(state.id for state in plan.states))):
        yield "", {"workflow": workflow}
        yield "", {"workflow": workflow, "phase": "fetch"}
    for squad in plan.squads:
        yield "", {"squad": squad.folder}


def plan_of_tree(tree: Tree) -> Plan:
    return stored_plan(compile_plan(tree, "root"))


def attempt(plan: Plan, prompt: str, given_values: dict[str, Any], bracket: str) -> Outcome:
    remaining = REMAINING.get(bracket, 50)
    made = block(plan, prompt, remaining=remaining, bracket=bracket, **given_values)
    return Outcome(prompt, given_values, bracket, made)


def outcomes(tree: Tree) -> list[Outcome]:
    """What comes of every attempt in every bracket."""
    plan = plan_of_tree(tree)
    tried = {repr(one): one for one in attempts(tree, plan)}
    return [
        attempt(plan, prompt, given_values, bracket.name)
        for prompt, given_values in tried.values()
        for bracket in plan.profile.brackets
    ]


Denial = Callable[[Outcome], bool]


def domain_in(tree: Tree, found: Finding, pattern: str) -> str:
    """The label of the domain that a message names."""
    matched = re.search(pattern, found.message)
    assert matched, found.message
    return domain_of(tree, found.path, matched[1])


def domain_of(tree: Tree, path: str, name: str) -> str:
    """The label of a domain that a manifest, or a message about it, names."""
    domains = tree.home_of(path).domains
    return next((d.label for d in domains if name in (d.name, d.label)), name)


def comes_in(label: str, outcome: Outcome) -> bool:
    return any(label == one for one, _, _ in outcome.came_in())


def has_rules_in(label: str, outcome: Outcome) -> bool:
    sections = outcome.made.wanted_sections
    return any(entry.domain == label for section in sections for entry in section.entries)


def is_recalled_by(label: str, word: str, outcome: Outcome) -> bool:
    words = {
        w for one, code, ws in outcome.came_in() if one == label and code == "recall" for w in ws
    }
    return word in words


def is_brought_by(label: str, code: str, name: str, outcome: Outcome) -> bool:
    """Whether a domain came in for an agent or a workflow that was asked for by this name."""
    asked = name == outcome.given.get(code) or outcome.prompt.split(" ")[0] == f"@{name}"
    return asked and any((label, code) == (one, why) for one, why, _ in outcome.came_in())


def has_fired(label: str, code: str, outcome: Outcome) -> bool:
    return any((label, code) == (one, why) for one, why, _ in outcome.came_in())


def is_told(path: str, outcome: Outcome) -> bool:
    return any(file == path for file, _, _ in outcome.told())


def in_bracket(bracket: str, other: Denial, outcome: Outcome) -> bool:
    return outcome.bracket == bracket and other(outcome)


def fits_whole(label: str, count: int, outcome: Outcome) -> bool:
    """Whether every rule of a domain stands in the block."""
    sent = [
        entry
        for section in outcome.made.sent_sections
        for entry in section.entries
        if entry.domain == label
    ]
    return bool(sent) and len(sent) >= count


def denials_of_a_keyword(tree: Tree, found: Finding) -> Iterator[Denial]:
    if " never activates " in found.message:
        label = domain_in(tree, found, r" never activates (\w+)")
        yield partial(is_recalled_by, label, marked_text(tree, found))


def denials_of_an_exclusion(tree: Tree, found: Finding) -> Iterator[Denial]:
    yield from denials_of_a_keyword(tree, found)
    label, word = domain_in(tree, found, r" never activates (\w+)"), marked_text(tree, found)
    yield lambda o: word in o.prompt and has_fired(label, "recall", o)


def denials_of_a_trigger(tree: Tree, found: Finding) -> Iterator[Denial]:
    label = domain_in(tree, found, r"(?:activates?|so) (\w+)(?: is not activated|\.)")
    code = "agent" if found.code == "SYN303" else "workflow"
    said = found.message.partition(", so ")[2]
    for name in re.findall(r"`@?(.+?)`|@(\S+)", said):
        yield partial(is_brought_by, label, code, "".join(name))


def denials_of_a_number(tree: Tree, found: Finding) -> Iterator[Denial]:
    label, setting = next(line_domains(tree, found))
    yield partial(has_fired, label, FIRING[setting])


def denials_of_a_missing_file(tree: Tree, found: Finding) -> Iterator[Denial]:
    for place in found.related:
        if name := re.match(r"(\w+) has no file", place.message):
            yield partial(has_rules_in, domain_of(tree, found.path, name[1]))
    if "has no file, so" in found.message:
        yield partial(has_rules_in, domain_in(tree, found, r"^(\w+) has no file"))
    if found.message.startswith("No rules of "):
        yield partial(has_rules_in, domain_in(tree, found, r"^No rules of (\w+) are injected"))


def denials_of_a_dormant_domain(tree: Tree, found: Finding) -> Iterator[Denial]:
    yield partial(comes_in, domain_in(tree, found, r"^(?:CARL takes )?(\w+) (?:is switched|for)"))


def denials_of_a_file(_: Tree, found: Finding) -> Iterator[Denial]:
    yield partial(is_told, found.path)


def denials_of_sleep(tree: Tree, found: Finding) -> Iterator[Denial]:
    said = re.match(r"([\w, ]+?)(?: and \d+ more)? cannot apply in (\w+)", found.message)
    assert said
    for name in said[1].split(", "):
        label = next(d.label for d in tree.domains if name in (d.name, d.label))
        yield partial(in_bracket, said[2], partial(comes_in, label))


def denials_of_a_fit(tree: Tree, found: Finding) -> Iterator[Denial]:
    if "a window's first block can hold it" in found.message:
        return  # each outcome is such a block
    label = domain_in(tree, found, r"^(\w+) has \d+ tokens")
    domain = next(d for d in tree.home_of(found.path).domains if d.label == label)
    plain = [rule for rule in tree.rules_of(domain) if not rule.phase]
    yield partial(fits_whole, label, len(plain))


def denials_of_an_agent(_: Tree, found: Finding) -> Iterator[Denial]:
    name = re.search(r"No agent is called `(.+?)`", found.message)
    assert name
    yield (
        lambda o: (
            o.prompt.split(" ")[0] == f"@{name[1]}"
            and any(code == "agent" for _, code, _ in o.came_in())
        )
    )


DENIALS: dict[str, Callable[[Tree, Finding], Iterator[Denial]]] = {
    "SYN107": denials_of_a_number,
    "SYN201": denials_of_a_missing_file,
    "SYN202": denials_of_a_file,
    "SYN207": denials_of_a_file,
    "SYN302": denials_of_an_exclusion,
    "SYN303": denials_of_a_trigger,
    "SYN304": denials_of_a_trigger,
    "SYN309": denials_of_a_keyword,
    "SYN312": denials_of_a_dormant_domain,
    "SYN404": denials_of_sleep,
    "SYN405": denials_of_a_fit,
    "SYN704": denials_of_an_agent,
    "SYN713": denials_of_an_agent,
}


def denials(tree: Tree, found: Finding) -> Iterator[Denial]:
    """What a finding says does not happen, as questions to an outcome; none where it says nothing
    of the kind.
    """
    if found.code in DENIALS:
        yield from DENIALS[found.code](tree, found)
    elif "is not injected" in found.message or "are not injected" in found.message:
        facts = tree.snapshot.facts(found.path)
        assert facts
        line = facts.text.count("\n", 0, found.span.start)
        yield lambda o: any((file, at) == (found.path, line) for file, at, _ in o.told())


def marked_text(tree: Tree, found: Finding) -> str:
    facts = tree.snapshot.facts(found.path)
    return found.span.cut(facts.text) if facts else ""


def line_domains(tree: Tree, found: Finding) -> Iterator[tuple[str, str]]:
    """The label of the domain, and the setting, of the manifest's line that is marked."""
    facts = tree.snapshot.facts(found.path)
    assert facts
    assert isinstance(facts.document, Manifest)
    for entry in facts.document.entries:
        if entry.span.start <= found.span.start <= entry.span.end:
            yield domain_of(tree, found.path, entry.domain), entry.setting


def text_of_no_effect(tree: Tree, found: Finding) -> str | None:
    """The file with something else in place of what is said to have no effect; None where the finding
    says nothing of the kind.
    """
    facts = tree.snapshot.facts(found.path)
    if not facts:
        return None
    text = facts.text
    if found.code == "SYN308":
        (other,) = found.related
        return text[: found.span.start] + other.span.cut(text) + text[found.span.end :]
    if found.code in ("SYN104", "SYN310"):
        line_end = text.find("\n", found.span.end)
        return text[: text.index("=", found.span.start) + 1] + "7777" + text[line_end:]
    return None


def seen_effects(tree: Tree, found: Finding, before: list[Outcome]) -> Iterator[str]:
    """What is told otherwise as soon as something else stands where a finding says nothing matters."""
    text = text_of_no_effect(tree, found)
    if text is None:
        return
    plan = plan_of_tree(Tree(tree.snapshot.with_text(found.path, text)))
    for old in before:
        new = attempt(plan, old.prompt, old.given, old.bracket)
        if undecided := re.search(
            r"(?:never decides|does not decide) whether (\w+) comes in", found.message
        ):
            label = domain_of(tree, found.path, undecided[1])
            differs = comes_in(label, old) != comes_in(label, new)
        else:
            differs = old.made.text != new.made.text
        if differs:
            yield f"{found.code} {found.message} But: {old.prompt!r} {old.given} in {old.bracket}"


def refuted(tree: Tree) -> list[str]:
    """What the engine did although a finding denies it."""
    found = lint_tree(tree, select=("ALL",))
    made = outcomes(tree) if found else []
    denied = [
        f"{one.code} {one.path}: {one.message} But: {o.prompt!r} {o.given} in {o.bracket}"
        for one in found
        for denial in denials(tree, one)
        for o in made
        if denial(o)
    ]
    return denied + [effect for one in found for effect in seen_effects(tree, one, made)]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(trees())
def test_what_a_finding_calls_impossible_does_not_happen(files: Files) -> None:
    assert refuted(tree_of(files)) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["aiox", "carl", "chati", "many-domains"])
def test_what_is_said_to_be_impossible_in_a_real_tree_does_not_happen(name: str) -> None:
    root: Path = corpus() / name
    assert refuted(Tree(load_tree(str(root), LoadScope.ALL).index.snapshot())) == []
