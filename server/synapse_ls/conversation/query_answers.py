"""Answers to the ``*synapse`` commands that only ask about the block, the tree and its rules."""

from collections import Counter
from collections.abc import Iterator, Mapping
from time import perf_counter

from synapse_ls.conversation.synapse_commands import CommandRequest
from synapse_ls.engine import memory_hints, reason_phrases, rule_account, supplementary_sections
from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.block_renderer import render_section
from synapse_ls.engine.compiled_plan import Plan, PlanDomain, load_function
from synapse_ls.engine.context_usage import DEFAULT, ESTIMATED, INVALID, estimate_tokens
from synapse_ls.engine.delivery_difference import find_holding_entries
from synapse_ls.engine.situation import Situation
from synapse_ls.formats.session_file import SessionState
from synapse_ls.formats.session_values import parse_switch
from synapse_ls.hooks.window_reply import ComposedBlock
from synapse_ls.integrations.hook_registrations import registered_files
from synapse_ls.lint.lint_runner import lint_file
from synapse_ls.lint.rule_selection import Policy
from synapse_ls.queries import domain_report, rule_lookup
from synapse_ls.queries.answer_lines import answer_notes, cost_line, situation_lines, tree_counts
from synapse_ls.storage.program_start import enable_site_packages
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.phrases import format_count
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import FileKind, LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree

LAYER_MAX_NAMED = 5  # domains of one kind that are named


def answer_debug(request: CommandRequest) -> list[str]:
    """Answer ``*synapse debug``: describe the block layer by layer; the debug view has been
    switched by now.
    """
    composed = request.composed
    situation = composed.assembly.situation
    usage = situation.usage
    switched = (
        "on with every prompt of this session, until `*synapse debug` switches it off again"
        if situation.devmode
        else "off for this session"
    )
    figures = [window_line(situation)]
    if usage.used is not None and usage.window:
        figures.append(f"{usage.used:,} of {usage.window:,} tokens used")
    if usage.prompts:
        figures.append(f"{format_count(usage.prompts, 'earlier prompt')} since the last compaction")
    # Each layer is asked once more, for the milliseconds that it takes for this prompt.
    times = {}
    for layer, function in composed.plan.profile.layers:
        assembly = composed.assembly
        if layer in assembly.selection.awake and layer not in assembly.degraded_layers:
            began = perf_counter()
            load_function(function)(composed.plan, situation, assembly.selection)
            times[layer] = (perf_counter() - began) * 1000
    memories = memory_hints.count_memories(situation.hints, situation.memories)
    memories = memories or "Memories: none with this prompt"
    entries = find_holding_entries(composed.assembly).values()
    standing = sum(entry.domain == "MEMORY" for entry in entries)
    return [
        f"debug view (DEVMODE): {switched}",
        ", ".join(figures),
        block_line(composed.assembly),
        f"tree: {tree_counts(composed)}",
        supplementary_sections.render_activation(situation.activation)
        or "Activation: no agent was activated in this session, so no loader ran",
        f"{memories}; {standing:,} in the window" if standing else memories,
        *_layer_lines(composed, times),
        *note_lines(composed),
    ]


def answer_diagnose(request: CommandRequest) -> list[str]:
    """Answer ``*synapse diagnose``: describe hook, tree, session and layers as they are found,
    without a verdict on what is not known.
    """
    composed = request.composed
    plan, turn = composed.plan, composed.assembly.situation.turn
    # Settings are not all there is, so that none proves nothing.
    hook = (
        "not in the settings of any client, of the project or of the user; "
        "plugins and managed settings are not looked at"
    )
    if files := registered_files(plan.root):
        hook = f"registered in {', '.join(files)}"
    return [
        f"hook: {hook}",
        f"tree: {tree_counts(composed)}",
        *_manifest_lines(plan),
        f"session: {f'prompt {turn:,}' if turn > 1 else 'new'}",
        window_line(composed.assembly.situation),
        block_line(composed.assembly),
        *_layer_lines(composed),
        *(list(note_lines(composed)) or ["nothing is degraded"]),
    ]


def _layer_lines(
    composed: ComposedBlock, times: Mapping[str, float] | None = None
) -> Iterator[str]:
    """Yield what each layer gives now, or why it gives nothing."""
    assembly = composed.assembly
    for layer, _ in composed.plan.profile.layers:
        took = f" ({times[layer]:.2f} ms)" if times and layer in times else ""
        name = f"{layer} {reason_phrases.LAYER_NAMES.get(layer, '')}".rstrip()
        if layer in assembly.degraded_layers:
            text = f"could not contribute ({assembly.degraded_layers[layer]})"
        else:
            text = rule_account.describe_sleeping_layer(
                composed.plan, assembly, layer
            ) or _contribution_text(assembly, layer)
        yield f"{name}{took}: {text or 'nothing to inject now'}"


