"""The plan for adopting the rules that a project has (CLAUDE.md, AGENTS.md, Cursor rules). Pure.

What applied always applies always: sections about one subject become domains that are always on,
each with a comment that suggests keywords instead; the others become groups in ``global``. Where
keywords are wanted, a domain waits for them, but for the rules of it that forbid or demand. Only a
file whose front matter says when it applies becomes a domain with the same trigger. Adopting again
adds only what is new.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType

from synapse_ls.edits.distinctive_words import distinctive_words
from synapse_ls.edits.domain_edits import add_domain, create_rule_file, domain_key, rule_file_path
from synapse_ls.edits.edit_targets import plan_between, require_manifest, tree_after
from synapse_ls.edits.repeated_rules import plain_text
from synapse_ls.edits.rule_edits import add_rule
from synapse_ls.formats.instruction_rules import (
    FileMention,
    OmittedPart,
    RuleSource,
    SourceRule,
    read_source,
    shorten_excerpt,
)
from synapse_ls.setup.init.domain_proposals import (
    GLOBAL_DOMAIN,
    DomainProposal,
    adoption_obstacle,
    is_strict,
    name_apart,
    propose_domains,
    split_strict,
    suggest_keywords,
)
from synapse_ls.setup.init.rule_sources import imported_path
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import EditPlan, create_file
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain
from synapse_ls.workspace.tree_folders import MANIFEST, TREE

_HEADER = """\
# Domains taken over from {sources}.
#
# A domain that is _ALWAYS_ON is told in every session, as its rules were; one with a \
_RECALL line only
# when a prompt says one of its words. To take a suggestion, delete its "# " and the _ALWAYS_ON \
line.
"""
_CAUTION = "It forbids or demands something whatever a prompt says ({}), so think twice:"
_ALREADY = "already in "
_POINTS_ONLY = "only says where rules are that were taken over"
# How a text begins that only says where something else is.
_POINTER = re.compile(
    r"(?:please )?(?:see|read|refer to|consult|more|details|vej[ao]|consulte|ver|vea|voir|siehe"
    r"|lies)\b",
    re.IGNORECASE,
)
# Rules of a subject that are worth waiting for a word; with fewer, all of it is told always.
FEWEST_WAITING = 2


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the adopted rules under a heading went: domain, how many, and what brings them in."""

    path: str
    heading: str
    domain: str
    count: int
    trigger: str


@dataclass(frozen=True, slots=True)
class AdoptionPlan:
    """The plan for a tree of adopted rules, where everything went, and what did not become a
    rule.
    """

    plan: EditPlan
    placements: tuple[Placement, ...]
    left_out: tuple[OmittedPart, ...]
    imports: tuple[FileMention, ...]
    # The sources, where none of them has a rule.
    sources_without_rules: tuple[str, ...]
    # Keywords for new domains that are always on: label -> words that could bring it in instead.
    suggestions: Mapping[str, tuple[str, ...]]
    # Those of them with rules that stay always on in any case, as they forbid or demand something:
    # label -> how many, of how many.
    kept: Mapping[str, tuple[int, int]]
    # The rules of them that say none of the keywords: label -> texts.
    wordless: Mapping[str, tuple[str, ...]]
    # New domains about one subject that are no subject for keywords, since next to all of their
    # rules say never, must or the like: label -> the first of these.
    unconditional: Mapping[str, str]
    # Path of a source -> the lines, from 1, on which rules begin that the tree tells then.
    told_lines: Mapping[str, frozenset[int]]

    # Paths of sources whose rules are not taken over -> why: their front matter keeps them for
    # occasions that no domain can have.
    obstacles: Mapping[str, str]

    def to_text(self, missing: Collection[str] = ()) -> str:
        """Return all of it in lines for people: rules taken over, parts left out, files to look at.
        Of these, ``missing`` do not exist.
        """
        count = sum(place.count for place in self.placements)
        lines = [f"{format_count(count, 'rule')} taken over"]
        for place in self.placements:
            heading = f' "{place.heading}"' if place.heading else ""
            target = f"{place.count} to {place.domain} ({place.trigger})"
            lines.append(f"  {place.path}{heading}: {target}")
        if self.left_out:
            lines.append(_describe_left_out(self.left_out))
        lines += (f"  {p.path}:{p.line}: {p.why}: {p.excerpt}" for p in self.left_out)
        if self.imports:
            files = "other files" if len(self.imports) > 1 else "another file"
            mentions = format_count(len(self.imports), "mention")
            lines.append(f"{mentions} of {files}, whose content was not taken over")
        for mention in self.imports:
            gone = " (there is no such file)" if imported_path(mention) in missing else ""
            lines.append(f"  {mention.path}:{mention.line}: {mention.target}{gone}")
        return "\n".join(lines)


