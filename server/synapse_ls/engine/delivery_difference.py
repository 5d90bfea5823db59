"""The difference between what a situation wants in context and what the window already contains.

A full block is the difference to an empty window. Entries that would now mislead are revoked: rules
of another agent, phase, task or bracket, and what was edited, deleted, switched off or overridden.
What is merely not selected any more (a keyword that was mentioned a while ago) stays valid. What
the same reply renews is called replaced, so that no workflow or bracket appears to have ended.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.compiled_plan import Bracket, Plan, PlanDomain, load_function
from synapse_ls.engine.domain_selection import Selection, decide_domain
from synapse_ls.engine.situation import Situation, current_phase
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from typing import Final

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.context_usage import Usage
    from synapse_ls.formats.window_state import StandingEntries, WindowState

EXCERPT_LENGTH = 48  # code points by which a withdrawn rule is recalled
WHOLE_DOMAIN = "*"  # key of the record of a domain whose entries are not kept one by one
PHASE_KEY = "PHASE"  # key of the line that names the phase of a workflow
_VOID_CODES = ("inactive", "overridden", "no-file")


def write_record(entry: Entry, layer: str, situation: Situation) -> str:
    """Return the record of an entry that is told now, and so is a standing one."""
    usage = f"{situation.usage.source}:{situation.usage.remaining:.0f}"
    # The excerpt by which it is named when it is withdrawn: its marker and its first words.
    text = entry.text
    if len(text) > EXCERPT_LENGTH:
        text = f"{text[:EXCERPT_LENGTH].rstrip()}…"
    excerpt = f"{entry.prefix.strip()} “{text}”".lstrip()
    parts = (str(situation.turn), usage, layer, entry.domain, entry.key, excerpt)
    return "\t".join(part.replace("\t", " ") for part in parts)


def read_record(identity: str, record: str) -> Entry:
    """Return the standing entry that `write_record` has written: its text is the excerpt."""
    parts = record.split("\t", 5)
    is_complete = len(parts) == 6 and parts[0].isdecimal()
    # An older version has noted the excerpt alone.
    turn, usage, layer, domain, key = parts[:5] if is_complete else ("-1", "", "", "", "")
    entry = Entry(parts[-1], prefix="", rank="", hash=identity, domain=domain, key=key)
    entry.turn, entry.usage, entry.layer = int(turn), usage, layer
    return entry


def find_holding_entries(assembly: Assembly) -> dict[str, Entry]:
    """Return hash -> entry of the standing entries that stood in the window before a block and
    still hold.
    """
    review = assembly.review
    return {
        identity: read_record(identity, record)
        for heading, records in assembly.standing.items()
        for identity, record in records.items()
        if not (review and identity in review.void.get(heading, ()))
    }


class StandingReview:
    """A StandingReview says of each standing entry that is not wanted whether it still holds.

    void: heading -> hashes of what does not hold any more. replaced: the same of what something
    else has taken the place of, so that there is nothing to say of it. files: the rule files of
    what still holds; an edit there counts. is_partial: the plan lacks sources that were late.
    degraded: layers that could not be asked.
    """

    def __init__(
        self,
        plan: Plan,
        situation: Situation,
        selection: Selection,
        sections: Iterable[Section],
        *,
        is_partial: bool = False,
        degraded: Collection[str] = (),
    ) -> None:
        self.void: dict[str, set[str]] = {}
        self.replaced: dict[str, set[str]] = {}
        self.files: set[str] = set()
        self._plan = plan
        self._situation = situation
        self._selection = selection
        self._sections = [section for section in sections if not section.is_aside]
        self._wanted_anywhere: set[str] = set()
        self._is_partial = is_partial
        self._degraded = degraded
        self._asleep_task: set[str] | None = None

    def review(self, standing: Mapping[str, Mapping[str, str]]) -> StandingReview:
        """Look at what stands; return itself."""
        wanted: dict[str, set[str]] = {}  # heading -> what is wanted under it
        for section in self._sections if standing else ():
            hashes = wanted.setdefault(section.place, set())
            for entry in section.entries:
                hashes.update((entry.hash, *(member.hash for member in entry.members)))
        self._wanted_anywhere = {h for hashes in wanted.values() for h in hashes}
        for heading, records in standing.items():
            for identity, record in records.items():
                if identity not in wanted.get(heading, ()):
                    entry = read_record(identity, record)
                    if identity in self._wanted_anywhere:
                        fate = self.replaced  # it comes under another heading
                    elif entry.domain == "MEMORY" and not entry.key:
                        fate = self.replaced  # it sums up others
                    elif entry.layer == "HANDOFF":
                        again = any(section.layer == "HANDOFF" for section in self._sections)
                        fate = self.replaced if again else self.void
                    elif self._is_void(entry):
                        fate = self.void
                    else:
                        continue
                    fate.setdefault(heading, set()).add(identity)
        return self

    def _is_void(self, entry: Entry) -> bool:
        if entry.layer == "NOTICE" and entry.key:
            return False  # it was about one prompt
        if entry.domain == "TASK":
            return entry.hash not in self._sleeping_task_lines()
        if (position := self._plan.labels.get(entry.domain)) is None:
            # What was not read in time may still be there.
            return not (self._is_partial and entry.layer[:1] == "L" and entry.domain)
        return self._is_rule_void(self._plan.domain(position), entry)

    def _is_rule_void(self, domain: PlanDomain, entry: Entry) -> bool:
        verdict = decide_domain(self._plan, domain, self._situation, self._selection)
        if verdict.code in _VOID_CODES:
            return not (self._is_partial and verdict.code == "no-file")
        if verdict.layer == entry.layer:
            # Its layer has looked at the domain, and has not taken it.
            return entry.layer not in self._degraded
        asleep = verdict.code == "asleep" and verdict.detail[0] == entry.layer
        if entry.layer in ("L2", "L3") and not asleep:
            return not self._is_partial or entry.layer == "L2"
        rule = next((rule for rule in domain.rules if rule.hash == entry.hash), None)
        if entry.layer == "L3":
            phase = current_phase(domain, self._situation)
            if entry.key == PHASE_KEY and entry.hash != hash_text(f"PHASE: {phase}"):
                return True
            if entry.key != PHASE_KEY and phase and rule and rule.phase not in ("", phase):
                return True
        if entry.key in (PHASE_KEY, WHOLE_DOMAIN):
            return False
        if rule is None:
            return not self._is_partial
        if rule.kind == "bracket" and rule.qualifier != self._situation.bracket.name:
            return True
        if domain.file:
            self.files.add(domain.file)
        return False

    def _sleeping_task_lines(self) -> set[str]:
        """Return the lines of the task at hand where their layer sleeps in this bracket."""
        if self._asleep_task is None:
            self._asleep_task = set()
            modules = dict(self._plan.profile.layers)
            if "L4" in modules and "L4" not in self._selection.awake:
                awake = Selection(self._selection.awake | {"L4"})
                sections = load_function(modules["L4"])(self._plan, self._situation, awake)
                self._asleep_task = {
                    entry.hash for section in sections for entry in section.entries
                }
        return self._asleep_task


REFRESH_PERCENT: Final = 25.0  # percent of the window after whose use rules are told again
# Percent of the window that such a repetition waits for one that is due then anyway.
POSTPONE_PERCENT: Final = 10.0
LONG_AGO_PROMPTS: Final = 10  # prompts after which what is asked for anew is told again
MAX_STANDING: Final = 1000  # entries; of those not wanted for longest only the domain is kept

# What is told again though it stands; essentials that are due come with the next reply that says
# something anyway, and alone only once they have waited for half as many prompts again.
ALONG: Final = "along"
ESSENTIALS: Final = "essentials"
OLDER: Final = "older"  # what was not told lately
ALL: Final = "all"
LATELY_PROMPTS: Final = 5


def new_sections(
    sections: list[Section],
    standing: StandingEntries,
    situation: Situation,
    review: StandingReview,
    doubtful: StandingEntries | None = None,
    *,
    repeat: str = "",
) -> list[Section]:
    """Return the difference that a delivery sends: the entries of ``sections`` that do not stand
    yet, after a word on those that no longer hold.

    repeat: `ALONG`, `ESSENTIALS`, `OLDER` or `ALL`, what is sent again though it stands. Where
    nothing stands this is the full block, with its summary. doubtful: what may stand: it is sent
    again, and taken back like what does.
    """
    if not standing and not doubtful:
        return sections
    new = _due_sections(sections, standing, situation, repeat)
    if repeat == ALONG and (new or review.void):
        new = _due_sections(sections, standing, situation, ESSENTIALS)
    if review.void:
        following = {section.place for section in new}
        lines = withdrawal_entries(
            merge_standing(standing, doubtful or {}), review, situation, following
        )
        if lines:
            new.insert(0, Section("WITHDRAWN", "[WITHDRAWN]", "", lines))
    return new


def _due_sections(
    sections: list[Section], standing: StandingEntries, situation: Situation, repeat: str
) -> list[Section]:
    """Return the sections with what of them has to be told."""
    due: list[Section] = []
    for section in sections:
        if section.is_aside and standing:
            continue
        records = standing.get(section.place, {})
        if missing := [e for e in section.entries if _is_due(e, records, situation, repeat)]:
            due.append(
                section if len(missing) == len(section.entries) else section.with_entries(missing)
            )
    return due


def _is_due(entry: Entry, records: Mapping[str, str], situation: Situation, repeat: str) -> bool:
    """Return whether an entry has to be told; records: what stands under its heading."""
    record = records.get(entry.hash)
    is_repeated = repeat == ALL and entry.lifetime == "state"
    if record is None or entry.lifetime == "turn" or is_repeated:
        return True
    if repeat == OLDER and entry.lifetime == "state":
        standing = read_record(entry.hash, record)
        return _was_told_before(standing, situation, LATELY_PROMPTS, otherwise=False)
    if repeat == ESSENTIALS and entry.is_essential:
        # Where the figures of then cannot be compared, those of the window count.
        prompts = situation.bracket.refresh
        return _was_told_before(read_record(entry.hash, record), situation, prompts, otherwise=True)
    return entry.is_asked and _was_told_before(
        read_record(entry.hash, record), situation, LONG_AGO_PROMPTS + 1, otherwise=False
    )


def _was_told_before(
    standing: Entry, situation: Situation, prompts: int, *, otherwise: bool
) -> bool:
    """Return whether what stands was last told so many prompts or a quarter of the window ago;
    ``otherwise`` where figures of two sources say nothing of the latter.
    """
    if situation.turn - standing.turn >= prompts:
        return True
    source, _, remaining = standing.usage.partition(":")
    if source != situation.usage.source or not remaining.isdecimal():
        return otherwise
    # Records have whole percents.
    return int(remaining) + 1 - situation.usage.remaining >= REFRESH_PERCENT


def oldest_essential(
    sections: Iterable[Section], standing: StandingEntries, situation: Situation
) -> int:
    """Return the prompt at which the essential that stands for longest was last delivered; that of
    the situation where none stands.
    """
    turns = [
        read_record(entry.hash, record).turn
        for section in sections
        if (records := standing.get(section.place))
        for entry in section.entries
        if entry.is_essential and (record := records.get(entry.hash))
    ]
    return min(turns, default=situation.turn)


def merge_standing(standing: StandingEntries, doubtful: StandingEntries) -> StandingEntries:
    """Return what stands and what may stand as one, as the difference is taken from both."""
    if not doubtful:
        return standing
    both = {heading: dict(records) for heading, records in standing.items()}
    for heading, records in doubtful.items():
        both.setdefault(heading, {}).update(records)
    return both


def standing_after(
    before: StandingEntries, sent: Sequence[Section], situation: Situation, review: StandingReview
) -> StandingEntries:
    """Return what stands in a window after a delivery: what stood and was not taken back, and what
    was sent.

    What is void but could not be taken back (a hard limit cut the line) stands on, so that it is
    taken back with the next reply.
    """
    gone = _taken_back(sent, review)
    after: StandingEntries = {}
    for heading, records in before.items():
        if remaining := {h: r for h, r in records.items() if h not in gone.get(heading, ())}:
            after[heading] = remaining
    for section in sent:
        for entry in section.entries:
            if entry.lifetime != "turn":
                for member in entry.members or (entry,):
                    record = write_record(member, section.layer, situation)
                    after.setdefault(section.place, {})[member.hash] = record
    return _within_limit(after)


def _taken_back(sent: Iterable[Section], review: StandingReview) -> dict[str, set[str]]:
    """Return what stands no more after a reply: heading -> hashes."""
    gone = {heading: set(hashes) for heading, hashes in review.replaced.items()}
    for section in sent:
        if section.id == "WITHDRAWN":
            for entry in section.entries:
                gone.setdefault(entry.key, set()).update(review.void.get(entry.key, ()))
    return gone


def _within_limit(standing: StandingEntries) -> StandingEntries:
    """Return what stands, with the domains alone of what was told longest ago where it is more than
    anybody keeps.
    """
    if sum(map(len, standing.values())) <= MAX_STANDING:
        return standing
    rows = [
        (read_record(identity, record), heading)
        for heading, records in standing.items()
        for identity, record in records.items()
    ]
    rows.sort(key=lambda row: row[0].turn, reverse=True)
    recent: StandingEntries = {}
    for entry, heading in rows[:MAX_STANDING]:
        recent.setdefault(heading, {})[entry.hash] = standing[heading][entry.hash]
    for entry, heading in rows[MAX_STANDING:]:
        about = (str(entry.turn), entry.usage, entry.layer, entry.domain, WHOLE_DOMAIN)
        name = hash_text(f"{WHOLE_DOMAIN}{entry.domain}")
        records = recent.setdefault(heading, {})
        records.setdefault(name, "\t".join((*about, f"the rules of {entry.domain}")))
    return recent


def doubtful_after(
    doubtful: StandingEntries,
    sent: Iterable[Section],
    after: StandingEntries,
    review: StandingReview,
) -> StandingEntries:
    """Return what may still stand in a window after a delivery, which left ``after`` standing."""
    gone = _taken_back(sent, review)
    doubts: StandingEntries = {}
    for heading, records in doubtful.items():
        passed = {*after.get(heading, {}), *gone.get(heading, ())}
        if remaining := {h: record for h, record in records.items() if h not in passed}:
            doubts[heading] = remaining
    return doubts


def next_change_tokens(
    usage: Usage, brackets: Iterable[Bracket], full: float | None, thresholds: Iterable[int]
) -> int | None:
    """Return the tokens in use at which the next delivery may differ without anybody doing
    anything; None for never.

    full: percent left at the last full block. thresholds: tokens that wake domains.
    """
    if usage.used is None or usage.window is None:
        return None
    floors = [bracket.floor for bracket in brackets]
    if full is not None:
        floors.append(full - REFRESH_PERCENT)
    marks = [int(usage.window * (100 - percent) / 100) for percent in floors]
    return min((mark for mark in (*marks, *thresholds) if mark > usage.used), default=None)


def refresh_due(
    window: WindowState, turn: int, bracket: Bracket, usage: Usage, brackets: Sequence[Bracket]
) -> tuple[str, str]:
    """Return what should be delivered again though it stands (`ALL`, `OLDER`, `ESSENTIALS`,
    `ALONG`, "" for nothing), and why.

    brackets: from fresh to critical; everything is worth telling when one of the last two is
    entered, but what was told a few prompts ago, when the one before was. What is sent again
    because a quarter of the window was used can wait for that where it is near. Figures of
    different sources are not compared.
    """
    alike = window.full_block_source in ("", usage.source)
    names = [row.name for row in brackets]
    name, at = window.full_block_bracket, names.index(bracket.name)
    if alike and at >= len(brackets) - 2 and name in names and names.index(name) < at:
        return OLDER if name == brackets[-2].name else ALL, f"the window has become {bracket.name}"
    sent = window.full_block_prompt
    since = turn - sent if sent is not None and turn >= sent else 2 * bracket.refresh
    why = f"{bracket.refresh} prompts since the rules were last injected"
    if since >= bracket.refresh + bracket.refresh // 2:
        return ESSENTIALS, why
    remaining = window.full_block_remaining
    if alike and remaining is not None and remaining - usage.remaining >= REFRESH_PERCENT:
        entered = at >= len(brackets) - 3 and bracket is not brackets[-1]
        if not (entered and usage.remaining - bracket.floor <= POSTPONE_PERCENT):
            return ESSENTIALS, "a quarter of the window was used since the rules were last injected"
    return (ALONG, why) if since >= bracket.refresh else ("", "")


AGENT_NAME = "ACTIVE AGENT: "
GONE = "what was given before no longer applies"
TASK_GONE = "what was given before of {task} no longer applies"
PHASE_OVER = "phase {phase} is over"
REPLACED = "what was given before is replaced by what follows"
WAITING = "what was given before is the task of @{agent} and waits for @{agent}"
TASK_LINE = "“Active Task: "  # as the excerpt of the line begins that names a task
# Lists of a task, by how the excerpts of their lines begin; the first that fits counts.
TASK_LISTS = (
    ("“- [", "the acceptance criteria"),
    ("“- ", "the file list"),
    ("“[", "the conditions"),
)


def withdrawal_entries(
    standing: StandingEntries,
    review: StandingReview,
    situation: Situation,
    following: Collection[str],
) -> list[Entry]:
    """Return a line of withdrawal for each heading under which something does not hold any more.

    standing: what stands and what may stand. following: the headings under which the same reply
    tells something.
    """
    entries = []
    for heading, records_by_hash in standing.items():
        if heading not in review.void:
            continue
        void, replaced = review.void[heading], review.replaced.get(heading, ())
        is_all = all(key in void or key in replaced for key in records_by_hash)
        standing_entries = [read_record(key, record) for key, record in records_by_hash.items()]
        gone = [entry for entry in standing_entries if entry.hash in void]
        first = heading.partition("\n")[0]
        name = first.lstrip("# ") if first[:1] == "#" else first.partition("]")[0].lstrip("[")
        if is_all and name:
            text = _whole_line(name, gone, situation, is_followed=heading in following)
        else:
            remaining = [entry for entry in standing_entries if entry.hash not in void]
            text = f"{name}: {_part_line(name, gone, remaining)}"
        text = text.removeprefix(": ")
        entries.append(
            Entry(
                text,
                prefix="  ",
                rank="WITHDRAWN",
                hash=hash_text(text),
                key=heading,
                lifetime="turn",
            )
        )
    return entries


def _whole_line(name: str, gone: list[Entry], situation: Situation, *, is_followed: bool) -> str:
    if (agent := name.removeprefix(AGENT_NAME)) != name:
        return f"{agent}'s rules no longer apply"
    if is_followed:
        return f"{name}: {REPLACED}"
    task = situation.said.task if situation.said else None
    owner = task.agent if task and task.agent and task.agent != situation.agent else ""
    if owner and all(entry.domain == "TASK" for entry in gone):
        return f"{name}: {WAITING.format(agent=owner)}"
    tasks = [_value_of(entry) for entry in gone if entry.text.startswith(TASK_LINE)]
    return f"{name}: {TASK_GONE.format(task=tasks[0]) if tasks else GONE}"


def _part_line(name: str, gone: list[Entry], remaining: list[Entry]) -> str:
    """Return what is said of a heading under which something still holds or is told anew."""
    phases = [entry for entry in gone if entry.key == PHASE_KEY]
    parts = [PHASE_OVER.format(phase=_value_of(entry)) for entry in phases]
    # A list of a task that is gone as a whole is quoted by its name. Rules of several domains have
    # the same numbers, so theirs stand before the words.
    quoted = [entry for entry in gone if entry not in phases]
    tasks_left = {_task_list(entry) for entry in remaining}
    has_several = len({entry.domain for entry in (*quoted, *remaining)}) > 1
    quotes_once: dict[str, None] = {}
    for entry in quoted:
        listed = _task_list(entry)
        quote = listed if listed and listed not in tasks_left else entry.text
        is_foreign = has_several and entry.domain not in ("", name, "TASK")
        quotes_once[f"{entry.domain} {quote}" if is_foreign else quote] = None
    if quotes_once:
        parts.append(f"no longer applies: {'; '.join(quotes_once)}")
    return "; ".join(parts)


def _value_of(entry: Entry) -> str:
    """Return what the line of a entry that is ``Name: value`` has after the name."""
    return entry.text.partition(": ")[2].removesuffix("”")


def _task_list(entry: Entry) -> str:
    if entry.domain != "TASK":
        return ""
    return next((name for start, name in TASK_LISTS if entry.text.startswith(start)), "")
