"""Answer hovers in a manifest and about a squad, whose manifest may extend the root's."""

from collections.abc import Iterable
from itertools import chain

from synapse_ls.engine import compiled_plan, prompt_parser
from synapse_ls.engine.reason_phrases import LAYER_NAMES
from synapse_ls.engine.rule_account import DomainAccount
from synapse_ls.engine.word_matching import contains_word, fold_text
from synapse_ls.formats import manifest_settings, squad_manifest
from synapse_ls.formats.manifest import Manifest, ManifestEntry
from synapse_ls.ide.domain_brackets import (
    bracket_line,
    bracket_table,
    compiled_domain,
    situation_block,
    situation_phrase,
    situation_preview,
    waking_situation,
)
from synapse_ls.ide.hover_markdown import (
    block_preview,
    code_span,
    domain_account,
    entries_of_domains,
    escape_markdown,
    inclusion_sentence,
    left_out_sentence,
    line_reference,
)
from synapse_ls.ide.position_lookup import closest_span, domain_label, owning_squad
from synapse_ls.ide.tree_view import View
from synapse_ls.text.finding import Text
from synapse_ls.text.phrases import format_count, join_paragraphs
from synapse_ls.text.span import Span
from synapse_ls.workspace import fact_extraction, tree_domains
from synapse_ls.workspace.file_facts import FileFacts

_MOST_DOMAINS = 3

_MODE_MEANINGS = {
    "extend": "its domains join those of the root",
    "override": "its active domains take the place of the root's domains of the same name",
    "none": "its domains count only while the squad is active",
}