def plan_adoption(
    sources: Mapping[str, str],
    tree: Tree,
    settings: Mapping[str, str] = MappingProxyType({}),
    *,
    by_keyword: Collection[str] = (),
) -> AdoptionPlan:
    """Plan the adoption of the rules in ``sources``, texts by path, on top of what ``tree`` has
    already.

    A rule that is there already, or comes twice, is taken once. ``settings`` are files that are
    created along with the first rule. ``by_keyword`` has labels of domains: those of
    `AdoptionPlan.suggestions` in it wake by their keywords, and their rules that forbid or demand
    something go to ``global``. Raises UserError where a file cannot take more rules.
    """
    loaded = [read_source(path, text) for path, text in sources.items()]
    obstacles = {source.path: why for source in loaded if (why := adoption_obstacle(source))}
    adopted = [source for source in loaded if source.path not in obstacles]
    adoption = _Adoption(tree, adopted, by_keyword)
    if tree.manifest is None:
        header = _HEADER.format(sources=", ".join(sources))
        adoption.now = tree_after(tree, EditPlan((create_file(MANIFEST, header),)))
    for source in loaded:
        if obstacle := obstacles.get(source.path):
            rules_of_source = (rule.text for heading in source.headings for rule in heading.rules)
            excerpt = shorten_excerpt(next(rules_of_source, ""))
            adoption.left_out.append(OmittedPart(source.path, 1, obstacle, excerpt))
        else:
            adoption.left_out += source.left_out
    adoption.note_subjects()
    adoption.take_over()
    extra = tuple(create_file(path, text) for path, text in settings.items())
    edits = plan_between(tree, adoption.now).edits + extra
    rules = {
        source.path: frozenset(rule.line for heading in source.headings for rule in heading.rules)
        for source in adopted
    }
    new_domains = {place.domain for place in adoption.placed}
    return AdoptionPlan(
        EditPlan(edits) if adoption.placed else EditPlan(),
        tuple(adoption.placed),
        tuple(adoption.left_out),
        tuple(m for source in adopted for m in source.imports if imported_path(m) not in sources),
        () if any(rules.values()) else tuple(sources),
        {label: words for label, words in adoption.suggestions.items() if label in new_domains},
        adoption.kept,
        adoption.wordless,
        {label: rule for label, rule in adoption.unconditional.items() if label in new_domains},
        {path: lines - adoption.untold.get(path, set()) for path, lines in rules.items()},
        obstacles,
    )


