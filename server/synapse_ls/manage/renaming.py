"""What every change of a name checks and does."""

from __future__ import annotations

import re

from synapse_ls.formats.rule_keys import upper_snake
from synapse_ls.manage.draft import Draft, spelled_like
from synapse_ls.manage.moved import put_moved
from synapse_ls.manage.plan import ManageError
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.keys import key
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.mentions import domain_span, mentions, name_in
from synapse_ls.workspace.naming import kebab, near_misses, same_id, stem
from synapse_ls.workspace.tree import Tree

_ID = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")
_LONGEST = 100
# Words that YAML reads as something else than text (YAML 1.2.2, 10.3.2; the YAML 1.1 type "bool").
_NO_TEXT = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))


def check_id(name: str, what: str) -> None:
    """`check_name` for what YAML files name too."""
    check_name(name, what)
    if name in _NO_TEXT:
        raise ManageError(
            f'"{name}" cannot name {what}, because YAML reads that word as a value, not as a name.',
            "Choose another name.",
        )


def check_name(name: str, what: str) -> None:
    """Raise ManageError unless ``name`` can be an id; ``what`` is "an agent" and the like."""
    if len(name) > _LONGEST or not _ID.fullmatch(name):
        raise ManageError(
            f'"{name}" cannot name {what}, because files and keys could not be spelled with it.',
            "Use lower-case letters, digits and single hyphens, beginning with a letter: my-name.",
        )


def check_known(tree: Tree, family: str, name: str) -> None:
    """Raise ManageError unless something defines or names an object."""
    wanted = key(family, name)
    if tree.snapshot.definers(wanted) or tree.snapshot.referrers(wanted):
        return
    near = near_misses(name, tree.snapshot.names(family))
    raise ManageError(
        f'There is no {family} "{name}".', f"Did you mean {' or '.join(near)}?" if near else ""
    )


def check_free(tree: Tree, family: str, old: str, new: str) -> None:
    """Raise ManageError where a new name is another object's already."""
    taken = () if same_id(old, new) else tree.snapshot.definers(key(family, new))
    if taken:
        raise ManageError(f"{taken[0]} already defines the {family} {new}.", "Choose another name.")


def put_names(draft: Draft, tree: Tree, family: str, old: str, new: str) -> None:
    """The new name at every place that has the old one, spelled as that place spells it.

    Other names that mean the same object, such as that of its file, stay.
    """
    for mention in mentions(tree, family, old):
        facts = tree.snapshot.facts(mention.path)
        written = mention.span.cut(facts.text) if facts else ""
        if written and same_id(written, old):
            draft.put(mention.path, mention.span, spelled_like(written, new))


def put_prefixes(draft: Draft, tree: Tree, domain: Domain, old: str, new: str) -> None:
    """Keys of rules that begin with the trigger's name; a short name of the domain itself stays."""
    before = upper_snake(old)
    own = {domain.name, domain.label, short(domain.name)}
    if domain.file is None or before in own:
        return
    for rule in tree.rules_of(domain):
        if rule.domain == before:
            draft.put(domain.file, domain_span(rule), upper_snake(new))


def put_label(draft: Draft, tree: Tree, old: str, new: str) -> None:
    """The label of a domain where tests of the tree name it."""
    for path, reference in tree.snapshot.references(key("domain", old)):
        facts = tree.snapshot.facts(path)
        span = name_in(facts.text, reference.span, old) if facts else None
        if facts and span and facts.kind is FileKind.TESTS:
            written = span.cut(facts.text)
            name = new if written.isupper() else spelled_like(written, kebab(new))
            draft.put(path, span, name)


def short(key: str) -> str:
    """A key without the part that only says what kind of domain it is: ``AGENT_DEV`` -> ``DEV``."""
    return key.removeprefix("AGENT_").removeprefix("WORKFLOW_") or key


def put_file(draft: Draft, tree: Tree, path: str, new: str) -> None:
    """Another name for a file that is called after what it defines, with the ending it has."""
    folder, _, file = path.rpartition("/")
    old = stem(path)
    target = f"{folder}/{spelled_like(old, new)}{file[len(old) :]}"
    draft.rename(path, target)
    put_moved(draft, tree, path, target)
