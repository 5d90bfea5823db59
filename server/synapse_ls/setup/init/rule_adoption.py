"""This module plans a tree from what a project has (adopt): ``CLAUDE.md``, ``AGENTS.md``, Cursor
rules. Pure; a plan only.

What applied always applies always: sections about one subject become domains that are always on,
each with a comment that suggests keywords instead; the others become groups in ``global``. Where
keywords are wanted, a domain waits for them, but for the rules of it that forbid or demand. Only a
file whose front matter says when it applies becomes a domain with the same trigger. Adopting again
adds only what is new.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

from synapse_ls.edits.distinctive_words import (
    MOST_WORDS,
    capital_names,
    distinctive_words,
    is_english,
    word_forms,
)
from synapse_ls.edits.domain_edits import (
    add_domain,
    check_domain_key,
    create_rule_file,
    domain_key,
    rule_file_path,
)
from synapse_ls.edits.edit_targets import require_manifest
from synapse_ls.edits.planned_tree import plan_between, tree_after
from synapse_ls.edits.rule_edits import add_rule
from synapse_ls.formats.authority_boundary import sentence_effect
from synapse_ls.formats.instruction_context import add_context, strip_numbering
from synapse_ls.formats.instruction_rules import (
    ALL_FILES,
    FileMention,
    OmittedPart,
    RuleHeading,
    RuleSource,
    SourceRule,
    read_source,
    shorten_excerpt,
    split_globs,
)
from synapse_ls.formats.markdown_outline import LABEL_LEVEL
from synapse_ls.formats.name_normalization import fold_case
from synapse_ls.setup.init.rule_sources import imported_path
from synapse_ls.workspace.edit_plan import EditError, EditPlan, create_file
from synapse_ls.workspace.file_kinds import BUILT_IN
from synapse_ls.workspace.naming_conventions import file_stem, kebab_case
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain
from synapse_ls.workspace.tree_folders import MANIFEST, TREE

_Groups = tuple[tuple[str, tuple[SourceRule, ...]], ...]

FEWEST_RULES = 3
"""Rules that make a section worth a domain; with fewer, its manifest lines outweigh them."""

GLOBAL_DOMAIN = "global"
_HEADER = """\
# Domains taken over from {sources}.
#
# A domain that is _ALWAYS_ON is told in every session, as its rules were; one with a _RECALL line only
# when a prompt says one of its words. To take a suggestion, delete its "# " and the _ALWAYS_ON line.
"""
_CAUTION = "It forbids or demands something whatever a prompt says ({}), so think twice:"
_ALREADY = "already in "
_POINTS_ONLY = "only says where rules are that were taken over"
_POINTER = re.compile(
    r"(?:please )?(?:see|read|refer to|consult|more|details|vej[ao]|consulte|ver|vea|voir|siehe|lies)\b",
    re.IGNORECASE,
)
"""How a text begins that only says where something else is."""
_STRICT_WORD = re.compile(
    r"\b(?:never|must|always|shall|nunca|jamais|jamás|sempre|siempre|devem?|deben?)\b"
    r"|\b(?:do not|don['’]t)\b|(?<!\bque )(?<!\bse )\bnão\b",
    re.IGNORECASE,
)
"""A word by which a rule, wherever it says it, forbids or demands."""
_CHOICE = re.compile(
    r"\b(?:do not|don['’]t|não|no) (?:us[ae]r?|us[ae]m|us[ae]s|utili[sz]ar?|utili[sz]e[ms]?|utilices?)\b",
    re.IGNORECASE,
)
"""How a rule says which of several means its subject takes: "don't use fixtures" forbids no deed."""
FEWEST_WAITING = 2
"""Rules of a subject that are worth waiting for a word; with fewer, all of it is told always."""
_NAME_WORDS = 3
# Files of which each is about one subject, and those for all that is in a folder.
_ONE_SUBJECT = re.compile(r"\.mdc$|(?:^|/)\.(?:cursor|claude)/rules/|(?:^|/)\.github/instructions/")
_PERSONA = re.compile(r"(?:^|/)\.(?:cursor|claude)/rules/(?:[^/]+/)*agents/[^/]+\.mdc?$")
_NESTED = re.compile(r"((?:[^./][^/]*/)*[^./][^/]*)/(?:AGENTS|CLAUDE|GEMINI)\.md")
_BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Placement:
    """A Placement says where the adopted rules under a heading went: domain, how many, and what
    brings them in.
    """

    path: str
    heading: str
    domain: str
    count: int
    trigger: str


@dataclass(frozen=True, slots=True)
class AdoptionPlan:
    """An AdoptionPlan has the plan for a tree of adopted rules, where everything went, and what did
    not become a rule.
    """

    plan: EditPlan
    placements: tuple[Placement, ...]
    left_out: tuple[OmittedPart, ...]
    imports: tuple[FileMention, ...]
    sources_without_rules: tuple[str, ...]
    """The sources, where none of them has a rule."""
    suggestions: Mapping[str, tuple[str, ...]]
    """Keywords for new domains that are always on: label -> words that could bring it in instead."""
    kept: Mapping[str, tuple[int, int]]
    """Those of them with rules that stay always on in any case, as they forbid or demand something:
    label -> how many, of how many."""
    unconditional: Mapping[str, str]
    """New domains about one subject that are no subject for keywords, since next to all of their rules
    say never, must or the like: label -> the first of these."""
    told_lines: Mapping[str, frozenset[int]]
    """Path of a source -> the lines, from 1, on which rules begin that the tree tells then."""

    def to_text(self, missing: Collection[str] = ()) -> str:
        """Returns all of it in lines for people: rules taken over, parts left out, files to look
        at. Of these, ``missing`` do not exist.
        """
        return "\n".join(_report_lines(self, missing))


@dataclass(frozen=True, slots=True)
class _Proposal:
    """A _Proposal is a domain as one part of a source suggests it."""

    heading: str
    name: str
    groups: _Groups
    recall: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    agent: str = ""

    @property
    def always_on(self) -> bool:
        """Tells whether nothing says when it applies, so that it always does."""
        return not (self.recall or self.paths or self.agent)


def plan_adoption(
    sources: Mapping[str, str],
    tree: Tree,
    settings: Mapping[str, str] = MappingProxyType({}),
    *,
    by_keyword: Collection[str] = (),
) -> AdoptionPlan:
    """Plans the adoption of the rules in ``sources``, texts by path, on top of what ``tree`` has
    already.

    A rule that is there already, or comes twice, is taken once. ``settings`` are files that are
    created along with the first rule. ``by_keyword`` has labels of domains: those of
    `AdoptionPlan.suggestions` in it wake by their keywords, and their rules that forbid or demand
    something go to ``global``. Raises EditError where a file cannot take more rules.
    """
    taken = [read_source(path, text) for path, text in sources.items()]
    adoption = _Adoption(tree, by_keyword)
    if tree.manifest is None:
        header = _HEADER.format(sources=", ".join(sources))
        adoption.now = tree_after(tree, EditPlan((create_file(MANIFEST, header),)))
    adoption.left_out += (part for source in taken for part in source.left_out)
    adoption.note_words(taken)
    adoption.note_strict(taken)
    adoption.note_unconditional(taken)
    for source in taken:
        adoption.take_over(source)
    extra = tuple(create_file(path, text) for path, text in settings.items())
    edits = plan_between(tree, adoption.now).edits + extra
    rules = {source.path: _lines_of_rules(source) for source in taken}
    made = {place.domain for place in adoption.placed}
    return AdoptionPlan(
        EditPlan(edits) if adoption.placed else EditPlan(),
        tuple(adoption.placed),
        tuple(adoption.left_out),
        tuple(m for one in taken for m in one.imports if imported_path(m) not in sources),
        () if any(rules.values()) else tuple(sources),
        {label: words for label, words in adoption.suggestions.items() if label in made},
        adoption.kept,
        {label: rule for label, rule in adoption.unconditional.items() if label in made},
        {path: lines - adoption.untold.get(path, set()) for path, lines in rules.items()},
    )


def _lines_of_rules(source: RuleSource) -> frozenset[int]:
    return frozenset(rule.line for heading in source.headings for rule in heading.rules)


class _Adoption:
    """What an adoption has come to. now: the tree so far; untold: path -> the lines of rules that
    it does not tell.
    """

    def __init__(self, tree: Tree, by_keyword: Collection[str]) -> None:
        self.before = self.now = tree
        self.by_keyword = by_keyword
        self.placed: list[Placement] = []
        self.left_out: list[OmittedPart] = []
        self.suggestions: dict[str, tuple[str, ...]] = {}
        self.kept: dict[str, tuple[int, int]] = {}
        self.unconditional: dict[str, str] = {}
        self.untold: dict[str, set[int]] = {}
        self._known = _KnownRules(tree)
        self._unconditional = _KnownRules()
        self._first_strict: dict[str, str] = {}
        self._strict_counts: dict[str, tuple[int, int]] = {}
        self._shared_words: set[str] = set()
        self._whole_sources: set[str] = set()
        self._silent = {f"{_ALREADY}{one.label}" for one in tree.domains if not one.is_active}

    def note_strict(self, sources: Iterable[RuleSource]) -> None:
        """Notes which rules of new domains forbid or demand something: the others can wait for
        words where there are enough of them.
        """
        texts: dict[str, list[str]] = {}
        for proposal in (p for one in sources for p in _propose_domains(self.before, one)):
            if proposal.always_on and proposal.name != GLOBAL_DOMAIN:
                said = (one.bare or one.text for _, rules in proposal.groups for one in rules)
                texts.setdefault(domain_key(proposal.name), []).extend(said)
        for key, found in texts.items():
            strict = [text for text in found if _is_strict(text)]
            if not strict:
                continue
            self._first_strict[key] = shorten_excerpt(strict[0])
            if len(found) - len(strict) < FEWEST_WAITING:
                self.unconditional[key] = self._first_strict[key]
            else:
                self._strict_counts[key] = (len(strict), len(found))

    def note_unconditional(self, sources: Iterable[RuleSource]) -> None:
        """Notes the rules that new domains will always tell, so that none that waits tells them,
        too.
        """
        for proposal in (p for one in sources for p in self._propose(one)):
            key = domain_key(proposal.name)
            if not proposal.always_on or key in self.before.domains_by_label:
                continue
            for _, rules in proposal.groups:
                for rule in rules:
                    self._unconditional.add(rule, key)

    def note_words(self, sources: Sequence[RuleSource]) -> None:
        """Notes which domains say a word: what several say tells none from the others. Notes the
        sources of which nothing is left out as well.
        """
        self._whole_sources = {one.path for one in sources if not one.left_out}
        domains_saying: dict[str, set[str]] = {}
        for proposal in (p for one in sources for p in _propose_domains(self.before, one)):
            said = (
                proposal.heading,
                *(rule.text for _, rules in proposal.groups for rule in rules),
            )
            for word in distinctive_words("\n".join(said), most=None):
                domains_saying.setdefault(word, set()).add(proposal.name)
        self._shared_words = {word for word, names in domains_saying.items() if len(names) > 1}

    def take_over(self, source: RuleSource) -> None:
        """Takes over the rules of a file."""
        for proposal in self._propose(source):
            fresh, repeated = self._drop_repeated(source, proposal)
            strict = self._first_strict.get(domain_key(proposal.name), "")
            words = self._keywords_of(proposal)
            self._note_suggestion(proposal, words)
            self.now, count, refused = _place_rules(self.now, source, fresh, words, strict)
            self.left_out += (*repeated, *refused)
            silent = (part for part in repeated if part.why in self._silent)
            self.untold.setdefault(source.path, set()).update(
                part.line for part in (*refused, *silent)
            )
            domain = _root_domain(self.now, fresh)
            if count and domain:
                how = _describe_trigger(domain)
                self.placed.append(Placement(source.path, fresh.heading, domain.label, count, how))

    def _drop_repeated(
        self, source: RuleSource, proposal: _Proposal
    ) -> tuple[_Proposal, list[OmittedPart]]:
        """Returns a proposal without the rules that are told already whenever it would be, and
        those; afterwards all of them are noted.
        """
        groups = []
        repeated = []
        pointers = self._pointer_lines(source)
        for heading, rules in proposal.groups:
            fresh = []
            for rule in rules:
                if rule.line in pointers and _POINTER.match(rule.bare or rule.text):
                    excerpt = shorten_excerpt(rule.text)
                    repeated.append(OmittedPart(source.path, rule.line, _POINTS_ONLY, excerpt))
                    continue
                waits = proposal.recall and not proposal.paths
                always = self._unconditional.domain_of(rule) if waits else ""
                place = always or self._known.domain_of(rule)
                if always or (place and self._covers(place, proposal)):
                    if not always:
                        self._known.add(rule, place)
                    excerpt = shorten_excerpt(rule.text)
                    repeated.append(
                        OmittedPart(source.path, rule.line, f"{_ALREADY}{place}", excerpt)
                    )
                else:
                    self._known.add(rule, domain_key(proposal.name))
                    fresh.append(rule)
            if fresh:
                groups.append((heading, tuple(fresh)))
        return replace(proposal, groups=tuple(groups)), repeated

    def _pointer_lines(self, source: RuleSource) -> set[int]:
        """Returns the lines that name a file all of which is taken over."""
        return {one.line for one in source.imports if imported_path(one) in self._whole_sources}

    def _covers(self, label: str, proposal: _Proposal) -> bool:
        """Tells whether a domain is told whenever a proposal would be. One that was there before
        has its rules where somebody wanted them.
        """
        own = domain_key(proposal.name)
        if label == own or label in self.before.domains_by_label:
            return True
        domain = self.now.domains_by_label.get(label)
        declared = domain.declaration if domain else None
        return declared is None or (
            declared.always_on
            or (bool(proposal.recall) and declared.recall == proposal.recall)
            or (bool(proposal.paths) and declared.paths == proposal.paths)
            or (bool(proposal.agent) and declared.agent_trigger == proposal.agent)
        )

    def _propose(self, source: RuleSource) -> Iterator[_Proposal]:
        """Yields the domains that a source suggests; of one that is to wait for its keywords, first
        what is told always, for ``global``.
        """
        for proposal in _propose_domains(self.before, source):
            words = self._keywords_of(proposal)
            key = domain_key(proposal.name)
            if not words or key not in self.by_keyword or key in self.unconditional:
                yield proposal
                continue
            strict, others = _split_strict(proposal)
            if strict.groups:
                yield strict
            yield replace(others, recall=words)

    def _keywords_of(self, proposal: _Proposal) -> tuple[str, ...]:
        """Returns the keywords that could bring in a new domain that nothing else does."""
        if not (proposal.always_on and proposal.groups):
            return ()
        if _root_domain(self.before, proposal) is not None:
            return ()
        return _suggest_keywords(proposal, self._shared_words)

    def _note_suggestion(self, proposal: _Proposal, words: tuple[str, ...]) -> None:
        """Notes the keywords of a domain that would be new and could wait for them."""
        key = domain_key(proposal.name)
        if words and key not in self.unconditional and _root_domain(self.now, proposal) is None:
            self.suggestions[key] = words
            if key in self._strict_counts:
                self.kept[key] = self._strict_counts[key]


def _split_strict(proposal: _Proposal) -> tuple[_Proposal, _Proposal]:
    """Returns what of a proposal forbids or demands something, as part of ``global``, where a short
    rule takes its heading along; and the rest.
    """
    strict: list[tuple[str, tuple[SourceRule, ...]]] = []
    others: list[tuple[str, tuple[SourceRule, ...]]] = []
    for title, rules in proposal.groups:
        found = tuple(rule for rule in rules if _is_strict(rule.bare or rule.text))
        rest = tuple(rule for rule in rules if rule not in found)
        if found:
            about = title or proposal.heading
            told = add_context(RuleHeading(1, about, found)).rules if not title else found
            strict.append((about, told))
        if rest:
            others.append((title, rest))
    return (
        replace(proposal, name=GLOBAL_DOMAIN, groups=tuple(strict)),
        replace(proposal, groups=tuple(others)),
    )


def _propose_domains(tree: Tree, source: RuleSource) -> Iterator[_Proposal]:
    """Yields the domains that a source suggests, in the order of its text."""
    if _ONE_SUBJECT.search(source.path) or source.globs:
        yield _subject_proposal(tree, source)
        return
    folder = _NESTED.fullmatch(source.path)
    if folder:
        name = _spell_name(tree, [folder[1]]) or GLOBAL_DOMAIN
        groups = _group_rules(_with_context(source.headings), "")
        paths = () if name == GLOBAL_DOMAIN else (f"{folder[1]}/**",)
        yield _Proposal(folder[1], name, groups, paths=paths)
        return
    for part, general in _split_document(source.headings):
        title = part[0].title
        words = () if general else distinctive_words(strip_numbering(title))
        name = _spell_name(tree, words)
        if name and sum(len(heading.rules) for heading in part) >= FEWEST_RULES:
            groups = _group_rules([part[0], *map(add_context, part[1:])], "")
            yield _Proposal(title, name, groups)
        else:
            told = part if general else [add_context(heading) for heading in part]
            yield _Proposal(title, GLOBAL_DOMAIN, _group_rules(told, title))


def _subject_proposal(tree: Tree, source: RuleSource) -> _Proposal:
    """Returns the one domain of a file about one subject, whose front matter may say when it
    applies (Cursor, Copilot, Claude).
    """
    title = file_stem(source.path.removesuffix(".instructions.md"))
    if agent := _agent_of(source, title):
        groups = _group_rules(_with_context(source.headings), "")
        return _Proposal(title, f"agent-{agent}", groups, agent=agent)
    name = (
        GLOBAL_DOMAIN
        if kebab_case(title) == GLOBAL_DOMAIN
        else _spell_name(tree, [title]) or GLOBAL_DOMAIN
    )
    groups = _group_rules(_with_context(source.headings), "")
    paths = tuple(path for glob in source.globs for path in _expand_braces(glob))
    always = "true" in source.front.get("alwaysapply", ()) or not ALL_FILES.isdisjoint(paths)
    if always or name == GLOBAL_DOMAIN:
        return _Proposal(title, name, groups)
    described = " ".join(source.front.get("description", ()))
    waits = described or (not paths and _waits_for_mention(source))
    words = distinctive_words(described) or (distinctive_words(title) if waits else ())
    about = tuple(dict.fromkeys(form for word in words for form in word_forms(word)))
    named = (title.replace(",", " "),) if waits and not (about or paths) else ()
    return _Proposal(title, name, groups, about or named, paths)


def _agent_of(source: RuleSource, stem: str) -> str:
    """Returns the agent whose persona a file in a folder ``agents`` is, as frameworks write them
    for clients: it says ``@`` with its own name. "" for any other file.
    """
    agent = kebab_case(stem)
    if not (_PERSONA.search(source.path) and agent == stem.lower()):
        return ""
    said = [*source.front.get("description", ()), *(one.title for one in source.headings)]
    said += [rule.text for heading in source.headings for rule in heading.rules]
    named = re.compile(rf"(?<![\w@])@{re.escape(agent)}(?![\w-])", re.IGNORECASE)
    return agent if any(map(named.search, said)) else ""


def _with_context(headings: Sequence[RuleHeading]) -> list[RuleHeading]:
    """Returns the headings of a file about one subject; their short rules have their heading before
    them, but for its title, which is that of the domain.
    """
    return [heading if heading.level <= 1 else add_context(heading) for heading in headings]


def _waits_for_mention(source: RuleSource) -> bool:
    """Tells whether Cursor has a rule applied only where somebody names it, if it is not described."""
    if source.path.endswith(".md"):
        return not source.front and source.path.startswith(".cursor/")
    return "false" in source.front.get("alwaysapply", ())


def _split_document(
    headings: Sequence[RuleHeading],
) -> Iterator[tuple[Sequence[RuleHeading], bool]]:
    """Yields the sections of a document with what is nested in them, and whether each is about
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
    """Yields the headings in runs, each from one of ``level`` to the next."""
    starts = [i for i, heading in enumerate(headings) if i == 0 or heading.level <= level]
    for start, end in pairwise((*starts, len(headings))):
        yield headings[start:end]


