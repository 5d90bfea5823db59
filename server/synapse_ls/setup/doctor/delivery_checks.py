"""Checks of whether a tree has rules that are heard, and which block is known to have arrived.

Most clients write what hooks add into their transcript, and the hook logs whether it found it
there. VS Code writes it into the file of the chat, once the model has answered.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from synapse_ls.edits.configuration import LIVE_PROFILE
from synapse_ls.edits.repeated_rules import applies_always, repeated_rules, told_texts
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.formats.instruction_rules import read_source
from synapse_ls.integrations.client_definition import Surroundings, Trouble
from synapse_ls.integrations.instruction_targets import TARGETS
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.transcript_tail import lines_backward
from synapse_ls.integrations.vscode.settings import settings_files
from synapse_ls.lint.rule_registry import rules_by_problem_kind
from synapse_ls.lint.rules.brackets_and_budgets.budget_overflow import describe_overflow
from synapse_ls.lint.rules.brackets_and_budgets.sleeping_trigger import (
    describe_sleep,
    find_sleeping_domains,
)
from synapse_ls.lint.tree_lookups import tree_profile
from synapse_ls.queries.session_report import format_time
from synapse_ls.setup.managed_blocks import read_document
from synapse_ls.setup.tree_configuration import read_configuration
from synapse_ls.storage import injection_log, plan_cache
from synapse_ls.storage.tree_compilation import CompilationResult, compile_tree
from synapse_ls.text.fast_json import dumps
from synapse_ls.text.phrases import format_count
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.served_system import system_notes
from synapse_ls.workspace.tree_folders import CONFIG, MANIFEST

_MOST_REPLIES = 20  # of the latest, whose chats are looked into
_DEEPEST_READ = sys.maxsize


class DeliveredTree:
    """The tree of a folder as the hook reads it for deliveries, read once for all checks."""

    def __init__(self, root: str) -> None:
        self.root = root

    @property
    def tree(self) -> Tree:
        """The tree."""
        return self._compilation.tree

    @property
    def plan(self) -> Plan:
        """The plan of the tree."""
        return self._compilation.plan

    @cached_property
    def _compilation(self) -> CompilationResult:
        cached = plan_cache.read_plan(self.root, "")
        return compile_tree(self.root, previous=cached.plan if cached else None)


def delivery_troubles(delivered: DeliveredTree, asleep: str) -> Iterator[Trouble]:
    """Yield that nothing can be delivered: there is no rule to tell, or none that is heard while
    the window is fresh.

    asleep: what `sleeping_triggers` says of the tree.
    """
    plan = delivered.plan
    if not any(domain.rules and domain.active for domain in plan.domains()):
        sentence = (
            f"no rule reaches the model: the profile {plan.profile.name} finds none in "
            f"{delivered.root}"
        )
        remedy = "Run `synapse domains`, which shows what is there, and why it does not count."
        yield Trouble("no-rules", "error", "", sentence, remedy)
    elif asleep and _all_asleep(delivered.tree):
        sentence = f"no rule reaches the model with the first prompts: {asleep}"
        remedy = f"Run `synapse profile use {LIVE_PROFILE}`."
        yield Trouble("no-rules", "error", "", sentence, remedy, MANIFEST)


def repeated_files(
    around: Surroundings, delivered: DeliveredTree, client: str
) -> Iterator[Trouble]:
    """Yield the files from which a client with the hook is told rules that the hook brings, too."""
    texts = told_texts(delivered.tree)
    title = CLIENTS[client].title
    for target in TARGETS.values():
        path = target.main_place.path
        document = read_document(around.root, path)
        if client not in target.clients or document.data is None or document.refusal:
            continue
        source = read_source(path, document.text)
        number = len(list(repeated_rules(source, texts))) if applies_always(source) else 0
        if number:
            yield Trouble(
                "told-twice",
                "warning",
                client,
                f"{title} is told {format_count(number, 'rule')} twice: {path} has what the hook "
                "brings",
                "Keep one copy of each: delete them there, or in the tree.",
                path,
            )


def sleeping_triggers(delivered: DeliveredTree) -> str:
    """Check which domains of a tree, those of squads included, are not heard while the window is
    fresh, so that nothing of them is delivered, and whether tasks are; return one or two sentences
    without the last full stop, "" for none.
    """
    tree = delivered.tree
    if not tree_profile(tree).brackets:
        return ""
    sleeping = find_sleeping_domains(tree, tree.domains)
    description = describe_sleep(tree, sleeping) if sleeping else ""
    if not _tasks_sleep(delivered):
        return description
    if description:
        return f"{description}. Nor can a task and its story, because L4 (task) sleeps there, too"
    first = tree_profile(tree).brackets[0]
    return (
        f"a task and its story cannot come in while the window is {first.name} ({first.label} "
        "left), because L4 (task) sleeps there"
    )


def late_rules(delivered: DeliveredTree) -> str:
    """Check which rules the first block does not deliver, since they do not fit, with which agents,
    and when they are told; "" where all fit.
    """
    return describe_overflow(delivered.tree)


def _tasks_sleep(delivered: DeliveredTree) -> bool:
    """Return whether the tree has tasks, and their layer sleeps in the first bracket."""
    profile = tree_profile(delivered.tree)
    if "L4" in profile.brackets[0].layers or all(layer != "L4" for layer, _ in profile.layers):
        return False
    return bool(delivered.plan.tasks)


def _all_asleep(tree: Tree) -> bool:
    heard = [domain for domain in tree.domains if domain.file and domain.is_active]
    return bool(heard) and len(find_sleeping_domains(tree, tree.domains)) == len(heard)


@dataclass(frozen=True, slots=True)
class SeenDelivery:
    """A block that was delivered, as a client's own files show. time: ISO 8601, when the hook told
    it; place: what shows it.
    """

    time: str
    place: str

    def to_json(self) -> dict[str, Any]:
        """Return it as data for JSON."""
        return {"time": self.time, "place": self.place}


def find_seen_delivery(around: Surroundings, client: str) -> SeenDelivery | None:
    """Return the last delivery of which is known that it reached the model of a client, None where
    nothing shows one.
    """
    root = str(around.root)
    replies = (r for r in injection_log.read_replies(root) if r["client"] == client and r["tokens"])
    for record in islice(replies, _MOST_REPLIES):
        if record["arrived"]:
            return SeenDelivery(format_time(record["time"]), "its transcript")
        if client == "vscode" and _chat_shows(around, record):
            return SeenDelivery(format_time(record["time"]), "the chat's file")
    return None


def _chat_shows(around: Surroundings, record: injection_log.Record) -> bool:
    """Return whether the file of the chat that a reply went to has its text."""
    identity = record["hash"]
    text = injection_log.read_blocks(str(around.root), identity).get(identity, "").strip()
    if not text:
        return False
    written = dumps(text, None)[1:-1].encode()
    return any(
        written in line
        for path in _chat_files(around, record["session"])
        for line in lines_backward(str(path), _DEEPEST_READ)
    )


def _chat_files(around: Surroundings, session: str) -> Iterator[Path]:
    if not session or Path(session).name != session:
        return
    for settings in settings_files(around)[1:]:
        storage = settings.parent / "workspaceStorage"
        for ending in (".jsonl", ".json"):
            for workspace in storage.iterdir() if storage.is_dir() else ():
                path = workspace / "chatSessions" / f"{session}{ending}"
                if path.is_file():
                    yield path


def configuration_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yield a trouble for each setting of the tree's configuration that does not hold, as severe as
    `synapse check` has it: a line without effect is a warning.
    """
    for kind, said, remedy, line in read_configuration(around.root).faults:
        rule = rules_by_problem_kind().get(kind)
        is_mild = rule is not None and rule.name == "bad-config"
        severity = "warning" if is_mild else "error"
        sentence = f"{CONFIG}:{line}: {said}"
        yield Trouble("broken-configuration", severity, "", sentence, remedy, CONFIG, line)


def system_troubles(around: Surroundings) -> Iterator[Trouble]:
    """Yield a trouble for each rule system that has rules in the folder and is not the one that is
    served.
    """
    config = read_configuration(around.root).config
    for note in system_notes(str(around.root), config):
        message = note.message.removesuffix(".")
        yield Trouble("two-systems", "warning", "", message, note.remedy, note.path)
