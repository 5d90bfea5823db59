"""Plan renames across a tree: agents, tasks, star-commands, workflows, squads, domains. No IO."""

import re
from collections.abc import Callable, Iterator, Mapping

from synapse_ls.edits import domain_edits, edit_targets
from synapse_ls.edits.config_edits import config_texts
from synapse_ls.engine.workflow_route import PHASE_ALIASES, WORKFLOW_ALIASES
from synapse_ls.formats import memory_file, rule_syntax
from synapse_ls.formats.manifest import Manifest
from synapse_ls.storage.session_store import session_file_stem
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, append_lines, insert_line_after
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import edit_plan
from synapse_ls.workspace.fact_extraction import make_key
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import BUILT_IN, RULE_KINDS, FileKind
from synapse_ls.workspace.mentions import domain_span, find_command, find_mentions, find_name_span
from synapse_ls.workspace.naming_conventions import (
    domain_file_names,
    file_stem,
    is_same_id,
    kebab_case,
    namespaced_domain,
    rule_file_stem,
    snake_case,
    squad_prefix,
    suggest_names,
    upper_snake,
)
from synapse_ls.workspace.rule_tree import Tree, overridden_domain, overriding_domains
from synapse_ls.workspace.tree_domains import Domain, Squad
from synapse_ls.workspace.tree_folders import CONFIG, MEMORIES

_ID = lazy_pattern(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
_LONGEST = 100
# Words that YAML reads as something else than text (YAML 1.2.2, 10.3.2; the YAML 1.1 type "bool").
_YAML_VALUES = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))