def _group_rules(headings: Sequence[RuleHeading], title: str) -> _Groups:
    """Returns the rules by heading; ``title`` stands for the first one, "" where that is the
    domain's own.
    """
    titles = (title, *(heading.title for heading in headings[1:]))
    groups = zip(titles, (heading.rules for heading in headings), strict=True)
    return tuple((name, rules) for name, rules in groups if rules)


def _spell_name(tree: Tree, words: Sequence[str]) -> str:
    """Returns a domain's name from words, with "-rules" behind one that has a meaning already; or
    "".
    """
    base = kebab_case(fold_case("-".join(words[:_NAME_WORDS])))
    for name in (base, f"{base}-rules"):
        try:
            check_domain_key(domain_key(name))
            rule_file_path(tree, TREE, domain_key(name))
        except EditError:
            continue
        if name not in BUILT_IN:
            return name
    return ""


def _expand_braces(glob: str) -> Iterator[str]:
    """Yields ``*.{ts,tsx}`` as ``*.ts`` and ``*.tsx``: a list in the manifest cannot hold a comma."""
    braces = _BRACES.search(glob)
    if braces is None:
        yield glob
        return
    for choice in split_globs(braces[1]):
        yield from _expand_braces(f"{glob[: braces.start()]}{choice}{glob[braces.end() :]}")


