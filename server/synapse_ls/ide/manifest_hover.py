"""Answer hovers in a manifest: domains, recall keywords, triggers, and the settings of the manifest
itself.

Answer hovers about a squad: its ``squad.yaml``, and how its manifest extends the
root.
"""

from __future__ import annotations

from collections.abc import Iterable

from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.compiled_plan import PlanDomain
from synapse_ls.engine.rule_account import LAYER_NAMES, Accountant, DomainAccount
from synapse_ls.engine.user_prompt import is_executed_command
from synapse_ls.engine.word_matching import contains_word, fold_text
from synapse_ls.formats.manifest import GLOBAL_KEYS, SETTINGS, Manifest, ManifestEntry
from synapse_ls.formats.squad_manifest import SquadDocument
from synapse_ls.ide.domain_brackets import (
    bracket_line,
    bracket_table,
    compiled_domain,
    possible_layers,
    situation_phrase,
    waking_bracket,
    waking_situation,
)
from synapse_ls.ide.hover_markdown import (
    block_preview,
    code_span,
    domain_account,
    entries_of_domains,
    escape_markdown,
    inclusion_sentence,
    line_reference,
)
from synapse_ls.ide.position_lookup import domain_label, owning_squad
from synapse_ls.ide.tree_view import View
from synapse_ls.text.finding import Text
from synapse_ls.text.phrases import format_count, join_paragraphs
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.index_keys import make_key
from synapse_ls.workspace.tree_domains import Squad

_MOST_DOMAINS = 3

_MODE_MEANINGS = {
    "extend": "its domains join those of the root",
    "override": "its active domains take the place of the root's domains of the same name",
    "none": "its domains count only while the squad is active",
}


