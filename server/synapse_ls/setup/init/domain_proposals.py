"""Domains proposed for the rules of an instruction file: groups, names, triggers, keywords."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, pairwise, zip_longest

from synapse_ls.edits.distinctive_words import (
    MOST_WORDS,
    capital_names,
    distinctive_words,
    is_english,
    word_forms,
)
from synapse_ls.edits.domain_edits import check_domain_key, domain_key, rule_file_path
from synapse_ls.edits.repeated_rules import plain_text
from synapse_ls.formats.authority_boundary import sentence_effect
from synapse_ls.formats.instruction_rules import (
    RuleHeading,
    RuleSource,
    SourceRule,
)
from synapse_ls.formats.manifest import DomainDeclaration
from synapse_ls.formats.markdown_outline import LABEL_LEVEL
from synapse_ls.formats.name_normalization import fold_case
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import BUILT_IN
from synapse_ls.workspace.naming_conventions import file_stem, kebab_case
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import TREE

RuleGroups = tuple[tuple[str, tuple[SourceRule, ...]], ...]

# Rules that make a section worth a domain; with fewer, its manifest lines outweigh them.
FEWEST_RULES = 3

GLOBAL_DOMAIN = "global"

# The domain of a file that applies to some files, and whose name no domain can have.
_SCOPED_DOMAIN = "scoped-rules"
_NAME_WORDS = 3
# Keywords of a domain at most, where each of its rules gets one.
_MOST_COVERING = 12
# Files of which each is about one subject, and those for all that is in a folder.
_ONE_SUBJECT = re.compile(r"\.mdc$|(?:^|/)\.(?:cursor|claude)/rules/|(?:^|/)\.github/instructions/")
_PERSONA = re.compile(r"(?:^|/)\.(?:cursor|claude)/rules/(?:[^/]+/)*agents/[^/]+\.mdc?$")
_NESTED = re.compile(r"((?:[^./][^/]*/)*[^./][^/]*)/(?:AGENTS|CLAUDE|GEMINI)\.md")

# A word by which a rule, wherever it says it, forbids or demands.
_STRICT_WORD = re.compile(
    r"\b(?:never|must|always|shall|nunca|jamais|jamás|sempre|siempre|devem?|deben?)\b"
    r"|\b(?:do not|don['’]t)\b|(?<!\bque )(?<!\bse )\bnão\b",
    re.IGNORECASE,
)
# How a rule says which of several means its subject takes: "don't use fixtures" forbids no deed.
_CHOICE = re.compile(
    r"\b(?:do not|don['’]t|não|no) "
    r"(?:us[ae]r?|us[ae]m|us[ae]s|utili[sz]ar?|utili[sz]e[ms]?|utilices?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class DomainProposal:
    """A domain that is proposed for the rules of one part of a source."""

    heading: str
    name: str
    groups: RuleGroups
    recall: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    agent: str = ""

    @property
    def always_on(self) -> bool:
        """Whether nothing says when it applies, so that it always does."""
        return not (self.recall or self.paths or self.agent)


def adoption_obstacle(source: RuleSource) -> str:
    """Return why the rules of a file are not taken over: its front matter keeps it for occasions
    that no domain can have, so that they would be told always. "" where nothing is in the way.
    """
    scope = source.scope
    if scope.excluded:
        agents = ", ".join(scope.excluded)
        return f"`excludeAgent: {agents}` keeps it from some agents, as no domain can be"
    return scope.why


def propose_domains(tree: Tree, source: RuleSource) -> Iterator[DomainProposal]:
    """Yield the domains that are proposed for the rules of a source, in the order of its text."""
    if _ONE_SUBJECT.search(source.path) or source.scope.paths:
        yield _subject_proposal(tree, source)
        return
    folder = _NESTED.fullmatch(source.path)
    if folder:
        name = _spell_name(tree, [folder[1]]) or _SCOPED_DOMAIN
        groups = _group_rules(_with_context(source.headings), "")
        yield DomainProposal(folder[1], name, groups, paths=(f"{folder[1]}/**",))
        return
    for part, general in _split_document(source.headings):
        title = part[0].title
        words = () if general else distinctive_words(title)
        name = _spell_name(tree, words)
        if name and sum(len(heading.rules) for heading in part) >= FEWEST_RULES:
            groups = _group_rules([part[0], *part[1:]], "")
            yield DomainProposal(title, name, groups)
        else:
            yield DomainProposal(title, GLOBAL_DOMAIN, _group_rules(part, title))


def _subject_proposal(tree: Tree, source: RuleSource) -> DomainProposal:
    """Return the one domain of a file about one subject, whose front matter may say when it applies
    (Cursor, Copilot, Claude).
    """
    title = file_stem(source.path.removesuffix(".instructions.md"))
    if agent := _agent_of(source, title):
        groups = _group_rules(_with_context(source.headings), "")
        return DomainProposal(title, f"agent-{agent}", groups, agent=agent)
    is_global = kebab_case(title) == GLOBAL_DOMAIN
    spelled = "" if is_global else _spell_name(tree, [title])
    groups = _group_rules(_with_context(source.headings), "")
    words, paths = _file_triggers(source, title)
    if not (words or paths):
        return DomainProposal(title, spelled or GLOBAL_DOMAIN, groups)
    name = spelled or (f"{GLOBAL_DOMAIN}-rules" if is_global else _SCOPED_DOMAIN)
    return DomainProposal(title, name, groups, words, paths)


def _file_triggers(source: RuleSource, title: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the words and the globs for which the front matter of a file about one subject keeps
    it; none of either for one that always applies.
    """
    scope = source.scope
    if scope.always:
        return (), ()
    paths = scope.paths
    described = " ".join(source.front.get("description", ()))
    waits = described or applies_on_request(source)
    words = distinctive_words(described) or (distinctive_words(title) if waits else ())
    about = tuple(dict.fromkeys(form for word in words for form in word_forms(word)))
    named = (title.replace(",", " "),) if waits and not (about or paths) else ()
    return about or named, paths


