"""Whether the active agent may do what it is about to do: allow, ask or deny, with the reason.

A guard rail, not a sandbox: it reads what a command says, not what the programs do that it runs.
"""

from __future__ import annotations

from synapse_ls.guard.act import readings
from synapse_ls.guard.clauses import ALLOW, ASK, DENY, EXCLUSIVE
from synapse_ls.guard.files import names_files, touched
from synapse_ls.guard.handed import handed
from synapse_ls.guard.lexer import OPEN, ShellError
from synapse_ls.guard.pattern import MAYBE, YES, covers, like, matches
from synapse_ls.guard.place import MAY, Place
from synapse_ls.guard.unwrap import program, runs
from synapse_ls.guard.use import AT_STAKE, COMMAND, POWERSHELL, TOOL
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Final

    from synapse_ls.guard.act import Act
    from synapse_ls.guard.clauses import Clause, Policy
    from synapse_ls.guard.pattern import Pattern
    from synapse_ls.guard.unwrap import Run
    from synapse_ls.guard.use import Use

_SEVERITY: Final = {ALLOW: 0, ASK: 1, DENY: 2}


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
    policy: Policy,
    use: Use,
    *,
    root: str,
    aliases: Mapping[str, str] | None = None,
    home: str = "",
) -> Verdict:
    """The verdict on ``use``. root: the folder that paths of boundaries are relative to, absolute.
    aliases: git's, name -> what each stands for. home: the person's folder, "" where nobody knows."""
    court = _Court(policy, root, home)
    if use.tool:
        court.tool(use.tool)
    for verb, path in use.files:
        court.file(verb, path, use.folder, path)
    if use.command:
        court.command(use, aliases or {})
    return court.verdict


