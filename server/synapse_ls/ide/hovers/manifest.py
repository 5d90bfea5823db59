"""Hovers in a manifest: domains, keywords, triggers, and the settings of the manifest itself."""

from __future__ import annotations

from collections.abc import Iterable

from synapse_ls.engine.account import LAYER_NAMES, DomainAccount
from synapse_ls.engine.plan import Domain
from synapse_ls.engine.run import Assembly
from synapse_ls.engine.words import contains, fold
from synapse_ls.formats.manifest import GLOBAL_KEYS, SETTINGS, Manifest, ManifestEntry
from synapse_ls.formats.problem import Text
from synapse_ls.ide.brackets import in_words, table
from synapse_ls.ide.hovers import squad
from synapse_ls.ide.lookup import declared_label
from synapse_ls.ide.markdown import (
    account_in,
    code,
    fate,
    of_labels,
    paragraphs,
    place,
    plain,
    preview,
)
from synapse_ls.ide.view import View
from synapse_ls.ide.waking import layers_of, planned, situation_of, waking
from synapse_ls.text.counted import counted
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.keys import key

_SHOWN = 5  # names in a sentence


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """What a line of a manifest says, by its part under the pointer."""
    manifest = facts.document
    entry = manifest.entry_at(offset) if isinstance(manifest, Manifest) else None
    if entry is None or not entry.setting:
        return None
    if entry.setting == "EXTENDS":
        return squad.of_manifest(view, facts, entry, offset)
    item = next((item for item in entry.items if item.span.touches(offset)), None)
    if item and entry.setting in _LISTS:
        return item.span, _LISTS[entry.setting](view, facts, entry, item)
    if entry.setting in _TRIGGERS and entry.value.value and entry.value.span.touches(offset):
        return entry.value.span, _trigger(view, facts, entry)
    parts = (entry.key.span, entry.value.span)
    span = next((part for part in parts if part.length and part.touches(offset)), entry.span)
    return span, _domain(view, facts, entry) if entry.domain else _global(view, entry)


def _domain(view: View, facts: FileFacts, entry: ManifestEntry) -> str:
    """The domain of a key, and what this key says about it."""
    label = declared_label(view.tree, facts.path, entry.domain)
    domain = planned(view, label)
    account = view.accounts.get(label)
    if domain is None or account is None:
        return f"**{plain(entry.domain)}**"
    obstacle = _obstacle(view, domain, account)
    return paragraphs(
        f"**{plain(label)}** · {code(entry.setting)}: {SETTINGS[entry.setting].summary}",
        _content(account),
        fate(bool(account.rendered), _reason(account), "" if obstacle else account.remedy),
        obstacle,
        _ways_in(view, domain, account) or table(view, domain),
    )


def _global(view: View, entry: ManifestEntry) -> str:
    summary = GLOBAL_KEYS[entry.setting].summary
    now = ""
    if entry.setting == "DEVMODE":
        now = f"It is {'on' if view.assembly.situation.devmode else 'off'} now."
    return paragraphs(f"**{plain(entry.setting)}**: {summary}", now)


def _content(account: DomainAccount) -> str:
    """How much the domain contributes, from where."""
    if not account.file:
        return "It has no rule file."
    tokens = sum(rule.tokens for rule in account.rules)
    first = account.rules[0].line if account.rules else 1
    rules = counted(len(account.rules), "rule")
    inside = account.rendered
    part = f", {inside} of them in the block" if 0 < inside < len(account.rules) else ""
    return f"{rules}, {counted(tokens, 'token')}, in {place(account.file, first)}{part}"


def _reason(account: DomainAccount) -> str:
    """Why the domain is in or out; where it takes part with no rule, what became of the first."""
    if account.layer and not account.rendered and account.rules:
        return account.rules[0].reason
    layer = f" ({account.layer} {LAYER_NAMES[account.layer]})" if account.layer else ""
    return f"{account.reason}{layer}"


def _obstacle(view: View, domain: Domain, account: DomainAccount) -> str:
    """What keeps the domain out of the very block that it waits for."""
    situation = situation_of(view, domain)
    if account.rendered or not situation:
        return ""
    _, then = _awaited(view, domain, situation)
    if then is None or then.rendered:
        return ""
    return fate(False, _reason(then), then.remedy, f"the block {in_words(situation)} either")


def _ways_in(view: View, domain: Domain, account: DomainAccount) -> str:
    """The block now where the domain is in it, else the one that its own trigger would give."""
    if account.rendered:
        return preview(view.assembly, "", of_labels(domain.label), table(view, domain))
    if domain.agent:
        return _shown(view, domain, {"agent": domain.agent})
    if domain.workflow:
        return _shown(view, domain, {"workflow": domain.workflow})
    return _shown(view, domain, {"prompt": domain.recall[0]}) if domain.recall else ""


