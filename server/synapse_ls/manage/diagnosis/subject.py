"""What is examined: one tree, in the state of one session, with everything the sections ask for."""

from __future__ import annotations

import time
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING, Any

from synapse_ls.engine.account import DomainAccount, account
from synapse_ls.engine.run import assemble
from synapse_ls.manage.clients.client import SCOPES, Surroundings
from synapse_ls.manage.clients.registry import CLIENTS
from synapse_ls.manage.doctor.examine import Findings, examine
from synapse_ls.service import injections
from synapse_ls.service.answer import Answer, Question, answer
from synapse_ls.workspace.loader import Loaded, Scope, load
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.situation import Situation

ROUNDS = 20  # assemblies that are timed


class Subject:
    """The tree of ``question``; ``runs`` prompts of each client's hook are timed, 0 for none."""

    def __init__(self, question: Question, runs: int) -> None:
        self.root = question.root
        self._question = question
        self._runs = runs

    @cached_property
    def answer(self) -> Answer:
        """The block of now; the time of the first one is ``answered``."""
        began = time.perf_counter()
        found = answer(self._question)
        self.answered = (time.perf_counter() - began) * 1000
        return found

    @property
    def plan(self) -> Plan:
        """The compiled tree."""
        return self.answer.plan

    @property
    def situation(self) -> Situation:
        """Who is at work on what."""
        return self.answer.assembly.situation

    @property
    def session(self) -> dict[str, Any] | None:
        """The session's document, None without one."""
        return self.answer.session

    @cached_property
    def accounts(self) -> tuple[DomainAccount, ...]:
        """Why each rule is in or out."""
        return account(self.plan, self.answer.assembly)

    @cached_property
    def loaded(self) -> Loaded:
        """Every file of the tree."""
        return load(self.root, Scope.ALL)

    @cached_property
    def tree(self) -> Tree:
        """The tree of these files."""
        return Tree(self.loaded.index.snapshot())

    @cached_property
    def doctor(self) -> Findings:
        """What the doctor says of every client that is in use here."""
        around = Surroundings.here(self.root)
        return examine(around, CLIENTS.values(), SCOPES, self._runs)

    @cached_property
    def told(self) -> list[injections.Record]:
        """What agents were told in this tree, the latest first."""
        return list(injections.read(self.root))

    @cached_property
    def assembly_ms(self) -> float:
        """Milliseconds that a block takes in a process that is warm, the median."""
        taken = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            assemble(self.plan, self.situation)
            taken.append((time.perf_counter() - began) * 1000)
        return median(taken)