def hover_squad(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover for the squad, at its name and at the way it extends the root."""
    document, squad = facts.document, owning_squad(view.tree, facts.path)
    if not isinstance(document, SquadDocument) or squad is None:
        return None
    for text in (document.name, document.extends):
        if text and text.span.touches(offset):
            return text.span, _squad_markdown(view, squad)
    return None


def _squad_markdown(view: View, squad: Squad) -> str:
    """Return Markdown about what the squad contributes, and the block while it is active."""
    plan = view.plan
    planned = next((row for row in plan.squads if row.folder == squad.folder), None)
    domains = [plan.domain(position) for position in planned.domains] if planned else []
    labels = [domain.label for domain in domains]
    assembly = view.block(squad=squad.folder)
    accountant = Accountant(plan, view.assembly)
    rows = [_domain_row(account) for account in map(accountant.account_of, domains)]
    active = view.assembly.situation.squad == squad.folder
    source = view.assembly.situation.squad_source
    meaning = _MODE_MEANINGS.get(squad.extends, "")
    if squad.has_conflict:
        meaning = f"{meaning}; squad.yaml and the manifest disagree, the former counts"
    return join_paragraphs(
        f"**{escape_markdown(squad.name)}** · squad in {code_span(squad.path)}",
        f"{code_span(squad.extends)}: {meaning}.",
        _shorten_list(rows) or "It has no domains.",
        f"**Active now** (known from the {escape_markdown(source)})."
        if active
        else inclusion_sentence(
            False, "the squad is not active", f"activate it with --squad {squad.folder}"
        ),
        block_preview(
            assembly,
            {"squad": squad.folder},
            entries_of_domains(*labels),
            phrase=f"with the squad {escape_markdown(squad.folder)}",
        )
        if domains
        else "",
    )


def _shorten_list(rows: list[str]) -> str:
    """Return the first items of a list, and how many more there are."""
    left = len(rows) - _MOST_DOMAINS
    items = rows if left <= 1 else [*rows[:_MOST_DOMAINS], f"- {left} more"]
    return "\n".join(items)


def _domain_row(account: DomainAccount) -> str:
    """Return a domain of a squad as an item of a list."""
    label, rules = escape_markdown(account.label), format_count(len(account.rules), "rule")
    cost = format_count(sum(rule.tokens for rule in account.rules), "token")
    if not account.manifest:
        return f"- {label}: {rules}, {cost}"
    return f"- {label}: {rules}, {cost}, {line_reference(account.manifest, account.line)}"


_MOST_NAMES = 5  # names in a sentence


def hover_manifest(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover for a line of a manifest, by its part under the pointer."""
    manifest = facts.document
    entry = manifest.entry_at(offset) if isinstance(manifest, Manifest) else None
    if entry is None or not entry.setting:
        return None
    if entry.setting == "EXTENDS":
        # The hover for the squad, at the line of its manifest that says how it extends the root.
        squad = owning_squad(view.tree, facts.path)
        hover_span = entry.key.span if entry.key.span.touches(offset) else entry.span
        return (hover_span, _squad_markdown(view, squad)) if squad else None
    item = next((item for item in entry.items if item.span.touches(offset)), None)
    if item and entry.setting in _ITEM_HOVERS:
        return item.span, _ITEM_HOVERS[entry.setting](view, facts, entry, item)
    if (
        entry.setting in _FAMILY_OF_TRIGGER
        and entry.value.value
        and entry.value.span.touches(offset)
    ):
        return entry.value.span, _trigger_markdown(view, facts, entry)
    parts = (entry.key.span, entry.value.span)
    span = next((part for part in parts if part.length and part.touches(offset)), entry.span)
    return span, _domain_markdown(view, facts, entry) if entry.domain else _global_markdown(
        view, entry
    )


def _domain_markdown(view: View, facts: FileFacts, entry: ManifestEntry) -> str:
    """Return Markdown about the domain of a key, and about what this key sets."""
    label = domain_label(view.tree, facts.path, entry.domain)
    domain = compiled_domain(view, label)
    account = view.accounts.get(label)
    if domain is None or account is None:
        return f"**{escape_markdown(entry.domain)}**"
    obstacle = _obstacle_sentence(view, domain, account)
    return join_paragraphs(
        f"**{escape_markdown(label)}** · {code_span(entry.setting)}: "
        f"{SETTINGS[entry.setting].summary}",
        _content_phrase(account),
        inclusion_sentence(
            bool(account.rendered_count),
            _inclusion_reason(account),
            "" if obstacle else account.remedy,
        ),
        obstacle,
        _commands_sentence(view, account)
        if domain.role == "commands"
        else _ways_in_markdown(view, domain, account) or bracket_table(view, domain),
    )


def _commands_sentence(view: View, account: DomainAccount) -> str:
    """Return all star-commands, each with what a prompt that says it is told."""
    commands = []
    for name, (path, rows) in view.plan.commands.items():
        if path != account.file or is_executed_command(name):
            continue
        lines = {row.line + 1 for row in view.plan.command_rules(name)}
        tokens = sum(rule.tokens for rule in account.rules if rule.line in lines)
        rules, cost = format_count(len(rows), "rule"), format_count(tokens, "token")
        commands.append(f"{code_span(f'*{name}')} ({rules}, {cost})")
    return (
        f"A prompt that says one of them is told its rules: {', '.join(commands)}."
        if commands
        else ""
    )


def _global_markdown(view: View, entry: ManifestEntry) -> str:
    summary = GLOBAL_KEYS[entry.setting].summary
    now = ""
    if entry.setting == "DEVMODE":
        now = f"It is {'on' if view.assembly.situation.devmode else 'off'} now."
    return join_paragraphs(f"**{escape_markdown(entry.setting)}**: {summary}", now)


def _content_phrase(account: DomainAccount) -> str:
    """Return how much the domain contributes, and from which file."""
    if not account.file:
        return "It has no rule file."
    tokens = sum(rule.tokens for rule in account.rules)
    first = account.rules[0].line if account.rules else 1
    rules = format_count(len(account.rules), "rule")
    inside = account.rendered_count
    place = line_reference(account.file, first)
    what = f"{rules}, {format_count(tokens, 'token')}, in {place}"
    is_part = 0 < inside < len(account.rules)
    return f"{what}, {inside} of them in the block" if is_part else what


def _inclusion_reason(account: DomainAccount) -> str:
    """Return why the domain is in or out; where it takes part with no rule, what became of the
    first.
    """
    if account.layer and not account.rendered_count and account.rules:
        return account.rules[0].reason
    layer = f" ({account.layer} {LAYER_NAMES[account.layer]})" if account.layer else ""
    return f"{account.reason}{layer}"


def _obstacle_sentence(view: View, domain: PlanDomain, account: DomainAccount) -> str:
    """Return what keeps the domain out of the very block that it waits for."""
    situation = waking_situation(view, domain)
    if account.rendered_count or not situation:
        return ""
    _, then = _situation_block(view, domain, situation)
    if then is None or then.rendered_count:
        return ""
    return inclusion_sentence(
        False,
        _inclusion_reason(then),
        then.remedy,
        f"the block {situation_phrase(situation)} either",
    )


def _ways_in_markdown(view: View, domain: PlanDomain, account: DomainAccount) -> str:
    """Return the block now where the domain is in it, else the one that its own trigger
    would give.
    """
    if account.rendered_count:
        return block_preview(
            view.assembly, {}, entries_of_domains(domain.label), bracket_line(view, domain)
        )
    if domain.agent:
        return _situation_markdown(view, domain, {"agent": domain.agent})
    if domain.workflow:
        return _situation_markdown(view, domain, {"workflow": domain.workflow})
    return _situation_markdown(view, domain, {"prompt": domain.recall[0]}) if domain.recall else ""


def _situation_markdown(view: View, domain: PlanDomain, situation: dict[str, str]) -> str:
    """Return the domain in a situation, bracket by bracket, and the block.

    The block is that of the current bracket, else of the first in which the domain comes in.
    """
    assembly, then = _situation_block(view, domain, situation)
    if then is None or not then.rendered_count:
        return bracket_table(view, domain, situation)
    # The situation of a block, with its bracket where that is not the current one.
    bracket = assembly.situation.bracket.name
    is_other = bracket != view.assembly.situation.bracket.name
    return block_preview(
        assembly,
        {**situation, "bracket": bracket} if is_other else situation,
        entries_of_domains(domain.label),
        bracket_line(view, domain, situation),
        situation_phrase(situation),
    )


def _situation_block(
    view: View, domain: PlanDomain, situation: dict[str, str]
) -> tuple[Assembly, DomainAccount | None]:
    """Return the block of a situation and what becomes of the domain in it.

    It is that of the current bracket, or of the first one in which the domain can wake if it is out
    there.
    """
    assembly = view.block(**situation)
    then = domain_account(view, assembly, domain.label)
    asleep = waking_bracket(view, possible_layers(domain))
    if asleep and not (then and then.rendered_count):
        assembly = view.block(**situation, **asleep)
        then = domain_account(view, assembly, domain.label)
    return assembly, then


def _keyword_markdown(view: View, facts: FileFacts, entry: ManifestEntry, item: Text) -> str:
    """Return Markdown about a recall keyword: what a prompt that consists of it would do."""
    label = domain_label(view.tree, facts.path, entry.domain)
    situation = {"prompt": item.value}
    assembly = view.block(**situation)
    account, domain = domain_account(view, assembly, label), compiled_domain(view, label)
    if account is None or domain is None:
        return ""
    return join_paragraphs(
        f"**{escape_markdown(item.value)}** brings {escape_markdown(label)} in when a prompt has "
        f"it{_matching_phrase(view)}.",
        _content_phrase(account),
        _shared_keyword_sentence(view, item, label),
        _other_matches_sentence(view, label, assembly.situation.matches.recall),
        inclusion_sentence(
            bool(account.rendered_count),
            _inclusion_reason(account),
            account.remedy,
            "the block of a prompt that says it",
        ),
        _situation_markdown(view, domain, situation),
    )


def _matching_phrase(view: View) -> str:
    substring = view.plan.settings["matching"] == "substring"
    return ", within words too" if substring else " as whole words, in any letter case"


def _shared_keyword_sentence(view: View, item: Text, label: str) -> str:
    """Return a sentence with the other domains that have the same keyword."""
    definitions = view.tree.snapshot.definitions(make_key("keyword", item.value))
    labels = dict.fromkeys(str(definition.value) for _, definition in definitions)
    labels.pop(label, None)
    return f"Also a keyword of {_join_names(labels)}." if labels else ""


def _other_matches_sentence(view: View, label: str, recall: dict[int, tuple[str, ...]]) -> str:
    """Return a sentence with the domains that the same words bring in through another keyword."""
    domains = [(view.plan.domain(position), words) for position, words in sorted(recall.items())]
    labels = [f"{d.label} ({words[0]})" for d, words in domains if d.label != label]
    return f"The same words match {_join_names(labels)}." if labels else ""


def _join_names(names: Iterable[str]) -> str:
    listed = [escape_markdown(name) for name in names]
    more = f" and {len(listed) - _MOST_NAMES} more" if len(listed) > _MOST_NAMES else ""
    return ", ".join(listed[:_MOST_NAMES]) + more


def _exclusion_markdown(view: View, facts: FileFacts, entry: ManifestEntry, item: Text) -> str:
    """Return Markdown about an excluded word, and the keywords that it makes useless."""
    manifest = facts.document
    assert isinstance(manifest, Manifest)
    if entry.domain:
        label = domain_label(view.tree, facts.path, entry.domain)
        effect = f"keeps {escape_markdown(label)} from being recalled"
        declarations = [manifest.domains[entry.domain]]
    else:
        effect = "stops all recall"
        declarations = list(manifest.domains.values())
    needle = fold_text(item.value)
    dead = [
        word
        for declaration in declarations
        for word in declaration.recall
        if contains_word(fold_text(word), needle)
    ]
    shadow = f"So these keywords never do anything: {_join_names(dead)}." if dead else ""
    return join_paragraphs(f"**{escape_markdown(item.value)}** in a prompt {effect}.", shadow)


_ITEM_HOVERS = {
    "RECALL": _keyword_markdown,
    "EXCLUDE": _exclusion_markdown,
    "GLOBAL_EXCLUDE": _exclusion_markdown,
}
_FAMILY_OF_TRIGGER = {"AGENT_TRIGGER": "agent", "WORKFLOW_TRIGGER": "workflow"}


def _trigger_markdown(view: View, facts: FileFacts, entry: ManifestEntry) -> str:
    """Return Markdown about an agent or a workflow, and the block while it is at work."""
    family, name = _FAMILY_OF_TRIGGER[entry.setting], entry.value.value
    label = domain_label(view.tree, facts.path, entry.domain)
    account, domain = view.accounts.get(label), compiled_domain(view, label)
    if account is None or domain is None:
        return ""
    if family == "agent":
        name = name.removeprefix("@")
        agent = view.plan.find_agent(name)
        display_name, text = f"@{name}", view.tree.agents.get(name) or view.tree.agents.get(agent)
    else:
        display_name, text = name, view.tree.workflows.get(name)
    defined = f"defined in {code_span(text)}" if text else "defined by no file of the tree"
    return join_paragraphs(
        f"**{escape_markdown(display_name)}** brings {escape_markdown(label)} in while this "
        f"{family} is active; the {family} is {defined}.",
        _content_phrase(account),
        inclusion_sentence(
            bool(account.rendered_count), _inclusion_reason(account), account.remedy
        ),
        _situation_markdown(view, domain, {family: name}),
    )
