"""Judge by many replies which rules, domains and keywords never apply, and which always do.

For ``synapse coverage``. Every statement is about the prompts examined, and says so.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from synapse_ls.engine import block_sections, prompt_parser, reason_phrases, word_matching
from synapse_ls.engine.compiled_plan import Plan, PlanDomain
from synapse_ls.formats.rule import Rule
from synapse_ls.queries.injection_report import ReplyStatistics, rule_name
from synapse_ls.queries.session_lookup import format_time
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.phrases import format_count

# Prompts from which on something can be said about a tree; fewer are too few to judge.
ENOUGH_PROMPTS = 20

# The share of prompts from which on a domain that waits for keywords might as well always be told.
NEARLY_ALWAYS_SHARE = 0.9

# Prompts that have to wake domains before it counts that they always do so together.
TOGETHER_PROMPTS = 5

_MAX_SHOWN = 3  # keywords or brackets that a sentence names
_CODES_BY_NATURE = ("constitution", "global", "context", "always-on", "on-command")
_CODES_BY_WORDS = ("recall", "recalled")


# Code of a coverage finding -> its name, and what it is called in a list.
KINDS = {
    "COV101": ("domain-never-awake", "Domains that never took part"),
    "COV102": ("rule-never-told", "Rules that were never injected"),
    "COV103": ("rule-always-cut", "Rules that were always cut"),
    "COV104": ("keyword-never-matched", "Keywords that never matched"),
    "COV105": ("command-never-used", "Star-commands that nobody used"),
    "COV201": ("domains-always-together", "Domains that always took part together"),
    "COV202": ("domain-nearly-always", "Domains that nearly always took part"),
}
_CODES = {name: code for code, (name, _) in KINDS.items()}


@dataclass(frozen=True, kw_only=True)
class CoverageFinding:
    """A coverage finding: what stands out. name: the rule, domain, keyword or command. line counts
    from 1.
    """

    code: str
    kind: str
    name: str
    domain: str
    file: str
    line: int
    message: str
    remedy: str | None


@dataclass(frozen=True, kw_only=True)
class DomainShare:
    """How much of a domain's rules the coverage has seen: prompts in which it took part, rules that
    were ever delivered (`told`).
    """

    label: str
    prompts: int
    told: int
    rules: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """The judgement on the coverage of a tree's rules; ``seen_rules`` of ``rules`` that can be
    delivered were delivered at least once. answered: other rules of the tree, of `*synapse`
    commands; untold: all others that it has.
    """

    prompts: int
    sessions: int
    seen_rules: int
    rules: int
    domains: tuple[DomainShare, ...]
    findings: tuple[CoverageFinding, ...]
    answered: int = 0
    untold: int = 0

    @property
    def percent(self) -> float:
        """The share of rules that were delivered, 100 for a tree without any."""
        return 100.0 * self.seen_rules / self.rules if self.rules else 100.0

    @property
    def has_enough_prompts(self) -> bool:
        """Whether there were prompts enough to judge by."""
        return self.prompts >= ENOUGH_PROMPTS


def judge_coverage(plan: Plan, statistics: ReplyStatistics) -> Coverage:
    """Return the coverage of a tree's rules: which of them, and which domains, were ever sent by
    the replies in ``statistics``.
    """
    judge = _CoverageJudge(plan, statistics)
    findings: list[CoverageFinding] = []
    if statistics.prompts:
        findings = [
            finding for domain in plan.domains() for finding in judge.domain_findings(domain)
        ]
        findings += judge.together_findings()
        findings.sort(key=lambda finding: finding.code)
    shares = []
    for domain in plan.domains():
        was_sent = [judge.was_sent(domain, row) for row in domain.rules if is_deliverable(row)]
        prompts = len(statistics.prompts_by_domain[domain.label])
        shares.append(
            DomainShare(
                label=domain.label, prompts=prompts, told=sum(was_sent), rules=len(was_sent)
            )
        )
    rows = [row for domain in plan.domains() for row in domain.rules]
    return Coverage(
        statistics.prompts,
        len(statistics.sessions),
        sum(share.told for share in shares),
        sum(share.rules for share in shares),
        tuple(shares),
        tuple(findings),
        answered := sum(map(_is_answered, rows)),
        len(rows) - answered - sum(share.rules for share in shares),
    )


def describe_left_out(coverage: Coverage) -> str:
    """Return which rules of the tree the coverage does not count, and why, as a clause; "" for
    none.
    """
    named = []
    if coverage.answered:
        counted = format_count(coverage.answered, "rule")
        named.append(f"{counted} of `*synapse` commands, which Synapse LS answers itself")
    if coverage.untold:
        counted = f"{coverage.untold:,}" if named else format_count(coverage.untold, "rule")
        verb = "is" if coverage.untold == 1 else "are"
        named.append(f"{counted} that {verb} for the guard or a check, or out of force")
    return f"not counted: {'; '.join(named)}" if named else ""


def _is_answered(row: Rule) -> bool:
    return row.kind == "command" and prompt_parser.is_executed_command(row.qualifier)


def is_deliverable(row: Rule) -> bool:
    """Return whether the coverage counts a rule: it is one for agents, and not for the guard or
    carried out by ourselves.
    """
    return row.kind in block_sections.INJECTED_KINDS and not _is_answered(row)


def coverage_report(coverage: Coverage, statistics: ReplyStatistics) -> dict[str, Any]:
    """Return the coverage of a tree's rules as plain values."""
    return {
        "prompts": coverage.prompts,
        "sessions": coverage.sessions,
        "enough": coverage.has_enough_prompts,
        "first": format_time(statistics.first_time) if statistics.first_time else None,
        "last": format_time(statistics.last_time) if statistics.last_time else None,
        "percent": round(coverage.percent, 1),
        "told": coverage.seen_rules,
        "rules": coverage.rules,
        "left_out": coverage.answered + coverage.untold,
        "domains": coverage.domains,
        "findings": coverage.findings,
    }


