"""What an agent is told differently once a tree has moved: both trees, asked the same questions.

The engine answers for both, under CARL's profile and under the new tree's. Every keyword, exclusion,
star-command and bracket is tried, keywords also inside a longer word and in code, since that is where
the two read a prompt differently. Only rules count: how a block is laid out is said once, in ``FORM``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.engine.compile import compile_plan
from synapse_ls.engine.plan import Plan
from synapse_ls.engine.run import Assembly, assemble
from synapse_ls.engine.situation import Request, resolve
from synapse_ls.engine.usage import measure
from synapse_ls.formats.manifest import Manifest
from synapse_ls.workspace.folders import is_above
from synapse_ls.workspace.tree import Tree

_MOST = 400  # keywords and exclusions that are tried
_Kind = tuple[str, tuple[str, ...], tuple[str, ...]]
_CODE = "```\n{}\n```"

FORM = (
    ("frame", "`<carl-rules>` becomes `<synapse-rules>`."),
    ("numbers", "Rules are counted from 1, in brackets as everywhere else; CARL began with 0."),
    ("order", "GLOBAL comes first and the bracket last, since what changes rarely stands first."),
    ("repetition", "What an agent has been told is not told again until it could be gone; CARL "
     "repeated all of it when something changed, and every tenth prompt."),
    ("bracket", "The bracket's line has no percentage, and no \"fresh session\"."),
    ("critical", "The warning of CRITICAL becomes the hand-off section."),
    ("stars", "A star-command counts at the beginning of a word only; CARL found it in code, in emphasis "
     "and in the middle of names, too."),
    ("accents", "Keywords match whatever the case, accents and white space; CARL compared all but case."),
    ("repeats", "A rule that stands in two places is told once."),
    ("devmode", "Nothing is said of DEVMODE while it is off."),
    ("lists", "The summary takes the place of LOADED DOMAINS and AVAILABLE, which named a tool that "
     "does not exist."),
)  # fmt: skip
"""What is different in every block, by a short name."""

_OUTER = "It is of a file above the tree, which CARL v2 merges with its own; it stays there."


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt. ``about`` is "every prompt", "keyword", "exclusion" or "command"; ``subject`` the
    word; ``way`` is how it stands in the prompt: "", "inside a word", "in code", "in emphasis" or "in a
    product"."""

    about: str
    subject: str
    prompt: str
    domain: str = ""
    way: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """What one of the two tells and the other does not.

    ``carl`` and ``synapse`` are rules that only this one tells, or, for ``code`` "order", the rules
    in its order. ``why`` is a sentence, "" where there is no explanation.
    """

    question: Question
    brackets: tuple[str, ...]
    code: str
    carl: tuple[str, ...]
    synapse: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Parity:
    """``asked`` counts questions, each in every bracket."""

    asked: int
    differences: tuple[Difference, ...]

    @property
    def unexplained(self) -> tuple[Difference, ...]:
        """The differences that nothing explains."""
        return tuple(one for one in self.differences if not one.why)


def compare(
    root: Path, before: Tree, after: Tree, always: Collection[str], waiting: Collection[str]
) -> Parity:
    """Ask both trees.

    CARL finds an empty keyword in every prompt, which its profile does not imitate. ``always`` are
    domains, by new name, that have no other keyword, ``waiting`` those that have others.
    """
    old = compile_plan(before, str(root), profile="carl")
    new = compile_plan(after, str(root))
    questions = list(dict.fromkeys(_questions(new, _stops(after))))
    found: dict[tuple[Question, str, tuple[str, ...], tuple[str, ...], str], list[str]] = {}
    brackets = [bracket.name for bracket in new.profile.brackets]
    outer = frozenset(r.text for d in old.domains() if is_above(d.file) for r in d.rows)
    for bracket in brackets:
        # What every prompt meets is told once, and so is what any keyword of a domain meets.
        base: dict[str, set[_Kind]] = {"": set()}
        for question in questions:
            ours = _block(new, question.prompt, bracket)
            carls = _block(old, question.prompt, bracket)
            was, now = _rules(carls), _rules(ours)
            known = base[""] | base.setdefault(question.domain, set())
            kinds = [kind for kind in _kinds(was, now) if kind not in known]
            if (question.about == "keyword" and not question.way) or not question.prompt:
                base[question.domain].update(kinds)
            for code, *sides in kinds:
                is_outer = code == "missing" and outer.issuperset(sides[0])
                why = _OUTER if is_outer else _why(question, new, bracket, code, sides, always)
                key = (question, code, sides[0], sides[1], why)
                found.setdefault(key, []).append(bracket)
            if not question.prompt and (cut := _cut(ours)):
                why = (
                    f"They do not fit into the {ours.budget:,} tokens of a first block, and come with "
                    "the prompts after it."
                )
                found.setdefault((question, "later", cut, (), why), []).append(bracket)
    every = Question("every prompt", "", "")
    for name in filter(new.labels.__contains__, waiting):
        texts = tuple(row.text for row in new.domain(new.labels[name]).rows)
        why = (
            f"CARL finds the empty keyword in every prompt; now the other keywords of {name} count."
        )
        found[every, "missing", texts, (), why] = brackets
    differences = (
        Difference(question, tuple(met), code, carl, ours_, why)
        for (question, code, carl, ours_, why), met in found.items()
    )
    return Parity(len(questions) * len(brackets), tuple(differences))


