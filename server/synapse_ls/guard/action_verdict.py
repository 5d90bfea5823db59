"""Decide whether the active agent may do an action, and what enforce mode protects.

A guard rail, not a sandbox: it judges what a command says, not what the started programs do.
"""

from __future__ import annotations

from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.guard.agent_action import (
    ANY_USE,
    COMMAND,
    CONCERNED_VERBS,
    DELETE,
    POWERSHELL,
    READ,
    TOOL,
    TOP,
    WRITE,
)
from synapse_ls.guard.boundary_patterns import (
    ALLOW,
    ASK,
    DENY,
    EXCLUSIVE,
    MAYBE,
    NO,
    YES,
    Clause,
    covers_command,
    equivalent_programs,
    match_command,
    matches_glob,
    parse_pattern,
)
from synapse_ls.guard.command_files import (
    list_code_uses,
    list_file_uses,
    list_patch_uses,
    names_files,
    only_show_names,
)
from synapse_ls.guard.command_normalization import command_readings
from synapse_ls.guard.nested_commands import (
    RunCommand,
    executable_name,
    list_run_commands,
    passed_commands,
    translate_powershell,
)
from synapse_ls.guard.shell_lexer import OPEN, ShellError, Word
from synapse_ls.text.path_globs import first_matching_path, relative_path
from synapse_ls.text.phrases import quotation
from synapse_ls.workspace.git_settings import CLIENT_FOLDERS
from synapse_ls.workspace.tree_folders import ROOT_MARK_TOPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Final

    from synapse_ls.guard.agent_action import AgentAction
    from synapse_ls.guard.boundary_patterns import Pattern, Policy
    from synapse_ls.guard.command_normalization import CommandForm

HOME: Final = "~/"
ANY_DEPTH: Final = "**/"
_BELOW: Final = "*/"  # before that: in whatever folder but the root
_WORKING_FOLDER: Final = "/proc/self/cwd/"