class _Adoption:
    """What an adoption has come to. now: the tree so far; untold: path -> the lines of rules that
    it does not tell.
    """

    def __init__(
        self, tree: Tree, sources: Sequence[RuleSource], by_keyword: Collection[str]
    ) -> None:
        self.before = self.now = tree
        proposals = ((source, p) for source in sources for p in propose_domains(tree, source))
        self._proposals = tuple(name_apart(tree, proposals))
        self._whole_sources = {source.path for source in sources if not source.left_out}
        self.by_keyword = by_keyword
        self.placed: list[Placement] = []
        self.left_out: list[OmittedPart] = []
        self.suggestions: dict[str, tuple[str, ...]] = {}
        self.kept: dict[str, tuple[int, int]] = {}
        self.wordless: dict[str, tuple[str, ...]] = {}
        self.unconditional: dict[str, str] = {}
        self.untold: dict[str, set[int]] = {}
        self._known = _KnownRules(tree)
        self._unconditional = _KnownRules()
        self._first_strict: dict[str, str] = {}
        self._strict_counts: dict[str, tuple[int, int]] = {}
        self._shared_words: set[str] = set()
        self._silent = {
            f"{_ALREADY}{domain.label}" for domain in tree.domains if not domain.is_active
        }

    def note_subjects(self) -> None:
        """Note which domains say a word: what several say tells none from the others; which rules
        of new domains forbid or demand something: the others can wait for words where there are
        enough of them; and what new domains will always tell, so that none that waits tells it,
        too.
        """
        domains_saying: dict[str, set[str]] = {}
        texts: dict[str, list[str]] = {}
        for _, proposal in self._proposals:
            rules = [rule for _, group in proposal.groups for rule in group]
            text = "\n".join((proposal.heading, *(rule.text for rule in rules)))
            for word in distinctive_words(text, most=None):
                domains_saying.setdefault(word, set()).add(proposal.name)
            if proposal.always_on and proposal.name != GLOBAL_DOMAIN:
                bare_texts = (rule.text for rule in rules)
                texts.setdefault(domain_key(proposal.name), []).extend(bare_texts)
        self._shared_words = {word for word, names in domains_saying.items() if len(names) > 1}
        for key, rule_texts in texts.items():
            strict = [text for text in rule_texts if is_strict(text)]
            if not strict:
                continue
            self._first_strict[key] = shorten_excerpt(strict[0])
            if len(rule_texts) - len(strict) < FEWEST_WAITING:
                self.unconditional[key] = self._first_strict[key]
            else:
                self._strict_counts[key] = (len(strict), len(rule_texts))
        for _, proposal in self._split_proposals():
            key = domain_key(proposal.name)
            if proposal.always_on and key not in self.before.domains_by_label:
                for rule in chain.from_iterable(rules for _, rules in proposal.groups):
                    self._unconditional.add(rule, key)

    def take_over(self) -> None:
        """Take over the rules of all files."""
        for source, proposal in self._split_proposals():
            fresh, repeated = self._drop_repeated(source, proposal)
            strict = self._first_strict.get(domain_key(proposal.name), "")
            words = self._keywords_of(proposal)
            # Note the keywords of a domain that would be new and could wait for them.
            key = domain_key(proposal.name)
            if words and key not in self.unconditional and _root_domain(self.now, proposal) is None:
                self.suggestions[key] = words
                # The rules that would wait for the words and say none of them.
                wordless = tuple(
                    rule.text
                    for rule in chain.from_iterable(rules for _, rules in proposal.groups)
                    if not is_strict(rule.text)
                    and set(words).isdisjoint(distinctive_words(rule.text, most=None))
                )
                if wordless:
                    self.wordless[key] = wordless
                if key in self._strict_counts:
                    self.kept[key] = self._strict_counts[key]
            self.now, count, refused = _place_rules(self.now, source, fresh, words, strict)
            self.left_out += (*repeated, *refused)
            silent = (part for part in repeated if part.why in self._silent)
            lines = (part.line for part in (*refused, *silent))
            self.untold.setdefault(source.path, set()).update(lines)
            domain = _root_domain(self.now, fresh)
            if count and domain:
                # What brings a domain in, for people.
                declared = domain.declaration
                if domain.builtin or declared is None or declared.always_on:
                    how = "always on"
                else:
                    ways = [f'"{word}"' for word in declared.recall]
                    ways += [f"@{declared.agent_trigger}"] if declared.agent_trigger else []
                    if declared.workflow_trigger:
                        ways.append(f"workflow {declared.workflow_trigger}")
                    how = ", ".join((*ways, *declared.paths)) or "nothing brings it in yet"
                self.placed.append(Placement(source.path, fresh.heading, domain.label, count, how))

    def _drop_repeated(
        self, source: RuleSource, proposal: DomainProposal
    ) -> tuple[DomainProposal, list[OmittedPart]]:
        """Return a proposal without the rules that are told already whenever it would be, and
        those; afterwards all of them are noted.
        """
        groups, repeated = [], []
        pointers = {m.line for m in source.imports if imported_path(m) in self._whole_sources}
        for heading, rules in proposal.groups:
            fresh = []
            for rule in rules:
                excerpt = shorten_excerpt(rule.text)
                if rule.line in pointers and _POINTER.match(plain_text(rule.text)):
                    repeated.append(OmittedPart(source.path, rule.line, _POINTS_ONLY, excerpt))
                    continue
                waits = proposal.recall and not proposal.paths
                always = self._unconditional.domain_of(rule) if waits else ""
                place = always or self._known.domain_of(rule)
                if always or (place and self._covers(place, proposal)):
                    if not always:
                        self._known.add(rule, place)
                    why = f"{_ALREADY}{place}"
                    repeated.append(OmittedPart(source.path, rule.line, why, excerpt))
                else:
                    self._known.add(rule, domain_key(proposal.name))
                    fresh.append(rule)
            if fresh:
                groups.append((heading, tuple(fresh)))
        return replace(proposal, groups=tuple(groups)), repeated

    def _covers(self, label: str, proposal: DomainProposal) -> bool:
        """Return whether a domain is told whenever a proposal would be. One that was there before
        has its rules where somebody wanted them.
        """
        if label == domain_key(proposal.name) or label in self.before.domains_by_label:
            return True
        domain = self.now.domains_by_label.get(label)
        declared = domain.declaration if domain else None
        return declared is None or (
            declared.always_on
            or (bool(proposal.recall) and declared.recall == proposal.recall)
            or (bool(proposal.paths) and declared.paths == proposal.paths)
            or (bool(proposal.agent) and declared.agent_trigger == proposal.agent)
        )

    def _split_proposals(self) -> Iterator[tuple[RuleSource, DomainProposal]]:
        """Yield the domains that the sources suggest; of one that is to wait for its keywords,
        first what is told always, for ``global``.
        """
        for source, proposal in self._proposals:
            words = self._keywords_of(proposal)
            key = domain_key(proposal.name)
            if not words or key not in self.by_keyword or key in self.unconditional:
                yield source, proposal
                continue
            strict, lenient = split_strict(proposal)
            if strict.groups:
                yield source, strict
            yield source, replace(lenient, recall=words)

    def _keywords_of(self, proposal: DomainProposal) -> tuple[str, ...]:
        """Return the keywords that could bring in a new domain that nothing else does."""
        if not (proposal.always_on and proposal.groups):
            return ()
        if _root_domain(self.before, proposal) is not None:
            return ()
        return suggest_keywords(proposal, self._shared_words)


