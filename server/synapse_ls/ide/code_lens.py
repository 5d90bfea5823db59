"""Code lenses: summary, usage, history and preview, and the results of tree tests.

Places are found first, and a lens is resolved when it is shown. A new provider is a line in the
table.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from synapse_ls.formats import context_file, squad_manifest
from synapse_ls.formats.commands_file import StarCommands
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.tree_tests import TreeTestCase, TreeTests
from synapse_ls.ide import domain_brackets, navigation, position_lookup, tree_test_runner
from synapse_ls.ide.tree_view import View
from synapse_ls.text.phrases import format_count, shorten_text
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.mentions import Mention, find_mentions
from synapse_ls.workspace.tree_domains import rules_in


@dataclass(frozen=True, slots=True)
class Lens:
    """A code lens, a place with something to say about it; ``provider`` computes the text when the
    lens is shown.

    ``subject`` is what it is about, in the provider's own words, such as a domain's label.
    """

    span: Span
    provider: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class LensTitle:
    """The text of a resolved code lens. ``command`` is the command that a click runs, "" for none.

    ``arguments`` go with the command: names and strings as the command's own parameters.
    """

    title: str
    command: str = ""
    arguments: dict[str, str] = field(default_factory=dict)


class LensProvider(NamedTuple):
    """One kind of code lens: ``find`` yields the subjects of a file with their places, cheaply;
    ``resolve`` returns the text.
    """

    find: Callable[[View, FileFacts], Iterator[tuple[Span, str]]]
    resolve: Callable[[View, FileFacts, str], LensTitle | None]


# Families of what a file defines by itself.
DEFINED_FAMILIES = ("agent", "workflow", "task", "story")


def domain_places(view: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yield the labels of domains that a code lens stands at: where a manifest declares them, else
    at a rule file's first rule.
    """
    if isinstance(facts.document, Manifest):
        for name, declaration in facts.document.domains.items():
            yield declaration.span, position_lookup.domain_label(view.tree, facts.path, name)
    elif facts.kind in RULE_KINDS:
        rules = rules_in(facts.document)
        for domain in view.tree.domains_of_file(facts.path):
            if first := next(filter(domain.owns, rules), None):
                start = first.span.start
                yield Span(start, max(first.key_span.end, start)), domain.label