class EditDraft:
    """An edit plan in the making, with changes to the files of ``tree``. Saying the same thing
    twice is saying it once. new_files: path -> text.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._edits: dict[str, dict[Span, str]] = {}
        self._targets: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        self.new_files: dict[str, str] = {}

    def put(self, path: str, span: Span, text: str) -> None:
        """Put ``text`` where ``span`` is; raise UserError for a file that was not read."""
        if span.cut(_require_file(self._tree, path).text) != text:
            self._edits.setdefault(path, {})[span] = text

    def rename(self, path: str, target: str) -> None:
        """Give a file another path; raise UserError where there is one at that path."""
        if target == path:
            return
        if self._tree.snapshot.facts(target) or target in self._targets.values():
            raise _target_exists(target)
        _require_file(self._tree, path)
        self._targets[path] = target

    def move(self, folder: str, target: str) -> None:
        """Give a folder another path; raise UserError where the tree has files at that path."""
        if target == folder:
            return
        if self._tree.snapshot.paths_under(target):
            raise _target_exists(target)
        self._folders[folder] = target

    def plan(self) -> edit_plan.EditPlan:
        """Return the plan: changes inside files, renamed files, then moved folders, each by
        path.
        """
        edits = [edit_plan.create_file(path, text) for path, text in sorted(self.new_files.items())]
        for path in (*sorted(self._edits.keys() - self._targets.keys()), *sorted(self._targets)):
            text = _require_file(self._tree, path).text
            changes = [TextEdit(*edit) for edit in sorted(self._edits.get(path, {}).items())]
            if target := self._targets.get(path):
                edits.append(edit_plan.rename_file(path, target, text, changes))
            else:
                edits.append(edit_plan.edit_file(path, text, changes))
        edits += (edit_plan.move_folder(*folder) for folder in sorted(self._folders.items()))
        return edit_plan.EditPlan(tuple(edits))


def match_spelling(old: str, new: str) -> str:
    """Return the name that an edit puts, ``new``, with hyphens or underscores as ``old`` has them,
    with its own where ``old`` has none.
    """
    if "_" in old and "-" not in old:
        return snake_case(new)
    return kebab_case(new) if "-" in old else new


def _require_file(tree: Tree, path: str) -> FileFacts:
    if (facts := tree.snapshot.facts(path)) is None or not facts.is_read:
        raise edit_targets.unread_file(path)
    return facts


def _target_exists(path: str) -> UserError:
    return edit_targets.refused_name(f"{path} already exists, so nothing can be renamed to it.")


def put_new_path(draft: EditDraft, tree: Tree, old: str, new: str) -> None:
    """Update path references: put the new path wherever the configuration, a rule file or a
    workflow's list of artifacts names ``old``, or what is in it.

    In rule files that is a text like any other; comments that say where rules come from follow too.
    """
    pattern = re.compile(rf"(?<![\w/.-])(?:\./)?({re.escape(old)})(?![\w-]|\.\w)")
    for text in config_texts(tree):
        if (text.path[0] == "paths" or (text.path[0] == "lint" and text.is_key)) and (
            match := pattern.match(text.value)
        ):
            draft.put(CONFIG, Span(*match.span(1)).shift(text.span.start), new)
    for path, state in tree.workflow_states:
        facts = tree.snapshot.facts(path)
        artifacts = state.root.get("artifacts") if state.root else None
        for item in artifacts.items if facts and artifacts else ():
            is_meant = item.kind == "scalar" and pattern.match(item.value)
            match = pattern.search(facts.text, *item.span) if facts and is_meant else None
            if match:
                draft.put(path, Span(*match.span(1)), new)
    for facts in tree.snapshot.files(*RULE_KINDS):
        for match in pattern.finditer(facts.text):
            draft.put(facts.path, Span(*match.span(1)), new)


def check_id(name: str, what: str) -> None:
    """Check, as a step of a rename, the new name of what YAML files name too."""
    check_name(name, what)
    if name in _YAML_VALUES:
        raise edit_targets.refused_name(
            f'"{name}" cannot name {what}, because YAML reads that word as a value, not as a name.'
        )


def check_name(name: str, what: str) -> None:
    """Check, as a step of a rename, that ``name`` can be an id; raise UserError. ``what`` is "an
    agent" and the like.
    """
    if len(name) > _LONGEST or not _ID.fullmatch(name):
        raise UserError(
            f'"{name}" cannot name {what}, because files and keys could not be spelled with it.',
            "Use lower-case letters, digits and single hyphens, beginning with a letter: my-name.",
        )


def _check_rename(tree: Tree, family: str, old: str, new: str) -> bool:
    """Check that something defines or names an object, and that the new name can be one and is no
    other object's; return whether it is another name. Raise UserError.
    """
    check_id(new, f"{'an' if family == 'agent' else 'a'} {family}")
    if new == old:
        return False
    snapshot, key = tree.snapshot, make_key(family, old)
    if not (snapshot.defining_paths(key) or snapshot.referring_paths(key)):
        suggestion = suggest_names(old, snapshot.names_in_family(family))
        raise UserError(f'There is no {family} "{old}".', suggestion)
    defined_in = () if is_same_id(old, new) else snapshot.defining_paths(make_key(family, new))
    if defined_in:
        raise edit_targets.refused_name(f"{defined_in[0]} already defines the {family} {new}.")
    return True


def put_names(draft: EditDraft, tree: Tree, family: str, old: str, new: str) -> None:
    """Rename at every place that has the old name, spelled as that place spells it.

    Other names that mean the same object, such as that of its file, stay.
    """
    for mention in find_mentions(tree, family, old):
        facts = tree.snapshot.facts(mention.path)
        written = mention.span.cut(facts.text) if facts else ""
        if written and is_same_id(written, old):
            draft.put(mention.path, mention.span, match_spelling(written, new))


def put_prefixes(draft: EditDraft, tree: Tree, domain: Domain, old: str, new: str) -> None:
    """Rename, as a step of a trigger's rename, the keys of rules that begin with its name; a short
    name of the domain itself stays.
    """
    before = rule_syntax.to_upper_snake(old)
    if domain.file is None or before in {domain.name, domain.label, short_key(domain.name)}:
        return
    for rule in tree.rules_of(domain):
        if rule.domain == before:
            draft.put(domain.file, domain_span(rule), rule_syntax.to_upper_snake(new))


def put_label(draft: EditDraft, tree: Tree, old: str, new: str) -> None:
    """Put the new label of a renamed domain where tests of the tree name it."""
    for path, reference in tree.snapshot.references(make_key("domain", old)):
        facts = tree.snapshot.facts(path)
        span = find_name_span(facts.text, reference.span, old) if facts else None
        if facts and span and facts.kind is FileKind.TESTS:
            written = span.cut(facts.text)
            name = new if written.isupper() else match_spelling(written, kebab_case(new))
            draft.put(path, span, name)


def short_key(key: str) -> str:
    """Return a renamed domain's key without the part that only says what kind of domain it is:
    ``AGENT_DEV`` -> ``DEV``.
    """
    return key.removeprefix("AGENT_").removeprefix("WORKFLOW_") or key


def put_file_name(draft: EditDraft, tree: Tree, path: str, new: str) -> None:
    """Rename, as a step of a rename, a file that is called after what it defines, with the ending
    it has.
    """
    folder, _, file = path.rpartition("/")
    old = file_stem(path)
    target = f"{folder}/{match_spelling(old, new)}{file[len(old) :]}"
    draft.rename(path, target)
    put_new_path(draft, tree, path, target)


_LONGEST_SQUAD_NAME = 50  # AIOX squad-schema


def rename_squad(tree: Tree, old: str, new: str) -> edit_plan.EditPlan:
    """Rename a squad: its folder, its name in ``squad.yaml``, its prefix, and what names it.

    A name in ``squad.yaml`` that is another than the folder's stays: the folder is what counts.
    Raises UserError where there is no such squad, where the new name is no name or is taken, and
    where domains would have one label.
    """
    squad = edit_targets.find_squad(tree, old)
    check_id(new, "a squad")
    if len(new) > _LONGEST_SQUAD_NAME or "_" in new:
        raise edit_targets.refused_name(
            f'"{new}" cannot name a squad: its schema asks for at most {_LONGEST_SQUAD_NAME} '
            "lower-case letters, digits and hyphens."
        )
    if new == squad.folder:
        return edit_plan.EditPlan()
    _check_squad_free(tree, squad, new)
    draft = EditDraft(tree)
    put_names(draft, tree, "squad", squad.folder, new)
    # `{SQUAD}_EXTENDS` may carry the prefix or the whole name of the folder.
    manifest = tree.snapshot.document(squad.manifest_path, Manifest)
    for entry in manifest.entries if manifest else ():
        if entry.setting == "EXTENDS":
            span = Span(entry.key.span.start, entry.key.span.start + len(entry.domain))
            if is_same_id(entry.domain, squad.namespace):
                draft.put(squad.manifest_path, span, squad_prefix(new))
            elif is_same_id(entry.domain, squad.folder):
                draft.put(squad.manifest_path, span, upper_snake(new))
    for domain in _squad_domains(tree, squad):
        # Put the new prefix into the name of a domain, or into the keys that carry its label.
        if (name := _new_domain_name(domain, squad, new)) != domain.name:
            put_domain(draft, tree, domain, name)
            continue
        put_label(draft, tree, domain.label, namespaced_domain(new, name))
        for rule in tree.rules_of(domain):
            if domain.file and rule.domain == domain.label != domain.name:
                draft.put(domain.file, domain_span(rule), namespaced_domain(new, name))
    target = f"{squad.path.rpartition('/')[0]}/{new}"
    put_new_path(draft, tree, squad.path, target)
    draft.move(squad.path, target)
    return draft.plan()


def _squad_domains(tree: Tree, squad: Squad) -> Iterator[Domain]:
    return (domain for domain in tree.domains if domain.manifest_path == squad.manifest_path != "")


def _check_squad_free(tree: Tree, squad: Squad, new: str) -> None:
    for other in tree.squads:
        if other.folder != squad.folder and (is_same_id(other.folder, new) or other.name == new):
            raise edit_targets.refused_name(f"{other.path} is already called {new}.")
    if squad_prefix(new) == squad.namespace:
        return
    foreign_labels = {domain.label for domain in tree.domains if domain.squad != squad.folder}
    for domain in _squad_domains(tree, squad):
        name = _new_domain_name(domain, squad, new)
        label = namespaced_domain(new, name)
        if name == domain.name == label:
            raise UserError(
                f"{squad.manifest_path} has a domain {domain.name}, which would be taken for one "
                "that carries the squad's new name already.",
                "Rename that domain first, or choose another name.",
            )
        if label in foreign_labels:
            raise edit_targets.refused_name(
                f"{tree.domains_by_label[label].manifest_path} already declares {label}, as which "
                f"{domain.label} would be known."
            )


def _new_domain_name(domain: Domain, squad: Squad, new: str) -> str:
    """Return a domain's own name: one that carries the squad's prefix gets the new one."""
    if domain.name == domain.label:
        return squad_prefix(new) + domain.name.removeprefix(squad.namespace)
    return domain.name


def rename_workflow(tree: Tree, old: str, new: str) -> edit_plan.EditPlan:
    """Rename a workflow, which may go by several names: its id, the file named after it, triggers,
    states, squads, configuration.

    Where the framework knows the old id as another name of a workflow, the new one is written into
    the configuration as such, so that the same domains keep waiting for it.

    Raises UserError where there is no such workflow, where the new name is no name or is taken,
    and for the ids that the framework's other names and phases lead to.
    """
    if not _check_rename(tree, "workflow", old, new):
        return edit_plan.EditPlan()
    if not is_same_id(old, new):
        _check_framework_names(tree, old, new)
    draft = EditDraft(tree)
    put_names(draft, tree, "workflow", old, new)
    for path in tree.snapshot.defining_paths(make_key("workflow", old)):
        if path in tree.snapshot.paths(FileKind.WORKFLOW) and is_same_id(file_stem(path), old):
            put_file_name(draft, tree, path, new)
    for domain in tree.domains:
        if domain.declaration and is_same_id(domain.declaration.workflow_trigger, old):
            put_prefixes(draft, tree, domain, old, new)
    _put_configuration(draft, tree, old, new)
    return draft.plan()


def _check_framework_names(tree: Tree, old: str, new: str) -> None:
    """Raise UserError where the framework's own names would lead elsewhere afterwards."""
    former = snake_case(old)
    own_names = tree.snapshot.config.workflow.aliases
    aliases = {snake_case(name): snake_case(id) for name, id in own_names.items()}
    meant = WORKFLOW_ALIASES.get(snake_case(new), "")
    if meant not in ("", aliases.get(former, WORKFLOW_ALIASES.get(former))):
        raise edit_targets.refused_name(
            f"{new} is another name of {meant}, so it would mean that workflow."
        )
    # The names of workflows that the tree uses and the configuration does not explain.
    names = {snake_case(name) for name in tree.snapshot.names_in_family("workflow")}
    names |= {snake_case(state.workflow_id) for _, state in tree.workflow_states}
    if dependent := sorted(n for n in names - aliases.keys() if WORKFLOW_ALIASES.get(n) == former):
        raise UserError(
            f"The framework knows {' and '.join(dependent)} as {old}, so under another name the "
            "rules for their states would not be found.",
            "Say under [workflow.aliases] what they mean first.",
        )
    if former in PHASE_ALIASES:
        raise UserError(
            f"The framework's names of phases belong to {old}, so under another name its states "
            "would lose them.",
            "Leave its name, or say the phases' names under [workflow.phases] first.",
        )


