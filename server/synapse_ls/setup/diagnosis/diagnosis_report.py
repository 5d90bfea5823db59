"""The report of a diagnosis: sections of checks with verdicts, also as Markdown.

*ok*, *warning* and *error* need proof; what cannot be known from here is *unknown*, what is neither
good nor bad *info*.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import Any, Literal

from synapse_ls.engine.block_assembly import assemble_block
from synapse_ls.engine.rule_account import DomainAccount, account_for_domains
from synapse_ls.integrations.client_definition import SCOPES, Surroundings
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.queries.context_question import Question, answer_question
from synapse_ls.setup.doctor.client_examination import DoctorReport, examine_clients
from synapse_ls.storage import injection_log
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import LoadedTree, load_tree

Status = Literal["ok", "info", "unknown", "warning", "error"]
STATUS_ORDER: tuple[Status, ...] = ("error", "warning", "unknown", "info", "ok")
GAP_STATUSES: tuple[Status, ...] = ("error", "warning")


@dataclass(frozen=True, slots=True)
class Check:
    """One statement in the report of a diagnosis, a sentence without a full stop; ``place`` is
    ``file:line`` or "".

    remedy: a short imperative sentence for what is wrong, else "".
    """

    status: Status
    sentence: str
    remedy: str = ""
    place: str = ""

    def report(self) -> dict[str, Any]:
        """Return the check as plain values."""
        return {
            "status": self.status,
            "said": self.sentence,
            "remedy": self.remedy or None,
            "place": self.place or None,
        }


@dataclass(frozen=True, slots=True)
class Section:
    """The part of a diagnosis's report with the checks about one thing."""

    name: str
    title: str
    checks: tuple[Check, ...]
    data: Mapping[str, Any]

    @property
    def status(self) -> Status:
        """The worst status of its checks."""
        statuses = {check.status for check in self.checks}
        return next((status for status in STATUS_ORDER if status in statuses), "info")

    def report(self) -> dict[str, Any]:
        """Return the section as plain values."""
        return {
            "name": self.name,
            "title": self.title,
            "status": self.status,
            "checks": [check.report() for check in self.checks],
            "data": dict(self.data),
        }


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The whole report about the tree in ``root``."""

    root: str
    sections: tuple[Section, ...]

    @property
    def gaps(self) -> tuple[tuple[Section, Check], ...]:
        """What is wrong, the errors first, in the order of the sections."""
        gaps = [(s, c) for s in self.sections for c in s.checks if c.status in GAP_STATUSES]
        return tuple(sorted(gaps, key=lambda gap: GAP_STATUSES.index(gap[1].status)))

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return all(section.status != "error" for section in self.sections)

    def report(self) -> dict[str, Any]:
        """Return the diagnosis as plain values."""
        return {
            "root": self.root,
            "ok": self.ok,
            "sections": [section.report() for section in self.sections],
            "gaps": [{"section": s.name, **check.report()} for s, check in self.gaps],
        }


STATUS_MARKS = {"ok": "✅", "unknown": "?", "warning": "⚠️", "error": "❌"}


def render_markdown(diagnosis: Diagnosis) -> str:
    """Render the whole report of a diagnosis as Markdown, what is wrong first."""
    lines = ["# Diagnosis", "", "## What to do", ""]
    if not diagnosis.gaps:
        lines.append("Nothing is wrong.")
    for number, (section, check) in enumerate(diagnosis.gaps, 1):
        remedy = f" **{_escape_markup(check.remedy)}**" if check.remedy else ""
        mark, text = f"{STATUS_MARKS[check.status]} ", _check_text(check)
        lines.append(f"{number}. {mark}{section.title}: {text}.{remedy}")
    for section in diagnosis.sections:
        lines += ("", f"## {section.title}", "")
        for check in section.checks:
            # What is neither well nor ill has no mark.
            mark = f"{STATUS_MARKS[check.status]} " if check.status in STATUS_MARKS else ""
            lines.append(f"- {mark}{_check_text(check)}")
    return "\n".join(lines) + "\n"


def _check_text(check: Check) -> str:
    place = f" (`{check.place}`)" if check.place else ""
    return _escape_markup(check.sentence) + place


def _escape_markup(text: str) -> str:
    """Return a text in which what a file says never passes for markup of the report."""
    return "".join(f"\\{c}" if c in "<>[]|" else c for c in text)


TIMED_ASSEMBLIES = 20  # assemblies that are timed


class Subject:
    """What is diagnosed, the tree of ``question``; ``runs`` prompts of each client's hook are
    timed, 0 for none.

    answer: the block of now, the first one, which took ``answer_ms``. Raises UserError where the
    question cannot be answered at all.
    """

    def __init__(self, question: Question, runs: int) -> None:
        self.root = question.root
        self._runs = runs
        began = time.perf_counter()
        self.answer = answer_question(question)
        self.answer_ms = (time.perf_counter() - began) * 1000
        self.plan = self.answer.plan
        self.situation = self.answer.assembly.situation
        self.session = self.answer.session

    @cached_property
    def accounts(self) -> tuple[DomainAccount, ...]:
        """Why each rule is in or out."""
        return account_for_domains(self.plan, self.answer.assembly)

    @cached_property
    def loaded_tree(self) -> LoadedTree:
        """Every file of the tree."""
        return load_tree(self.root, LoadScope.ALL)

    @cached_property
    def tree(self) -> Tree:
        """The tree of these files."""
        return Tree(self.loaded_tree.index.snapshot())

    @cached_property
    def doctor(self) -> DoctorReport:
        """What the doctor says of every client that is in use here."""
        around = Surroundings.of_process(self.root)
        return examine_clients(around, CLIENTS.values(), SCOPES, self._runs)

    @cached_property
    def injection_records(self) -> list[injection_log.Record]:
        """What agents were given in this tree, the latest first."""
        return list(injection_log.read_replies(self.root))

    @cached_property
    def assembly_ms(self) -> float:
        """The milliseconds that a block takes in a process that is warm, the median."""
        times = []
        for _ in range(TIMED_ASSEMBLIES):
            began = time.perf_counter()
            assemble_block(self.plan, self.situation)
            times.append((time.perf_counter() - began) * 1000)
        return median(times)