class _CoverageJudge:
    def __init__(self, plan: Plan, statistics: ReplyStatistics) -> None:
        self._plan = plan
        self._statistics = statistics
        self._sent_names = {name for name, _ in statistics.sent_entries}
        self._cut_names = {name for name, _ in statistics.cut_entries}
        rows = ((domain, row) for domain in plan.domains() for row in domain.rules)
        self._owners = Counter(rule_name(domain, row) for domain, row in rows)

    def was_sent(self, domain: PlanDomain, row: Rule) -> bool:
        """Return whether a rule was delivered, if perhaps in other words."""
        return self._is_among(self._statistics.sent_entries, self._sent_names, domain, row)

    def _was_cut(self, domain: PlanDomain, row: Rule) -> bool:
        return self._is_among(self._statistics.cut_entries, self._cut_names, domain, row)

    def _is_among(
        self, counts: Counter[tuple[str, str]], names: set[str], domain: PlanDomain, row: Rule
    ) -> bool:
        name = rule_name(domain, row)
        return counts[name, row.hash] > 0 or (self._owners[name] == 1 and name in names)

    def domain_findings(self, domain: PlanDomain) -> Iterator[CoverageFinding]:
        """Yield what stands out of a domain, in the order of the tree."""
        took = len(self._statistics.prompts_by_domain[domain.label])
        if domain.role == "commands":
            for name, (file, _) in self._plan.commands.items():
                rows = self._plan.command_rules(name)
                used = any(self.was_sent(domain, r) or self._was_cut(domain, r) for r in rows)
                if rows and not used and not prompt_parser.is_executed_command(name):
                    message, place = "no prompt asked for it", (file, rows[0].line)
                    yield _finding("command-never-used", domain, message, "", f"*{name}", place)
            return
        if not took and domain.role != "context":
            message, remedy = self._why_never(domain)
            yield _finding("domain-never-awake", domain, message, remedy)
            return
        for row in domain.rules:
            if is_deliverable(row) and not self.was_sent(domain, row):
                kind, message, remedy = "rule-never-told", *self._why_unsent(row)
                if self._was_cut(domain, row):
                    kind, message = "rule-always-cut", "it was wanted and did not fit, each time"
                    remedy = "shorten what comes before it, or mark the domain _NON_NEGOTIABLE=true"
                place = (domain.file, row.line)
                yield _finding(kind, domain, message, remedy, rule_name(domain, row), place)
        prompts = self._statistics.prompts
        for word in domain.recall:
            if not self._statistics.keyword_matches[domain.label, word]:
                near = self._near_keyword(domain, word)
                yield _finding("keyword-never-matched", domain, "in no prompt", near, f'"{word}"')
        by_words = sum(self._statistics.reasons[domain.label][c] for c in _CODES_BY_WORDS)
        if prompts >= ENOUGH_PROMPTS and by_words == took >= NEARLY_ALWAYS_SHARE * prompts:
            message = f"its keywords activated it in {took} of {format_count(prompts, 'prompt')}"
            remedy = f"set {domain.name}_ALWAYS_ON=true, or choose keywords that say more"
            yield _finding("domain-nearly-always", domain, message, remedy)

    def _why_unsent(self, row: Rule) -> tuple[str, str]:
        if row.kind == "bracket":
            return f"the window never came to {row.qualifier}", ""
        if row.phase:
            return f"no prompt came in phase {row.phase}", ""
        if any(identity == row.hash for _, identity in self._statistics.sent_entries):
            return "the same text was injected under another name", "remove one of the two"
        return "its domain took part, but this rule is not among those that were injected", ""

    def _why_never(self, domain: PlanDomain) -> tuple[str, str]:
        """Return why a domain took part in nothing, and what would change that."""
        if not domain.active:
            place = f"{domain.manifest}:{domain.line + 1}"
            return f"{domain.name}_STATE is not active", f"set it active in {place}, or delete it"
        if not domain.file:
            return "it has no rule file", f"write one, or take {domain.name} out of the manifest"
        if brackets := self._statistics.sleeping_brackets[domain.label]:
            times = format_count(sum(brackets.values()), "prompt")
            rivals = [
                rival.label
                for rival in self._plan.domains()
                if domain.name in rival.overrides
                and self._statistics.prompts_by_domain[rival.label]
            ]
            if rivals and domain.squad < 0:
                return (
                    f"its keywords matched in {times}, but {_list_words(rivals)} of a squad "
                    "overrides it",
                    f"set extends to extend, or mark {domain.name}_NON_NEGOTIABLE=true",
                )
            asleep = [
                bracket.name
                for bracket in self._plan.profile.brackets
                if bracket.name in brackets and not bracket.layers & {"L5", "L6"}
            ]
            if asleep:
                return (
                    f"its keywords matched in {times}, but its layer is inactive in "
                    f"{_list_words(asleep)}",
                    "run `synapse profile use synapse-live`, or give its layer to the bracket in "
                    ".synapse/config.toml",
                )
            return f"its keywords matched in {times}, but it was excluded", "see its _EXCLUDE words"
        words, files = _list_words(domain.recall), _list_words(domain.paths)
        squad = self._plan.squads[domain.squad].folder if domain.squad >= 0 else ""
        waits = [
            f"@{domain.agent} was never active" if domain.agent else "",
            f"workflow {domain.workflow} was never active" if domain.workflow else "",
            f"no prompt had one of its keywords ({words})" if words else "",
            f"no session came to prompt {domain.every_n_turns}" if domain.every_n_turns else "",
            f"{domain.on_tokens:,} tokens were never known to be used" if domain.on_tokens else "",
            f"no file of {files} was touched or mentioned" if files else "",
            f"squad {squad} was never active" if squad else "",
        ]
        if any(waits):
            return "; ".join(filter(None, waits)), self._near_keyword(domain)
        if domain.role in self._plan.profile.deciders:
            return reason_phrases.SENTENCES["no-words"], reason_phrases.SENTENCES["say-words"]
        trigger = f"{domain.name}_RECALL, a trigger, or {domain.name}_ALWAYS_ON=true"
        return "nothing can activate it", f"give it {trigger}"

    def _near_keyword(self, domain: PlanDomain, *words: str) -> str:
        """Return what prompts say that is close to a keyword, "" where nothing is or nobody
        knows.
        """
        keywords = {word_matching.fold_text(word) for word in domain.recall}
        for word in words or domain.recall:
            folded = word_matching.fold_text(word)
            length = len(folded.split())
            options = [
                phrase
                for phrase in self._statistics.prompt_phrases
                if len(phrase.split()) == length
                and phrase[:1] == folded[:1]
                and phrase not in keywords
            ]
            if near := nearest_word(folded, options):
                times = format_count(self._statistics.prompt_phrases[near], "time")
                return f'prompts say "{near}" ({times}): add it to {domain.name}_RECALL'
        return ""

    def together_findings(self) -> Iterator[CoverageFinding]:
        """Yield the domains that wait for something, each time the same, so that they could be
        one.
        """
        groups: defaultdict[frozenset[int], list[PlanDomain]] = defaultdict(list)
        for domain in self._plan.domains():
            waits = not any(
                self._statistics.reasons[domain.label][code] for code in _CODES_BY_NATURE
            )
            prompts = frozenset(self._statistics.waking_prompts[domain.label])
            if waits and TOGETHER_PROMPTS <= len(prompts) < self._statistics.prompts:
                groups[prompts].append(domain)
        for prompts, domains in groups.items():
            if len(domains) > 1 and len({domain.squad for domain in domains}) == 1:
                yield _finding(
                    "domains-always-together",
                    domains[0],
                    f"the same {format_count(len(prompts), 'prompt')} activated them",
                    "make one domain of them",
                    name=" + ".join(domain.label for domain in domains),
                )


def _finding(
    kind: str,
    domain: PlanDomain,
    message: str,
    remedy: str,
    name: str = "",
    place: tuple[str, int] | None = None,
) -> CoverageFinding:
    """Return what stands out; without a ``place`` (file, line from 0) it is the domain's own."""
    file, line = place or (domain.manifest or domain.file, domain.line)
    return CoverageFinding(
        code=_CODES[kind],
        kind=kind,
        name=name or domain.label,
        domain=domain.label,
        file=file,
        line=line + 1,
        message=message,
        remedy=remedy or None,
    )


def _list_words(words: tuple[str, ...] | list[str]) -> str:
    listed = ", ".join(
        f'"{word}"' if " " in word or word.islower() else word for word in words[:_MAX_SHOWN]
    )
    return f"{listed}, …" if len(words) > _MAX_SHOWN else listed