def _put_configuration(draft: EditDraft, tree: Tree, old: str, new: str) -> None:
    """Put the new name into aliases and phases of the configuration, with an alias that it
    needs.
    """
    explained = False
    for text in config_texts(tree):
        if text.path[:2] == ("workflow", "aliases") and len(text.path) > 2:
            explained |= text.is_key and is_same_id(text.value, old)
        elif text.path[:2] != ("workflow", "phases") or not text.is_key or len(text.path) != 3:
            continue
        if is_same_id(text.value, old):
            draft.put(CONFIG, text.span, match_spelling(text.value, new))
    canonical_id = WORKFLOW_ALIASES.get(snake_case(old))
    if canonical_id is None or explained or is_same_id(old, new):
        return
    line = f'{snake_case(new)} = "{canonical_id}"'
    if (facts := tree.snapshot.facts(CONFIG)) is None:
        draft.new_files[CONFIG] = f"[workflow.aliases]\n{line}\n"
        return
    header = next((t for t in config_texts(tree) if t.path == ("workflow", "aliases")), None)
    if header:
        change = insert_line_after(facts.text, header.span.start, line)
    else:
        change = append_lines(facts.text, ["[workflow.aliases]", line], apart=True)
    draft.put(CONFIG, change.span, change.new_text)