class _Court:
    __slots__ = ("_by_verb", "_home", "_policy", "_root", "verdict")

    def __init__(self, policy: Policy, root: str, home: str) -> None:
        self._policy = policy
        self._root = root
        self._home = home
        self._by_verb: dict[str, list[Clause]] = {}
        for clause in policy.clauses:
            self._by_verb.setdefault(clause.pattern.verb, []).append(clause)
        self.verdict = Verdict(ALLOW)

    def tool(self, name: str) -> None:
        found = [
            (YES, clause)
            for clause in self._by_verb.get(TOOL, ())
            if like(name.casefold(), clause.pattern.glob.casefold())
        ]
        self._decide(found, name)

    def file(self, verb: str, path: str, folder: str, what: str, *, is_named: bool = True) -> None:
        """``path`` as it is spelled; with `OPEN` in it, nobody knows all of it. is_named: whether it is a
        file for certain."""
        place = Place(path, folder, self._root, self._home)
        found = []
        for about, concerned in AT_STAKE.items():
            if verb == MAY or verb in concerned:
                clauses = self._by_verb.get(about, ())
                found += [(_about(place, c.pattern, verb, is_named), c) for c in clauses]
        self._decide(found, what)

    def command(self, use: Use, aliases: Mapping[str, str]) -> None:
        about_files = any(verb in self._by_verb for verb in AT_STAKE)
        commands = sorted(self._by_verb.get(COMMAND, ()), key=lambda c: not _named(c, use.command))
        if not commands and not about_files:
            return
        folder: str = use.folder
        programs = {clause.pattern.program for clause in commands}
        try:
            for run in runs(_posix(use)):
                what = _spelled(run)
                if run.words:
                    done = readings(run.words, aliases)
                    found = [(matches(c.pattern, done), c) for c in commands]
                    self._decide(found, what, done)
                    for words in handed(run, programs):
                        passed = readings(words, aliases)
                        # A program alone is no command line: it may be the name of anything.
                        named = [c for c in commands if c.pattern.weight > 1]
                        sure = [c for c in named if matches(c.pattern, passed) == YES]
                        allowed = [c for c in sure if self._said(c) == ALLOW]
                        left = [c for c in sure if not self._outweighed(c, allowed, passed)]
                        self._decide([(MAYBE, c) for c in left], what)
                if about_files:
                    is_named = names_files(run)
                    for verb, path in dict.fromkeys((v, word.text) for v, word in touched(run)):
                        self.file(verb, path, folder, what, is_named=is_named)
                    folder = _moved(run, folder)
        except ShellError as error:
            if any(c.said != ALLOW for listed in self._by_verb.values() for c in listed):
                why = f"the command line cannot be read: {error}"
                self._settle(Verdict(ASK, why, use.command))

    def _decide(
        self, found: Iterable[tuple[int, Clause]], what: str, done: Sequence[Sequence[Act]] = ()
    ) -> None:
        """done: what a command does, in the `readings` there are of it."""
        met = [(how, clause) for how, clause in found if how]
        sure = sorted((c for how, c in met if how == YES), key=self._precedence, reverse=True)
        allowed = [clause for clause in sure if self._said(clause) == ALLOW]
        for said in (DENY, ASK):
            for clause in sure:
                if self._said(clause) == said and not self._outweighed(clause, allowed, done):
                    why = self._forbids(clause)
                    if allowed and self._precedence(allowed[0]) > self._precedence(clause):
                        why += f"; “{allowed[0].pattern.text}” does not name all of this"
                    return self._settle(Verdict(said, why, what, clause))
        for how, clause in met:
            if how == MAYBE and self._said(clause) in (DENY, ASK):
                why = f"it cannot be told whether this is “{clause.pattern.text}”; "
                return self._settle(Verdict(ASK, why + self._forbids(clause), what, clause))
        if allowed and self.verdict.clause is None:
            self.verdict = Verdict(self.verdict.decision, self.verdict.why, what, allowed[0])
        return None

    def _outweighed(
        self, clause: Clause, allowed: Iterable[Clause], done: Sequence[Sequence[Act]]
    ) -> bool:
        """Whether a permission says more, and names all that ``clause`` is about."""
        return clause.said != ASK and any(
            self._precedence(other) > self._precedence(clause)
            and covers(other.pattern, clause.pattern, done)
            for other in allowed
        )

    def _said(self, clause: Clause) -> str:
        """What a clause means for this agent."""
        if clause.said != EXCLUSIVE:
            return clause.said
        if clause.owner == self._policy.agent or self._policy.is_free:
            return ALLOW
        return DENY if self._policy.agent else ASK

    def _precedence(self, clause: Clause) -> tuple[int, int]:
        """What says more counts first; then the agent's own "no", its own "yes", and the others'."""
        rank = {DENY: 3, ALLOW: 2, EXCLUSIVE: 1, ASK: 0}[clause.said]
        if clause.said == EXCLUSIVE and self._said(clause) == ALLOW:
            rank = 2
        return clause.pattern.weight, rank

    def _settle(self, verdict: Verdict) -> None:
        if _SEVERITY[verdict.decision] > _SEVERITY[self.verdict.decision]:
            self.verdict = verdict

    def _forbids(self, clause: Clause) -> str:
        agent, what = self._policy.agent, f"“{clause.pattern.text}”"
        if clause.said == ASK:
            return clause.text
        if clause.said == EXCLUSIVE:
            rest = f"not to @{agent}" if agent else "and no agent is active"
            return f"{clause.place} leaves {what} to @{clause.owner}, {rest}"
        aside = f"; @{clause.delegate} may" if clause.delegate else ""
        return f"{clause.place} forbids {f'@{agent}' if clause.owner else 'agents'} {what}{aside}"


def _about(place: Place, pattern: Pattern, verb: str, is_named: bool) -> int:
    """How surely what is done with a file is what a pattern names."""
    if not pattern.inside:
        return place.hits(pattern.glob, verb)
    return place.leaves(pattern.inside, verb if is_named else MAY)


def _named(clause: Clause, command: str) -> bool:
    """Whether the words of a boundary stand in a command line, so that it is the one to name where
    nobody knows what is run."""
    words = (clause.pattern.program, *clause.pattern.words)
    return all(word in command for word in words if "*" not in word)


def _posix(use: Use) -> str:
    if use.shell != POWERSHELL:
        return use.command
    read: str = load("synapse_ls.guard.powershell").from_powershell(use.command)
    return read


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
