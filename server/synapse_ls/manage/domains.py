"""Changes to the domains of a tree: new ones, their state, their names. Plans only, no IO."""

from __future__ import annotations

import re
from collections.abc import Sequence

from synapse_ls.formats import manifest
from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.manifest_line import split_key
from synapse_ls.manage.checks import check_change, one_line
from synapse_ls.manage.draft import Draft
from synapse_ls.manage.edits import break_at, line_before, lines_at_end
from synapse_ls.manage.lookup import find_domain, find_squad, manifest_of, rules_file_of
from synapse_ls.manage.moved import put_moved
from synapse_ls.manage.plan import FileEdit, ManageError, Plan, create, edit
from synapse_ls.manage.renaming import put_label, short
from synapse_ls.manage.words import distinctive
from synapse_ls.text.edit import TextEdit
from synapse_ls.text.span import Span
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.facts import FileFacts, analyze
from synapse_ls.workspace.folders import CARL, CONFIG, TREE
from synapse_ls.workspace.kinds import BUILT_IN, RULE_KINDS, classify
from synapse_ls.workspace.mentions import followers, overridden
from synapse_ls.workspace.naming import (
    candidates,
    kebab,
    namespace,
    rule_file_stem,
    snake,
    upper_snake,
)
from synapse_ls.workspace.tree import Tree

Groups = Sequence[tuple[str, Sequence[str]]]
"""Rule texts under headings; a heading becomes a comment, "" none."""

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
# Folders that stand beside the rule files.
_FOLDERS = frozenset(("sessions", "tests", "cache", "metrics", "memory", "continuation"))
_CONFIGURATION = rule_file_stem(CONFIG).partition(".")[0]
_HEADER = "# Domain {}"
_STATES = {True: "active", False: "inactive"}


def new_domain(
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
    groups: Groups = (),
    squad: str = "",
    suggested: Sequence[str] = (),
) -> Plan:
    """Declare a domain at the end of the manifest and create its file.

    ``name`` is in kebab-case. ``agent-x`` and ``workflow-x`` are triggered by agent or workflow
    ``x`` unless another trigger is given. A domain without any trigger is recalled by the
    distinctive words of its name. The file holds ``rules``, then those of ``groups``. With a
    ``squad`` the domain is made in that squad's tree. ``suggested`` keywords are written as a
    comment.

    Raises ManageError where the name is no name, is declared, has a file, or leaves the domain
    without a trigger, and where a rule cannot be written.
    """
    path = tree.manifest_path
    if squad:
        found = find_squad(tree, squad)
        path = found.manifest_path or f"{found.path}/{TREE}/manifest"
    facts, document = manifest_of(tree, path)
    key = domain_key(name)
    check_key(key)
    file = _free_file(tree, document, path, key)

    woken = always_on or agent or workflow or paths or key.lower() in BUILT_IN
    if recall is not None and not (woken or any(word.strip() for word in recall)):
        raise ManageError(
            f"Nothing could wake {key}: it has no keyword, no agent, no workflow and no path, and is "
            "not always on.",
            "Name one of them, or leave the keywords out to take the words of its name.",
        )
    if path.startswith(f"{CARL}/") and (agent or workflow or paths):
        raise ManageError(
            f"CARL wakes domains by keywords only, so {key} cannot wait for an agent, a workflow or files.",
            "Name keywords, make it always-on, or run `synapse migrate` first.",
        )
    kind, _, subject = kebab(name).partition("-")
    if path.startswith(f"{CARL}/"):
        kind = ""
    if recall is None and not (always_on or agent or workflow or paths):
        if kind == "agent" and subject:
            agent = subject
        elif kind == "workflow" and subject:
            workflow = snake(subject)
        elif key.lower() not in BUILT_IN:
            recall = distinctive(name)
            if not recall:
                raise ManageError(
                    f'No word of "{name}" is distinctive enough to recall {key} by, so it would '
                    "load on almost every prompt or never.",
                    "Name its keywords, its agent or its workflow, or make it always-on.",
                )
    settings = (
        ("STATE", "active"),
        ("ALWAYS_ON", "true" if always_on else ""),
        ("AGENT_TRIGGER", one_line(agent, "agent") if agent else ""),
        ("WORKFLOW_TRIGGER", one_line(workflow, "workflow") if workflow else ""),
        ("RECALL", _listed(recall or (), "keyword")),
        ("EXCLUDE", _listed(exclude, "keyword")),
        ("PATHS", _listed(paths, "path pattern")),
    )
    lines = [f"{key}_{setting}={value}" for setting, value in settings if value]
    if suggested:
        lines.append(f"# {key}_RECALL={_listed(suggested, 'keyword')}")
    declared = edit(path, facts.text, [lines_at_end(facts.text, lines, apart=True)])
    _check_declared(document, declared.after, key)
    return Plan((declared, new_rule_file(tree, file, key, (("", rules), *groups), facts)))


