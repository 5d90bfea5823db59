"""This module holds the subject of a diagnosis: one tree, in the state of one session, with
everything the sections ask for.
"""

from __future__ import annotations

import time
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING

from synapse_ls.engine.block_assembly import assemble_block
from synapse_ls.engine.rule_account import DomainAccount, account_for_domains
from synapse_ls.integrations.client_definition import SCOPES, Surroundings
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.queries.context_question import Answer, Question, answer_question
from synapse_ls.setup.doctor.client_examination import DoctorReport, examine_clients
from synapse_ls.storage import injection_log
from synapse_ls.workspace.load_scope import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree

if TYPE_CHECKING:
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation
    from synapse_ls.storage.session_state import SessionState

TIMED_ASSEMBLIES = 20  # assemblies that are timed


class Subject:
    """A Subject is what is diagnosed, the tree of ``question``; ``runs`` prompts of each client's
    hook are timed, 0 for none.
    """

    def __init__(self, question: Question, runs: int) -> None:
        self.root = question.root
        self._question = question
        self._runs = runs

    @cached_property
    def answer(self) -> Answer:
        """Returns the block of now; the time of the first one is ``answer_ms``."""
        began = time.perf_counter()
        found = answer_question(self._question)
        self.answer_ms = (time.perf_counter() - began) * 1000
        return found

    @property
    def plan(self) -> Plan:
        """Returns the compiled tree."""
        return self.answer.plan

    @property
    def situation(self) -> Situation:
        """Returns who is at work on what."""
        return self.answer.assembly.situation

    @property
    def session(self) -> SessionState | None:
        """Returns the session's document, None without one."""
        return self.answer.session

    @cached_property
    def accounts(self) -> tuple[DomainAccount, ...]:
        """Returns why each rule is in or out."""
        return account_for_domains(self.plan, self.answer.assembly)

    @cached_property
    def loaded_tree(self) -> LoadedTree:
        """Returns every file of the tree."""
        return load_tree(self.root, LoadScope.ALL)

    @cached_property
    def tree(self) -> Tree:
        """Returns the tree of these files."""
        return Tree(self.loaded_tree.index.snapshot())

    @cached_property
    def doctor(self) -> DoctorReport:
        """Returns what the doctor says of every client that is in use here."""
        around = Surroundings.of_process(self.root)
        return examine_clients(around, CLIENTS.values(), SCOPES, self._runs)

    @cached_property
    def injection_records(self) -> list[injection_log.Record]:
        """Returns what agents were given in this tree, the latest first."""
        return list(injection_log.read_replies(self.root))

    @cached_property
    def assembly_ms(self) -> float:
        """Returns the milliseconds that a block takes in a process that is warm, the median."""
        taken = []
        for _ in range(TIMED_ASSEMBLIES):
            began = time.perf_counter()
            assemble_block(self.plan, self.situation)
            taken.append((time.perf_counter() - began) * 1000)
        return median(taken)
