"""The target of a change (domain, squad, manifest, rule file), checks, and the resulting tree."""

from collections import Counter
from unicodedata import category

from synapse_ls.formats.manifest import Manifest
from synapse_ls.text.text_edit import minimal_edit
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import naming_conventions, tree_domains
from synapse_ls.workspace.edit_plan import CREATE, MOVE, EditPlan, create_file, edit_file
from synapse_ls.workspace.file_facts import FileFacts, analyze_file
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.rule_tree import Tree


def find_domain(tree: Tree, name: str) -> tree_domains.Domain:
    """Find the domain that an edit is about by its label in any spelling, a squad's with its
    namespace.

    Raises UserError where there is none.
    """
    key, file_name = naming_conventions.upper_snake(name), naming_conventions.kebab_case(name)
    if domain := tree.domains_by_label.get(name) or tree.domains_by_label.get(key):
        return domain
    require_manifest(tree)
    usual = f"`synapse domains` lists them; `synapse domain new {file_name}` makes it."
    raise UserError(
        f"There is no domain {key or repr(name)} in {tree.manifest_path} or in a squad.",
        naming_conventions.suggest_names(key, tree.domains_by_label, usual),
    )


def find_squad(tree: Tree, name: str) -> tree_domains.Squad:
    """Find the squad that an edit is about by its folder or name in any spelling; raise UserError
    where there is none.
    """
    for squad in tree.squads:
        if any(naming_conventions.is_same_id(name, own) for own in (squad.folder, squad.name)):
            return squad
    folders = (squad.folder for squad in tree.squads)
    raise UserError(f'There is no squad "{name}".', naming_conventions.suggest_names(name, folders))


def require_manifest(tree: Tree, path: str = "") -> tuple[FileFacts, Manifest]:
    """Return the manifest that is to be edited, at ``path``, the root's for ""; raise UserError
    where there is none.
    """
    path = path or tree.manifest_path
    if (facts := tree.snapshot.facts(path)) is None:
        raise UserError(
            f"There is no {path}, so no domain is declared.",
            "Run `synapse init` to create a tree."
            if path == tree.manifest_path
            else "Create it with one line, such as MY_DOMAIN_STATE=active.",
        )
    document = _require_editable(facts).document
    assert isinstance(document, Manifest)
    return facts, document


def require_rule_file(tree: Tree, domain: tree_domains.Domain) -> FileFacts:
    """Return the rule file that is to be edited, which serves a domain; raise UserError where there
    is none.
    """
    if (facts := tree.snapshot.facts(domain.file or "")) is None:
        home = domain.manifest_path.rpartition("/")[0] or tree.folder
        name = naming_conventions.file_to_create(domain.name, home, in_squad=bool(domain.squad))
        raise UserError(
            f"{domain.label} is declared, but its file {home}/{name} does not exist.",
            "Create the file, or take the domain out of the manifest.",
        )
    return _require_editable(facts)


def _require_editable(facts: FileFacts) -> FileFacts:
    if facts.kind is FileKind.CARL:
        raise UserError(
            f"{facts.path} is CARL's own, whose tools change it; a tree of files is what can be "
            "changed here.",
            "Change it by hand or with CARL, or run `synapse migrate` to make such a tree of it.",
        )
    if not facts.is_read:
        raise unread_file(facts.path)
    return facts


def unread_file(path: str) -> UserError:
    """Return the error of a change to a file that was not read."""
    return UserError(f"{path} was not read, so it cannot be changed.", "`synapse check` says why.")


def refused_name(reason: str) -> UserError:
    """Return the error of a new name that cannot be given, for a reason in a sentence."""
    return UserError(reason, "Choose another name.")


# Control characters, U+2028 and U+2029: what some reader or agent takes for the end of a line.
_BREAKING_CATEGORIES = frozenset(("Cc", "Zl", "Zp"))

_RuleCounts = Counter[tuple[str, str]]


def require_one_line(text: str, what: str) -> str:
    """Check that the text of a rule is one line that is not empty, and return it without space
    around it; raise UserError.
    """
    if not (text := text.strip()):
        raise UserError(f"The {what} is empty, so there is nothing to write.", "Give its text.")
    if any(category(character) in _BREAKING_CATEGORIES and character != "\t" for character in text):
        raise UserError(
            f"The {what} contains a line break or a control character, but has to be one line.",
            "Write it in one line, or make it several.",
        )
    return text


def check_rule_change(
    before: FileFacts,
    text: str,
    *,
    added: tuple[tuple[str, str], ...] = (),
    removed: tuple[tuple[str, str], ...] = (),
) -> None:
    """Check that a new ``text`` changes the rules of a file as it was meant to; raise UserError.

    ``added`` and ``removed`` are (key, text) pairs. What would be read as something other than one
    rule, or would make a reader complain, is refused before it is written.
    """
    now = analyze_file(before.path, before.kind, text)
    kinds = Counter(problem.kind for problem in before.problems)
    for problem in now.problems:
        kinds[problem.kind] -= 1
        # The file does not know the brackets of the profile; who plans the change does.
        if kinds[problem.kind] < 0 and problem.kind != "unknown-bracket-key":
            raise UserError(problem.message, problem.remedy)
    expected = _count_rules(before)
    expected.subtract(removed)
    expected.update(added)
    if _count_rules(now) != +expected:
        raise UserError(
            f"Written into {before.path}, the text would not be read as one rule.",
            "Begin it with a word: no heading, list marker, fence or KEY=.",
        )


def _count_rules(facts: FileFacts) -> _RuleCounts:
    return Counter((rule.key, rule.text) for rule in tree_domains.rules_in(facts.document))


def tree_after(tree: Tree, plan: EditPlan) -> Tree:
    """Return the planned tree, as it will be once ``plan`` is carried out."""
    snapshot = tree.snapshot
    for change in plan.edits:
        if change.action == MOVE:
            for path in snapshot.paths_under(change.path):
                facts = snapshot.facts(path)
                snapshot = snapshot.replace_file(path, None)[0]
                if facts and facts.is_read:
                    moved = f"{change.target}{path[len(change.path) :]}"
                    snapshot = snapshot.with_text(moved, facts.text)
        else:
            if change.action != CREATE:
                snapshot = snapshot.replace_file(change.path, None)[0]
            snapshot = snapshot.with_text(change.result_path, change.after)
    return Tree(snapshot)


def plan_between(before: Tree, now: Tree) -> EditPlan:
    """Return the plan that leads from one tree to another that lacks none of its files."""
    edits = []
    for path in now.snapshot.paths():
        new, old = now.snapshot.facts(path), before.snapshot.facts(path)
        if new and old is None:
            edits.append(create_file(path, new.text))
        elif new and old and new.text != old.text:
            edits.append(edit_file(path, old.text, [minimal_edit(old.text, new.text)]))
    return EditPlan(tuple(edits))