class _KnownRules:
    """The rules that there are so far, with the domains that tell them.

    A rule is there again as it stands, and where only one of the two has the heading before it that
    a short one gets.
    """

    def __init__(self, tree: Tree | None = None) -> None:
        self._domains = {
            rule.text.casefold(): domain.label
            for domain in (tree.domains if tree else ())
            for rule in (tree.rules_of(domain) if tree else ())
        }
        self._bare: dict[str, str] = {}

    def domain_of(self, rule: SourceRule) -> str:
        """Returns the domain that has a rule already, "" for none."""
        text, bare = rule.text.casefold(), rule.bare.casefold()
        found = self._domains.get(text) or self._bare.get(text)
        return found or (self._domains.get(bare, "") if bare else "")

    def add(self, rule: SourceRule, domain: str) -> None:
        """Notes a rule of a domain."""
        self._domains[rule.text.casefold()] = domain
        if rule.bare:
            self._bare[rule.bare.casefold()] = domain


def _place_rules(
    tree: Tree, source: RuleSource, proposal: _Proposal, words: Sequence[str], strict: str
) -> tuple[Tree, int, list[OmittedPart]]:
    """Returns the tree with a proposal's rules, how many there are, and those that its file cannot
    take. ``words`` are suggested for a new domain; ``strict`` is its first rule that holds always.
    """
    found = [rule for _, rules in proposal.groups for rule in rules]
    if not found:
        return tree, 0, []
    key = domain_key(proposal.name)
    groups = [(heading, [rule.text for rule in rules]) for heading, rules in proposal.groups]
    domain = _root_domain(tree, proposal)
    if domain is None:
        caution = _CAUTION.format(strict) if strict and words else ""
        plan = add_domain(
            tree,
            proposal.name,
            recall=proposal.recall,
            paths=proposal.paths,
            agent=proposal.agent,
            always_on=proposal.always_on,
            suggested=words if proposal.always_on else (),
            caution=caution if proposal.always_on else "",
            groups=groups,
        )
        return tree_after(tree, plan), len(found), []
    if domain.file is None:
        made = create_rule_file(
            tree, rule_file_path(tree, TREE, key), key, groups, require_manifest(tree)[0]
        )
        return tree_after(tree, EditPlan((made,))), len(found), []
    refused = []
    for heading, rule in _with_headings(proposal.groups):
        try:
            tree = tree_after(tree, add_rule(tree, key, rule.text, heading=heading))
        except EditError as error:
            why = f"not taken by {domain.file}: {error.sentence}"
            refused.append(OmittedPart(source.path, rule.line, why, shorten_excerpt(rule.text)))
    return tree, len(found) - len(refused), refused


