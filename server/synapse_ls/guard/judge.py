"""Whether the active agent may do what it is about to do: allow, ask or deny, with the reason.

A guard rail, not a sandbox: it reads what a command says, not what the programs do that it runs.
"""

from __future__ import annotations

from synapse_ls.engine.globs import any_match, relative
from synapse_ls.guard.act import readings
from synapse_ls.guard.clauses import ALLOW, ASK, DENY, EXCLUSIVE
from synapse_ls.guard.files import DELETE, MAY, READ, WRITE, touched
from synapse_ls.guard.lexer import OPEN, ShellError
from synapse_ls.guard.pattern import COMMAND, MAYBE, NO, TOOL, YES, like, matches
from synapse_ls.guard.unwrap import program, runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Final

    from synapse_ls.guard.clauses import Clause
    from synapse_ls.guard.unwrap import Run

_SEVERITY: Final = {ALLOW: 0, ASK: 1, DENY: 2}
_AT_STAKE: Final = {WRITE: (WRITE, DELETE), DELETE: (DELETE,), READ: (READ,)}
"""What a pattern of files is about -> what concerns it."""


class Use:
    """What an agent is about to do. command: a command line, or "". files: (write, read or delete,
    path). tool: the client's name of the tool. folder: where it is done, relative to the root."""

    __slots__ = ("command", "files", "folder", "tool")

    def __init__(
        self,
        *,
        command: str = "",
        files: Sequence[tuple[str, str]] = (),
        tool: str = "",
        folder: str = "",
    ) -> None:
        self.command = command
        self.files = files
        self.tool = tool
        self.folder = folder


class Verdict:
    """decision: "allow", "ask" or "deny". clause: the boundary that decided, None where none did.
    what: the part of the use that it is about. why: a sentence."""

    __slots__ = ("clause", "decision", "what", "why")

    def __init__(self, decision: str, why: str = "", what: str = "", clause: Clause | None = None):
        self.decision = decision
        self.why = why
        self.what = what
        self.clause = clause


def judge(
    clauses: Sequence[Clause],
    use: Use,
    *,
    agent: str,
    root: str,
    aliases: Mapping[str, str] | None = None,
) -> Verdict:
    """The verdict on ``use`` for the agent ``agent`` ("" for none). root: the folder that paths of
    files are relative to, absolute. aliases: git's, name -> what each stands for."""
    court = _Court(clauses, agent, root)
    if use.tool:
        court.tool(use.tool)
    for verb, path in use.files:
        court.file(verb, path, use.folder, path)
    if use.command:
        court.command(use, aliases or {})
    return court.verdict


class _Court:
    __slots__ = ("_agent", "_by_verb", "_root", "verdict")

    def __init__(self, clauses: Iterable[Clause], agent: str, root: str) -> None:
        self._agent = agent
        self._root = root
        self._by_verb: dict[str, list[Clause]] = {}
        for clause in clauses:
            self._by_verb.setdefault(clause.pattern.verb, []).append(clause)
        self.verdict = Verdict(ALLOW)

    def tool(self, name: str) -> None:
        found = [
            (YES, clause)
            for clause in self._by_verb.get(TOOL, ())
            if like(name.casefold(), clause.pattern.glob.casefold())
        ]
        self._decide(found, name)

    def file(self, verb: str, path: str, folder: str, what: str) -> None:
        """``path`` as it is spelled; with `OPEN` in it, nobody knows all of it."""
        place = _Place(path, folder, self._root)
        found = []
        for about, concerned in _AT_STAKE.items():
            if verb == MAY or verb in concerned:
                clauses = self._by_verb.get(about, ())
                found += [(place.hits(clause.pattern.glob, verb), clause) for clause in clauses]
        self._decide(found, what)

    def command(self, use: Use, aliases: Mapping[str, str]) -> None:
        about_files = any(verb in self._by_verb for verb in _AT_STAKE)
        commands = self._by_verb.get(COMMAND, ())
        if not commands and not about_files:
            return
        folder: str = use.folder
        try:
            for run in runs(use.command):
                what = _spelled(run)
                if run.words:
                    done = readings(run.words, aliases)
                    found = [(matches(c.pattern, done), c) for c in commands]
                    self._decide(found, what)
                if about_files:
                    for verb, path in dict.fromkeys((v, word.text) for v, word in touched(run)):
                        self.file(verb, path, folder, what)
                    folder = _moved(run, folder)
        except ShellError as error:
            if any(c.said != ALLOW for listed in self._by_verb.values() for c in listed):
                why = f"the command line cannot be read: {error}"
                self._settle(Verdict(ASK, why, use.command))

    def _decide(self, found: Iterable[tuple[int, Clause]], what: str) -> None:
        met = [(how, clause) for how, clause in found if how]
        sure = [clause for how, clause in met if how == YES]
        top = max(sure, key=self._precedence, default=None)
        if top is not None and self._said(top) == DENY:
            return self._settle(Verdict(DENY, self._forbids(top), what, top))
        asked = [clause for clause in sure if self._said(clause) == ASK]
        if asked and (top is None or top.said != ALLOW or asked[0].said == ASK):
            first = max(asked, key=self._precedence)
            return self._settle(Verdict(ASK, self._forbids(first), what, first))
        for how, clause in met:
            if how == MAYBE and self._said(clause) in (DENY, ASK):
                why = f"it cannot be told whether this is “{clause.pattern.text}”; "
                return self._settle(Verdict(ASK, why + self._forbids(clause), what, clause))
        if top is not None and self.verdict.clause is None:
            self.verdict = Verdict(self.verdict.decision, self.verdict.why, what, top)
        return None

    def _said(self, clause: Clause) -> str:
        """What a clause means for this agent."""
        if clause.said != EXCLUSIVE:
            return clause.said
        if clause.owner == self._agent:
            return ALLOW
        return DENY if self._agent else ASK

    def _precedence(self, clause: Clause) -> tuple[int, int]:
        """What says more counts first; then the agent's own "no", its own "yes", and the others'."""
        rank = {DENY: 3, ALLOW: 2, EXCLUSIVE: 1, ASK: 0}[clause.said]
        if clause.said == EXCLUSIVE and clause.owner == self._agent:
            rank = 2
        return clause.pattern.weight, rank

    def _settle(self, verdict: Verdict) -> None:
        if _SEVERITY[verdict.decision] > _SEVERITY[self.verdict.decision]:
            self.verdict = verdict

    def _forbids(self, clause: Clause) -> str:
        if clause.said == ASK:
            return clause.text
        who = f"@{self._agent}" if self._agent else "no agent that is active"
        if clause.said == EXCLUSIVE:
            return f"{clause.place} leaves “{clause.pattern.text}” to @{clause.owner}, not to {who}"
        aside = f"; @{clause.delegate} may" if clause.delegate else ""
        subject = who if clause.owner else "agents"
        return f"{clause.place} forbids {subject} “{clause.pattern.text}”{aside}"