class ScopedPath:
    """A path of a command or a tool with its scope: below the root, below the person's home folder,
    on the disk.
    """

    def __init__(self, path: str, folder: str, root: str, home: str, roots: Sequence[str]) -> None:
        path = path.removeprefix(_WORKING_FOLDER).removeprefix("~+/")
        if path.startswith(TOP) and ".." not in path:
            path = f"{root}/{path[2:]}"
        elif path == "~":
            path = HOME
        elif home and f"{path}/".startswith(account := f"~{home.rpartition('/')[2]}/"):
            path = HOME + path[len(account) :]
        start, opened, _ = path.partition(OPEN)
        self._is_open = bool(opened)
        self._end = path.rpartition(OPEN)[2]
        self._is_folder = start.endswith("/")  # what nobody knows is in it
        if start.startswith(HOME):
            if home:
                start = f"{home}/{start[2:]}"
            else:  # as that of a file in the tree where it may be one
                parts = start[2:].split("/")
                for count in range(len(parts), 0, -1):
                    if root.endswith(f"/{'/'.join(parts[:count])}"):
                        start = "/".join((root, *parts[count:]))
                        break
        is_absolute = _is_absolute_path(start)
        self._is_known = bool(start) and (is_absolute or OPEN not in folder)
        self._below_root: str | None = None
        self._below_home: str | None = None
        self._on_disk: str | None = None
        if not self._is_known:
            return
        if start.startswith(HOME):
            self._below_home = start[2:]
        elif start[:1] != "~":
            base = folder if _is_absolute_path(folder) else f"{root}/{folder}".rstrip("/")
            spelled = start if is_absolute else f"{base}/{start}"
            self._below_root = _relative_to(spelled, roots, self._is_open)
            self._below_home = _relative_to(spelled, (home,), self._is_open) if home else None
            self._on_disk = _relative_to(spelled, (_disk_root(spelled),), self._is_open)

    @staticmethod
    def _unknown_certainty(verb: str) -> int:
        """Return how surely a file that nobody knows is one that matters."""
        # Asking about each that is read would never end.
        return MAYBE if verb in (WRITE, DELETE) else NO

    def match_outside(self, inside: Sequence[str], verb: str) -> int:
        """Return how surely this is a file of the project that none of ``inside`` names.

        What a program may do with a word that it is given counts for nothing: most words are no
        files.
        """
        if verb == ANY_USE:
            return NO
        if not self._is_known:
            return self._unknown_certainty(verb)
        if (below := self._below_root) is None:
            return NO
        if self._is_open:
            folders = tuple(glob.partition("*")[0] for glob in inside if glob[:1] != "*")
            start = f"{below}/" if self._is_folder else below
            return NO if folders and start.startswith(folders) else self._unknown_certainty(verb)
        return NO if first_matching_path(inside, (below,)) else YES

    def match_glob(self, glob: str, verb: str) -> int:
        """Return how surely this is what ``glob`` names, for what is done with it. Letters of
        either case are the same, as they are on the disks of macOS and Windows.
        """
        glob = glob.casefold()
        if not self._is_known:
            end = self._end.casefold()
            if end.startswith("/") and first_matching_path((glob,), (end[1:],)):
                return MAYBE  # wherever it is: it ends as what is meant does
            return self._unknown_certainty(verb)
        below = self._below_root
        if glob.startswith(HOME):
            below, glob = self._below_home, glob.removeprefix(HOME)
        elif _is_absolute_path(glob):
            below, glob = self._on_disk, glob.removeprefix(_disk_root(glob)).lstrip("/")
        if below is None:
            return NO
        below = below.casefold()
        if glob.removeprefix(_BELOW).startswith(ANY_DEPTH):
            return self._match_anywhere(below, glob, verb)
        fixed = glob.partition("*")[0].partition("?")[0].strip("/")
        if not (below.startswith(fixed) or fixed.startswith(below)):
            return NO
        if self._is_open:
            return MAYBE
        if first_matching_path((glob,), (below,)):
            return MAYBE if verb == ANY_USE else YES
        if verb != DELETE:
            return NO
        # A folder that is deleted or moved takes with it what is inside.
        parts = glob.split("/")
        above = parts[: below.count("/") + 1]
        is_above = above != parts and "**" not in above
        is_above = is_above and bool(first_matching_path(("/".join(above),), (below,)))
        return MAYBE if is_above or not below else NO

    def _match_anywhere(self, below: str, glob: str, verb: str) -> int:
        """Return how surely this is what ``**/…`` names, in whatever folder; a folder that is
        deleted counts from the first one on that the glob names.
        """
        fixed = glob.removeprefix(_BELOW).removeprefix(ANY_DEPTH).partition("*")[0].rstrip("/")
        is_file = not self._is_open
        if is_file and fixed.partition("?")[0] in below and first_matching_path((glob,), (below,)):
            return MAYBE if verb == ANY_USE else YES
        if is_file and (verb != DELETE or glob.startswith(_BELOW)):
            return NO
        end = "" if self._is_open and not self._is_folder else "/"
        folders = below.split("/")
        if is_file and folders[-1] not in fixed:
            return NO
        ends = ("/".join(folders[at:]) + end for at in range(len(folders)))
        is_maybe = any(
            f"{fixed}/".startswith(rest) or (self._is_open and rest.startswith(fixed))
            for rest in filter(None, ends)
        )
        return MAYBE if is_maybe else NO


def _is_absolute_path(path: str) -> bool:
    return path.startswith(("/", "~", "\\\\")) or path[1:2] == ":"


def _disk_root(path: str) -> str:
    return path[:2] if path[1:2] == ":" else "/"


def _relative_to(spelled: str, bases: Sequence[str], opened: bool) -> str | None:
    """Return the path relative to the first of ``bases`` that it is in, "" for the base itself;
    None outside of them.
    """
    for base in bases:
        if inside := relative_path(f"{spelled}/x", base):
            return inside[:-1].rstrip("/")
    return "" if opened and any(base.startswith(spelled) for base in bases) else None


_SEVERITY: Final = {ALLOW: 0, ASK: 1, DENY: 2}


class Verdict:
    """The decision on an action. decision: "allow", "ask" or "deny". clause: the boundary that
    decided, None where none did. subject: the part of the action that it is about. reason: a
    sentence.
    """

    def __init__(
        self, decision: str, reason: str = "", subject: str = "", clause: Clause | None = None
    ):
        self.decision = decision
        self.reason = neutralise_text(reason)  # which an agent reads: it has words of rules
        self.subject = subject
        self.clause = clause