def name_apart(
    tree: Tree, proposals: Iterable[tuple[RuleSource, DomainProposal]]
) -> Iterator[tuple[RuleSource, DomainProposal]]:
    """Yield the proposals of several files so that those of one name are told at the same time: one
    that is told at another gets the folder of its file before its name, or a number behind it.
    """
    triggers: dict[str, tuple[object, ...]] = {}
    for source, proposal in proposals:
        trigger = proposal.recall, proposal.paths, proposal.agent
        folder = posixpath.basename(posixpath.dirname(source.path))
        apart = _spell_name(tree, [folder, proposal.name])
        numbered = (f"{proposal.name}-{number}" for number in count(2))
        for name in chain((proposal.name,), (apart,) if apart else (), numbered):
            domain = tree.domains_by_label.get(domain_key(name))
            declared = domain.declaration if domain and not domain.builtin else None
            if declared is not None and not _is_told_with(declared, proposal):
                continue
            if triggers.setdefault(name, trigger) == trigger:
                yield source, replace(proposal, name=name)
                break


def _is_told_with(declared: DomainDeclaration, proposal: DomainProposal) -> bool:
    """Return whether a domain of the tree is told when a proposal would be. What was always told
    may wait for words, which a person has chosen then.
    """
    if proposal.always_on:
        return not (declared.paths or declared.agent_trigger)
    triggers = declared.recall, declared.paths, declared.agent_trigger or ""
    return not declared.always_on and triggers == (proposal.recall, proposal.paths, proposal.agent)


def _agent_of(source: RuleSource, stem: str) -> str:
    """Return the agent whose persona a file in a folder ``agents`` is, as frameworks write them for
    clients: it says ``@`` with its own name. "" for any other file.
    """
    agent = kebab_case(stem)
    if not (_PERSONA.search(source.path) and agent == stem.lower()):
        return ""
    texts = [*source.front.get("description", ()), *(heading.title for heading in source.headings)]
    texts += [rule.text for heading in source.headings for rule in heading.rules]
    named = re.compile(rf"(?<![\w@])@{re.escape(agent)}(?![\w-])", re.IGNORECASE)
    return agent if any(map(named.search, texts)) else ""


def _with_context(headings: Sequence[RuleHeading]) -> list[RuleHeading]:
    """Return the headings of a file about one subject; their short rules have their heading before
    them, but for its title, which is that of the domain.
    """
    return list(headings)


def applies_on_request(source: RuleSource) -> bool:
    """Return whether Cursor applies a rule only where somebody names it, or where the agent asks
    for it by its description.
    """
    return bool(source.scope.why)


def _split_document(
    headings: Sequence[RuleHeading],
) -> Iterator[tuple[Sequence[RuleHeading], bool]]:
    """Yield the sections of a document with what is nested in them, and whether each is about
    everything.

    The title of a document is no section: neither a single heading above all others, nor one of
    level 1 with others below it. It is split there, and what stands directly under it, as what
    stands before any heading, is about everything.
    """
    top = min((heading.level for heading in headings if heading.level), default=1)
    alone = sum(heading.level == top for heading in headings) == 1
    for part in _split_at_level(headings, top):
        nested = min((h.level for h in part[1:] if h.level < LABEL_LEVEL), default=0)
        if part[0].level == top and nested and (alone or top == 1):
            for section in _split_at_level(part, nested):
                yield section, section[0].level == top
        else:
            yield part, part[0].level != top or (alone and top == 1)


