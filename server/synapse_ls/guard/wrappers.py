"""Programs that run another command, and where in their words it stands.

Sources: the manual pages of coreutils, util-linux, sudo, findutils, OpenSSH and the tools named;
what matters is only which options take a value, and how many operands come before the command.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final


class Wrapper:
    """How a program runs another one.

    values: options with a value in the next word. texts: options whose value is a command line.
    operands: words before the command. assigns: whether ``NAME=value`` may come before it.
    joined: whether the command's words are one command line. feeds: whether words that nobody
    knows are added to it. start: the words that must come first (``exec`` of ``docker exec``).
    mark: the word after which the command begins, "" where none is needed.
    """

    __slots__ = ("assigns", "feeds", "joined", "mark", "operands", "start", "texts", "values")

    def __init__(
        self,
        values: str = "",
        *,
        texts: str = "",
        operands: int = 0,
        assigns: bool = False,
        joined: bool = False,
        feeds: bool = False,
        start: str = "",
        mark: str = "",
    ) -> None:
        self.values = frozenset(values.split())
        self.texts = frozenset(texts.split())
        self.operands = operands
        self.assigns = assigns
        self.joined = joined
        self.feeds = feeds
        self.start = tuple(start.split())
        self.mark = mark


SHELLS: Final = frozenset(
    ("sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "fish", "rbash", "pwsh", "powershell")
)
SHELL_VALUES: Final = frozenset(("-o", "+o", "-O", "+O", "--rcfile", "--init-file", "-File"))
SHELL_TEXTS: Final = frozenset(("-command", "-commandwithargs", "--command"))

INTERPRETERS: Final[Mapping[str, frozenset[str]]] = {
    "python": frozenset(("-c",)),
    "pypy": frozenset(("-c",)),
    "node": frozenset(("-e", "--eval", "-p", "--print", "-pe")),
    "bun": frozenset(("-e", "--eval")),
    "deno": frozenset(("eval",)),
    "perl": frozenset(("-e", "-E", "-ne", "-pe")),
    "ruby": frozenset(("-e",)),
    "php": frozenset(("-r",)),
    "lua": frozenset(("-e",)),
    "osascript": frozenset(("-e",)),
}
"""Interpreters that take their program as a word -> the options before it."""

STARTS: Final = (
    "system", "popen", "subprocess", "exec", "spawn", "fork", "child_process", "`", "%x",
    "getattr", "__import__", "importlib", "eval", "b64decode", "atob", "fromhex", "pty", "shell",
)  # fmt: skip
"""What the text of a program has in it when it may start another one."""

_DOCKER_RUN: Final = (
    "-e --env -v --volume -w --workdir -u --user --name --network --net --entrypoint -p --publish"
    " --mount --env-file -l --label --platform --pull -m --memory --cpus -h --hostname --add-host"
)
_DOCKER_EXEC: Final = "-e --env -w --workdir -u --user --env-file --detach-keys --index"

WRAPPERS: Final[Mapping[str, tuple[Wrapper, ...]]] = {
    "arch": (Wrapper("-d -e"),),
    "asdf": (Wrapper(start="exec", operands=0),),
    "builtin": (Wrapper(),),
    "bundle": (Wrapper("--gemfile", start="exec"),),
    "busybox": (Wrapper(),),
    "bunx": (Wrapper("-p --package"),),
    "caffeinate": (Wrapper("-t -w"),),
    "chroot": (Wrapper("--userspec --groups", operands=1),),
    "chrt": (Wrapper("-T -P -D", operands=1),),
    "cmd": (Wrapper(joined=True, mark="/c"), Wrapper(joined=True, mark="/k")),
    "command": (Wrapper(),),
    "conda": (Wrapper("-n --name -p --prefix --cwd", start="run"),),
    "dbus-run-session": (Wrapper("--config-file --dbus-daemon"),),
    "direnv": (Wrapper(start="exec", operands=1),),
    "doas": (Wrapper("-u -C -a"),),
    "docker": (
        Wrapper(_DOCKER_EXEC, start="exec", operands=1),
        Wrapper(_DOCKER_RUN, start="run", operands=1),
        Wrapper(_DOCKER_EXEC, start="compose exec", operands=1),
        Wrapper(_DOCKER_RUN, start="compose run", operands=1),
    ),
    "docker-compose": (
        Wrapper(_DOCKER_EXEC, start="exec", operands=1),
        Wrapper(_DOCKER_RUN, start="run", operands=1),
    ),
    "dotenv": (Wrapper("-e -f -c --env --file", start="run"), Wrapper("-e -f -c")),
    "dotenvx": (Wrapper("-f --env-file -e --env", start="run"),),
    "env": (Wrapper("-u --unset -C --chdir -a --argv0", texts="-S --split-string", assigns=True),),
    "exec": (Wrapper("-a"),),
    "firejail": (Wrapper(),),
    "flock": (Wrapper("-w --timeout -E", texts="-c --command", operands=1),),
    "gdb": (Wrapper("-ex -x", mark="--args"),),
    "hatch": (Wrapper("-e --env", start="run"),),
    "invoke-expression": (Wrapper(joined=True),),
    "iex": (Wrapper(joined=True),),
    "ionice": (Wrapper("-c -n -p --class --classdata"),),
    "kubectl": (Wrapper(start="exec", mark="--"),),
    "ltrace": (Wrapper("-e -o -p -n -s -u -l -a"),),
    "mise": (Wrapper(start="exec", mark="--"), Wrapper(start="x", mark="--")),
    "nice": (Wrapper("-n --adjustment"),),
    "nix": (Wrapper(start="develop", mark="-c"), Wrapper(start="shell", mark="-c")),
    "nix-shell": (Wrapper(texts="--run --command"),),
    "nohup": (Wrapper(),),
    "npm": (
        Wrapper("-p --package", texts="-c --call", start="exec"),
        Wrapper("-p --package", texts="-c --call", start="x"),
    ),
    "npx": (Wrapper("-p --package", texts="-c --call"),),
    "nsenter": (Wrapper("-t -S -G --target"),),
    "op": (Wrapper("--env-file --account", start="run", mark="--"),),
    "parallel": (Wrapper("-j --jobs -S --sshlogin -a --arg-file -N -n", joined=True, feeds=True),),
    "pdm": (Wrapper("-p", start="run"),),
    "perf": (Wrapper("-e -o -p -F", start="record"), Wrapper("-e -o -p -r", start="stat")),
    "pipenv": (Wrapper(start="run"),),
    "pkexec": (Wrapper("--user"),),
    "pnpm": (Wrapper("--package", start="dlx"), Wrapper("-C --filter", start="exec")),
    "podman": (
        Wrapper(_DOCKER_EXEC, start="exec", operands=1),
        Wrapper(_DOCKER_RUN, start="run", operands=1),
    ),
    "poetry": (Wrapper("-C -P", start="run"),),
    "proxychains4": (Wrapper("-f"),),
    "rtk": (Wrapper(),),
    "runuser": (Wrapper("-u -g -G -s", texts="-c --command --session-command"),),
    "script": (Wrapper("-T -I -O -B -E -o", texts="-c --command", operands=1),),
    "setarch": (Wrapper(operands=1),),
    "setpriv": (Wrapper("--reuid --regid --groups --inh-caps"),),
    "setsid": (Wrapper(),),
    "sg": (Wrapper(texts="-c", operands=1, joined=True),),
    "ssh": (
        Wrapper(
            "-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w -B",
            operands=1,
            joined=True,
        ),
    ),
    "start-process": (Wrapper("-WorkingDirectory -FilePath"),),
    "stdbuf": (Wrapper("-i -o -e --input --output --error"),),
    "strace": (Wrapper("-e -o -p -s -u -E -P -a -O -S -I -b -X"),),
    "su": (Wrapper("-s -g -G -w", texts="-c --command", operands=99),),
    "sudo": (
        Wrapper("-u -g -h -p -C -r -t -T -U -D -R -c --user --group --host --chdir", assigns=True),
    ),
    "systemd-run": (Wrapper("-p --property -u --unit -E --setenv --uid --gid --slice -M -H"),),
    "taskset": (Wrapper("-p", operands=1),),
    "time": (Wrapper("-f --format -o --output"),),
    "timeout": (Wrapper("-k --kill-after -s --signal", operands=1),),
    "tmux": (
        Wrapper("-c -e -n -t -F -s -x -y", start="new-session", joined=True),
        Wrapper("-c -e -n -t -F -s -x -y", start="new", joined=True),
        Wrapper("-c -e -n -t -F", start="new-window", joined=True),
    ),
    "torsocks": (Wrapper(),),
    "toybox": (Wrapper(),),
    "unbuffer": (Wrapper(),),
    "unshare": (Wrapper("-S -G -R -w"),),
    "uv": (
        Wrapper("-p --python --with --with-requirements --directory --project", start="run"),
        Wrapper("-p --python --with --from", start="tool run"),
    ),
    "uvx": (Wrapper("-p --python --with --from"),),
    "watch": (Wrapper("-n --interval -q", joined=True),),
    "winpty": (Wrapper(),),
    "wsl": (Wrapper("-d -u --cd -e --exec"),),
    "xargs": (
        Wrapper(
            "-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --replace",
            feeds=True,
        ),
    ),
    "xvfb-run": (Wrapper("-e -f -n -p -s --server-args --server-num"),),
    "yarn": (Wrapper("-p", start="dlx"), Wrapper(start="exec")),
}
"""Program -> the ways in which it runs a command; the first whose ``start`` is there counts."""
