"""Stands in for a Python whose server has `mcp` too; with any other arguments it is that Python.

    mcpPython.py ARGUMENT …     as the interpreter would be called

`serve` is run as it is, but for one more capability in the answer to `initialize`. `mcp` answers
what a client of the Model Context Protocol asks first, on lines of JSON (2025-06-18, "stdio").
"""

import json
import os
import subprocess
import sys
import threading

TOOL = {"name": "tell_rules", "description": "Tells rules.", "inputSchema": {"type": "object"}}


def frames(stream):
    """The bodies of the messages of a language server."""
    while line := stream.readline():
        length = 0
        while line.strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
            line = stream.readline()
        yield stream.read(length)


def serve(arguments):
    """Hands everything on; what is read is only what the server says."""
    server = subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )

    def hand_on():
        while data := os.read(0, 65536):
            server.stdin.write(data)
            server.stdin.flush()
        server.stdin.close()

    threading.Thread(target=hand_on, daemon=True).start()
    for said in frames(server.stdout):
        message = json.loads(said)
        result = message.get("result")
        if isinstance(result, dict) and "capabilities" in result:
            result["capabilities"]["experimental"] = {"mcp": {"args": ["mcp"]}}
        body = json.dumps(message).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        sys.stdout.buffer.flush()
    return server.wait()


def mcp():
    """A server with one tool."""
    for line in sys.stdin:
        message = json.loads(line)
        answers = {
            "initialize": {
                "protocolVersion": message.get("params", {}).get("protocolVersion"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "stand-in", "version": "1"},
            },
            "tools/list": {"tools": [TOOL]},
        }
        if "id" in message:
            result = answers.get(message["method"], {})
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            print(json.dumps(answer), flush=True)


match sys.argv[1:]:
    case [*arguments, "serve"]:
        sys.exit(serve([*arguments, "serve"]))
    case [*_, "mcp"]:
        mcp()
    case arguments:
        os.execv(sys.executable, [sys.executable, *arguments])