def judge_action(
    policy: Policy,
    action: AgentAction,
    *,
    root: str,
    aliases: Mapping[str, str] | None = None,
    home: str = "",
    roots: Sequence[str] = (),
) -> Verdict:
    """Return the verdict on ``action``. root: the folder that paths of boundaries are relative to,
    absolute. aliases: git's, name -> what each stands for. home: the person's folder, "" where
    nobody knows. roots: the folders that stand for the root in all work trees, itself among them,
    those inside others first.
    """
    court = _ActionJudge(policy, root, home, action.rewritten or {}, roots or (root,))
    if action.tool:
        court.judge_tool(action.tool)
    for verb, path in action.files:
        for spelled in dict.fromkeys((path, path.strip())):  # as a client may take it
            court.judge_file(verb, spelled, action.folder, path)
    readings = action.readings or ((action.command, action.folder),)
    for line, folder in readings if action.command else ():
        court.judge_command(line, folder, action.shell, aliases or {})
    return court.verdict


class _ActionJudge:
    def __init__(
        self,
        policy: Policy,
        root: str,
        home: str,
        rewritten: Mapping[str, tuple[str, str]],
        roots: Sequence[str],
    ) -> None:
        self._policy = policy
        self._rewritten = rewritten
        self._root = root
        self._roots = roots
        self._home = home
        self._by_verb: dict[str, list[Clause]] = {}
        for clause in policy.clauses:
            self._by_verb.setdefault(clause.pattern.verb, []).append(clause)
        self.verdict = Verdict(ALLOW)

    def judge_tool(self, name: str) -> None:
        matches = [
            (YES, clause)
            for clause in self._by_verb.get(TOOL, ())
            if matches_glob(name.casefold(), clause.pattern.glob.casefold())
        ]
        self._decide(matches, name)

    def judge_file(
        self,
        verb: str,
        path: str,
        folder: str,
        what: str,
        *,
        is_named: bool = True,
        is_sure: bool = True,
    ) -> None:
        """Judge ``path`` as it is spelled; with `OPEN` in it, nobody knows all of it. is_named:
        whether it is a file for certain. is_sure: whether it is known what is done with it.
        """
        place = ScopedPath(path, folder, self._root, self._home, self._roots)
        texts = self._rewritten.get(path)
        matches = []
        certainties: dict[str, int] = {}
        for about, concerned in CONCERNED_VERBS.items():
            if verb == ANY_USE or verb in concerned:
                for clause in self._by_verb.get(about, ()):
                    if inside := clause.pattern.inside:
                        how = place.match_outside(inside, verb if is_named else ANY_USE)
                    elif (glob := clause.pattern.glob) in certainties:
                        how = certainties[glob]
                    else:
                        how = certainties[glob] = place.match_glob(glob, verb)
                    matches.append((how, clause))
        if verb != DELETE:
            matches = [(_match_sections(how, c.pattern, texts), c) for how, c in matches]
        if not is_sure:
            matches = [(min(how, MAYBE), clause) for how, clause in matches]
        self._decide(matches, what, named=path.replace(OPEN, "…"))

    def judge_command(
        self, spelled: str, folder: str, shell: str, aliases: Mapping[str, str]
    ) -> None:
        """Judge a command line as it is ``spelled`` for a shell that starts in ``folder``."""
        about_files = any(verb in self._by_verb for verb in CONCERNED_VERBS)
        # Where nobody knows what is run, a boundary whose words stand in the line is named.
        commands = sorted(
            self._by_verb.get(COMMAND, ()),
            key=lambda c: any(
                "*" not in word and word not in spelled
                for word in (c.pattern.program, *c.pattern.words)
            ),
        )
        if not commands and not about_files:
            return
        try:
            is_powershell = shell == POWERSHELL
            runs = list_run_commands(translate_powershell(spelled) if is_powershell else spelled)
            shows_names = only_show_names(runs)
            if is_powershell:
                runs.append(RunCommand([Word(POWERSHELL), Word(spelled)]))
            for run in runs:
                what = " ".join(word.text.replace(OPEN, "…") for word in run.words)
                self._judge_run(run, commands, aliases, what)
                if about_files:
                    is_named = names_files(run)
                    file_uses = list_file_uses(run, shows_names=shows_names)
                    for verb, word in list_patch_uses(run, runs):
                        self.judge_file(verb, word.text, folder, what)
                    for verb, path in dict.fromkeys((verb, word.text) for verb, word in file_uses):
                        self.judge_file(verb, path, folder, what, is_named=is_named)
                        if verb == READ and (not path.strip(OPEN) or path.startswith("%")):
                            # A loop or a pipe may pass on the name of a file that may not be read
                            # where the command line spells it.
                            line = spelled.replace(":-", ": ")  # what a variable is else
                            named = [
                                (MAYBE, clause)
                                for clause in self._by_verb.get(READ, ())
                                if _has_name(line, clause.pattern.glob.rpartition("/")[2])
                            ]
                            self._decide(named, what)
                    for verb, path in dict.fromkeys((v, w.text) for v, w in list_code_uses(run)):
                        is_named = "/" in path or "." in path
                        self.judge_file(verb, path, folder, what, is_named=is_named, is_sure=False)
                    folder = _folder_after(run, folder)
        except ShellError as error:
            if any(c.effect != ALLOW for listed in self._by_verb.values() for c in listed):
                why = f"the command line cannot be read: {error}"
                self._keep_severest(Verdict(ASK, why, spelled))

    def _judge_run(
        self, run: RunCommand, clauses: Sequence[Clause], aliases: Mapping[str, str], what: str
    ) -> None:
        """Judge one command, and the commands that it may pass to others; ``what`` is how it is
        spelled.
        """
        if not run.words:
            return
        done = command_readings(run.words, aliases)
        self._decide([(match_command(c.pattern, done), c) for c in clauses], what, done)
        programs = equivalent_programs(clause.pattern.program for clause in clauses)
        for words in passed_commands(run, programs):
            passed = command_readings(words, aliases)
            # A program alone is no command line: it may be the name of anything.
            sure = [
                c
                for c in clauses
                if c.pattern.weight > 1 and match_command(c.pattern, passed) == YES
            ]
            allowed = [c for c in sure if self._effect_for_agent(c) == ALLOW]
            left = [c for c in sure if not self._is_outweighed(c, allowed, passed)]
            self._decide([(MAYBE, c) for c in left], what)

    def _decide(
        self,
        found: Iterable[tuple[int, Clause]],
        what: str,
        readings: Sequence[Sequence[CommandForm]] = (),
        named: str = "",
    ) -> None:
        """Decide by the clauses found. readings: what a command does, in the readings there are of
        it. named: the file that it is about, ``what`` itself unless given.
        """
        met = [(how, clause) for how, clause in found if how]
        sure = sorted((c for how, c in met if how == YES), key=self._precedence, reverse=True)
        allowed = [clause for clause in sure if self._effect_for_agent(clause) == ALLOW]
        for effect in (DENY, ASK):
            for clause in sure:
                if self._effect_for_agent(clause) == effect and not self._is_outweighed(
                    clause, allowed, readings
                ):
                    why = self._explain_clause(clause, named or what)
                    if allowed and self._precedence(allowed[0]) > self._precedence(clause):
                        why += f"; {quotation(allowed[0].pattern.text)} does not name all of this"
                    return self._keep_severest(Verdict(effect, why, what, clause))
        for how, clause in met:
            if how == MAYBE and self._effect_for_agent(clause) in (DENY, ASK):
                pattern = quotation(clause.pattern.text)
                if clause.effect == ASK:
                    why = f"{quotation(named or what)} may be {pattern}, which {clause.text}"
                else:
                    why = f"it is not clear whether this is {pattern}; "
                    why += self._explain_clause(clause, named or what)
                return self._keep_severest(Verdict(ASK, why, what, clause))
        if allowed and self.verdict.clause is None:
            self.verdict = Verdict(self.verdict.decision, self.verdict.reason, what, allowed[0])
        return None

    def _is_outweighed(
        self, clause: Clause, allowed: Iterable[Clause], readings: Sequence[Sequence[CommandForm]]
    ) -> bool:
        """Return whether a permission says more, and names all that ``clause`` is about."""
        return clause.effect != ASK and any(
            self._precedence(other) > self._precedence(clause)
            and covers_command(other.pattern, clause.pattern, readings)
            for other in allowed
        )

    def _effect_for_agent(self, clause: Clause) -> str:
        """Return what a clause means for this agent: allow, ask or deny."""
        if clause.effect != EXCLUSIVE:
            return clause.effect
        if clause.owner == self._policy.agent or self._policy.is_free:
            return ALLOW
        return DENY if self._policy.agent else ASK

    def _precedence(self, clause: Clause) -> tuple[int, int]:
        """Return the precedence of a clause: what says more counts first; then the agent's own
        "no", its own "yes", and the others'.
        """
        rank = {DENY: 3, ALLOW: 2, EXCLUSIVE: 1, ASK: 0}[clause.effect]
        if clause.effect == EXCLUSIVE and self._effect_for_agent(clause) == ALLOW:
            rank = 2
        return clause.pattern.weight, rank

    def _keep_severest(self, verdict: Verdict) -> None:
        if _SEVERITY[verdict.decision] > _SEVERITY[self.verdict.decision]:
            self.verdict = verdict

    def _explain_clause(self, clause: Clause, named: str) -> str:
        agent, what = self._policy.agent, quotation(clause.pattern.text)
        if clause.effect == ASK:
            return f"{quotation(named)} {clause.text}"
        if clause.effect == EXCLUSIVE:
            rest = f"not to @{agent}" if agent else "and no agent is active"
            return f"{clause.citation} leaves {what} to @{clause.owner}, {rest}"
        aside = f"; @{clause.delegate} may" if clause.delegate else ""
        if clause.pattern.sections:
            who = f"@{agent}" if clause.owner else "agents"
            named_sections = ", ".join(map(quotation, clause.pattern.sections))
            return (
                f"{clause.citation} lets {who} change only {named_sections} in "
                f"{clause.pattern.glob}{aside}"
            )
        return (
            f"{clause.citation} forbids {f'@{agent}' if clause.owner else 'agents'} {what}{aside}"
        )