def _with_headings(groups: _Groups) -> Iterator[tuple[str, SourceRule]]:
    """Yields the rules; the first one of each group with its heading, the others with ""."""
    for heading, rules in groups:
        for number, rule in enumerate(rules):
            yield "" if number else " ".join(heading.split()), rule


def _suggest_keywords(proposal: _Proposal, shared: Collection[str]) -> tuple[str, ...]:
    """Returns keywords that could bring a domain in: those of its heading, and what its rules
    repeat, or say alone: not once what others say as well (``shared``).
    """
    if proposal.name == GLOBAL_DOMAIN:
        return ()
    rules = [rule for _, rules in proposal.groups for rule in rules]
    said = Counter(word for rule in rules for word in distinctive_words(rule.text, most=None))
    heading = distinctive_words(strip_numbering(proposal.heading))
    text = "\n".join((proposal.heading, *(rule.text for rule in rules)))
    english, names = is_english(text), capital_names(text)
    found = list(heading)
    for word in (one for one, times in said.most_common() if times > 1 or one not in shared):
        if not any(word.startswith(known) or known.startswith(word) for known in found):
            found.append(word)
    forms = (
        form
        for word in found[:MOST_WORDS]
        for form in word_forms(
            word, plural=word in heading or said[word] > 1, english=english, names=names
        )
    )
    return tuple(dict.fromkeys(forms))