def hover_squad(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover for the squad, at its name and at the way it extends the root."""
    document, squad = facts.document, owning_squad(view.tree, facts.path)
    if not isinstance(document, squad_manifest.SquadDocument) or squad is None:
        return None
    for text in (document.name, document.extends):
        if text and text.span.touches(offset):
            return text.span, _squad_markdown(view, squad)
    return None


def _squad_markdown(view: View, squad: tree_domains.Squad) -> str:
    """Return Markdown about what the squad contributes, and the block while it is active."""
    plan, folder, situation = view.plan, squad.folder, view.assembly.situation
    planned = next((row for row in plan.squads if row.folder == folder), None)
    positions = planned.domains if planned else ()
    accounts = [view.accounts[plan.domain(position).label] for position in positions]
    rows = []
    for account in accounts:
        label, rules = escape_markdown(account.label), format_count(len(account.rules), "rule")
        cost = format_count(sum(rule.tokens for rule in account.rules), "token")
        if account.manifest:
            place = line_reference(account.manifest, account.line)
            rows.append(f"- {label}: {rules}, {cost}, {place}")
        else:
            rows.append(f"- {label}: {rules}, {cost}")
    if len(rows) > _MOST_DOMAINS + 1:
        rows[_MOST_DOMAINS:] = [f"- {len(rows) - _MOST_DOMAINS} more"]
    meaning = _MODE_MEANINGS.get(squad.extends, "")
    if squad.has_conflict:
        meaning = f"{meaning}; squad.yaml and the manifest disagree, the former counts"
    sentence = f"**Active now** (known from the {escape_markdown(situation.squad_source)})."
    if situation.squad != folder:
        remedy = f"activate it with --squad {folder}"
        sentence = inclusion_sentence(False, "the squad is not active", remedy)
    preview = ""
    if accounts:
        preview = block_preview(
            view.block(squad=folder),
            {"squad": folder},
            entries_of_domains(*(account.label for account in accounts)),
            phrase=f"with the squad {escape_markdown(folder)}",
        )
    return join_paragraphs(
        f"**{escape_markdown(squad.name)}** · squad in {code_span(squad.path)}",
        f"{code_span(squad.extends)}: {meaning}.",
        "\n".join(rows) or "It has no domains.",
        sentence,
        preview,
    )


_MOST_NAMES = 5  # names in a sentence


def hover_manifest(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover for a line of a manifest, by its part under the pointer."""
    manifest = facts.document
    entry = manifest.entry_at(offset) if isinstance(manifest, Manifest) else None
    if not isinstance(manifest, Manifest) or entry is None or not entry.setting:
        return None
    key, value, setting = entry.key.span, entry.value.span, entry.setting
    if setting == "EXTENDS":
        # The hover for the squad, at the line of its manifest that says how it extends the root.
        squad = owning_squad(view.tree, facts.path)
        return (
            (closest_span(offset, entry.span, key), _squad_markdown(view, squad)) if squad else None
        )
    item = next((item for item in entry.items if item.span.touches(offset)), None)
    if item and setting == "RECALL":
        return item.span, _keyword_markdown(view, facts, entry, item)
    if item and setting in ("EXCLUDE", "GLOBAL_EXCLUDE"):
        return item.span, _exclusion_markdown(view, facts.path, manifest, entry, item)
    if setting in _FAMILY_OF_TRIGGER and entry.value.value and value.touches(offset):
        return value, _trigger_markdown(view, facts, entry)
    span = closest_span(offset, entry.span, key, value)
    if entry.domain:
        return span, _domain_markdown(view, facts, entry)
    now = "on" if view.assembly.situation.devmode else "off"
    state = f"It is {now} now." if setting == "DEVMODE" else ""
    summary = f"**{escape_markdown(setting)}**: {manifest_settings.GLOBAL_KEYS[setting].summary}"
    return span, join_paragraphs(summary, state)


def _domain_markdown(view: View, facts: FileFacts, entry: ManifestEntry) -> str:
    """Return Markdown about the domain of a key, and about what this key sets."""
    label = domain_label(view.tree, facts.path, entry.domain)
    if (domain := compiled_domain(view, label)) is None:
        return f"**{escape_markdown(entry.domain)}**"
    account = view.accounts[label]
    # What keeps the domain out of the very block that it waits for.
    obstacle = ""
    situation = {} if account.rendered_count else waking_situation(view, domain)
    if situation:
        _, then = situation_block(view, domain, situation)
        if then and not then.rendered_count:
            block = f"the block {situation_phrase(situation)} either"
            obstacle = inclusion_sentence(False, _inclusion_reason(then), then.remedy, block)
    if domain.role == "commands":
        preview = _commands_sentence(view, account)
    else:
        preview = _ways_in_markdown(view, domain, account) or bracket_table(view, domain)
    summary = manifest_settings.SETTINGS[entry.setting].summary
    remedy = "" if obstacle else account.remedy
    return join_paragraphs(
        f"**{escape_markdown(label)}** · {code_span(entry.setting)}: {summary}",
        _content_phrase(account),
        inclusion_sentence(bool(account.rendered_count), _inclusion_reason(account), remedy),
        left_out_sentence(account),
        obstacle,
        preview,
    )


def _commands_sentence(view: View, account: DomainAccount) -> str:
    """Return all star-commands, each with what a prompt that says it is told."""
    commands = []
    for name, (path, rows) in view.plan.commands.items():
        if path == account.file and not prompt_parser.is_executed_command(name):
            lines = {row.line + 1 for row in view.plan.command_rules(name)}
            tokens = sum(rule.tokens for rule in account.rules if rule.line in lines)
            rules, cost = format_count(len(rows), "rule"), format_count(tokens, "token")
            commands.append(f"{code_span(f'*{name}')} ({rules}, {cost})")
    if not commands:
        return ""
    return f"A prompt that says one of them gets its rules: {', '.join(commands)}."


def _content_phrase(account: DomainAccount) -> str:
    """Return how much the domain contributes, and from which file."""
    if not account.file:
        return "It has no rule file."
    tokens = format_count(sum(rule.tokens for rule in account.rules), "token")
    place = line_reference(account.file, account.rules[0].line if account.rules else 1)
    phrase = f"{format_count(len(account.rules), 'rule')}, {tokens}, in {place}"
    is_part = 0 < account.rendered_count < len(account.rules)
    return f"{phrase}, {account.rendered_count} of them in the block" if is_part else phrase


def _inclusion_reason(account: DomainAccount) -> str:
    """Return why the domain is in or out; where it takes part with no rule, what became of the
    first.
    """
    if account.layer and not account.rendered_count and account.rules:
        return account.rules[0].reason
    layer = f" ({account.layer} {LAYER_NAMES[account.layer]})" if account.layer else ""
    return f"{account.reason}{layer}"


def _ways_in_markdown(view: View, domain: compiled_plan.PlanDomain, account: DomainAccount) -> str:
    """Return the block now where the domain is in it, else the one that its own trigger
    would give.
    """
    if account.rendered_count:
        entries = entries_of_domains(domain.label)
        return block_preview(view.assembly, {}, entries, bracket_line(view, domain))
    prompt = domain.recall[0] if domain.recall else ""
    triggers = {"agent": domain.agent, "workflow": domain.workflow, "prompt": prompt}
    situation = next(({name: value} for name, value in triggers.items() if value), None)
    return situation_preview(view, domain, situation) if situation else ""


def _keyword_markdown(view: View, facts: FileFacts, entry: ManifestEntry, item: Text) -> str:
    """Return Markdown about a recall keyword: what a prompt that consists of it would do."""
    label = domain_label(view.tree, facts.path, entry.domain)
    situation = {"prompt": item.value}
    assembly = view.block(**situation)
    account, domain = domain_account(view, assembly, label), compiled_domain(view, label)
    if account is None or domain is None:
        return ""
    is_substring = view.plan.settings["matching"] == "substring"
    how = ", within words too" if is_substring else " as whole words, in any letter case"
    # The other domains that have the same keyword, and those that the same words bring in.
    definitions = view.tree.snapshot.definitions(fact_extraction.make_key("keyword", item.value))
    labels = dict.fromkeys(str(definition.value) for _, definition in definitions)
    other_labels = [other for other in labels if other != label]
    recall = sorted(assembly.situation.matches.recall.items())
    recalled = [(view.plan.domain(position), words) for position, words in recall]
    matches = [f"{d.label} ({words[0]})" for d, words in recalled if d.label != label]
    return join_paragraphs(
        f"**{escape_markdown(item.value)}** activates {escape_markdown(label)} when a prompt has "
        f"it{how}.",
        _content_phrase(account),
        f"Also a keyword of {_join_names(other_labels)}." if other_labels else "",
        f"The same words match {_join_names(matches)}." if matches else "",
        inclusion_sentence(
            bool(account.rendered_count),
            _inclusion_reason(account),
            account.remedy,
            "the block of a prompt that says it",
        ),
        situation_preview(view, domain, situation),
    )


def _join_names(names: Iterable[str]) -> str:
    listed = [escape_markdown(name) for name in names]
    more = f" and {len(listed) - _MOST_NAMES} more" if len(listed) > _MOST_NAMES else ""
    return ", ".join(listed[:_MOST_NAMES]) + more


def _exclusion_markdown(
    view: View, path: str, manifest: Manifest, entry: ManifestEntry, item: Text
) -> str:
    """Return Markdown about an excluded word, and the keywords that it makes useless."""
    effect, declarations = "stops all recall", list(manifest.domains.values())
    if entry.domain:
        label = domain_label(view.tree, path, entry.domain)
        effect = f"keeps {escape_markdown(label)} from being recalled"
        declarations = [manifest.domains[entry.domain]]
    needle = fold_text(item.value)
    words = chain.from_iterable(declaration.recall for declaration in declarations)
    dead = [word for word in words if contains_word(fold_text(word), needle)]
    shadow = f"So these keywords never do anything: {_join_names(dead)}." if dead else ""
    return join_paragraphs(f"**{escape_markdown(item.value)}** in a prompt {effect}.", shadow)


_FAMILY_OF_TRIGGER = {"AGENT_TRIGGER": "agent", "WORKFLOW_TRIGGER": "workflow"}


def _trigger_markdown(view: View, facts: FileFacts, entry: ManifestEntry) -> str:
    """Return Markdown about an agent or a workflow, and the block while it is at work."""
    family, name = _FAMILY_OF_TRIGGER[entry.setting], entry.value.value
    label = domain_label(view.tree, facts.path, entry.domain)
    if (domain := compiled_domain(view, label)) is None:
        return ""
    if family == "agent":
        name = name.removeprefix("@")
        agents = view.tree.agents
        title, path = f"@{name}", agents.get(name) or agents.get(view.plan.find_agent(name))
    else:
        title, path = name, view.tree.workflows.get(name)
    defined = f"defined in {code_span(path)}" if path else "defined by no file of the tree"
    account = view.accounts[label]
    is_in = bool(account.rendered_count)
    return join_paragraphs(
        f"**{escape_markdown(title)}** activates {escape_markdown(label)} while this "
        f"{family} is active; the {family} is {defined}.",
        _content_phrase(account),
        inclusion_sentence(is_in, _inclusion_reason(account), account.remedy),
        left_out_sentence(account),
        situation_preview(view, domain, {family: name}),
    )