_ENGINE_COMMAND = "synapse"


def rename_agent(tree: Tree, old: str, new: str) -> edit_plan.EditPlan:
    """Rename an agent: its id, the files named after it, triggers, steps, squads, ``@mentions``,
    and what it remembers.

    The domain that it triggers keeps its name; rules whose keys carry the agent's name follow.
    Raises UserError where there is no such agent, or the new name is no name or is taken.
    """
    if not _check_rename(tree, "agent", old, new):
        return edit_plan.EditPlan()
    draft = EditDraft(tree)
    put_names(draft, tree, "agent", old, new)
    for path in tree.snapshot.defining_paths(make_key("agent", old)):
        if is_same_id(file_stem(path), old):
            put_file_name(draft, tree, path, new)
    for domain in tree.domains:
        if domain.declaration and is_same_id(domain.declaration.agent_trigger, old):
            put_prefixes(draft, tree, domain, old, new)
    # An agent that is renamed keeps what it remembers: in memories that name it, and in its folder.
    folder, target = (f"{MEMORIES[1]}/{session_file_stem(name)}/" for name in (old, new))
    for path in tree.snapshot.paths(FileKind.MEMORY):
        memory = tree.snapshot.document(path, memory_file.MemoryDocument)
        named = memory.fields.get("agent") if memory else None
        if named is not None and is_same_id(named.value.removeprefix("@"), old):
            draft.put(path, named.span, f'"@{new}"' if named.value.startswith("@") else new)
        if path.startswith(folder):
            draft.rename(path, target + path[len(folder) :])
    return draft.plan()