def _contribution_text(assembly: Assembly, layer: str) -> str:
    """Return what comes with this prompt from a layer, and what of it stands in the window."""
    sections = [section for section in assembly.sent_sections if section.layer == layer]
    sent = Counter(entry.domain or s.id for s in sections for entry in s.entries)
    again = {entry.hash for section in sections for entry in section.entries}
    standing = Counter(
        entry.domain
        for identity, entry in find_holding_entries(assembly).items()
        if entry.layer == layer and identity not in again
    )
    tokens = sum(estimate_tokens(render_section(section)) for section in sections)
    parts = ((sent, f", {format_count(tokens, 'token')}"), (standing, " in the window"))
    return "; ".join(_list_counts(counts, where) for counts, where in parts if counts)


def _list_counts(counts: Mapping[str, int], where: str = "") -> str:
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    return f"{format_count(sum(counts.values()), 'line')}{where}: {listed}"


def _manifest_lines(plan: Plan) -> Iterator[str]:
    """Yield what of the manifests does not come to anything."""
    domains = plan.domains()
    if not any(domain.manifest and domain.squad < 0 for domain in domains):
        yield "manifest: the root's declares no domain"
    for what, labels in (
        ("switched off", [d.label for d in domains if not d.active]),
        ("without a rule file", [d.label for d in domains if d.active and not d.file]),
        ("without rules", [d.label for d in domains if d.active and d.file and not d.rules]),
    ):
        if labels:
            rest = len(labels) - LAYER_MAX_NAMED
            more = f" and {rest:,} more" if rest > 0 else ""
            yield f"{what}: {', '.join(labels[:LAYER_MAX_NAMED])}{more}"


MAX_KEYWORDS = 3  # keywords that stand for all
DOMAIN_MAX_NAMED = 3  # domains that are left out for one reason and named
MAX_REASONS = 2  # reasons for rules left out that a domain's line has room for


def answer_domains(request: CommandRequest) -> list[str]:
    """Answer ``*synapse domains``: list every domain: what wakes it and what it costs; those in
    this prompt's block first.
    """
    composed = request.composed
    taking_part = {
        domain.position
        for selected in composed.assembly.selection.by_layer.values()
        for domain, _ in selected
    }
    every = sorted(composed.plan.domains(), key=lambda domain: domain.position not in taking_part)
    return [f"{tree_counts(composed)}; * takes part in this prompt"] + [
        f"{'* ' if domain.position in taking_part else ''}{_domain_line(composed.plan, domain)}"
        for domain in every
    ]


def answer_explain(request: CommandRequest) -> list[str]:
    """Answer ``*synapse explain``: list what is in the block (or the window) and what is not,
    domain by domain, each with its reason; with a name only what goes by it.
    """
    unknown = []
    if request.argument:
        try:
            return answer_why(request)
        except UserError as error:
            unknown = [error.sentence]
    composed = request.composed
    accounts = rule_account.account_for_domains(composed.plan, composed.assembly)
    inside = [domain for domain in accounts if domain.rendered_count]
    outside = group_pairs(
        (domain.reason, domain) for domain in accounts if not domain.rendered_count
    )
    return [
        *unknown,
        block_line(composed.assembly),
        tree_counts(composed),
        *(f"in: {_account_line(domain)}" for domain in inside),
        *(f"out: {_group_line(group)}" for group in outside.values()),
        *note_lines(composed),
    ]