def new_rule_file(
    tree: Tree, path: str, key: str, groups: Groups, manifest_facts: FileFacts
) -> FileEdit:
    """The creation of a domain's file, with the manifest's line breaks.

    Raises ManageError where a text would not be read as one rule.
    """
    newline = break_at(manifest_facts.text, len(manifest_facts.text))
    lines = [f"{_HEADER.format(key)}; the manifest says what brings it in."]
    pairs: list[tuple[str, str]] = []
    for heading, texts in groups:
        if texts:
            lines += ["", f"# {heading}"] if heading else [""]
        for text in texts:
            pairs.append((f"{key}_RULE_{len(pairs)}", one_line(text, "rule")))
            lines.append("=".join(pairs[-1]))
    text = newline.join((*lines, ""))
    kind = classify(path, tree.snapshot.config.paths)
    assert kind is not None
    check_change(analyze(path, kind, ""), text, added=tuple(pairs))
    return create(path, text)


def toggle(tree: Tree, name: str, state: bool | None = None) -> Plan:
    """Switch a domain on or off, or over where ``state`` is None; empty if it is there already.

    Raises ManageError where there is no such domain, for the constitution, and where a state that
    can be read neither way would have to be switched over.
    """
    domain = find_domain(tree, name)
    if domain.name == "CONSTITUTION" and domain.builtin:
        raise ManageError(
            "The constitution cannot be switched off: it applies whatever its state says.",
            "Change or remove single articles in its file instead.",
        )
    path = domain.manifest_path or tree.manifest_path
    text = manifest_of(tree, path)[0].text
    entry = domain.declaration.entries.get("STATE") if domain.declaration else None
    if state is None:
        if entry and entry.value.value.lower() not in manifest.ACTIVE | manifest.INACTIVE:
            raise ManageError(
                f'{entry.key.value} is "{entry.value.value}", neither active nor inactive.',
                "Say which of the two it should become.",
            )
        state = not domain.active
    wanted = _STATES[state]
    if entry and entry.value.value.lower() == wanted:
        return Plan()
    if entry:
        return Plan((edit(path, text, [TextEdit(entry.value.span, wanted)]),))
    if domain.active == state:
        return Plan()
    line = f"{domain.name}_STATE={wanted}"
    change = (
        line_before(text, domain.declaration.span.start, line)
        if domain.declaration
        else lines_at_end(text, [line], apart=True)
    )
    return Plan((edit(path, text, [change]),))


def rename(tree: Tree, old: str, new: str) -> Plan:
    """Rename a domain in its manifest, in the keys of its rules and as a file.

    ``new`` is in kebab-case or spelled as a key. A squad that overrides the domain keeps doing so:
    its domain of the same name follows, and takes the root's with it. Domains of other squads that
    only happen to have the name are theirs and stay.

    Raises ManageError where there is no such domain, where the new name is no name or is in use,
    and for the domains that the engine knows by name.
    """
    named = find_domain(tree, old)
    domain = overridden(tree, named) or named
    target = domain_key(new)
    for fixed in (domain.name, target):
        if fixed.lower() in BUILT_IN and not domain.squad:
            raise ManageError(
                f"{fixed} has a fixed meaning, so no domain can be renamed from or to it.",
                "Create another domain and move the rules there.",
            )
    if target == domain.name:
        return Plan()
    check_key(target)
    draft = Draft(tree)
    put_domain(draft, tree, domain, target)
    for squad in () if domain.squad else tree.squads:
        captor = tree.labels.get(f"{squad.namespace}_{target}")
        if squad.extends == "override" and captor and captor.squad == squad.folder:
            raise ManageError(
                f"{captor.manifest_path} overrides any domain called {target}, so that squad's rules "
                f"would take the place of {domain.name}.",
                "Choose another name.",
            )
    for follower in followers(tree, domain):
        put_domain(draft, tree, follower, follower.name.removesuffix(domain.name) + target)
    return draft.plan()


def domain_key(name: str) -> str:
    """``unit-tests`` or ``UNIT_TESTS`` as the key ``UNIT_TESTS``; raises ManageError for others."""
    spelled = name.lower().replace("_", "-") if name == name.upper() else name
    if not _NAME.fullmatch(spelled):
        raise ManageError(
            f'"{name}" cannot name a domain, because keys and the file could not be spelled with it.',
            "Use lower-case letters, digits and single hyphens, beginning with a letter: my-domain.",
        )
    return upper_snake(spelled)


