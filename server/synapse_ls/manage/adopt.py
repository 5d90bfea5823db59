"""A tree from what a project has: ``CLAUDE.md``, ``AGENTS.md``, Cursor rules. Pure; a plan only.

What applied always applies always: sections about one subject become domains that are always on,
each with a comment that suggests keywords instead; the others become groups in ``global``. Only a
file whose front matter says when it applies becomes a domain with the same trigger. Adopting again
adds only what is new.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from types import MappingProxyType

from synapse_ls.formats.markdown import LABEL_LEVEL
from synapse_ls.formats.names import fold
from synapse_ls.manage.domains import check_key, domain_key, new_domain, new_rule_file, rule_path
from synapse_ls.manage.lookup import after, changes, manifest_of
from synapse_ls.manage.plan import ManageError, Plan, create
from synapse_ls.manage.rules import add_rule
from synapse_ls.manage.sources import (
    Found,
    Heading,
    Import,
    LeftOut,
    Source,
    excerpt,
    read_source,
    split_globs,
)
from synapse_ls.manage.words import MOST_WORDS, distinctive
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.folders import MANIFEST, TREE
from synapse_ls.workspace.kinds import BUILT_IN
from synapse_ls.workspace.naming import kebab, stem
from synapse_ls.workspace.tree import Tree

_Groups = tuple[tuple[str, tuple[Found, ...]], ...]

FEWEST_RULES = 3
"""Rules that make a section worth a domain; with fewer, its manifest lines outweigh them."""

FEWEST_WORDS = 5
"""Words from which on a rule says by itself what it is about; one with fewer gets its heading."""

GLOBAL = "global"
_HEADER = """\
# Domains taken over from {sources}.
#
# What applied always still does (_ALWAYS_ON). To tell the agent the rules of a domain only when a
# prompt is about them, replace its _ALWAYS_ON line by its _RECALL line, without the "# ".
"""
_NAME_WORDS = 3
_GLOB_FIELDS = ("globs", "paths", "applyto")
_WORD = re.compile(r"[^\W_]+")
# A heading of these words alone tells nothing about the rules below it.
_EMPTY_WORDS = """
additional and best other general guideline guidelines important info information instructions key misc
miscellaneous more note notes of our overview practices preamble principles project remember rule rules
section the tips your
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
_EVERYTHING = frozenset(("*", "**", "**/*"))
# "Article IV: ", "3. ", "Section 2 - ": where a heading stands, not what it is about.
_NUMBERING = re.compile(r"^(?:[A-Za-z]+ )?(?:[IVXLC]+|\d+(?:\.\d+)*)[.:)]?(?:\s+[-–—])?\s+")
_BRACES = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class Placed:
    """Where the rules under a heading went: domain, how many, and what brings them in."""

    path: str
    heading: str
    domain: str
    count: int
    trigger: str


@dataclass(frozen=True, slots=True)
class Adoption:
    """The plan for a tree, where everything went, and what did not become a rule."""

    plan: Plan
    placed: tuple[Placed, ...]
    left_out: tuple[LeftOut, ...]
    imports: tuple[Import, ...]
    barren: tuple[str, ...]
    """The sources, where none of them has a rule."""

    def report(self) -> str:
        """All of it in lines for people: rules taken over, parts left out, files to look at."""
        return "\n".join(_report(self))


@dataclass(frozen=True, slots=True)
class _Proposal:
    """A domain as one part of a source suggests it."""

    heading: str
    name: str
    groups: _Groups
    recall: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    @property
    def always_on(self) -> bool:
        """Whether nothing says when it applies, so that it always does."""
        return not (self.recall or self.paths)


def plan_adopt(
    sources: Mapping[str, str], tree: Tree, settings: Mapping[str, str] = MappingProxyType({})
) -> Adoption:
    """Propose a tree for ``sources``, texts by path, on top of what ``tree`` has already.

    A rule that is there already, or comes twice, is taken once. ``settings`` are files that are
    created along with the first rule. Raises ManageError where a file cannot take more rules.
    """
    taken = [read_source(path, text) for path, text in sources.items()]
    known = {
        rule.text.casefold(): domain.label
        for domain in tree.domains
        for rule in tree.rules_of(domain)
    }
    placed: list[Placed] = []
    left_out = [part for source in taken for part in source.left_out]
    now = tree
    if tree.manifest is None:
        header = _HEADER.format(sources=", ".join(sources))
        now = after(tree, Plan((create(MANIFEST, header),)))
    for source in taken:
        for proposal in _proposals(tree, source):
            fresh, repeated = _sift(source, proposal, known)
            now, count, refused = _place(now, source, fresh)
            left_out += (*repeated, *refused)
            domain = _root_domain(now, fresh)
            if count and domain:
                trigger = _trigger(domain)
                placed.append(Placed(source.path, fresh.heading, domain.label, count, trigger))
    extra = tuple(create(path, text) for path, text in settings.items())
    return Adoption(
        Plan(changes(tree, now).edits + extra) if placed else Plan(),
        tuple(placed),
        tuple(left_out),
        tuple(found for source in taken for found in source.imports),
        () if any(h.rules for source in taken for h in source.headings) else tuple(sources),
    )


