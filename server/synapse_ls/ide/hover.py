"""Answer hovers for every kind of file: what a place means, and whether it is in the block."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter

from synapse_ls.engine import block_sections, compiled_plan, profiles, reason_phrases
from synapse_ls.engine.memory_hints import Hint
from synapse_ls.engine.rule_account import DomainAccount, RuleAccount
from synapse_ls.formats import memory_file, setting_validation, toml_document
from synapse_ls.formats.carl.carl_json import CarlDocument
from synapse_ls.formats.config_settings import Config, find_option
from synapse_ls.formats.rule import Rule
from synapse_ls.ide import manifest_hover, position_lookup, rules_hover, workflow_hover
from synapse_ls.ide.hover_markdown import (
    arrange_hover,
    block_preview,
    code_span,
    escape_markdown,
    escape_sentence,
    inclusion_sentence,
    left_out_sentence,
    line_reference,
    name_shell_commands,
)
from synapse_ls.ide.tree_view import View
from synapse_ls.text.phrases import format_count, join_paragraphs
from synapse_ls.text.span import Span
from synapse_ls.workspace.chati_places import PLAN_KINDS
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_TEXT_KINDS, FileKind
from synapse_ls.workspace.path_classification import BRAINIAC_PLAN_KINDS as BRAINIAC


def hover_brainiac(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover for the part of a Brainiac file that a line belongs to; nothing for an empty
    line.
    """
    line = facts.lines.line_of(offset)
    if not (span := facts.lines.line_span(line)).cut(facts.text).strip():
        return None
    markdowns, keys = [], set()
    for domain in position_lookup.file_domains(view, facts):
        # The part that begins last before the line, or the first one.
        above = [rule for rule in domain.rules if rule.line <= line]
        rule = max(above, key=attrgetter("line")) if above else next(iter(domain.rules), None)
        if rule is None:
            continue
        key, label = escape_markdown(rule.key), escape_markdown(domain.label)
        name = key if rule.key == domain.label else f"{key} of {label}"
        keys.add((domain.label, rule.key))
        if (account := _rule_account(view, domain, rule)) is None:
            markdowns.append("")
            continue
        place = line_reference(domain.file, rule.line + 1)
        markdowns += (
            f"**{name}** · {place} · {format_count(account.tokens, 'token')}",
            inclusion_sentence(account.is_rendered, account.reason, account.remedy),
        )
    preview = block_preview(view.assembly, {}, lambda _, entry: (entry.domain, entry.key) in keys)
    return (span, join_paragraphs(*markdowns, preview)) if markdowns else None


def _rule_account(view: View, domain: compiled_plan.PlanDomain, rule: Rule) -> RuleAccount | None:
    rules = view.accounts[domain.label].rules
    return next((account for account in rules if account.key == rule.key), None)


