"""Plan the migration from ``.carl/`` to ``.synapse/``, and compare what both trees inject.

The engine answers for both trees: every keyword, exclusion, star-command and bracket is tried,
keywords also inside longer words and in code, where the two read a prompt differently. Only rules
are compared; ``FORM_DIFFERENCES`` describes the layout. It writes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from synapse_ls.edits.config_edits import LIVE_PROFILE
from synapse_ls.engine.block_assembly import Assembly, assemble_block
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import measure_usage
from synapse_ls.engine.plan_compiler import compile_plan
from synapse_ls.engine.situation import Request, resolve_situation
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.session_values import parse_switch
from synapse_ls.integrations.client_settings import Surroundings
from synapse_ls.setup.init import starter_tree
from synapse_ls.setup.migrate import carl_conversion, carl_installation
from synapse_ls.setup.migrate.migration_journal import REMOVED, SESSIONS, TREE, MigrationChange
from synapse_ls.setup.planned_changes import NONE
from synapse_ls.setup.session_conversion import CARL_SESSIONS, plan_conversion
from synapse_ls.text.decoding import decode_text
from synapse_ls.text.fast_json import loads
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import tree_folders
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind, LoadScope
from synapse_ls.workspace.regular_files import read_whole
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree


def session_changes(
    root: Path, names: Mapping[str, str]
) -> tuple[list[MigrationChange], list[tuple[str, str]], list[carl_conversion.Remark]]:
    """Plan what becomes of CARL's sessions in a migration: return those to be written, with the
    new names of domains, (file, why) of those that stay behind, and remarks.

    A session whose id has one here already stays behind: what it says now is newer.
    """
    plan = plan_conversion(str(root))
    state_names = {f"{old}_STATE": f"{new}_STATE" for old, new in names.items()}
    changes: list[MigrationChange] = []
    mended: list[carl_conversion.Remark] = []
    for step in plan.steps:
        sources = [path for path in step.sources if path.startswith(f"{CARL_SESSIONS}/")]
        if step.kind != "carl" or not sources:
            continue
        session, path, file = step.session, sources[0], root / step.target
        overrides = session.overrides.items()
        session.overrides = {state_names.get(key, key): on for key, on in overrides}
        session.history.domains = tuple(names.get(name, name) for name in session.history.domains)
        changes.append(
            MigrationChange(
                step.target, file, step.before, step.after, SESSIONS, path, private=True
            )
        )
        # CARL took every text for on.
        written = loads(step.sources[path].decode()).get("overrides")
        for key, value in written.items() if isinstance(written, dict) else ():
            if isinstance(value, str) and (switch := parse_switch(value)) is not True:
                off = "off" if switch is False else "as the manifest says"
                sentence = f'{key} is {off} now: CARL takes every word for on, "{value}" too.'
                mended.append(carl_conversion.Remark(path, 0, sentence))
    left = [(path, why) for path, why in plan.skipped if path.startswith(f"{CARL_SESSIONS}/")]
    return changes, left, mended


_CARL_MATCHING = """\
# What CARL did: keywords match inside words as well, and in code and long pastes too. With
# matching = "word", "test" is no longer found in "latest".
matching = "substring"
match_everything = true
"""
_WORD_MATCHING = """\
# Keywords match whole words. CARL found "test" in "latest", too.
matching = "word"
"""
_OWN_PROFILE_NAME = "as-carl"
_OWN_PROFILE_TABLE = """
# The brackets of CARL v2.
[profiles.{name}]
extends = "{profile}"
"""
_PROFILE_LINE = """\
# Keywords count however much of the window is left, as they did for CARL.
profile = "{profile}"