def _proposals(tree: Tree, source: Source) -> Iterator[_Proposal]:
    """The domains that a source suggests, in the order of its text."""
    if source.path.endswith(".mdc") or any(key in source.front for key in _GLOB_FIELDS):
        yield _from_front_matter(tree, source)
        return
    for part, general in _parts(source.headings):
        title = part[0].title
        words = () if general else distinctive(_NUMBERING.sub("", title))
        name = _spelled(tree, words)
        if name and sum(len(heading.rules) for heading in part) >= FEWEST_RULES:
            yield _Proposal(title, name, _groups(part, ""))
        else:
            told = part if general else [_in_context(heading) for heading in part]
            yield _Proposal(title, GLOBAL, _groups(told, title))


def _from_front_matter(tree: Tree, source: Source) -> _Proposal:
    """The one domain of a file whose front matter says when it applies (Cursor, Copilot, Claude)."""
    title = stem(source.path.removesuffix(".instructions.md"))
    name = GLOBAL if kebab(title) == GLOBAL else _spelled(tree, [title]) or GLOBAL
    groups = _groups(source.headings, "")
    globs = [glob for key in _GLOB_FIELDS for glob in source.front.get(key, ())]
    paths = tuple(path for glob in globs for path in _expanded(glob))
    if "true" in source.front.get("alwaysapply", ()) or not _EVERYTHING.isdisjoint(paths):
        return _Proposal(title, name, groups)
    described = " ".join(source.front.get("description", ()))
    about = distinctive(described) or (distinctive(title) if described else ())
    return _Proposal(title, name, groups, about, paths)


def _parts(headings: Sequence[Heading]) -> Iterator[tuple[Sequence[Heading], bool]]:
    """The sections of a document with what is nested in them, and whether each is about everything.

    The title of a document is no section: neither a single heading above all others, nor one of
    level 1 with others below it. It is split there, and what stands directly under it, as what
    stands before any heading, is about everything.
    """
    top = min((heading.level for heading in headings if heading.level), default=1)
    alone = sum(heading.level == top for heading in headings) == 1
    for part in _split(headings, top):
        nested = min((h.level for h in part[1:] if h.level < LABEL_LEVEL), default=0)
        if part[0].level == top and nested and (alone or top == 1):
            for section in _split(part, nested):
                yield section, section[0].level == top
        else:
            yield part, part[0].level != top or (alone and top == 1)


def _split(headings: Sequence[Heading], level: int) -> Iterator[Sequence[Heading]]:
    """The headings in runs, each from one of ``level`` to the next."""
    starts = [i for i, heading in enumerate(headings) if i == 0 or heading.level <= level]
    for start, end in pairwise((*starts, len(headings))):
        yield headings[start:end]


def _in_context(heading: Heading) -> Heading:
    """A heading whose rules say what it says where they are too short to be understood without."""
    title = _NUMBERING.sub("", heading.title)
    about = {word.casefold() for word in _WORD.findall(title)}
    if about <= _EMPTY:
        return heading
    told = []
    for rule in heading.rules:
        words = [word.casefold() for word in _WORD.findall(rule.text)]
        clear = len(words) >= FEWEST_WORDS or not about.isdisjoint(words)
        told.append(rule if clear else Found(f"{title}: {rule.text}", rule.line))
    return replace(heading, rules=tuple(told))


def _groups(headings: Sequence[Heading], title: str) -> _Groups:
    """The rules by heading; ``title`` stands for the first one, "" where that is the domain's own."""
    titles = (title, *(heading.title for heading in headings[1:]))
    groups = zip(titles, (heading.rules for heading in headings), strict=True)
    return tuple((name, rules) for name, rules in groups if rules)


def _spelled(tree: Tree, words: Sequence[str]) -> str:
    """A domain's name from words, with "-rules" behind one that has a meaning already; or ""."""
    base = kebab(fold("-".join(words[:_NAME_WORDS])))
    for name in (base, f"{base}-rules"):
        try:
            check_key(domain_key(name))
            rule_path(tree, TREE, domain_key(name))
        except ManageError:
            continue
        if name not in BUILT_IN:
            return name
    return ""