def bracket_places(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yield the brackets of a context file that a code lens stands at, at the first rule of
    each.
    """
    if isinstance(facts.document, context_file.ContextDocument):
        for bracket, rules in facts.document.brackets.items():
            if rules:
                yield rules[0].span, bracket


def squad_places(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yield the squad of a ``squad.yaml`` that a code lens stands at, at its name."""
    if isinstance(facts.document, squad_manifest.SquadDocument) and facts.document.name:
        yield facts.document.name.span, facts.path.rpartition("/")[0]


def definition_places(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yield what a file defines for others to mention, with a code lens at each, as ``family
    name``.
    """
    for definition in facts.definitions:
        if definition.key[0] in DEFINED_FAMILIES:
            yield definition.span, " ".join(definition.key)


def history_places(view: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yield what the last audit has said of rules, with a history lens at the key of each."""
    for rule in rules_in(facts.document):
        if rule.key and rule.kind != "check" and view.rule_history(facts.path, rule.key):
            yield rule.key_span, rule.key


PREVIEW_COMMAND = "synapse.preview"
_LAYERS_OF_FAMILY = {
    "agent": frozenset({"L2"}),
    "workflow": frozenset({"L3"}),
    "task": frozenset({"L4"}),
    "story": frozenset({"L4"}),
}


def preview_places(view: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yield everything that gets a preview lens, since a situation can bring it in, as ``family
    name``; domains in their own files.
    """
    if facts.kind in RULE_KINDS and facts.kind not in (FileKind.COMMANDS, FileKind.CONTEXT):
        for span, name in domain_places(view, facts):
            domain = domain_brackets.compiled_domain(view, name)
            # A client keeps room for a lens, so one that would have nothing to say is not offered.
            if domain is not None and domain_brackets.waking_situation(view, domain) is not None:
                yield span, f"domain {name}"
    yield from ((span, f"bracket {name}") for span, name in bracket_places(view, facts))
    commands = facts.document.commands if isinstance(facts.document, StarCommands) else ()
    yield from ((command.span, f"command {command.name}") for command in commands)
    yield from ((span, f"squad {name}") for span, name in squad_places(view, facts))
    for span, subject in definition_places(view, facts):
        family = subject.partition(" ")[0]
        yield span, f"{family} {facts.id if family in ('agent', 'workflow') else facts.path}"


def preview_title(view: View, _: FileFacts, subject: str) -> LensTitle | None:
    """Return the text of a preview lens, and the situation to preview: the parameters of
    ``synapse/context``.
    """
    family, name = (*subject.split(" ", 1), "")[:2]
    title = "preview"
    if family == "domain":
        domain = domain_brackets.compiled_domain(view, name)
        situation = domain_brackets.waking_situation(view, domain) if domain else None
        if domain is None or situation is None:
            return None
        layers = domain_brackets.possible_layers(domain)
        situation = {**situation, **domain_brackets.waking_bracket(view, layers)}
    elif family == "command":
        title, situation = f"preview *{name}", {"prompt": f"*{name}"}
    elif family == "squad":
        situation = {"squad": name.rpartition("/")[2]}
    elif family == "bracket":
        title, situation = f"preview {name}", {"bracket": name}
    elif family in _LAYERS_OF_FAMILY:
        bracket = domain_brackets.waking_bracket(view, _LAYERS_OF_FAMILY[family])
        situation = {family: name, **bracket}
    else:
        return None
    if title == "preview" and "bracket" in situation:  # not the one of now
        title = f"preview in {situation['bracket']}"
    return LensTitle(title, PREVIEW_COMMAND, situation)


def summarized_domains(view: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yield the domains that get a summary lens, all of a rule file, and of a manifest those that
    come in with other brackets than the present one only: what is as one expects, or is a finding,
    needs no lens. Star-commands have lenses of their own.
    """
    if facts.kind is FileKind.COMMANDS:
        return
    for span, label in domain_places(view, facts):
        domain = domain_brackets.compiled_domain(view, label)
        is_listed = facts.kind in RULE_KINDS
        if domain and domain.file and domain_brackets.is_switched_on(domain) and not is_listed:
            awake = domain_brackets.awake_brackets(view, domain)
            is_listed = bool(awake) and view.assembly.situation.bracket not in awake
        if is_listed:
            yield span, label


def domain_summary(view: View, facts: FileFacts, label: str) -> LensTitle | None:
    """Return the text of a domain's summary lens; a click goes from the manifest to its file, and
    back.
    """
    if (domain := domain_brackets.compiled_domain(view, label)) is None:
        return None
    if not (account := view.accounts[label]).file:
        return LensTitle("no rule file")
    brackets = domain_brackets.awake_brackets(view, domain)
    if not domain_brackets.is_switched_on(domain):
        awake = "inactive"
    elif not brackets:
        awake = "nothing activates it"
    elif len(brackets) == len(view.plan.profile.brackets):
        awake = "active in every bracket"
    else:
        awake = f"active in {' '.join(bracket.name for bracket in brackets)}"
    cost = format_count(sum(rule.tokens for rule in account.rules), "token")
    title = f"{format_count(len(account.rules), 'rule')} · {cost} · {awake}"
    return _opening_title(title, account.manifest if facts.path == account.file else account.file)


def _opening_title(title: str, path: str) -> LensTitle:
    """Return a title on which a click opens a file, if there is one."""
    return LensTitle(title, "synapse.open", {"path": path}) if path else LensTitle(title)


def bracket_summary(view: View, _: FileFacts, name: str) -> LensTitle | None:
    """Return the text of a bracket's summary lens: when it holds and what its block costs."""
    if (bracket := view.plan.profile.find_bracket(name)) is None:
        return None
    block = view.block(bracket.name)
    now = " · now" if view.assembly.situation.bracket.name == bracket.name else ""
    if block.is_unbounded:
        return LensTitle(f"{bracket.label} left · {block.tokens:,} tokens (no limit){now}")
    return LensTitle(f"{bracket.label} left · {block.tokens:,} of {block.budget:,} tokens{now}")


def squad_summary(view: View, _: FileFacts, path: str) -> LensTitle | None:
    """Return the text of a squad's summary lens: what its domains have; a click goes to its
    manifest.
    """
    folder = path.rpartition("/")[2]
    if (row := next((row for row in view.plan.squads if row.folder == folder), None)) is None:
        return None
    labels = [view.plan.domain(position).label for position in row.domains]
    rules = [rule for label in labels for rule in view.accounts[label].rules]
    cost = format_count(sum(rule.tokens for rule in rules), "token")
    counts = f"{format_count(len(labels), 'domain')} · {format_count(len(rules), 'rule')}"
    manifest = f"{path}/.synapse/manifest"
    return _opening_title(
        f"{counts} · {cost}", manifest if view.tree.snapshot.facts(manifest) else ""
    )


RUN_TEST_COMMAND = "synapse.runTest"
_SITUATION = frozenset({"prompt", "agent", "workflow", "task", "story", "squad", "bracket"})
_LONGEST = 90  # characters of a reason in a lens


def case_places(_: View, facts: FileFacts) -> Iterator[tuple[Span, str]]:
    """Yield the test cases of a file that lenses stand at, by number."""
    if isinstance(facts.document, TreeTests):
        yield from ((case.span, str(number)) for number, case in enumerate(facts.document.cases))


def case_result(view: View, facts: FileFacts, subject: str) -> LensTitle | None:
    """Return the lens that says whether a test case holds in the tree as it is now; a click shows
    the whole result.
    """
    if (case := find_case(facts, subject)) is None:
        return None
    outcome = tree_test_runner.run_case(view.compiled, case)
    arguments = {"case": subject}
    if outcome.has_passed:
        return LensTitle(
            f"✓ passes · {outcome.bracket} · {outcome.tokens} tokens", RUN_TEST_COMMAND, arguments
        )
    why = outcome.failures[0].message
    more = f" (and {len(outcome.failures) - 1} more)" if len(outcome.failures) > 1 else ""
    return LensTitle(f"✗ {shorten_text(why, _LONGEST)}{more}", RUN_TEST_COMMAND, arguments)


def case_preview(_: View, facts: FileFacts, subject: str) -> LensTitle | None:
    """Return the lens that previews the block of a test case, where a preview can have its
    situation.
    """
    case = find_case(facts, subject)
    if case is None or not case.is_readable or not _SITUATION.issuperset(case.state):
        return None
    return LensTitle("preview", PREVIEW_COMMAND, {name: str(v) for name, v in case.state.items()})


def find_case(facts: FileFacts, number: str) -> TreeTestCase | None:
    """Return the test case of a lens by its number, or None."""
    cases = facts.document.cases if isinstance(facts.document, TreeTests) else ()
    return cases[int(number)] if number.isdecimal() and int(number) < len(cases) else None


def usage_title(view: View, facts: FileFacts, subject: str) -> LensTitle | None:
    """Return the text of a usage lens, the count of uses; a click lists the places."""
    family, _, name = subject.partition(" ")
    if (span := next((d.span for d in facts.definitions if d.key == (family, name)), None)) is None:
        return None
    if not (places := find_uses(view, facts, span.start)):
        return LensTitle("not used")
    return LensTitle(f"used by {len(places)}", "synapse.references", {"offset": str(span.start)})


def find_uses(view: View, facts: FileFacts, offset: int) -> tuple[Mention, ...]:
    """Return the places that a usage lens counts: those that mention what is defined at ``offset``,
    or by the file as a whole.
    """
    references = navigation.find_references(view, facts.path, offset, include_declaration=False)
    if references:
        return references
    keys = [
        d.key for d in facts.definitions if d.key[0] in DEFINED_FAMILIES and d.span.touches(offset)
    ]
    return tuple(
        mention for key in keys for mention in find_mentions(view.tree, *key) if not mention.defines
    )


# Name -> provider; on one line lenses stand in this order.
PROVIDERS: Mapping[str, LensProvider] = {
    "domain": LensProvider(summarized_domains, domain_summary),
    "bracket": LensProvider(bracket_places, bracket_summary),
    "squad": LensProvider(squad_places, squad_summary),
    "history": LensProvider(
        history_places,
        lambda view, facts, key: (
            LensTitle(said) if (said := view.rule_history(facts.path, key)) else None
        ),
    ),
    "used": LensProvider(definition_places, usage_title),
    "preview": LensProvider(preview_places, preview_title),
    "test": LensProvider(case_places, case_result),
    "case": LensProvider(case_places, case_preview),
}


def code_lenses(view: View, path: str) -> tuple[Lens, ...]:
    """Return the lenses that all providers of the registry have for a file, in text order, not yet
    resolved; each at the first line of its place.
    """
    if (facts := view.readable_facts(path)) is None:
        return ()
    lenses = []
    for name, provider in PROVIDERS.items():
        for span, subject in provider.find(view, facts):
            line = re.split(r"[\r\n]", span.cut(facts.text), maxsplit=1)[0]
            lenses.append(Lens(Span(span.start, span.start + len(line)), name, subject))
    return tuple(sorted(lenses, key=lambda lens: lens.span.start))


def resolve_lens(view: View, path: str, provider: str, subject: str) -> LensTitle | None:
    """Return the text of a lens, by its provider in the registry; None where what it was about is
    gone.
    """
    if (facts := view.tree.snapshot.facts(path)) is None or provider not in PROVIDERS:
        return None
    return PROVIDERS[provider].resolve(view, facts, subject)