"""


def settings_files(*, words: bool, floors: Mapping[str, int] | None = None) -> dict[str, str]:
    """Return the files of a migrated tree that hold neither domains nor rules, by path: the
    configuration under which it answers as CARL did, and the list of what git ignores.

    ``floors``: where brackets begin, in percent left, if not where those of a tree do.
    """
    text = _PROFILE_LINE.format(profile=_OWN_PROFILE_NAME if floors else LIVE_PROFILE)
    text += _WORD_MATCHING if words else _CARL_MATCHING
    if floors:
        text += _OWN_PROFILE_TABLE.format(name=_OWN_PROFILE_NAME, profile=LIVE_PROFILE)
        text += "".join(f"brackets.{name}.floor = {floor}\n" for name, floor in floors.items())
    ignored = starter_tree.GITIGNORE
    return {tree_folders.CONFIG: text, ignored: starter_tree.settings_files()[ignored]}


@dataclass(frozen=True, slots=True)
class MigrationPlan:
    """A migration, planned.

    ``changes`` are carried out together, ``text_changes`` only when asked for. ``left`` are (file,
    why) of what stays behind, ``mentions`` lines that will still talk of CARL.
    """

    names: Mapping[str, str]
    changes: tuple[MigrationChange, ...]
    text_changes: tuple[MigrationChange, ...]
    mentions: tuple[carl_installation.Mention, ...]
    remarks: tuple[carl_conversion.Remark, ...]
    left: tuple[tuple[str, str], ...]
    hooks: tuple[carl_installation.CarlRegistration, ...]
    parity: Parity


def plan_migration(root: Path, *, words: bool = False, user: bool = False) -> MigrationPlan:
    """Plan a migration: return what ``synapse migrate`` would do in the project folder ``root``.

    Raises UserError where there is no CARL tree, where one of ``.synapse/`` is in the way, and
    where a file cannot be read for certain.
    """
    # Rules in ``.synapse/`` count before CARL's.
    snapshot = load_tree(str(root), LoadScope.PROMPT, profile="synapse").index.snapshot()
    kinds, folder = (FileKind.MANIFEST, *RULE_KINDS), tree_folders.TREE
    if path := next((p for kind in kinds for p in snapshot.paths_under(folder, kind)), ""):
        raise UserError(
            f"There is {path} already, and a tree in {folder}/ counts "
            f"before {carl_installation.CARL}/.",
            f"Move {folder}/ away, or take rules over one by one: `synapse domain rule add`.",
        )
    old = carl_conversion.convert_tree(root)
    before = carl_tree(root)
    texts = {
        path: carl_conversion.ConvertedFile("", text)
        for path, text in settings_files(words=words, floors=old.floors).items()
        if not (root / path).exists()
    }
    texts |= old.texts  # its manifest is the last of all
    tree = []
    for path, converted in texts.items():
        file = root / path
        if os.path.lexists(file):
            raise UserError(
                f"{path} is there already, so {converted.source} cannot become it.",
                f"Move it away, or all of {folder}/.",
            )
        data = converted.text.encode("utf-8", "replace")
        tree.append(MigrationChange(path, file, None, data, TREE, converted.source))
    sessions, left, mended = session_changes(root, old.names)
    around = Surroundings.of_process(str(root))
    hooks, registered = carl_installation.hook_changes(around, user=user)
    guides, broken = carl_installation.guide_changes(around, user=user)
    changes = [*old.kept, *tree, *sessions, *hooks, *guides]
    planned = {change.path: change.after for change in changes if change.after is not None}
    wording, mentions = carl_installation.text_changes(root, planned)
    # The tree as it will be.
    for change in sorted(tree, key=lambda change: change.path != tree_folders.CONFIG):
        # As it will be written and read again; the configuration says how the others are read.
        snapshot = snapshot.with_text(change.path, decode_text(change.after or b"").text)
    after = Tree(snapshot)
    return MigrationPlan(
        old.names,
        tuple(change for change in changes if change.action != NONE),
        tuple(wording),
        tuple(mentions),
        (*old.remarks, *mended),
        (*old.left, *left, *broken),
        tuple(registered),
        compare_trees(root, before, after, old),
    )


def carl_tree(root: Path) -> Tree:
    """Return the tree that a migration is planned for, the one that CARL reads."""
    return Tree(load_tree(str(root), LoadScope.PROMPT, profile="carl").index.snapshot())


def removal_changes(root: Path) -> list[MigrationChange]:
    """Return the removals of a migration's plan as changes of files, for people."""
    files = chain.from_iterable(
        _regular_files(root / path) for path in carl_installation.existing_removals(root)
    )
    names = ((file.relative_to(root).as_posix(), file) for file in files)
    return [MigrationChange(name, file, read_whole(file), None, REMOVED) for name, file in names]


def source_files(root: Path) -> list[str]:
    """Return the files that a migration is planned for, those of CARL's folder, relative to the
    root.
    """
    return [
        file.relative_to(root).as_posix() for file in _regular_files(root / carl_installation.CARL)
    ]


def _regular_files(place: Path) -> Iterable[Path]:
    inside = sorted(place.rglob("*")) if place.is_dir() and not place.is_symlink() else [place]
    return (file for file in inside if file.is_file() and not file.is_symlink())


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


def compare_trees(
    root: Path, before: Tree, after: Tree, conversion: carl_conversion.CarlConversion
) -> Parity:
    """Compare the two trees of a migration: ask both the same questions, and return where they
    differ; ``conversion`` is what is known of CARL's.

    CARL finds an empty keyword in every prompt, which its profile does not imitate.
    """
    names = conversion.names
    always_domains = {names[name] for name in conversion.always_domains}
    waiting_domains = sorted({names[name] for name in conversion.waiting_domains})
    old = compile_plan(before, str(root), profile="carl")
    new = compile_plan(after, str(root))
    document = after.manifest.document if after.manifest else None
    stops = document.global_exclude if isinstance(document, Manifest) else ()
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
    domains = {labels.get(text, "") for text in texts}
    if domains <= always_domains:
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
    return assemble_block(plan, resolve_situation(plan, request, measure_usage()))


def _block_rules(block: Assembly) -> dict[str, str]:
    """Return the rules that were selected, in the block's order, and the domain of each."""
    entries = (
        entry for section in block.wanted_sections for entry in section.entries if entry.file
    )
    domains: dict[str, str] = {}
    for entry in entries:
        domains.setdefault(entry.text, entry.domain)
    return domains
