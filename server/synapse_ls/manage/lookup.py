"""What a change needs from the tree, or why it is not there."""

from __future__ import annotations

from synapse_ls.formats.manifest import Manifest
from synapse_ls.manage.plan import CREATE, MOVE, ManageError, Plan, create, edit
from synapse_ls.text.edit import difference
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import candidates, near_misses, same_id, upper_snake
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.squads import Squad
from synapse_ls.workspace.tree import Tree


def find_domain(tree: Tree, name: str) -> Domain:
    """The domain with this label in any spelling, a squad's with its namespace.

    Raises ManageError where there is none.
    """
    found = tree.labels.get(name) or tree.labels.get(upper_snake(name))
    if found is not None:
        return found
    manifest_of(tree)
    near = near_misses(upper_snake(name), tree.labels)
    raise ManageError(
        f"There is no domain {upper_snake(name) or repr(name)} in {tree.manifest_path} or in a squad.",
        f"Did you mean {' or '.join(near)}?" if near else "`synapse domains` lists them.",
    )


def find_squad(tree: Tree, name: str) -> Squad:
    """The squad with this folder or name in any spelling; raises ManageError where there is none."""
    for squad in tree.squads:
        if same_id(name, squad.folder) or same_id(name, squad.name):
            return squad
    near = near_misses(name, (squad.folder for squad in tree.squads))
    raise ManageError(
        f'There is no squad "{name}".', f"Did you mean {' or '.join(near)}?" if near else ""
    )


def manifest_of(tree: Tree, path: str = "") -> tuple[FileFacts, Manifest]:
    """The manifest at ``path``, the root's for ""; raises ManageError where there is none."""
    path = path or tree.manifest_path
    facts = tree.snapshot.facts(path)
    if facts is None:
        raise ManageError(
            f"There is no {path}, so no domain is declared.",
            "Run `synapse init` to create a tree."
            if path == tree.manifest_path
            else "Create it with one line, such as MY_DOMAIN_STATE=active.",
        )
    document = _read(facts).document
    assert isinstance(document, Manifest)
    return facts, document


def rules_file_of(tree: Tree, domain: Domain) -> FileFacts:
    """The file that serves a domain; raises ManageError where there is none."""
    facts = tree.snapshot.facts(domain.file or "")
    if facts is None:
        home = domain.manifest_path.rpartition("/")[0] or tree.folder
        raise ManageError(
            f"{domain.label} is declared, but its file {home}/{candidates(domain.name, home)[0]} does "
            "not exist.",
            "Create the file, or take the domain out of the manifest.",
        )
    return _read(facts)


def after(tree: Tree, plan: Plan) -> Tree:
    """The tree as it will be once ``plan`` is carried out."""
    snapshot = tree.snapshot
    for change in plan.edits:
        if change.action == MOVE:
            snapshot = _moved(snapshot, change.path, change.target)
            continue
        if change.action != CREATE:
            snapshot = snapshot.without(change.path)[0]
        snapshot = snapshot.overlay(change.written, change.after)
    return Tree(snapshot)


def changes(before: Tree, now: Tree) -> Plan:
    """The plan that leads from one tree to another that lacks none of its files."""
    found = []
    for path in now.snapshot.paths():
        new, old = now.snapshot.facts(path), before.snapshot.facts(path)
        if new and old is None:
            found.append(create(path, new.text))
        elif new and old and new.text != old.text:
            found.append(edit(path, old.text, [difference(old.text, new.text)]))
    return Plan(tuple(found))


def _moved(snapshot: Snapshot, folder: str, target: str) -> Snapshot:
    for path in snapshot.under(folder):
        facts = snapshot.facts(path)
        snapshot = snapshot.without(path)[0]
        if facts and facts.read:
            snapshot = snapshot.overlay(f"{target}{path[len(folder) :]}", facts.text)
    return snapshot


def _read(facts: FileFacts) -> FileFacts:
    if facts.kind is FileKind.CARL:
        raise ManageError(
            f"{facts.path} is CARL's own, whose tools change it; a tree of files is what can be changed here.",
            "Change it by hand or with CARL, or run `synapse migrate` to make such a tree of it.",
        )
    if not facts.read:
        raise ManageError(
            f"{facts.path} was not read, so it cannot be changed.", "`synapse check` says why."
        )
    return facts
