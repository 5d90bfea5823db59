"""Compare what the tree of CARL and the one that it is migrated to inject: the parity report.

The engine answers for both trees: every keyword, exclusion, star-command and bracket is tried,
keywords also inside longer words and in code, where the two read a prompt differently. Only rules
are compared; ``FORM_DIFFERENCES`` describes the layout.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.engine import context_usage, plan_compiler
from synapse_ls.engine.block_assembly import Assembly, assemble_block
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.formats.manifest import Manifest
from synapse_ls.setup.migrate.carl_conversion import CarlConversion
from synapse_ls.workspace import tree_folders
from synapse_ls.workspace.rule_tree import Tree

_MOST_WORDS = 400  # keywords and exclusions that are tried


_Kind = tuple[str, tuple[str, ...], tuple[str, ...]]


_CODE = "```\n{}\n```"


# What is different in every block, by a short name.
FORM_DIFFERENCES = (
    ("frame", "`<carl-rules>` becomes `<synapse-rules>`."),
    ("numbers", "Rules are counted from 1, in brackets as everywhere else; CARL began with 0."),
    ("order", "GLOBAL comes first and the bracket last, since what changes rarely comes first."),
    ("repetition", "What is in context is not injected again until it could be gone; CARL "
     "repeated all of it when something changed, and every tenth prompt."),
    ("bracket", "The bracket's line has no percentage, and no \"fresh session\"."),
    ("critical", "The warning of CRITICAL becomes the hand-off section."),
    ("stars", "A star-command counts at the beginning of a word only; CARL found it in code, in "
     "emphasis and in the middle of names, too."),
    ("accents", "Keywords match whatever the case, accents and white space; CARL compared all but "
                "case."),
    ("repeats", "A rule that is in two places is injected once."),
    ("devmode", "Nothing is said of DEVMODE while it is off."),
    ("lists", "The summary takes the place of LOADED DOMAINS and AVAILABLE, which named a tool "
     "that does not exist."),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ParityQuestion:
    """A prompt that both trees, old and new, are asked to compare them. ``about`` is "every
    prompt", "keyword", "exclusion" or "command"; ``subject`` the word; ``way`` is how it stands in
    the prompt: "", "inside a word", "in code", "in emphasis" or "in a product".
    """

    about: str
    subject: str = ""
    domain: str = ""
    way: str = ""
    prompt: str = ""


@dataclass(frozen=True, slots=True)
class ParityDifference:
    """What one of the two trees tells and the other does not.

    ``carl`` and ``synapse`` are rules that only this one tells, or, for ``code`` "order", the rules
    in its order. ``why`` is a sentence, "" where there is no explanation.
    """

    question: ParityQuestion
    brackets: tuple[str, ...]
    code: str
    carl: tuple[str, ...]
    synapse: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Parity:
    """The result of comparing two trees: ``question_count`` counts questions, each in every
    bracket.
    """

    question_count: int
    differences: tuple[ParityDifference, ...]

    @property
    def unexplained(self) -> tuple[ParityDifference, ...]:
        """The differences that nothing explains."""
        return tuple(difference for difference in self.differences if not difference.why)


_DifferenceKey = tuple[ParityQuestion, str, tuple[str, ...], tuple[str, ...], str]


def compare_trees(root: Path, before: Tree, after: Tree, conversion: CarlConversion) -> Parity:
    """Compare the two trees of a migration: ask both the same questions, and return where they
    differ; ``conversion`` is what is known of CARL's.

    CARL finds an empty keyword in every prompt, which its profile does not imitate.
    """
    names = conversion.names
    always_domains = {names[name] for name in conversion.always_domains}
    waiting_domains = sorted({names[name] for name in conversion.waiting_domains})
    old = plan_compiler.compile_plan(before, str(root), profile="carl")
    new = plan_compiler.compile_plan(after, str(root))
    manifest = after.snapshot.document(after.manifest_path, Manifest)
    stops = manifest.global_exclude if manifest else ()
    questions = list(dict.fromkeys(_iter_questions(new, stops)))
    brackets_by_key: dict[_DifferenceKey, list[str]] = {}
    brackets = [bracket.name for bracket in new.profile.brackets]
    outer = frozenset(
        r.text for d in old.domains() if tree_folders.is_above_root(d.file) for r in d.rules
    )
    for bracket in brackets:
        # What every prompt meets is told once, and so is what any keyword of a domain meets.
        base: dict[str, set[_Kind]] = {"": set()}
        for question in questions:
            ours = _assemble_block(new, question.prompt, bracket)
            carls = _assemble_block(old, question.prompt, bracket)
            was, now = _block_rules(carls), _block_rules(ours)
            known_kinds = base[""] | base.setdefault(question.domain, set())
            kinds = [kind for kind in _answer_differences(was, now) if kind not in known_kinds]
            if (question.about == "keyword" and not question.way) or not question.prompt:
                base[question.domain].update(kinds)
            for code, *sides in kinds:
                why = _explain_difference(question, new, bracket, code, sides, always_domains)
                if code == "missing" and outer.issuperset(sides[0]):
                    why = (
                        "It is of a file above the tree, which CARL v2 merges with its own; it "
                        "stays there."
                    )
                key = (question, code, sides[0], sides[1], why)
                brackets_by_key.setdefault(key, []).append(bracket)
    every = ParityQuestion("every prompt")
    for name in filter(new.labels.__contains__, waiting_domains):
        texts = tuple(row.text for row in new.domain(new.labels[name]).rules)
        why = f"CARL finds the empty keyword in every prompt; now the other keywords of {name} "
        brackets_by_key[every, "missing", texts, (), f"{why}count."] = brackets
    differences = (
        ParityDifference(question, tuple(met), code, carl, synapse, why)
        for (question, code, carl, synapse, why), met in brackets_by_key.items()
    )
    return Parity(len(questions) * len(brackets), tuple(differences))


def _answer_differences(was: Mapping[str, str], now: Mapping[str, str]) -> Iterator[_Kind]:
    """Yield the differences of two answers, one for each domain."""
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


def _explain_difference(
    question: ParityQuestion,
    new: Plan,
    bracket: str,
    code: str,
    sides: Sequence[tuple[str, ...]],
    always_domains: Set[str],
) -> str:
    """Return a sentence that explains a difference; "" where none does."""
    texts = {*sides[0], *sides[1]}
    labels = {row.text: domain.label for domain in new.domains() for row in domain.rules}
    if (domains := {labels.get(text, "") for text in texts}) <= always_domains:
        names = " and ".join(sorted(domains))
        return f"CARL finds the empty keyword in every prompt, so {names} is always on."
    if code != "missing":
        return ""  # reading prompts more strictly adds nothing, and changes no order
    active_bracket = new.profile.find_bracket(bracket)
    if question.domain and active_bracket is not None and "L6" not in active_bracket.layers:
        return (
            f"Keywords are inactive in {bracket} under the profile {new.profile.name}; "
            "synapse-live activates them."
        )
    if question.way == "inside a word":
        return "Keywords match whole words here; CARL found them inside words, too."
    if question.about == "command" and question.way:
        return (
            "A star-command is one at the beginning of a word only, not in code, emphasis or names "
            "of files; CARL found a star anywhere."
        )
    if question.way == "in code":
        return "Keywords are looked for in what the user wrote, not in code; CARL read all of it."
    if question.about == "command" and question.subject == "synapse":
        return "`*synapse` is a command of this program, which comes before one of the tree."
    return ""


def _iter_questions(plan: Plan, stops: tuple[str, ...]) -> Iterator[ParityQuestion]:
    yield ParityQuestion("every prompt")
    budget = _MOST_WORDS
    for domain in plan.domains():
        for word in domain.recall[: max(budget, 0)]:
            budget -= 1
            yield ParityQuestion("keyword", word, domain.label, prompt=word)
            if word[:1].isalnum() and word[-1:].isalnum():
                yield ParityQuestion("keyword", word, domain.label, "inside a word", f"x{word}x")
            yield ParityQuestion("keyword", word, domain.label, "in code", _CODE.format(word))
        for word in (*domain.exclude, *stops) if domain.recall else ():
            budget -= 1
            if budget > 0:
                prompt = f"{domain.recall[0]} {word}"
                yield ParityQuestion("exclusion", word, domain.label, prompt=prompt)
    for name in plan.commands:
        for way, prompt in (
            ("", f"*{name} please"),
            ("in code", f"see `*{name}` there"),
            ("in emphasis", f"see **{name}** there"),
            ("in a product", f"see 3*{name} there"),
        ):
            yield ParityQuestion("command", name, way=way, prompt=prompt)


def _assemble_block(plan: Plan, prompt: str, bracket: str) -> Assembly:
    request = Request(prompt, bracket=bracket)
    return assemble_block(plan, resolve_situation(plan, request, context_usage.measure_usage()))


def _block_rules(block: Assembly) -> dict[str, str]:
    """Return the rules that were selected, in the block's order, and the domain of each."""
    entries = (
        entry for section in block.wanted_sections for entry in section.entries if entry.file
    )
    domains: dict[str, str] = {}
    for entry in entries:
        domains.setdefault(entry.text, entry.domain)
    return domains
