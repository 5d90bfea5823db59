"""The Python half of the playground: one tree in the browser's own file system.

Every answer comes from the functions that the language server, the command line and the hook use.
What goes in and out is JSON.
"""

import json
import os
import shutil
from pathlib import Path
from time import perf_counter

from synapse_ls.hooks.event_dispatch import dispatch_event
from synapse_ls.ide.code_action import code_actions
from synapse_ls.integrations.claude import CLIENT
from synapse_ls.lint.fixes import plan_fixes
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.live.disk_queries import query_choices, query_context, query_explanation
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.queries.report_model import to_json
from synapse_ls.storage.edit_application import apply_plan
from synapse_ls.text.span import Span

ROOT = "/project/tree"
TRANSCRIPT = "/project/transcript.jsonl"
WINDOW = 200_000  # tokens
QUICK_FIX = ("quickfix",)
MINUTE = 60.0

# In a browser there is one user, and no system to ask for it.
for name in ("geteuid", "getuid"):
    if not hasattr(os, name):
        setattr(os, name, lambda: Path("/").stat().st_uid)


class Playground:
    """A tree that a visitor edits, and a session of an agent in it."""

    def __init__(self) -> None:
        self.tree = LiveTree(ROOT)
        self.actions = []
        self.session = 0
        self.now = 1_800_000_000.0

    def open(self, files: dict[str, str]) -> dict:
        """Puts ``files`` in the place of the tree, path -> text."""
        shutil.rmtree(ROOT, ignore_errors=True)
        Path(ROOT).mkdir(parents=True)
        for path, text in files.items():
            self._write(path, text)
        self.tree = LiveTree(ROOT)
        self.tree.load()
        self.begin_session()
        return self._state()

    def edit(self, path: str, text: str | None) -> dict:
        """Writes a file, or deletes it for None."""
        if text is None:
            Path(ROOT, path).unlink(missing_ok=True)
        else:
            self._write(path, text)
        self.tree.update_from_disk([path])
        return self._state()

    def fixes(self, path: str, start: int, end: int) -> list:
        """Returns the titles of the quick fixes for a place, in code points."""
        self.actions = [
            action
            for action in code_actions(self.tree.view(), path, Span(start, end), QUICK_FIX)
            if not action.command
        ]
        return [action.title for action in self.actions]

    def fix(self, number: int) -> dict:
        """Applies one of the quick fixes that were asked for last."""
        return self._apply(self.actions[number].plan())

    def fix_all(self) -> dict:
        """Applies every fix that keeps the meaning of the rules."""
        return self._apply(plan_fixes(self.tree.view().tree, lint_tree).plan)

    def ask(self, params: dict) -> dict:
        """Returns the block that an agent would get, and the account of every rule."""
        return {
            "context": to_json(query_context(self.tree, {**params, "session": ""})),
            "explanation": to_json(query_explanation(self.tree, {**params, "session": ""})),
            "choices": to_json(query_choices(self.tree)),
        }

    def begin_session(self) -> None:
        """Begins a new session of the agent."""
        self.session += 1
        Path(TRANSCRIPT).write_text("")

    def send(self, prompt: str, used: int) -> dict:
        """Returns what the hook of Claude Code adds to a prompt, with ``used`` tokens in the window."""
        usage = {"input_tokens": used, "output_tokens": 1}
        answer = {"type": "assistant", "message": {"model": "claude-sonnet-4-5", "usage": usage}}
        with Path(TRANSCRIPT).open("a") as file:
            file.write(json.dumps(answer) + "\n")
        self.now += MINUTE
        raw = {
            "session_id": f"playground-{self.session}",
            "cwd": ROOT,
            "transcript_path": TRANSCRIPT,
            "hook_event_name": "UserPromptSubmit",
            "prompt": prompt,
        }
        replies: list = []
        event = CLIENT.parse_event(raw, "UserPromptSubmit")
        dispatch_event(event, CLIENT, replies.append, root=ROOT, clock=lambda: self.now)
        reply = replies[0] if replies else {}
        return {
            "text": reply.get("hookSpecificOutput", {}).get("additionalContext", ""),
            "bracket": query_context(self.tree, {"remaining": 100 - 100 * used / WINDOW}).bracket,
        }

    def _apply(self, plan) -> dict:
        changed = apply_plan(Path(ROOT), plan)
        self.tree.update_from_disk(
            [path for edit in plan.edits for path in (edit.path, edit.result_path)]
        )
        return {**self._state(), "changed": list(changed)}

    def _write(self, path: str, text: str) -> None:
        file = Path(ROOT, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())

    def _state(self) -> dict:
        """Returns the files that a visitor may edit, and what is found in them."""
        files = {
            path.relative_to(ROOT).as_posix(): path.read_bytes().decode(errors="replace")
            for path in sorted(Path(ROOT).rglob("*"))
            if path.is_file() and "sessions" not in path.parts and path.name != ".gitignore"
        }
        return {"files": files, "findings": [self._finding(f) for f in self._diagnostics()]}

    def _diagnostics(self):
        for path in self.tree.paths_with_diagnostics():
            yield from self.tree.diagnostics(path)

    def _finding(self, found) -> dict:
        text = self.tree.text(found.path) or ""
        return {
            "path": found.path,
            "line": text.count("\n", 0, found.span.start) + 1,
            "start": found.span.start,
            "end": found.span.end,
            "code": found.code,
            "name": found.name,
            "severity": found.severity.name.lower(),
            "message": found.message,
            "remedy": found.remedy,
        }


_PLAYGROUND = Playground()


def answer(request: str) -> str:
    """Answers a request, ``{"method": …, "params": […]}``; an error is an answer, too."""
    asked = json.loads(request)
    began = perf_counter()
    try:
        result = getattr(_PLAYGROUND, asked["method"])(*asked["params"])
    except Exception as error:
        return json.dumps({"error": f"{type(error).__name__}: {error}"})
    return json.dumps({"result": result, "milliseconds": 1000 * (perf_counter() - began)})
