"""Check whether a tree's rules reach an agent, which block arrived, and where we write.

Links out of the project are not followed unless the user trusts the place. Most clients write what
hooks add into their transcript, where the hook looks for it and logs the result; VS Code writes it
into the chat's file once the model has answered.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from glob import escape
from importlib.util import cache_from_source
from itertools import islice
from pathlib import Path

from synapse_ls.edits.config_edits import LIVE_PROFILE
from synapse_ls.engine.profiles import DEFAULT_PROFILE
from synapse_ls.formats.instruction_rules import read_source
from synapse_ls.integrations import instruction_files, transcript_tail
from synapse_ls.integrations.client_settings import Surroundings, Trouble
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.vscode.settings import settings_files
from synapse_ls.lint import rule_registry, tree_lookups
from synapse_ls.lint.rules.brackets_and_budgets import budget_overflow, sleeping_trigger
from synapse_ls.memory.memory_index import refresh_index
from synapse_ls.queries.session_lookup import format_time
from synapse_ls.setup import sync_plan, tree_configuration
from synapse_ls.storage import audit_log, injection_log, plan_cache, plan_writer, trusted_trees
from synapse_ls.storage.bundle_writer import remove_bundle
from synapse_ls.storage.bytecode_bundle import BUNDLE_FILE, Bundle
from synapse_ls.storage.confined_folders import find_note_link
from synapse_ls.storage.tree_compilation import CompilationResult, compile_tree
from synapse_ls.text import fast_json, phrases
from synapse_ls.workspace import rule_systems, tree_folders, tree_search_upward, user_folders
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.file_scanner import OUTSIDE_FOLDER
from synapse_ls.workspace.outside_links import (
    LEADS_NOTES_ELSEWHERE,
    LEADS_OUT,
    NOTE_REMEDY,
    find_outside_link,
    trust_remedy,
)
from synapse_ls.workspace.private_folders import UnknownExposureError, exposed_folders
from synapse_ls.workspace.repository_discovery import find_foreign_place
from synapse_ls.workspace.rule_comparison import repeated_rules, told_texts
from synapse_ls.workspace.tree_loader import load_tree

_MOST_REPLIES = 20  # of the latest, whose chats are looked into
_PACKAGE = Path(__file__).parent.parent.parent
_HOOK_PACKAGES = ("engine", "hooks", "integrations", "storage", "text")
_NOTES = (
    *(f"{tree_folders.TREE}/{name}" for name in tree_folders.STATE_FOLDERS),
    *tree_folders.CONTINUATIONS,
    f"{tree_folders.TREE}/memory/shared",
    f"{tree_folders.TREE}/memory/agents",
    f"{tree_folders.TREE}/memory/digests",
    f"{tree_folders.TREE}/metrics/errors.json",
    f"{tree_folders.TREE}/metrics/memory.json",
)


def read_delivered_tree(root: str) -> CompilationResult:
    """Return the tree of a folder and its plan, as the hook reads them for deliveries."""
    cached = plan_cache.read_plan(root, "")
    return compile_tree(root, previous=cached.plan if cached else None)


def repeated_files(
    around: Surroundings, delivered: CompilationResult, client: str
) -> Iterator[Trouble]:
    """Yield the files from which a client with the hook is told rules that the hook brings, too."""
    texts = told_texts(delivered.tree)
    for target in instruction_files.TARGETS.values():
        path = target.main_place.path
        document = sync_plan.read_document(around.root, path)
        if client not in target.clients or document.data is None or document.refusal:
            continue
        source = read_source(path, document.text)
        number = len(list(repeated_rules(source, texts))) if source.scope.always else 0
        if number:
            twice = f"{CLIENTS[client].title} gets {phrases.format_count(number, 'rule')} twice"
            sentence = f"{twice}: {path} has what the hook injects"
            remedy = (
                "Keep one copy of each: delete them there, or let `synapse init --convert` have "
                "the tree refer to this file."
            )
            yield Trouble("told-twice", "warning", client, sentence, remedy, path)


def sleeping_triggers(delivered: CompilationResult) -> str:
    """Check which domains of a tree, those of squads included, are not heard while the window is
    fresh, so that nothing of them is delivered, and whether tasks are; return one or two sentences
    without the last full stop, "" for none.
    """
    tree, profile = delivered.tree, tree_lookups.tree_profile(delivered.tree)
    if not profile.brackets:
        return ""
    sleeping = sleeping_trigger.find_sleeping_domains(tree, tree.domains)
    description = sleeping_trigger.describe_sleep(tree, sleeping) if sleeping else ""
    first = profile.brackets[0]
    has_task_layer = any(layer == "L4" for layer, _ in profile.layers)
    if "L4" in first.layers or not has_task_layer or not delivered.plan.tasks:
        return description
    if description:
        return f"{description}. Nor can a task and its story: L4 (task) is inactive there, too"
    return (
        f"a task and its story cannot apply while the window is {first.name} ({first.label} "
        "left): L4 (task) is inactive"
    )


def describe_whole_block(delivered: CompilationResult) -> str:
    """Return what a first block takes that is whole, with the agent that has most to say, and what
    makes it so; "" where it fits, or where the tree has chosen its budgets.
    """
    if (profile := delivered.plan.profile).name != DEFAULT_PROFILE:
        return ""
    sizes, first = budget_overflow.measure_whole_blocks(delivered.tree), profile.brackets[0]
    largest = max(sizes, key=sizes.__getitem__)
    if sizes[largest] <= first.budget:
        return ""
    beside = f", with those of @{largest}," if largest else ""
    return (
        f"the rules that always apply{beside} take {sizes[largest]:,} tokens, and a first block in "
        f"{first.name} has {first.budget:,}: `synapse profile use {LIVE_PROFILE}` makes it whole"
    )


@dataclass(frozen=True, slots=True)
class SeenDelivery:
    """A block that was delivered, as a client's own files show. time: ISO 8601, when the hook told
    it; place: what shows it.
    """

    time: str
    place: str


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
    identity, session = record["hash"], record["session"]
    text = injection_log.read_blocks(str(around.root), identity).get(identity, "").strip()
    if not text or not session or Path(session).name != session:
        return False
    written = fast_json.dumps(text, None)[1:-1].encode()
    return any(
        written in line
        for settings in settings_files(around)[1:]
        for ending in (".jsonl", ".json")
        for path in settings.parent.glob(
            f"workspaceStorage/*/chatSessions/{escape(session)}{ending}"
        )
        if path.is_file()
        for line in transcript_tail.lines_backward(str(path), sys.maxsize)
    )


def tree_troubles(
    around: Surroundings, delivered: CompilationResult | None, asleep: str
) -> Iterator[Trouble]:
    """Yield what is wrong with the tree.

    Nothing can be delivered, since there is no tree, no rule to tell, or none that is heard while
    the window is fresh; a setting of the configuration does not hold, which is as severe as
    `synapse check` has it: a line without effect is a warning; another rule system has rules in the
    folder and is not the one that is served. asleep: what `sleeping_triggers` says of the tree.
    """
    root = str(around.root)
    if delivered is None:
        search = tree_search_upward.search_tree(root)
        sentence, remedy = search.reason.removesuffix("."), search.remedy
        if foreign := search.foreign:
            sentence += f"; the one in {foreign} belongs to another user"
            command = f"`synapse trust {phrases.shell_word(foreign)}`"
            remedy = f"Run `synapse init` or, if that one is to be served here, {command}."
        yield Trouble("no-tree", "error", "", sentence, remedy)
    elif not any(domain.rules and domain.active for domain in delivered.plan.domains()):
        profile = delivered.plan.profile.name
        sentence = f"no rule reaches the model: the profile {profile} finds none in {root}"
        remedy = "Run `synapse domains`, which shows what is there, and why it does not count."
        yield Trouble("no-rules", "error", "", sentence, remedy)
    elif asleep:
        domains = delivered.tree.domains
        heard = sum(bool(domain.file) and domain.is_active for domain in domains)
        if heard and len(sleeping_trigger.find_sleeping_domains(delivered.tree, domains)) == heard:
            sentence = f"no rule reaches the model with the first prompts: {asleep}"
            remedy = f"Run `synapse profile use {LIVE_PROFILE}`."
            yield Trouble("no-rules", "error", "", sentence, remedy, tree_folders.MANIFEST)
    configuration = tree_configuration.read_configuration(around.root)
    for kind, message, remedy, line in configuration.faults:
        rule = rule_registry.rules_by_problem_kind().get(kind)
        severity = "warning" if rule is not None and rule.name == "bad-config" else "error"
        sentence = f"{tree_folders.CONFIG}:{line}: {message}"
        yield Trouble(
            "broken-configuration", severity, "", sentence, remedy, tree_folders.CONFIG, line
        )
    for note in rule_systems.system_notes(root, configuration.config):
        sentence = note.message.removesuffix(".")
        yield Trouble("two-systems", "warning", "", sentence, note.remedy, note.path)


def storage_troubles(around: Surroundings, *, audits: bool = False) -> Iterator[Trouble]:
    """Yield what is wrong with the places of storage.

    These are private folders of which git has files or would take some; links for which rules are
    not told, or notes not kept; memories that cannot be read, or are not as the program wrote them;
    a place that leads git to another repository, before anything is stored; a tree that is not as
    it was pinned; a folder of caches that is not the user's alone; and, where the tree ``audits``,
    an audit log that lacks the lines of now.
    """
    root = str(around.root)
    try:
        for exposed in exposed_folders(root):
            sentence, remedy = exposed.describe(), exposed.remedy()
            yield Trouble("private-files-in-git", "error", "", sentence, remedy, exposed.first)
    except UnknownExposureError as error:
        yield Trouble("private-files-in-git", "warning", "", str(error), "", error.path)
    squads = (n.path for n in load_tree(root, LoadScope.PROMPT).notes if n.kind == OUTSIDE_FOLDER)
    paths = (*tree_folders.RULE_FOLDERS, *squads, *_NOTES)
    links = dict(filter(None, (find_outside_link(root, path) for path in paths)))
    for link, target in links.items():
        sentence = f"{link} is left alone: {LEADS_OUT}"
        remedy = NOTE_REMEDY if tree_folders.is_note_path(link) else trust_remedy(target)
        yield Trouble("leads-out", "error", "", sentence, remedy, link)
    note_links = (find_note_link(f"{root}/{path}", root) for path in _NOTES)
    for path in sorted(os.path.relpath(link, root) for link in {*note_links} - {""}):
        sentence = f"{path} is left alone: {LEADS_NOTES_ELSEWHERE}"
        yield Trouble("leads-out", "error", "", sentence, NOTE_REMEDY, path)
    for note in refresh_index(root).notes:
        yield Trouble("unread-memory", "warning", "", note.removesuffix("."))
    if foreign := find_foreign_place(root):
        sentence = f"branch and commits are left out: {foreign.describe()}"
        remedy = "Clone it anew."
        if folder := foreign.trusted_folder:
            command = f"`synapse trust {phrases.shell_word(folder)}`"
            remedy = f"Clone it anew or, if it is yours, run {command}."
        yield Trouble("foreign-repository", "warning", "", sentence, remedy, foreign.path)
    if changes := trusted_trees.find_changes(root):
        sentence = f"hooks inject nothing, because the tree {changes.reason}"
        first = next(changes.lines(), ("", ""))[1]
        yield Trouble("changed-tree", "error", "", sentence, trusted_trees.REMEDY, first)
    wanted, used = user_folders.wanted_cache_folder(), plan_cache.cache_folder()
    if used != wanted:
        sentence = f"{wanted} is not this user's alone, so plans and logs are kept in {used}"
        if not plan_cache.prepare_cache_folder():
            places = f"{wanted} and {used}"
            sentence = f"{places} are not this user's alone, so no plan and no log is kept"
        remedy = f"Take the rights of others away: chmod go-w {wanted}"
        yield Trouble("shared-cache", "warning", "", sentence, remedy, wanted)
    if audits and (obstacle := audit_log.find_obstacle()):
        sentence = f"the audit log loses every line: {obstacle.rstrip('.')}"
        remedy = "Move what stands there away, then run `synapse log --verify`."
        yield Trouble("audit-log", "error", "", sentence, remedy, user_folders.audit_folder())


def missing_bytecode() -> tuple[int, bool]:
    """Return how many modules that the hook may load have no compiled form in storage, and whether
    they can get one.
    """
    folders = [
        (source.parent, Path(cache_from_source(str(source))))
        for package in _HOOK_PACKAGES
        for source in (_PACKAGE / package).rglob("*.py")
    ]
    lacking = [folder for folder, compiled in folders if not compiled.exists()]
    return len(lacking), all(os.access(folder, os.W_OK) for folder in set(lacking))


def bytecode_troubles() -> Iterator[Trouble]:
    """Yield a trouble with storage where nobody can write into the installation, so that the same
    modules are compiled for each prompt.
    """
    missing, writable = missing_bytecode()
    if missing and not writable:
        sentence = f"{missing} modules are compiled anew for each prompt, as {_PACKAGE} is "
        remedy = f"Run `python -m compileall {_PACKAGE}` once as a user who may write there."
        yield Trouble("missing-bytecode", "warning", "", f"{sentence}read-only", remedy)


def damaged_file_troubles(root: str) -> Iterator[Trouble]:
    """Yield a trouble for each damaged file that is stored, of the plan cache and of the bytecode
    bundle, and remove it.

    Asked before any hook is called, which puts such files right by itself.
    """
    remedy = "There is nothing to do, unless it comes back: then look at the disk."
    if plan_writer.is_damaged(root):
        plan_writer.drop_plan(root)
        sentence = (
            f"the compiled plan of this tree in {plan_cache.cache_folder()} was damaged: it was "
            "removed, and the next prompt has it made anew"
        )
        yield Trouble("damaged-cache", "error", "", sentence, remedy)
    if Bundle().is_damaged():
        sentence = f"the bytecode in {BUNDLE_FILE} was damaged or of another version: "
        if remove_bundle():
            sentence += "it was removed, and the next hook makes it anew"
        else:
            sentence += "it cannot be removed, and the modules in it come from their sources"
            remedy = "Remove it as a user who may write there."
        yield Trouble("damaged-cache", "warning", "", sentence, remedy)