def answer_why(request: CommandRequest) -> list[str]:
    """Answer ``*synapse why``: say of a rule, a domain, a memory or a part of a text whether the
    agent has it, and why.
    """
    if not request.argument:
        return ["Name a rule, a domain, *command, file:line, or a part of the text."]
    composed = request.composed
    wanted = request.argument.strip("\"'“”‘’` \t.,;!?")
    accountant = rule_account.Accountant(composed.plan, composed.assembly)
    hits = [
        hit
        for domain in composed.plan.domains()
        if wanted[:1] == "@" and domain.agent == wanted[1:].lower()
        for hit in rule_lookup.domain_hits(accountant.account_of(domain))
    ] or rule_lookup.find_rules(composed.plan, composed.assembly, wanted, session=request.session)
    lines = []
    for group in rule_lookup.group_hits(hits):
        domain, rule = group[0]
        is_told, explanation = rule_lookup.explain_hit(group[0])
        name, state = rule_lookup.describe_fate(group)
        if rule is None:
            rules = format_count(len(domain.rules), "rule")
            name = f"{domain.label} ({domain.rendered_count:,} of {rules}) is"
        lines.append(f"{name} {state}: {explanation.reason}")
        lines += [f"{rule_lookup.rule_place([rule])}: {rule.text}" for _, rule in group if rule]
        if explanation.remedy and not is_told:
            lines.append(f"remedy: {explanation.remedy}")
    return lines


def _domain_line(plan: Plan, domain: PlanDomain) -> str:
    if not domain.active:
        return f"{domain.label}: switched off"
    wakes = domain_report.describe_triggers(plan, domain) or "nothing activates it"
    if domain.recall:
        words = ", ".join(f'"{word}"' for word in domain.recall[:MAX_KEYWORDS])
        more = ", …" if len(domain.recall) > MAX_KEYWORDS else ""
        wakes = wakes.replace("keywords", f"keywords {words}{more}")
    if not domain.file:
        return f"{domain.label}: {wakes}; no rule file"
    rules, tokens = len(domain.rules), domain_report.domain_tokens(domain)
    cost = f"{format_count(rules, 'rule')}, {format_count(tokens, 'token')}"
    return f"{domain.label}: {wakes}; {cost}"


def _group_line(group: list[rule_account.DomainAccount]) -> str:
    """Return one line for the domains that are left out for one reason."""
    if len(group) == 1:
        return _account_line(group[0])
    names = ", ".join(domain.label for domain in group[:DOMAIN_MAX_NAMED])
    more = f" and {len(group) - DOMAIN_MAX_NAMED:,} more" if len(group) > DOMAIN_MAX_NAMED else ""
    rules = format_count(sum(len(domain.rules) for domain in group), "rule")
    return f"{names}{more}, {rules}: {group[0].reason}"


def _account_line(domain: rule_account.DomainAccount) -> str:
    """Return a domain's line: its reason, then the reasons for what is left out of it."""
    total = len(domain.rules)
    count = format_count(total, "rule")
    if 0 < domain.rendered_count < total:
        count = f"{domain.rendered_count:,} of {count}"
    out = Counter(rule.reason for rule in domain.rules if not rule.is_rendered)
    if not domain.layer or not out:
        return f"{domain.label}, {count}: {domain.reason}"
    reasons = [f"{number:,} out ({reason})" for reason, number in out.most_common(MAX_REASONS)]
    if rest := sum(number for _, number in out.most_common()[MAX_REASONS:]):
        reasons.append(f"{rest:,} out for other reasons")
    return f"{domain.label}, {count}: {', '.join((domain.reason, *reasons))}"


MAX_SECONDS = 3.0  # seconds that a prompt may wait for every file of the tree


def answer_manifest(request: CommandRequest) -> list[str]:
    """Answer ``*synapse manifest``: return what `synapse check` says of the manifests, the root's
    own first.
    """
    enable_site_packages()
    loaded = load_tree(request.composed.plan.root, LoadScope.ALL, deadline=MAX_SECONDS)
    if any(note.kind == "late" for note in loaded.notes):
        return ["The tree is too large to be checked while a prompt waits: run `synapse check`."]
    tree = loaded.tree
    manifests = [facts.path for facts in tree.snapshot.files(FileKind.MANIFEST, FileKind.CARL)]
    paths = sorted(manifests, key=lambda path: (path != tree.manifest_path, path))
    lines = [line for path in paths for line in _problem_lines(tree, path)]
    if not paths:
        return [f"There is no {tree.manifest_path}: every domain needs one to be declared in."]
    return lines or [f"No problems in {', '.join(paths)}."]


def answer_reload(request: CommandRequest) -> list[str]:
    """Answer ``*synapse reload``: return what was found in the tree, which has been read anew by
    now.
    """
    plan = request.composed.plan
    domains = plan.domains()
    figures = (
        format_count(len(domains), "domain"),
        format_count(sum(len(domain.rules) for domain in domains), "rule"),
        format_count(sum(len(domain.recall) for domain in domains), "keyword"),
        format_count(len(plan.commands), "star-command"),
        format_count(len(set(plan.agents.values())), "agent"),
        format_count(len(plan.squads), "squad"),
        f"{format_count(len(plan.states), 'workflow')} in progress",
    )
    return ["The tree was read anew.", ", ".join(figures), *note_lines(request.composed)]