def rename_task(tree: Tree, old: str, new: str) -> edit_plan.EditPlan:
    """Rename a task: its file, and where steps, agents and squads name the file.

    Raises UserError where there is no such task, where several files are called so, and where the
    new name is no name or is taken.
    """
    if not _check_rename(tree, "task", old, new):
        return edit_plan.EditPlan()
    paths = tree.snapshot.defining_paths(make_key("task", old))
    if len(paths) > 1:
        raise UserError(
            f"{' and '.join(paths)} are both the task {old}, so it is not clear what names which.",
            "Give one of the files another name first.",
        )
    draft = EditDraft(tree)
    put_names(draft, tree, "task", old, new)
    for path in paths:
        put_file_name(draft, tree, path, new)
    return draft.plan()


def rename_command(tree: Tree, old: str, new: str) -> edit_plan.EditPlan:
    """Rename a star-command: its headers, its keys, and ``*mentions`` in rules.

    Raises UserError where there is no such command, where the new name is no name or is taken,
    and for ``*synapse`` and all that begins so.
    """
    old, new = old.removeprefix("*"), new.removeprefix("*")
    check_name(new, "a star-command")
    if new == old:
        return edit_plan.EditPlan()
    path, command = find_command(tree, old)
    if command is None:
        raise UserError(f"There is no star-command *{old}.", "`*synapse help` lists them.")
    for name in (old, new):
        if name.partition("-")[0] == _ENGINE_COMMAND:
            raise edit_targets.refused_name(
                f"*{name} is answered by Synapse itself, so no star-command is renamed from or to "
                "it."
            )
    if not is_same_id(old, new) and find_command(tree, new)[1]:
        raise edit_targets.refused_name(f"{path} already defines *{new}.")
    draft = EditDraft(tree)
    for mention in find_mentions(tree, "command", old):
        if (facts := tree.snapshot.facts(mention.path)) and mention.span.length:
            is_said = facts.text[mention.span.start - 1 : mention.span.start] == "*"
            draft.put(mention.path, mention.span, new if is_said else upper_snake(new))
    for text in config_texts(tree):
        if text.path[:2] == ("commands", "develop") and text.value == old:
            draft.put(CONFIG, text.span, new)
    return draft.plan()