def _shown(view: View, domain: Domain, situation: dict[str, str]) -> str:
    """The domain in a situation, bracket by bracket, and the block.

    The block is that of the current bracket, else of the first in which the domain comes in.
    """
    assembly, then = _awaited(view, domain, situation)
    brackets = table(view, domain, situation)
    if then is None or not then.rendered:
        return brackets
    return preview(assembly, in_words(situation), of_labels(domain.label), brackets)


def _awaited(
    view: View, domain: Domain, situation: dict[str, str]
) -> tuple[Assembly, DomainAccount | None]:
    """The block of a situation and what becomes of the domain in it.

    That of the current bracket, or of the first one in which the domain can wake if it is out there.
    """
    assembly = view.block(**situation)
    then = account_in(view, assembly, domain.label)
    asleep = waking(view, layers_of(domain))
    if asleep and not (then and then.rendered):
        assembly = view.block(**situation, **asleep)
        then = account_in(view, assembly, domain.label)
    return assembly, then


def _keyword(view: View, facts: FileFacts, entry: ManifestEntry, item: Text) -> str:
    """A recall keyword, by what a prompt that consists of it would do."""
    label = declared_label(view.tree, facts.path, entry.domain)
    situation = {"prompt": item.value}
    assembly = view.block(**situation)
    account, domain = account_in(view, assembly, label), planned(view, label)
    if account is None or domain is None:
        return ""
    return paragraphs(
        f"**{plain(item.value)}** brings {plain(label)} in when a prompt has it{_as_words(view)}.",
        _content(account),
        _shared(view, item, label),
        _also(view, label, assembly.situation.matches.recall),
        fate(
            bool(account.rendered),
            _reason(account),
            account.remedy,
            "the block of a prompt that says it",
        ),
        _shown(view, domain, situation),
    )


def _as_words(view: View) -> str:
    substring = view.plan.settings["matching"] == "substring"
    return ", within words too" if substring else " as whole words, in any letter case"


def _shared(view: View, item: Text, label: str) -> str:
    """The other domains that have the same keyword."""
    found = view.tree.snapshot.definitions(key("keyword", item.value))
    others = dict.fromkeys(str(definition.value) for _, definition in found)
    others.pop(label, None)
    return f"Also a keyword of {_names(others)}." if others else ""


def _also(view: View, label: str, recall: dict[int, tuple[str, ...]]) -> str:
    """The domains that the same words bring in through another keyword."""
    domains = [(view.plan.domain(position), words) for position, words in sorted(recall.items())]
    others = [f"{d.label} ({words[0]})" for d, words in domains if d.label != label]
    return f"The same words match {_names(others)}." if others else ""


def _names(names: Iterable[str]) -> str:
    listed = [plain(name) for name in names]
    more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return ", ".join(listed[:_SHOWN]) + more


def _excluded(view: View, facts: FileFacts, entry: ManifestEntry, item: Text) -> str:
    """An excluded word, and the keywords that it makes useless."""
    manifest = facts.document
    assert isinstance(manifest, Manifest)
    if entry.domain:
        label = declared_label(view.tree, facts.path, entry.domain)
        effect = f"keeps {plain(label)} from being recalled"
        declarations = [manifest.domains[entry.domain]]
    else:
        effect = "stops all recall"
        declarations = list(manifest.domains.values())
    needle = fold(item.value)
    dead = [
        word
        for declaration in declarations
        for word in declaration.recall
        if contains(fold(word), needle)
    ]
    shadow = f"So these keywords never do anything: {_names(dead)}." if dead else ""
    return paragraphs(f"**{plain(item.value)}** in a prompt {effect}.", shadow)


_LISTS = {"RECALL": _keyword, "EXCLUDE": _excluded, "GLOBAL_EXCLUDE": _excluded}
_TRIGGERS = {"AGENT_TRIGGER": "agent", "WORKFLOW_TRIGGER": "workflow"}


def _trigger(view: View, facts: FileFacts, entry: ManifestEntry) -> str:
    """An agent or a workflow, and the block while it is at work."""
    family, name = _TRIGGERS[entry.setting], entry.value.value
    label = declared_label(view.tree, facts.path, entry.domain)
    account, domain = view.accounts.get(label), planned(view, label)
    if account is None or domain is None:
        return ""
    if family == "agent":
        name = name.removeprefix("@")
        shown, found = f"@{name}", view.tree.agents.get(name)
    else:
        shown, found = name, view.tree.workflows.get(name)
    defined = f"defined in {code(found)}" if found else "defined by no file of the tree"
    return paragraphs(
        f"**{plain(shown)}** brings {plain(label)} in while this {family} is active; "
        f"the {family} is {defined}.",
        _content(account),
        fate(bool(account.rendered), _reason(account), account.remedy),
        _shown(view, domain, {family: name}),
    )
