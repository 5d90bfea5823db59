"""Changes to the domains of a tree: add one, create its file, toggle it. Plans only, no IO."""

from collections.abc import Sequence

from synapse_ls.edits import domain_suggestions, edit_targets
from synapse_ls.formats import manifest, manifest_settings
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.text_edit import TextEdit, append_lines, insert_line_before, line_break_at
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import naming_conventions
from synapse_ls.workspace.edit_plan import EditPlan, FileEdit, create_file, edit_file
from synapse_ls.workspace.file_facts import FileFacts, analyze_file
from synapse_ls.workspace.file_kinds import BUILT_IN, RULE_KINDS
from synapse_ls.workspace.path_classification import classify_path
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CARL, CONFIG, STATE_FOLDERS, TREE

_NAME = lazy_pattern(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_FOLDERS = frozenset(("tests", *STATE_FOLDERS))  # that stand beside the rule files
_CONFIGURATION = naming_conventions.rule_file_stem(CONFIG).partition(".")[0]
DOMAIN_HEADER = "# Domain {}"
_STATE_WORDS = {True: "active", False: "inactive"}


def add_domain(
    tree: Tree,
    name: str,
    *,
    recall: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    always_on: bool = False,
    agent: str = "",
    workflow: str = "",
    paths: Sequence[str] = (),
    rules: Sequence[str] = (),
    squad: str = "",
) -> EditPlan:
    """Plan a domain that is declared at the end of the manifest, with its file.

    ``name`` is in kebab-case. ``agent-x`` and ``workflow-x`` are triggered by agent or workflow
    ``x`` unless another trigger is given. A domain without any trigger is recalled by the
    distinctive words of its name. The file holds ``rules``. With a ``squad`` the domain is made in
    that squad's tree.

    Raises UserError where the name is no name, is declared, has a file, or leaves the domain
    without a trigger, and where a rule cannot be written.
    """
    path = tree.manifest_path
    if squad:
        target_squad = edit_targets.find_squad(tree, squad)
        path = target_squad.manifest_path or f"{target_squad.path}/{TREE}/manifest"
    facts, document = edit_targets.require_manifest(tree, path)
    key = domain_key(name)
    check_domain_key(key)
    file = free_rule_file(tree, document, path, key)

    is_carl = path.startswith(f"{CARL}/")
    waits = bool(agent or workflow or paths)
    if is_carl and waits:
        raise UserError(
            f"CARL activates domains by keywords only, so {key} cannot wait for an agent, a "
            "workflow or files.",
            "Name keywords, make it always-on, or run `synapse migrate` first.",
        )
    if not (always_on or waits):
        if recall is None:
            agent, workflow, recall = _derive_trigger(name, key, is_carl=is_carl)
        if not (agent or workflow or key.lower() in BUILT_IN or any(map(str.strip, recall))):
            raise UserError(
                f"Nothing could activate {key}: it has no keyword, no agent, no workflow and no "
                "path, and is not always on.",
                "Name one of them, or leave the keywords out to take the words of its name.",
            )
    settings = (
        ("STATE", "active"),
        ("ALWAYS_ON", "true" if always_on else ""),
        ("AGENT_TRIGGER", agent and edit_targets.require_one_line(agent, "agent")),
        ("WORKFLOW_TRIGGER", workflow and edit_targets.require_one_line(workflow, "workflow")),
        ("RECALL", _comma_list(recall or (), "keyword")),
        ("EXCLUDE", _comma_list(exclude, "keyword")),
        ("PATHS", _comma_list(paths, "path pattern")),
    )
    lines = [f"{key}_{setting}={value}" for setting, value in settings if value]
    declared = edit_file(path, facts.text, [append_lines(facts.text, lines, apart=True)])
    after, problems = manifest.parse(declared.after)
    for problem in problems:
        if problem.span.start >= len(document.text):
            raise UserError(problem.message, problem.remedy)
    if set(after.domains) - set(document.domains) != {key}:
        raise edit_targets.refused_name(f"{key} would be read as a setting of another domain.")
    return EditPlan((declared, create_rule_file(tree, file, key, rules, facts)))


def _derive_trigger(name: str, key: str, *, is_carl: bool) -> tuple[str, str, Sequence[str]]:
    """Return the agent, the workflow and the keywords that the name of a domain stands for."""
    kind, _, subject = naming_conventions.kebab_case(name).partition("-")
    if subject and not is_carl and kind == "agent":
        return subject, "", ()
    if subject and not is_carl and kind == "workflow":
        return "", naming_conventions.snake_case(subject), ()
    recall = () if key.lower() in BUILT_IN else domain_suggestions.distinctive_words(name)
    if not recall and key.lower() not in BUILT_IN:
        raise UserError(
            f'No word of "{name}" is distinctive enough to recall {key} by, so it would '
            "load on almost every prompt or never.",
            "Name its keywords, its agent or its workflow, or make it always-on.",
        )
    return "", "", recall


def create_rule_file(
    tree: Tree, path: str, key: str, rules: Sequence[str], manifest_facts: FileFacts
) -> FileEdit:
    """Plan the creation of a domain's rule file, with the manifest's line breaks.

    Raises UserError where a text would not be read as one rule.
    """
    newline = line_break_at(manifest_facts.text, len(manifest_facts.text))
    header = f"{DOMAIN_HEADER.format(key)}; the manifest says what activates it."
    texts = (edit_targets.require_one_line(text, "rule") for text in rules)
    pairs = [(f"{key}_RULE_{number}", text) for number, text in enumerate(texts)]
    text = newline.join((header, *[""] * bool(pairs), *map("=".join, pairs), ""))
    kind = classify_path(path, tree.snapshot.config.paths)
    assert kind is not None
    edit_targets.check_rule_change(analyze_file(path, kind, ""), text, added=tuple(pairs))
    return create_file(path, text)


def toggle_domain(tree: Tree, name: str, state: bool | None = None) -> EditPlan:
    """Plan switching a domain on or off, or over where ``state`` is None; empty if it is there
    already.

    Raises UserError where there is no such domain, for the constitution, and where a state that
    can be read neither way would have to be switched over.
    """
    domain = edit_targets.find_domain(tree, name)
    if domain.name == "CONSTITUTION" and domain.builtin:
        raise UserError(
            "The constitution cannot be switched off: it applies whatever its state says.",
            "Change or remove single articles in its file instead.",
        )
    path = domain.manifest_path or tree.manifest_path
    text = edit_targets.require_manifest(tree, path)[0].text
    entry = domain.declaration.entries.get("STATE") if domain.declaration else None
    if state is None:
        if entry and entry.value.value.lower() not in manifest.ACTIVE | manifest.INACTIVE:
            raise UserError(
                f'{entry.key.value} is "{entry.value.value}", neither active nor inactive.',
                "Say which of the two it should become.",
            )
        state = not domain.is_active
    wanted = _STATE_WORDS[state]
    if entry.value.value.lower() == wanted if entry else domain.is_active == state:
        return EditPlan()
    line = f"{domain.name}_STATE={wanted}"
    if entry:
        change = TextEdit(entry.value.span, wanted)
    elif domain.declaration:
        change = insert_line_before(text, domain.declaration.span.start, line)
    else:
        change = append_lines(text, [line], apart=True)
    return EditPlan((edit_file(path, text, [change]),))


def domain_key(name: str) -> str:
    """Return the name of a domain that is to be made, ``unit-tests`` or ``UNIT_TESTS``, as the key
    ``UNIT_TESTS``; raise UserError for others.
    """
    spelled = name.lower().replace("_", "-") if name == name.upper() else name
    if not _NAME.fullmatch(spelled):
        raise UserError(
            f'"{name}" cannot name a domain, because keys and the file could not be spelled with '
            "it.",
            "Use lower-case letters, digits and single hyphens, beginning with a letter: "
            "my-domain.",
        )
    return naming_conventions.upper_snake(spelled)


def check_domain_key(key: str) -> None:
    """Raise UserError for the name of a new domain that reads as another domain's setting."""
    domain, setting = manifest_settings.split_key(key)
    if setting:
        whose = f"the setting {setting} of {domain}" if domain else "a setting of the whole tree"
        raise edit_targets.refused_name(
            f"{key} is how a manifest spells {whose}, so it cannot name a domain."
        )


def rule_file_path(tree: Tree, home: str, key: str) -> str:
    """Return the path of the file that a new domain gets in the tree folder ``home``.

    Raises UserError where a file of that name would not be read as rules, or be taken for the
    configuration.
    """
    name = naming_conventions.domain_file_names(key, home)[0]
    path = f"{home}/{name}"
    if name == _CONFIGURATION:
        raise edit_targets.refused_name(
            f"{path} would be taken for the configuration, {CONFIG}, so {key} cannot name a domain."
        )
    if classify_path(path, tree.snapshot.config.paths) not in RULE_KINDS or name in _FOLDERS:
        raise edit_targets.refused_name(
            f"{path} would not be read as a file of rules, so {key} cannot name a domain."
        )
    return path


def free_rule_file(tree: Tree, document: manifest.Manifest, path: str, key: str) -> str:
    """Return the path of the file for a domain's new name beside the manifest at ``path``.

    Raises UserError where the name is declared there, has a file, or could not have one.
    """
    home = path.rpartition("/")[0]
    expected = rule_file_path(tree, home, key)
    if key in document.domains:
        raise UserError(
            f"{path} already declares {key}.",
            "Choose another name, or add the rules to that domain.",
        )
    for name in naming_conventions.domain_file_names(key, home):
        if tree.snapshot.facts(f"{home}/{name}"):
            raise UserError(
                f"The file {home}/{name} already exists, so {key} would take over its rules.",
                f"Declare it with the line {key}_STATE=active, or choose another name.",
            )
    return expected


def _comma_list(items: Sequence[str], what: str) -> str:
    """Return ``items`` as a comma list; raise UserError for one that cannot be part of it."""
    for item in items:
        if "," in edit_targets.require_one_line(item, what):
            raise UserError(
                f'"{item}" holds a comma, which would make two items of it.',
                "Leave the comma out, or give it as two items.",
            )
    return ",".join(item.strip() for item in items)