def rename_domain(tree: Tree, old: str, new: str) -> edit_plan.EditPlan:
    """Plan another name for a domain (rename): in its manifest, in the keys of its rules and as a
    file.

    ``new`` is in kebab-case or spelled as a key. A squad that overrides the domain keeps doing so:
    its domain of the same name follows, and takes the root's with it. Domains of other squads that
    only happen to have the name are theirs and stay.

    Raises UserError where there is no such domain, where the new name is no name or is in use,
    and for the domains that the engine knows by name.
    """
    named = edit_targets.find_domain(tree, old)
    domain = overridden_domain(tree, named) or named
    target = domain_edits.domain_key(new)
    for fixed in (domain.name, target):
        if fixed.lower() in BUILT_IN and not domain.squad:
            raise UserError(
                f"{fixed} has a fixed meaning, so no domain can be renamed from or to it.",
                "Create another domain and move the rules there.",
            )
    if target == domain.name:
        return edit_plan.EditPlan()
    domain_edits.check_domain_key(target)
    draft = EditDraft(tree)
    put_domain(draft, tree, domain, target)
    for squad in () if domain.squad else tree.squads:
        captor = tree.domains_by_label.get(f"{squad.namespace}_{target}")
        if squad.extends == "override" and captor and captor.squad == squad.folder:
            raise edit_targets.refused_name(
                f"{captor.manifest_path} overrides any domain called {target}, so that squad's "
                f"rules would take the place of {domain.name}."
            )
    for follower in overriding_domains(tree, domain):
        put_domain(draft, tree, follower, follower.name.removesuffix(domain.name) + target)
    return draft.plan()


def put_domain(draft: EditDraft, tree: Tree, domain: Domain, new: str) -> None:
    """Put the rename of one domain into a draft: its manifest, its rule file, tests and
    configuration.

    Raises UserError where the name is declared there already, or could not have a file.
    """
    old, path = domain.name, domain.manifest_path
    facts, document = edit_targets.require_manifest(tree, path)
    expected = domain_edits.free_rule_file(tree, document, path, new)
    for entry in document.entries:
        if entry.domain == old:
            start = entry.key.span.start
            draft.put(facts.path, Span(start, start + len(old)), new)
    label = namespaced_domain(domain.squad, new) if domain.squad else new
    put_label(draft, tree, domain.label, label)
    if domain.file is None:
        return
    rules = edit_targets.require_rule_file(tree, domain)
    # A prefix that is the trigger's own name stays valid, because the trigger stays.
    declared = domain.declaration
    triggers = (declared.agent_trigger, declared.workflow_trigger) if declared else ()
    heads = {domain.label: label, old: new}
    if short_key(old) not in map(upper_snake, triggers):
        heads = {short_key(old): short_key(new), **heads}
    for rule in tree.rules_of(domain):
        if rule.domain in heads:
            draft.put(rules.path, domain_span(rule), heads[rule.domain])
    header = domain_edits.DOMAIN_HEADER.format(old)
    if re.match(rf"{header}\b", rules.text):
        draft.put(rules.path, Span(len(header) - len(old), len(header)), new)
    folder, _, name = rules.path.rpartition("/")
    if name not in domain_file_names(old, folder):
        return  # a squad's file for all domains without one of their own
    stem = rule_file_stem(name)
    spelled = new.lower() if "_" in stem else rule_file_stem(expected)
    target = f"{folder}/{spelled}{name[len(stem) :]}"
    draft.rename(rules.path, target)
    put_new_path(draft, tree, rules.path, target)


# What can be renamed -> how: (tree, old name, new name). Domains go by their labels.
RENAMES: Mapping[str, Callable[[Tree, str, str], edit_plan.EditPlan]] = {
    "domain": rename_domain,
    "agent": rename_agent,
    "workflow": rename_workflow,
    "squad": rename_squad,
    "command": rename_command,
    "task": rename_task,
}
