"""Edit plans in the making: changes to several files, place by place, and paths that move."""

import re

from synapse_ls.edits.config_edits import config_texts
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import edit_plan, naming_conventions, tree_folders
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS
from synapse_ls.workspace.rule_tree import Tree


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
        changed = sorted(self._edits.keys() - self._targets.keys())
        for path in (*changed, *sorted(self._targets)):
            text = _require_file(self._tree, path).text
            changes = [TextEdit(*edit) for edit in sorted(self._edits.get(path, {}).items())]
            if target := self._targets.get(path):
                edits.append(edit_plan.rename_file(path, target, text, changes))
            else:
                edits.append(edit_plan.edit_file(path, text, changes))
        edits += [
            edit_plan.FileEdit(folder, edit_plan.MOVE, (), target=target)
            for folder, target in sorted(self._folders.items())
        ]
        return edit_plan.EditPlan(tuple(edits))


def match_spelling(old: str, new: str) -> str:
    """Return the name that an edit puts, ``new``, with hyphens or underscores as ``old`` has them,
    with its own where ``old`` has none.
    """
    if "_" in old and "-" not in old:
        return naming_conventions.snake_case(new)
    return naming_conventions.kebab_case(new) if "-" in old else new


def _require_file(tree: Tree, path: str) -> FileFacts:
    facts = tree.snapshot.facts(path)
    if facts is None or not facts.is_read:
        raise UserError(
            f"{path} was not read, so it cannot be changed.", "`synapse check` says why."
        )
    return facts


def _target_exists(path: str) -> UserError:
    return UserError(
        f"{path} already exists, so nothing can be renamed to it.", "Choose another name."
    )


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
            draft.put(tree_folders.CONFIG, Span(*match.span(1)).shift(text.span.start), new)
    for path, state in tree.workflow_states:
        facts = tree.snapshot.facts(path)
        artifacts = state.root.get("artifacts") if state.root else None
        for item in artifacts.items if facts and artifacts else ():
            is_meant = item.kind == "scalar" and pattern.match(item.value)
            match = pattern.search(facts.text, *item.span) if facts and is_meant else None
            if match:
                draft.put(path, Span(*match.span(1)), new)
    for kind in RULE_KINDS:
        for path in tree.snapshot.paths(kind):
            if (facts := tree.snapshot.facts(path)) and old in facts.text:
                for match in pattern.finditer(facts.text):
                    draft.put(path, Span(*match.span(1)), new)