def _match_sections(how: int, pattern: Pattern, texts: tuple[str, str] | None) -> int:
    """Return how surely what changes in a file is what a pattern names; ``how``: how surely the
    file is. texts: the file before and after, None where nobody knows.
    """
    if not (how and pattern.sections):
        return how
    if texts is None:
        return MAYBE
    from synapse_ls.formats.markdown_outline import changes_outside

    return how if changes_outside(*texts, pattern.sections) else NO


def _has_name(text: str, name: str) -> bool:
    """Return whether the name of a file, which is no pattern, stands in a text as a whole."""
    at = text.find(name) if name and "*" not in name else -1
    while at >= 0:
        around = text[at - 1 : at], text[at + len(name) :][:1]
        if not any(char.isalnum() or char in ("_", "-", ".") for char in filter(None, around)):
            return True
        at = text.find(name, at + 1)
    return False


def _folder_after(run: RunCommand, folder: str) -> str:
    """Return the folder after a command, relative to the root; with `OPEN` where nobody knows."""
    if not run.words or executable_name(run.words[0]) not in ("cd", "pushd", "popd", "chdir"):
        return folder
    target = next((w for w in run.words[1:] if not w.text.startswith("-")), None)
    if target is None or not target.is_known or target.text.startswith("~"):
        return OPEN
    return f"{folder}/{target.text}" if folder and target.text[:1] != "/" else target.text