def _expanded(glob: str) -> Iterator[str]:
    """``*.{ts,tsx}`` as ``*.ts`` and ``*.tsx``: a list in the manifest cannot hold a comma."""
    braces = _BRACES.search(glob)
    if braces is None:
        yield glob
        return
    for choice in split_globs(braces[1]):
        yield from _expanded(f"{glob[: braces.start()]}{choice}{glob[braces.end() :]}")


def _sift(
    source: Source, proposal: _Proposal, known: dict[str, str]
) -> tuple[_Proposal, list[LeftOut]]:
    """A proposal without the rules that are known, and those; afterwards all of them are known."""
    groups = []
    repeated = []
    for heading, rules in proposal.groups:
        fresh = []
        for rule in rules:
            place = known.get(rule.text.casefold())
            if place:
                why = f"already in {place}"
                repeated.append(LeftOut(source.path, rule.line, why, excerpt(rule.text)))
            else:
                known[rule.text.casefold()] = domain_key(proposal.name)
                fresh.append(rule)
        if fresh:
            groups.append((heading, tuple(fresh)))
    return replace(proposal, groups=tuple(groups)), repeated


def _place(tree: Tree, source: Source, proposal: _Proposal) -> tuple[Tree, int, list[LeftOut]]:
    """The tree with a proposal's rules, how many there are, and those that its file cannot take."""
    found = [rule for _, rules in proposal.groups for rule in rules]
    if not found:
        return tree, 0, []
    key = domain_key(proposal.name)
    groups = [(heading, [rule.text for rule in rules]) for heading, rules in proposal.groups]
    domain = _root_domain(tree, proposal)
    if domain is None:
        plan = new_domain(
            tree,
            proposal.name,
            recall=proposal.recall,
            paths=proposal.paths,
            always_on=proposal.always_on,
            suggested=_suggested(proposal) if proposal.always_on else (),
            groups=groups,
        )
        return after(tree, plan), len(found), []
    if domain.file is None:
        made = new_rule_file(tree, rule_path(tree, TREE, key), key, groups, manifest_of(tree)[0])
        return after(tree, Plan((made,))), len(found), []
    refused = []
    for rule in found:
        try:
            tree = after(tree, add_rule(tree, key, rule.text))
        except ManageError as error:
            why = f"not taken by {domain.file}: {error.sentence}"
            refused.append(LeftOut(source.path, rule.line, why, excerpt(rule.text)))
    return tree, len(found) - len(refused), refused


def _suggested(proposal: _Proposal) -> tuple[str, ...]:
    """Keywords that could bring a domain in: those of its heading, and what its rules repeat."""
    if proposal.name == GLOBAL:
        return ()
    rules = [rule for _, rules in proposal.groups for rule in rules]
    said = Counter(word for rule in rules for word in distinctive(rule.text, most=None))
    found = list(distinctive(_NUMBERING.sub("", proposal.heading)))
    for word, _ in said.most_common():
        if not any(word.startswith(known) or known.startswith(word) for known in found):
            found.append(word)
    return tuple(found[:MOST_WORDS])


def _trigger(domain: Domain) -> str:
    """What brings a domain in, for people."""
    declared = domain.declaration
    if domain.builtin or declared is None or declared.always_on:
        return "always on"
    ways = [f'"{word}"' for word in declared.recall]
    ways += [f"@{declared.agent_trigger}"] if declared.agent_trigger else []
    ways += [f"workflow {declared.workflow_trigger}"] if declared.workflow_trigger else []
    return ", ".join((*ways, *declared.paths)) or "nothing brings it in yet"


def _root_domain(tree: Tree, proposal: _Proposal) -> Domain | None:
    """The root's domain of that name; a squad's keeps to itself."""
    domain = tree.labels.get(domain_key(proposal.name))
    return domain if domain and not domain.squad else None


def _report(adoption: Adoption) -> Iterator[str]:
    yield f"{_count(sum(place.count for place in adoption.placed), 'rule')} taken over"
    for place in adoption.placed:
        heading = f' "{place.heading}"' if place.heading else ""
        yield f"  {place.path}{heading}: {place.count} to {place.domain} ({place.trigger})"
    if adoption.left_out:
        yield f"{_count(len(adoption.left_out), 'part')} left out"
    for part in adoption.left_out:
        yield f"  {part.path}:{part.line}: {part.why}: {part.excerpt}"
    if adoption.imports:
        several = len(adoption.imports) > 1
        files = "other files" if several else "another file"
        yield f"{_count(len(adoption.imports), 'mention')} of {files}, whose content was not taken over"
    for mention in adoption.imports:
        yield f"  {mention.path}:{mention.line}: {mention.target}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