def _kinds(was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[_Kind]:
    """The differences of two answers, one for each domain."""
    for domain in dict.fromkeys(was.values()):
        if texts := tuple(text for text, of in was.items() if of == domain and text not in now):
            yield "missing", texts, ()
    for domain in dict.fromkeys(now.values()):
        if texts := tuple(text for text, of in now.items() if of == domain and text not in was):
            yield "added", (), texts
        ours = tuple(text for text, of in now.items() if of == domain and text in was)
        carls = tuple(text for text in was if now.get(text) == domain)
        if ours != carls:
            yield "order", carls, ours


def _why(
    question: Question,
    new: Plan,
    bracket: str,
    code: str,
    sides: Sequence[tuple[str, ...]],
    always: Collection[str],
) -> str:
    """A sentence that explains a difference; "" where none does."""
    texts = {*sides[0], *sides[1]}
    of = {
        row.text: domain.label
        for domain in new.domains()
        for row in domain.rows
        if row.text in texts
    }
    domains = {of.get(text, "") for text in texts}
    if domains <= set(always):
        names = " and ".join(sorted(domains))
        return f"CARL finds the empty keyword in every prompt, so {names} is always on."
    if code != "missing":
        return ""  # reading prompts more strictly adds nothing, and changes no order
    held = new.profile.bracket_named(bracket)
    if question.domain and held is not None and "L6" not in held.layers:
        return f"Keywords sleep in {bracket} under the profile {new.profile.name}; synapse-live wakes them."
    if question.way == "inside a word":
        return "Keywords match whole words here; CARL found them inside words, too."
    if question.about == "command" and question.way:
        return (
            "A star-command is one at the beginning of a word only, not in code, emphasis or names of "
            "files; CARL found a star anywhere."
        )
    if question.way == "in code":
        return "Keywords are looked for in what the user wrote, not in code; CARL read all of it."
    if question.about == "command" and question.subject == "synapse":
        return "`*synapse` is a command of this program, which comes before one of the tree."
    return ""


def _questions(plan: Plan, stops: tuple[str, ...]) -> Iterator[Question]:
    yield Question("every prompt", "", "")
    left = _MOST
    for domain in plan.domains():
        for word in domain.recall[: max(left, 0)]:
            left -= 1
            yield Question("keyword", word, word, domain.label)
            if word[:1].isalnum() and word[-1:].isalnum():
                yield Question("keyword", word, f"x{word}x", domain.label, "inside a word")
            yield Question("keyword", word, _CODE.format(word), domain.label, "in code")
        for word in (*domain.exclude, *stops) if domain.recall else ():
            left -= 1
            if left > 0:
                prompt = f"{domain.recall[0]} {word}"
                yield Question("exclusion", word, prompt, domain.label)
    for command in plan.commands:
        yield Question("command", command, f"*{command} please")
        yield Question("command", command, f"see `*{command}` there", way="in code")
        yield Question("command", command, f"see **{command}** there", way="in emphasis")
        yield Question("command", command, f"see 3*{command} there", way="in a product")


def _stops(tree: Tree) -> tuple[str, ...]:
    """The words that stop all recall."""
    document = tree.manifest.document if tree.manifest else None
    return document.global_exclude if isinstance(document, Manifest) else ()


def _block(plan: Plan, prompt: str, bracket: str) -> Assembly:
    request = Request(prompt, bracket=bracket)
    return assemble(plan, resolve(plan, request, measure()))


def _rules(made: Assembly) -> dict[str, str]:
    """The rules that were selected, in the block's order, and the domain of each."""
    entries = (entry for section in made.wanted for entry in section.entries if entry.file)
    found: dict[str, str] = {}
    for entry in entries:
        found.setdefault(entry.text, entry.domain)
    return found


def _cut(made: Assembly) -> tuple[str, ...]:
    return tuple(entry.text for entry in made.cut if entry.file)