def check_key(key: str) -> None:
    """Raise ManageError for a name that reads as another domain's setting."""
    domain, setting = split_key(key)
    if setting:
        whose = f"the setting {setting} of {domain}" if domain else "a setting of the whole tree"
        raise ManageError(
            f"{key} is how a manifest spells {whose}, so it cannot name a domain.",
            "Choose another name.",
        )


def put_domain(draft: Draft, tree: Tree, domain: Domain, new: str) -> None:
    """What a new name means for one domain: its manifest, its rule file, tests and configuration.

    Raises ManageError where the name is declared there already, or could not have a file.
    """
    old, path = domain.name, domain.manifest_path
    facts, document = manifest_of(tree, path)
    expected = _free_file(tree, document, path, new)
    keys = (entry.key.span.start for entry in document.entries if entry.domain == old)
    draft.put_all(facts.path, [_head(start, old, new) for start in keys])
    label = namespace(domain.squad, new) if domain.squad else new
    put_label(draft, tree, domain.label, label)
    if domain.file is None:
        return
    rules = rules_file_of(tree, domain)
    # A prefix that is the trigger's own name stays valid, because the trigger stays.
    kept = {upper_snake(trigger) for trigger in _triggers(domain)}
    heads = {domain.label: label, old: new}
    if short(old) not in kept:
        heads = {short(old): short(new), **heads}
    draft.put_all(
        rules.path,
        [
            _head(rule.key_span.start, rule.domain, heads[rule.domain])
            for rule in tree.rules_of(domain)
            if rule.domain in heads
        ],
    )
    header = _HEADER.format(old)
    if re.match(rf"{header}\b", rules.text):
        draft.put_all(rules.path, [_head(len(header) - len(old), old, new)])
    folder, _, name = rules.path.rpartition("/")
    if name not in candidates(
        old, folder
    ):  # a squad's file for all domains without one of their own
        return
    stem = rule_file_stem(name)
    spelled = new.lower() if "_" in stem else rule_file_stem(expected)
    target = f"{folder}/{spelled}{name[len(stem) :]}"
    draft.rename(rules.path, target)
    put_moved(draft, tree, rules.path, target)


def rule_path(tree: Tree, home: str, key: str) -> str:
    """The path of a domain's file in the tree folder ``home``.

    Raises ManageError where a file of that name would not be read as rules, or be taken for the
    configuration.
    """
    name = candidates(key, home)[0]
    path = f"{home}/{name}"
    if name == _CONFIGURATION:
        raise ManageError(
            f"{path} would be taken for the configuration, {CONFIG}, so {key} cannot name a domain.",
            "Choose another name.",
        )
    known = classify(path, tree.snapshot.config.paths) in RULE_KINDS
    if not known or name in _FOLDERS:
        raise ManageError(
            f"{path} would not be read as a file of rules, so {key} cannot name a domain.",
            "Choose another name.",
        )
    return path


def _free_file(tree: Tree, document: Manifest, path: str, key: str) -> str:
    """The path of the file for a new name beside the manifest at ``path``.

    Raises ManageError where the name is declared there, has a file, or could not have one.
    """
    home = path.rpartition("/")[0]
    expected = rule_path(tree, home, key)
    if key in document.domains:
        raise ManageError(
            f"{path} already declares {key}.",
            "Choose another name, or add the rules to that domain.",
        )
    for name in candidates(key, home):
        if tree.snapshot.facts(f"{home}/{name}"):
            raise ManageError(
                f"The file {home}/{name} already exists, so {key} would take over its rules.",
                f"Declare it with the line {key}_STATE=active, or choose another name.",
            )
    return expected


def _check_declared(before: Manifest, text: str, key: str) -> None:
    """Raise ManageError where the lines for a new domain say something else than was meant."""
    document, problems = manifest.parse(text)
    for problem in problems:
        if problem.span.start >= len(before.text):
            raise ManageError(problem.message, problem.remedy)
    if set(document.domains) - set(before.domains) != {key}:
        raise ManageError(
            f"{key} would be read as a setting of another domain.", "Choose another name."
        )


def _listed(items: Sequence[str], what: str) -> str:
    """``items`` as a comma list; raises ManageError for one that cannot be part of it."""
    for item in items:
        if "," in one_line(item, what):
            raise ManageError(
                f'"{item}" holds a comma, which would make two items of it.',
                "Leave the comma out, or give it as two items.",
            )
    return ",".join(item.strip() for item in items)


def _triggers(domain: Domain) -> tuple[str, ...]:
    declared = domain.declaration
    return (declared.agent_trigger, declared.workflow_trigger) if declared else ()


def _head(start: int, old: str, new: str) -> TextEdit:
    return TextEdit(Span(start, start + len(old)), new)