def _is_strict(text: str) -> bool:
    """Tells whether a rule forbids something or always demands it, wherever in it that is said: it
    must not depend on the words of a prompt.
    """
    said = _CHOICE.sub(" ", text)
    return _STRICT_WORD.search(said) is not None or bool(sentence_effect(said))


def _describe_trigger(domain: Domain) -> str:
    """Returns what brings a domain in, for people."""
    declared = domain.declaration
    if domain.builtin or declared is None or declared.always_on:
        return "always on"
    ways = [f'"{word}"' for word in declared.recall]
    ways += [f"@{declared.agent_trigger}"] if declared.agent_trigger else []
    ways += [f"workflow {declared.workflow_trigger}"] if declared.workflow_trigger else []
    return ", ".join((*ways, *declared.paths)) or "nothing brings it in yet"


def _root_domain(tree: Tree, proposal: _Proposal) -> Domain | None:
    """Returns the root's domain of that name; a squad's keeps to itself."""
    domain = tree.domains_by_label.get(domain_key(proposal.name))
    return domain if domain and not domain.squad else None


def _report_lines(adoption: AdoptionPlan, missing: Collection[str]) -> Iterator[str]:
    yield f"{_count_text(sum(place.count for place in adoption.placements), 'rule')} taken over"
    for place in adoption.placements:
        heading = f' "{place.heading}"' if place.heading else ""
        yield f"  {place.path}{heading}: {place.count} to {place.domain} ({place.trigger})"
    if adoption.left_out:
        yield _describe_left_out(adoption.left_out)
    for part in adoption.left_out:
        yield f"  {part.path}:{part.line}: {part.why}: {part.excerpt}"
    if adoption.imports:
        several = len(adoption.imports) > 1
        files = "other files" if several else "another file"
        yield f"{_count_text(len(adoption.imports), 'mention')} of {files}, whose content was not taken over"
    for mention in adoption.imports:
        gone = " (there is no such file)" if imported_path(mention) in missing else ""
        yield f"  {mention.path}:{mention.line}: {mention.target}{gone}"


def _describe_left_out(parts: Sequence[OmittedPart]) -> str:
    """Returns how many parts were left out, and which of them stay where they are: all but what the
    tree has already, which `--replace-adopted` takes out of its file.
    """
    staying = sum(not part.why.startswith((_ALREADY, _POINTS_ONLY)) for part in parts)
    said = f"{_count_text(len(parts), 'part')} left out"
    if not staying:
        return f"{said}, since the tree has what {'it says' if len(parts) == 1 else 'they say'}"
    who = "it" if len(parts) == 1 else "they" if staying == len(parts) else f"{staying} of them"
    one = who == "it" or staying == 1
    return f"{said}; {who} {'stays in its file' if one else 'stay in their files'}"


def _count_text(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
