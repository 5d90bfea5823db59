"""This module holds the steps that every rename takes: it checks that a name is valid, known, free,
and puts it at each place.
"""

from __future__ import annotations

import re

from synapse_ls.edits.edit_draft import EditDraft, match_spelling
from synapse_ls.edits.path_references import put_new_path
from synapse_ls.formats.rule_syntax import to_upper_snake
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.index_keys import make_key
from synapse_ls.workspace.mentions import domain_span, find_mentions, find_name_span
from synapse_ls.workspace.name_suggestions import suggest_names
from synapse_ls.workspace.naming_conventions import file_stem, is_same_id, kebab_case
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain

_ID = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
_LONGEST = 100
# Words that YAML reads as something else than text (YAML 1.2.2, 10.3.2; the YAML 1.1 type "bool").
_YAML_VALUES = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))


def check_id(name: str, what: str) -> None:
    """Checks, as a step of a rename, the new name of what YAML files name too."""
    check_name(name, what)
    if name in _YAML_VALUES:
        raise EditError(
            f'"{name}" cannot name {what}, because YAML reads that word as a value, not as a name.',
            "Choose another name.",
        )


def check_name(name: str, what: str) -> None:
    """Checks, as a step of a rename, that ``name`` can be an id; raises EditError. ``what`` is "an
    agent" and the like.
    """
    if len(name) > _LONGEST or not _ID.fullmatch(name):
        raise EditError(
            f'"{name}" cannot name {what}, because files and keys could not be spelled with it.',
            "Use lower-case letters, digits and single hyphens, beginning with a letter: my-name.",
        )


def check_exists(tree: Tree, family: str, name: str) -> None:
    """Checks, as a step of a rename, that something defines or names an object; raises EditError."""
    wanted = make_key(family, name)
    if tree.snapshot.defining_paths(wanted) or tree.snapshot.referring_paths(wanted):
        return
    known = tree.snapshot.names_in_family(family)
    raise EditError(f'There is no {family} "{name}".', suggest_names(name, known))


def check_free(tree: Tree, family: str, old: str, new: str) -> None:
    """Checks, as a step of a rename, that the new name is no other object's already; raises
    EditError.
    """
    taken = () if is_same_id(old, new) else tree.snapshot.defining_paths(make_key(family, new))
    if taken:
        raise EditError(f"{taken[0]} already defines the {family} {new}.", "Choose another name.")


def put_names(draft: EditDraft, tree: Tree, family: str, old: str, new: str) -> None:
    """Renames at every place that has the old name, spelled as that place spells it.

    Other names that mean the same object, such as that of its file, stay.
    """
    for mention in find_mentions(tree, family, old):
        facts = tree.snapshot.facts(mention.path)
        written = mention.span.cut(facts.text) if facts else ""
        if written and is_same_id(written, old):
            draft.put(mention.path, mention.span, match_spelling(written, new))


def put_prefixes(draft: EditDraft, tree: Tree, domain: Domain, old: str, new: str) -> None:
    """Renames, as a step of a trigger's rename, the keys of rules that begin with its name; a short
    name of the domain itself stays.
    """
    before = to_upper_snake(old)
    own = {domain.name, domain.label, short_key(domain.name)}
    if domain.file is None or before in own:
        return
    for rule in tree.rules_of(domain):
        if rule.domain == before:
            draft.put(domain.file, domain_span(rule), to_upper_snake(new))


def put_label(draft: EditDraft, tree: Tree, old: str, new: str) -> None:
    """Puts the new label of a renamed domain where tests of the tree name it."""
    for path, reference in tree.snapshot.references(make_key("domain", old)):
        facts = tree.snapshot.facts(path)
        span = find_name_span(facts.text, reference.span, old) if facts else None
        if facts and span and facts.kind is FileKind.TESTS:
            written = span.cut(facts.text)
            name = new if written.isupper() else match_spelling(written, kebab_case(new))
            draft.put(path, span, name)


def short_key(key: str) -> str:
    """Returns a renamed domain's key without the part that only says what kind of domain it is:
    ``AGENT_DEV`` -> ``DEV``.
    """
    return key.removeprefix("AGENT_").removeprefix("WORKFLOW_") or key


def put_file_name(draft: EditDraft, tree: Tree, path: str, new: str) -> None:
    """Renames, as a step of a rename, a file that is called after what it defines, with the ending
    it has.
    """
    folder, _, file = path.rpartition("/")
    old = file_stem(path)
    target = f"{folder}/{match_spelling(old, new)}{file[len(old) :]}"
    draft.rename(path, target)
    put_new_path(draft, tree, path, target)