class _KnownRules:
    """The rules that there are so far, with the domains that tell them.

    A rule is there again as it stands, and where only one of the two has the heading before it that
    a short one gets.
    """

    def __init__(self, tree: Tree | None = None) -> None:
        self._domains = {
            _known_form(rule.text): domain.label
            for domain in (tree.domains if tree else ())
            for rule in (tree.rules_of(domain) if tree else ())
        }
        self._bare: dict[str, str] = {}

    def domain_of(self, rule: SourceRule) -> str:
        """Return the domain that has a rule already, "" for none."""
        text, bare = _known_form(rule.text), ""
        domain = self._domains.get(text) or self._bare.get(text)
        return domain or (self._domains.get(bare, "") if bare else "")

    def add(self, rule: SourceRule, domain: str) -> None:
        """Note a rule of a domain."""
        self._domains[_known_form(rule.text)] = domain


def _known_form(text: str) -> str:
    """Return the form in which a rule that is there already is the same: trees of earlier versions
    have it without bold type.
    """
    return plain_text(text).casefold()


def _place_rules(
    tree: Tree, source: RuleSource, proposal: DomainProposal, words: Sequence[str], strict: str
) -> tuple[Tree, int, list[OmittedPart]]:
    """Return the tree with a proposal's rules, how many there are, and those that its file cannot
    take. ``words`` are suggested for a new domain; ``strict`` is its first rule that holds always.
    """
    rules = [rule for _, rules in proposal.groups for rule in rules]
    if not rules:
        return tree, 0, []
    key = domain_key(proposal.name)
    groups = [
        (heading, [" ".join(rule.text.split()) for rule in rules])
        for heading, rules in proposal.groups
    ]
    domain = _root_domain(tree, proposal)
    if domain is None:
        suggested = words if proposal.always_on else ()
        plan = add_domain(
            tree,
            proposal.name,
            recall=proposal.recall,
            paths=proposal.paths,
            agent=proposal.agent,
            always_on=proposal.always_on,
            suggested=suggested,
            caution=_CAUTION.format(strict) if strict and suggested else "",
            groups=groups,
        )
        return tree_after(tree, plan), len(rules), []
    if domain.file is None:
        path, manifest = rule_file_path(tree, TREE, key), require_manifest(tree)[0]
        created = create_rule_file(tree, path, key, groups, manifest)
        return tree_after(tree, EditPlan((created,))), len(rules), []
    refused = []
    for title, group in proposal.groups:
        heading = " ".join(title.split())  # before the first rule of a group
        for rule in group:
            try:
                tree = tree_after(
                    tree, add_rule(tree, key, " ".join(rule.text.split()), heading=heading)
                )
            except UserError as error:
                why = f"not taken by {domain.file}: {error.sentence}"
                refused.append(OmittedPart(source.path, rule.line, why, shorten_excerpt(rule.text)))
            heading = ""
    return tree, len(rules) - len(refused), refused


def _root_domain(tree: Tree, proposal: DomainProposal) -> Domain | None:
    """Return the root's domain of that name; a squad's keeps to itself."""
    domain = tree.domains_by_label.get(domain_key(proposal.name))
    return domain if domain and not domain.squad else None


def _describe_left_out(parts: Sequence[OmittedPart]) -> str:
    """Return how many parts were left out, and which of them stay where they are: all but what the
    tree has already, which `--replace-adopted` takes out of its file.
    """
    staying = sum(not part.why.startswith((_ALREADY, _POINTS_ONLY)) for part in parts)
    summary = f"{format_count(len(parts), 'part')} left out"
    if not staying:
        return f"{summary}, since the tree has what {'it says' if len(parts) == 1 else 'they say'}"
    who = "it" if len(parts) == 1 else "they" if staying == len(parts) else f"{staying} of them"
    is_one = who == "it" or staying == 1
    return f"{summary}; {who} {'stays in its file' if is_one else 'stay in their files'}"