def _split_at_level(headings: Sequence[RuleHeading], level: int) -> Iterator[Sequence[RuleHeading]]:
    """Yield the headings in runs, each from one of ``level`` to the next."""
    starts = [i for i, heading in enumerate(headings) if i == 0 or heading.level <= level]
    for start, end in pairwise((*starts, len(headings))):
        yield headings[start:end]


def _group_rules(headings: Sequence[RuleHeading], title: str) -> RuleGroups:
    """Return the rules by heading; ``title`` stands for the first one, "" where that is the
    domain's own.
    """
    titles = (title, *(heading.title for heading in headings[1:]))
    groups = zip(titles, (heading.rules for heading in headings), strict=True)
    return tuple((name, rules) for name, rules in groups if rules)


def _spell_name(tree: Tree, words: Sequence[str]) -> str:
    """Return a domain's name from words, with "-rules" behind one that has a meaning already; or
    "".
    """
    base = kebab_case(fold_case("-".join(words[:_NAME_WORDS])))
    for name in (base, f"{base}-rules"):
        try:
            check_domain_key(domain_key(name))
            rule_file_path(tree, TREE, domain_key(name))
        except UserError:
            continue
        if name not in BUILT_IN:
            return name
    return ""


def split_strict(proposal: DomainProposal) -> tuple[DomainProposal, DomainProposal]:
    """Return what of a proposal forbids or demands something, as part of ``global``, where a short
    rule takes its heading along; and the rest.
    """
    strict: list[tuple[str, tuple[SourceRule, ...]]] = []
    lenient: list[tuple[str, tuple[SourceRule, ...]]] = []
    for title, rules in proposal.groups:
        strict_rules = tuple(rule for rule in rules if is_strict(rule.text))
        rest = tuple(rule for rule in rules if rule not in strict_rules)
        if strict_rules:
            about = title or proposal.heading
            strict.append((about, strict_rules))
        if rest:
            lenient.append((title, rest))
    part_of_global = replace(proposal, name=GLOBAL_DOMAIN, groups=tuple(strict))
    return part_of_global, replace(proposal, groups=tuple(lenient))


def suggest_keywords(proposal: DomainProposal, shared: Collection[str]) -> tuple[str, ...]:
    """Return keywords that could bring a domain in: those of its heading, one that each rule says,
    then what rules repeat, or say alone: not once what others say as well (``shared``).
    """
    if proposal.name == GLOBAL_DOMAIN:
        return ()
    rules = [rule for _, rules in proposal.groups for rule in rules]
    counts = Counter(word for rule in rules for word in distinctive_words(rule.text, most=None))
    heading = distinctive_words(proposal.heading)
    text = "\n".join((proposal.heading, *(rule.text for rule in rules)))
    english, names = is_english(text), capital_names(text)
    forms: dict[str, None] = {}
    for word in _choose_words(heading, rules, counts, shared):
        plural = word in heading or counts[word] > 1
        forms |= dict.fromkeys(word_forms(word, plural=plural, english=english, names=names))
    return tuple(forms)


def _choose_words(
    heading: Sequence[str], rules: Sequence[SourceRule], said: Counter[str], shared: Collection[str]
) -> list[str]:
    """Return the words that become keywords; ``said`` counts the rules that say a word."""
    # The words by which a rule could be asked for, those first that others say, too.
    own = [
        sorted(
            (w for w in distinctive_words(r.text, most=None) if said[w] > 1 or w not in shared),
            key=lambda word: -said[word],
        )
        for r in rules
    ]
    chosen = list(heading)
    for rule, words in zip(rules, own, strict=True):
        waits = not is_strict(rule.text)
        if waits and len(chosen) < _MOST_COVERING and not any(_is_said(w, chosen) for w in words):
            chosen += words[:1]
    repeated = (word for word, times in said.most_common() if times > 1)
    single = (word for row in zip_longest(*own) for word in row if word)
    for word in (*repeated, *single):
        if len(chosen) < MOST_WORDS and not _is_said(word, chosen):
            chosen.append(word)
    return chosen


def _is_said(word: str, chosen: Sequence[str]) -> bool:
    """Return whether a form of ``word`` was chosen already."""
    return any(word.startswith(form) or form.startswith(word) for form in chosen)


def is_strict(text: str) -> bool:
    """Return whether a rule forbids something or always demands it, wherever in it that is said, so
    that its domain must not depend on the words of a prompt.
    """
    statement = _CHOICE.sub(" ", plain_text(text))
    return _STRICT_WORD.search(statement) is not None or bool(sentence_effect(statement))