def _problem_lines(tree: Tree, path: str) -> Iterator[str]:
    """Yield the findings in a manifest: how many of which severity, then a line for each."""
    facts = tree.snapshot.facts(path)
    diagnostics = lint_file(tree, path, Policy(tree.snapshot.config.lint))
    if not diagnostics or facts is None:
        return
    worst_first = sorted(diagnostics, key=lambda diagnostic: diagnostic.severity.rank)
    counts = Counter(diagnostic.severity.value for diagnostic in worst_first)
    yield f"{path}: {', '.join(format_count(n, severity) for severity, n in counts.items())}"
    lines = LineIndex(facts.text)
    for diagnostic in diagnostics:
        line = lines.line_of(diagnostic.span.start) + 1
        yield f"line {line}, {diagnostic.code} {diagnostic.name}: {diagnostic.message}"


TITLE_LENGTH = 80  # code points of a title that somebody else may have written


def answer_status(request: CommandRequest) -> list[str]:
    """Answer ``*synapse status``: return the state that this prompt is answered in, and what its
    block costs without this answer.
    """
    composed = request.composed
    assembly = composed.assembly
    return [
        f"profile: {composed.plan.profile.name}",
        window_line(assembly.situation),
        block_line(assembly),
        *_situation_lines(composed),
        (
            "session: "
            f"{', '.join(filter(None, (_turn_text(request), _quoted_title(request.session))))}"
        ),
        f"tree: {tree_counts(composed)}",
        f"debug view: {'on' if assembly.situation.devmode else 'off'}",
        *note_lines(composed),
    ]


def answer_session(request: CommandRequest) -> list[str]:
    """Answer ``*synapse session``: return the session, and what stands in the windows of its
    agents.
    """
    session = request.session
    situation = request.composed.assembly.situation
    switches = [
        f"{key} {'on' if on else 'off'}"
        for key, value in {**situation.overrides, **situation.switched}.items()
        if (on := parse_switch(value)) is not None
    ]
    # What stands in each window, by heading.
    lines = []
    for name, window in session.windows() if session else ():
        counts = {
            heading.partition("]")[0].lstrip("["): len(records)
            for heading, records in window.standing.items()
            if records
        }
        if counts:
            lines.append(f"{name} got {_list_counts(counts)}")
    return [
        f"id: {(session and session.id) or 'none yet'}",
        f"title: {_quoted_title(session) or 'none yet'}",
        f"prompts: {_turn_text(request)}",
        window_line(situation),
        *_situation_lines(request.composed),
        *([f"switched for this session: {', '.join(switches)}"] if switches else []),
        *(lines or ["nothing that was injected before this prompt is in context"]),
    ]


def window_line(situation: Situation) -> str:
    """Return the line of ``*synapse status`` about the window: bracket, percentage, and the tokens
    that are known to be in use.
    """
    usage, bracket = situation.usage, situation.bracket
    if usage.source == INVALID:
        return f"window: {bracket.name}, how much is left is not known"
    source = "estimated" if usage.source in (DEFAULT, ESTIMATED) else usage.origin
    return f"window: {bracket.name}, {usage.percent_text}% left{f' ({source})' if source else ''}"


def block_line(assembly: Assembly) -> str:
    """Return the line of ``*synapse status`` about the block: what it costs, or what is new with
    this prompt, and what does not fit in it.
    """
    return f"{'new now' if assembly.standing else 'block'}: {cost_line(assembly)}"


def note_lines(composed: ComposedBlock) -> Iterator[str]:
    """Yield the lines of ``*synapse status`` about what is odd or could not be read."""
    for note in answer_notes(composed):
        yield f"note: {note}"


def _situation_lines(composed: ComposedBlock) -> Iterator[str]:
    for what, value, source in situation_lines(composed.plan, composed.assembly.situation):
        yield f"{what}: {value or 'none'}" + (f" ({source})" if source else "")


def _quoted_title(session: SessionState | None) -> str:
    title = session.title if session else None
    if not title:
        return ""
    return f"“{title}”" if len(title) <= TITLE_LENGTH else f"“{title[:TITLE_LENGTH]}…”"


def _turn_text(request: CommandRequest) -> str:
    turn = request.composed.assembly.situation.turn
    return f"this is prompt {turn:,}" if turn > 1 else "this is the first prompt"