# What would change who is asked, or what: in enforce mode a person is asked about it.
PROTECTED_FILES: Final = (
    # A tree in a sub-folder counts for an agent that works there.
    *(f"{_BELOW}{ANY_DEPTH}{mark}/**" for mark in ROOT_MARK_TOPS),
    "**/.synapse/**",
    "**/.carl/**",
    "chati.dev/domains/**",
    "chati.dev/constitution.md",
    *(f"{folder}/{glob}" for folder, globs in CLIENT_FOLDERS.values() for glob in globs),
    ".claude/settings*.json",
    ".claude/hooks/**",
    ".codex/**",
    *(
        f"{home}{path}"
        for home in ("", "~/")
        for path in (".cursor/hooks.json", ".gemini/settings.json")
    ),
    "~/.gemini/trustedFolders.json",
    ".vscode/settings.json",
    "/**/Code*/User/**/settings.json",
    "/**/VSCodium/User/**/settings.json",
    # Where the server stands that hooks of `--via mcp` call.
    ".mcp.json",
    "~/.claude.json",
    # Whichever repository it is: the project may be a folder of one, or have others in it.
    "/**/.git/hooks/**",
    "/**/.git/config*",
    "/**/.git/modules/**/hooks/**",
    "/**/.git/modules/**/config*",
    "/**/.git/worktrees/*/config*",
    "/**/.git/worktrees/*/commondir",
    "/**/.git/commondir",
    "~/.gitconfig",
    "~/.config/git/**",
    "~/.config/gh/config.yml",
    ".github/hooks/**",
    ".github/copilot/settings*.json",
    *(f"{folder}/hooks.json" for folder in (".agents", ".agent", "_agents", "_agent")),
    ".opencode/plugin/**",
    ".opencode/plugins/**",
    "~/.config/opencode/plugin/**",
    "~/.config/opencode/plugins/**",
    ".kilo/plugin*/**",
    ".kilocode/plugin*/**",
    "~/.config/kilo/plugin*/**",
    "~/.kilo/plugin*/**",
    "~/.kilocode/plugin*/**",
    ".cline/plugins/**",
    ".cline/hooks/**",
    ".clinerules/hooks/**",
    "~/Documents/Cline/Plugins/**",
    "~/Documents/Cline/Hooks/**",
    "~/.gemini/config/hooks.json",
    # Transcripts, as those above, say what a person has said, of which memories are made.
    "~/.cursor/projects/*/agent-transcripts/**",
    "~/.gemini/tmp/*/chats/**",
    "/**/workspaceStorage/*/chatSessions/**",
    "~/.config/synapse-ls/**",
    "~/.cache/synapse-ls/**",
    "~/.local/state/synapse-ls/**",
    "/etc/synapse-ls/**",
)
# Rules and memories of other systems, by the folder of `engine/systems`.
SYSTEM_FILES: Final[Mapping[str, tuple[str, ...]]] = {
    "brainiac": ("system/**", "memory/**"),
    "chati": (
        "chati.dev/agents/**",
        "chati.dev/config.yaml",
        "chati.dev/intelligence/context-engine.md",
        "chati.dev/workflows/**",
        ".chati/memories/**",
    ),
}
PROTECTED_TOOLS: Final = ("*activate_agent", "*set_task", "*set_workflow")  # of `synapse mcp`
PROTECTED_COMMANDS: Final = (
    "synapse session", "synapse install", "synapse uninstall", "synapse trust", "synapse domain",
    "synapse rename", "synapse init", "synapse migrate", "synapse activate", "synapse recover",
    "synapse hook", "synapse mcp", "synapse profile use", "synapse constitution build",
    "synapse check --fix", "synapse check --add-suppressions", "synapse fmt", "synapse learn",
    "synapse memory add", "synapse memory confirm", "synapse memory forget", "synapse memory gc",
    "synapse memory migrate", "synapse memory restore", "synapse memory short-term",
    "synapse hook-server", "synapse serve", "synapse handoff --transcript",
    "pip uninstall synapse-ls", "pipx uninstall synapse-ls", "uv tool uninstall synapse-ls",
    "uv remove synapse-ls", "poetry remove synapse-ls", "pdm remove synapse-ls",
    "pipx uninstall-all",
    "claude mcp remove synapse", "claude mcp remove synapse-hooks",
    "claude mcp add synapse-hooks", "claude mcp add-json synapse-hooks",
    "codex mcp remove synapse-hooks", "codex mcp add synapse-hooks",
    "git config set alias.*", "git config set include*.path", "git config set core.hookspath",
    "git config set init.templatedir", "git config rename-section", "git config remove-section",
    "git with-config core.hookspath", "git with-config include*.path",
    "git with-config init.templatedir",
    "git init --template", "git clone --template",
    "gh alias set", "gh alias import", "gh alias delete", "glab alias set",
)  # fmt: skip


_PROTECTION: Final = (
    "is protected while the guard enforces: the agent, its rules and its hooks change with a "
    "person's consent (say yes to it, or do it yourself)"
)


def protection_clauses(places: Iterable[str] = ()) -> Iterator[Clause]:
    """Yield the clauses of enforce mode: agent, rules and hook settings change with a person's
    consent. places: globs of more files to be protected.
    """
    texts = [*PROTECTED_COMMANDS]
    texts += [
        f"{verb} {glob}" for glob in (*PROTECTED_FILES, *places) for verb in ("write", "delete")
    ]
    texts += [f"tool {name}" for name in PROTECTED_TOOLS]
    for text in texts:
        if pattern := parse_pattern(text):
            yield Clause(ASK, pattern, text=_PROTECTION)