class _Place:
    """Where a path of a command leads. place: relative to the root, as far as it is known, "" for
    the root; None where it is outside, or nobody knows."""

    __slots__ = ("_is_known", "_opened", "_place")

    def __init__(self, path: str, folder: str, root: str) -> None:
        known, opened, _ = path.partition(OPEN)
        if known.startswith("~/"):
            known = _below_home(known[2:], root)
        is_absolute = known.startswith(("/", "~")) or known[1:2] == ":"
        self._opened = bool(opened)
        self._is_known = bool(known) and (is_absolute or OPEN not in folder)
        self._place: str | None = None
        if self._is_known and not known.startswith("~"):
            base = folder if folder.startswith("/") else f"{root}/{folder}".rstrip("/")
            spelled = known if is_absolute else f"{base}/{known}"
            if inside := relative(f"{spelled}/x", root):
                self._place = inside[:-1].rstrip("/")
            elif opened and root.startswith(spelled):
                self._place = ""

    def hits(self, glob: str, verb: str) -> int:
        """How surely this is what ``glob`` names, for what is done with it."""
        if not self._is_known:
            # Asking about each unknown file that is read would never end.
            return MAYBE if verb in (WRITE, DELETE) else NO
        if self._place is None:
            return NO
        fixed = glob.partition("*")[0].rstrip("/")
        if self._opened:
            return MAYBE if self._place.startswith(fixed) or fixed.startswith(self._place) else NO
        if any_match((glob,), (self._place,)):
            return MAYBE if verb == MAY else YES
        # A folder that is deleted or moved takes with it what is inside.
        above = not self._place or f"{fixed}/".startswith(f"{self._place}/")
        return MAYBE if above and verb == DELETE else NO


def _spelled(run: Run) -> str:
    return " ".join(word.text.replace(OPEN, "…") for word in run.words)


def _moved(run: Run, folder: str) -> str:
    """The folder after a command, relative to the root; with `OPEN` where nobody knows."""
    if not run.words or program(run.words[0]) not in ("cd", "pushd", "popd", "chdir"):
        return folder
    target = next((w for w in run.words[1:] if not w.text.startswith("-")), None)
    if target is None or not target.known or target.text.startswith("~"):
        return OPEN
    if target.text.startswith("/"):
        return target.text
    return f"{folder}/{target.text}" if folder else target.text


def _below_home(path: str, root: str) -> str:
    """A path below a home folder nobody knows, as that of a file in ``root`` where it may be one."""
    parts = path.split("/")
    for count in range(len(parts), 0, -1):
        if root.endswith(f"/{'/'.join(parts[:count])}"):
            return "/".join((root, *parts[count:]))
    return f"~/{path}"
