"""Starts the server that is to be packaged, with nothing but the standard library beside it.

    python -I -S handshake.py FOLDER

It speaks with it as an editor does, has it read a rule tree with a squad, and prints its version.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

TREE = {
    ".synapse/manifest": "GLOBAL_STATE=active\nGLOBAL_ALWAYS_ON=true\nTYPO_STAET=active\n",
    ".synapse/global": "GLOBAL_RULE_0=Say what is left out\n",
    "squads/pay-squad/squad.yaml": "name: pay-squad\nversion: 1.0.0\nauthor: [\n",
}


def main(folder):
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch, "tree")
        for name, text in TREE.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        command = [sys.executable, "-I", "-S", "-B", folder]
        environment = {**os.environ, "SYNAPSE_LS_CACHE": str(Path(scratch, "cache"))}
        version = serve([*command, "serve"], root, environment)
        check = subprocess.run(
            [*command, "check", "--root", str(root), "--format", "json"],
            capture_output=True,
            env=environment,
            check=False,
        )
        if check.returncode != 1 or b"squad.yaml" not in check.stdout:
            sys.exit(f"check gave {check.returncode}: {check.stdout!r} {check.stderr!r}")
    return version


def serve(command, root, environment):
    """The version that the server gives, once it has ended as the protocol wants it."""
    server = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    capabilities = {"processId": None, "rootUri": root.as_uri(), "capabilities": {}}
    send(server, {"id": 1, "method": "initialize", "params": capabilities})
    info = answer(server, 1)["serverInfo"]
    send(server, {"method": "initialized", "params": {}})
    send(server, {"id": 2, "method": "synapse/context", "params": {}})
    block = answer(server, 2)["block"]
    send(server, {"id": 3, "method": "shutdown"})
    answer(server, 3)
    send(server, {"method": "exit"})
    code = server.wait(timeout=20)
    if code != 0 or "Say what is left out" not in block:
        sys.exit(f"the server left with {code}; its block was {block!r}")
    return f"{info['name']} {info['version']}"


def send(server, message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    server.stdin.flush()


def answer(server, number):
    """What the request of this number is answered with; anything before it is passed over."""
    while True:
        length = 0
        while (line := server.stdout.readline()).strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        if not length:
            sys.exit("the server has ended without an answer")
        message = json.loads(server.stdout.read(length))
        if message.get("id") == number and "method" not in message:
            if "error" in message:
                sys.exit(f"request {number} was refused: {message['error']}")
            return message["result"]


print(main(*sys.argv[1:]))