def hover_carl(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover for the rule, star-command or setting under the pointer in CARL's one file,
    as in the files that CARL v1 has for them.
    """
    document = facts.document
    if not isinstance(document, CarlDocument):
        return None
    for about, part in (
        (rules_hover.hover_rules, document.commands),
        (rules_hover.hover_rules, document.context),
        (rules_hover.hover_rules, document.rules),
        (manifest_hover.hover_manifest, document.manifest),
    ):
        if part_hover := about(view, replace(facts, document=part), offset):
            return part_hover
    return None


def hover_chati(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover for the rule that a line of Chati.dev's files belongs to; on the first line
    that for the whole file.
    """
    line = facts.lines.line_of(offset)
    span = facts.lines.line_span(line)
    if place := position_lookup.plan_rule_at(view, facts, offset):
        return span, _chati_rule_markdown(view, *place)
    domains = position_lookup.file_domains(view, facts) if line == 0 else ()
    if not domains:
        return None
    markdowns = [_domain_markdown(view.accounts[domain.label]) for domain in domains]
    return span, join_paragraphs(*markdowns, block_preview(view.assembly, {}))


def _chati_rule_markdown(view: View, domain: compiled_plan.PlanDomain, rule: Rule) -> str:
    if (account := _rule_account(view, domain, rule)) is None:
        return _domain_markdown(view.accounts[domain.label])

    def is_shown(section: block_sections.Section, entry: block_sections.Entry) -> bool:
        lead = section.lead
        return entry.key == rule.key or (lead is not None and lead.key == rule.key)

    key, group = escape_markdown(rule.key), escape_markdown(rule.group)
    label, cost = escape_markdown(domain.label), format_count(account.tokens, "token")
    place = line_reference(domain.file, rule.line + 1)
    situation, phrase = _waking_situation(view, domain, account)
    return join_paragraphs(
        f"**{key}** · {group} of {label} · {place} · {cost}",
        inclusion_sentence(account.is_rendered, account.reason, account.remedy),
        block_preview(view.block(**situation), situation, is_shown, phrase=phrase),
    )


def _waking_situation(
    view: View, domain: compiled_plan.PlanDomain, account: RuleAccount
) -> tuple[dict[str, str], str]:
    """Return the situation in whose block the rule is, {} for the one now, and word for it."""
    situation: dict[str, str] = {}
    phrases = []
    if account.is_rendered:
        return situation, ""
    if domain.agent:
        situation["agent"] = domain.agent
        phrases.append(f"with @{escape_markdown(domain.agent)}")
    reasons = account.explanation.reasons
    layer = next((p.values[0] for p in reasons if p.code.startswith("asleep")), "")
    bracket = view.plan.profile.waking_bracket(layer) if layer else None
    if bracket:
        situation["bracket"] = bracket.name
        phrases.append(f"in {bracket.name}")
    return situation, " ".join(phrases)


def _domain_markdown(account: DomainAccount) -> str:
    rules = f"{account.rendered_count} of {format_count(len(account.rules), 'rule')}"
    return join_paragraphs(
        f"**{escape_markdown(account.label)}** · {rules} in the block",
        inclusion_sentence(account.rendered_count > 0, account.reason, account.remedy),
        left_out_sentence(account),
    )


def hover_config(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover for the setting of the configuration whose key or value is under the
    pointer.
    """
    touched = [
        (path, part)
        for path, place in toml_document.key_positions(facts.text).items()
        for part in place
        if part.touches(offset)
    ]
    markdowns = ((span, _setting_markdown(view, facts, path)) for path, span in reversed(touched))
    return next(((span, markdown) for span, markdown in markdowns if markdown), None)


def _setting_markdown(view: View, facts: FileFacts, path: toml_document.TomlPath) -> str:
    """Return what there is to say about the setting at a path of the configuration, "" for
    nothing.
    """
    names = [part for part in path if isinstance(part, str)]
    config = view.tree.snapshot.config
    if isinstance(facts.document, Config):
        config = facts.document
    built_profile = None
    if names[0] == "profiles" and len(names) > 1:
        built_profile = profiles.build_profile(names[1], config.profiles)
    if built_profile:
        # What the profile comes to, as a list.
        profile = compiled_plan.Profile(built_profile.table)
        brackets = (
            f"- {escape_markdown(row.name)} ({escape_markdown(row.label)}): {row.budget:,} tokens, "
            f"{' '.join(sorted(row.layers)) or 'no layer'}"
            for row in profile.brackets
        )
        first = ", ".join(list(profile.order)[:6])
        inner = find_option(".".join(names))
        return join_paragraphs(
            _option_markdown(inner) if inner else "",
            f"**{escape_markdown(names[1])}** comes to",
            "\n".join(brackets),
            f"Sections: {escape_markdown(first)}, …",
            f"Goes first: {escape_markdown(', '.join(profile.drop[:6]))}, …",
            *(f"⚠️ {escape_sentence(fault.sentence)}" for fault in built_profile.faults),
        )
    # Below a setting come names of the user's own: `[lint.severity] SYN1 = "off"`.
    options = (find_option(".".join(names[:count])) for count in range(len(names), 0, -1))
    option = next((option for option in options if option), None)
    return _option_markdown(option) if option else ""


def _option_markdown(option: setting_validation.Option) -> str:
    choices = ", ".join(code_span(word) for word in option.choices if word)
    default = option.default
    text = "" if default is None or default == {} else str(default)
    if isinstance(default, tuple):
        text = ", ".join(map(str, default))
    elif isinstance(default, bool):
        text = text.lower()
    return join_paragraphs(
        f"**{option.path}**: {option.about}",
        f"One of {choices}." if choices else "",
        f"Default: {code_span(text) or 'empty'}",
    )


FIELD_MEANINGS: Mapping[str, str] = {
    "id": "The name of the memory: the day it was learned on, and a number.",
    "title": "What it is called; a heading in the text counts before it.",
    "type": "What it is. Its sector and storage follow from it where they are not given.",
    "sector": "What kind of knowledge it is: agents prefer some sectors to others.",
    "storage": "How long it is kept: for a session, for days without use, or for good.",
    "scope": "Who gets it: everybody, or the agent alone.",
    "agent": "Who has learned it; of a private one, its only reader.",
    "tags": "What it is about; a prompt that has one of them as a word matches best.",
    "confidence": "How sure it is, from 0 to 1; it grows with each piece of evidence.",
    "evidence": "How often it was seen.",
    "access_count": "How often other tools have injected it; the uses here are counted elsewhere.",
    "created": "When it was learned.",
    "updated": "When it was changed last.",
    "accessed": "When it was injected last.",
    "expires": "The day from which on it is no longer injected.",
    "explicit": "Whether a person said so: its score has a floor, and it is never forgotten by "
    "itself.",
    "source": "Where it was learned.",
    "tier": "The attention that another tool gives it: the least that it gets until it fades.",
}


def hover_memory(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover on a memory: a field's meaning on its key; elsewhere what becomes of the
    memory.
    """
    memory = facts.document
    if not isinstance(memory, memory_file.MemoryDocument):
        return None
    for name, span in memory.keys.items():
        if span.touches(offset):
            return span, join_paragraphs(f"**{name}**: {FIELD_MEANINGS[name]}")
    line = facts.lines.line_span(facts.lines.line_of(offset))
    # No caret stands between the two characters of a line break.
    return (line, _memory_markdown(view, facts)) if line.touches(offset) else None


def hover_foreign_memory(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Return the hover on a memory that a line of Chati.dev's files is about, what becomes of it; a
    file may hold several, each from the line on that has its id.
    """
    line = facts.lines.line_of(offset)
    situation = view.assembly.situation
    omitted = situation.memories.omitted if situation.memories else ()
    all_hints = (*situation.hints, *(hint for hint, _ in omitted))
    hints = [hint for hint in all_hints if hint.path == facts.path]
    hint = hints[0] if len(hints) == 1 else _memory_above(facts, line, hints)
    if hint is None:
        return None
    title = f"**{escape_markdown(hint.id)}** · {escape_markdown(hint.title)}"
    markdown = join_paragraphs(title, _memory_markdown(view, facts, hint.id))
    return facts.lines.line_span(line), markdown


def _memory_above(facts: FileFacts, line: int, hints: list[Hint]) -> Hint | None:
    """Return the memory whose id stands nearest above a line, or in it; else the one that begins
    there.
    """
    for number in range(line, -1, -1):
        words = re.split(r'[\s",]+', facts.lines.line_span(number).cut(facts.text))
        for hint in hints:
            if hint.id in words:
                return hint
    begun = [hint for hint in hints if 0 < hint.line <= line]
    return max(begun, key=attrgetter("line"), default=None)


def _memory_markdown(view: View, facts: FileFacts, id: str = "") -> str:
    situation = view.assembly.situation
    memories = situation.memories

    def is_meant(hint: Hint) -> bool:
        return hint.path == facts.path and id in ("", hint.id)

    if hints := [hint for hint in situation.hints if is_meant(hint)]:
        identities = {hint.identity for hint in hints}

        def is_shown(_: block_sections.Section, entry: block_sections.Entry) -> bool:
            return any(member.hash in identities for member in entry.members or (entry,))

        sent = any(is_shown(s, e) for s in view.assembly.sent_sections for e in s.entries)
        reason = "; ".join(hints[0].reasons) if sent else "the budget has no room for it"
        block = block_preview(view.assembly, {}, is_shown)
        return join_paragraphs(inclusion_sentence(sent, reason), _score_table(hints[0]), block)
    for hint, why in memories.omitted if memories else ():
        if is_meant(hint):
            reason = reason_phrases.make_phrase(*why).sentence
            return join_paragraphs(inclusion_sentence(False, reason), _score_table(hint))
    reason = memories.why if memories else ""
    return inclusion_sentence(False, reason or "no agent that may get it is active")


def _score_table(hint: Hint) -> str:
    """Return a table of the factors of the score."""
    rows = [f"| {escape_markdown(name)} | {value:.2f} |" for name, value in hint.factors]
    head = f"| {hint.tier.upper()} | {code_span(f'{hint.score:.2f}')} |\n|---|---|"
    return "\n".join((head, *rows))


@dataclass(frozen=True, slots=True)
class Hover:
    """Markdown about the part of a file that ``span`` covers."""

    span: Span
    markdown: str


_BY_KIND: Mapping[FileKind, Callable[[View, FileFacts, int], tuple[Span, str] | None]] = {
    FileKind.MANIFEST: manifest_hover.hover_manifest,
    FileKind.CARL: hover_carl,
    **dict.fromkeys(RULE_TEXT_KINDS, rules_hover.hover_rules),
    FileKind.SQUAD: manifest_hover.hover_squad,
    FileKind.WORKFLOW_STATE: workflow_hover.hover_state,
    FileKind.WORKFLOW: workflow_hover.hover_definition,
    FileKind.CHAINS: workflow_hover.hover_chain,
    FileKind.TASK: workflow_hover.hover_task,
    FileKind.STORY: workflow_hover.hover_task,
    FileKind.CONFIG: hover_config,
    FileKind.MEMORY: hover_memory,
    **dict.fromkeys(PLAN_KINDS, hover_chati),
    **dict.fromkeys(
        (FileKind.CHATI_MEMORY, FileKind.CHATI_GOTCHAS, FileKind.CHATI_TRACKED),
        hover_foreign_memory,
    ),
    **dict.fromkeys(BRAINIAC, hover_brainiac),
}


def hover(view: View, path: str, offset: int, *, runs_links: bool = True) -> Hover | None:
    """Return the hover for ``offset`` in the file ``path``; None where there is nothing to say.

    runs_links: whether the editor runs commands in links.
    """
    if (facts := view.readable_facts(path)) is None or facts.kind not in _BY_KIND:
        return None
    if (part := _BY_KIND[facts.kind](view, facts, offset)) is None:
        return None
    return Hover(part[0], arrange_hover(part[1] if runs_links else name_shell_commands(part[1])))
