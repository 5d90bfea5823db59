"""Each client in one session of four prompts, which several tests look at."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from xdist.remote import Producer  # type: ignore[import-untyped]
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

from tests.clients.client import Client, Turn, program
from tests.clients.model import Model, Usage
from tests.clients.opencode import SERVERS
from tests.clients.place import Place
from tests.clients.registry import CLIENTS

FIRST = "@dev Say hello"
SECOND = "Go on"  # in which the model reads a file
THIRD = "@qa Look at it"
FOURTH = "Once more"

OF_THE_SESSION = ("test_block", "test_events", "test_readers")
"""The files whose tests have the fixture `session`."""

USAGES = (Usage(1000, 200, 30), Usage(2100, 300, 40), Usage(3200, 400, 50), Usage(1400, 500, 60))
"""What the model claims to have used, turn by turn."""


class ByClient(LoadScopeScheduling):  # type: ignore[misc]
    """One process has all tests that look at the same turns of a client."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def group_of(nodeid: str) -> str:
    """The client that a test is about, and its file unless many share the session of four prompts."""
    file, _, test = nodeid.partition("::")
    found = [name for name in CLIENTS if name in f"{Path(file).stem} {test}"]
    return " ".join((*found[-1:], "session" if Path(file).stem in OF_THE_SESSION else file))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByClient:
    """xdist's own groups are none since pytest keeps the names of tests elsewhere (9.2)."""
    return ByClient(config, log)


class Session(NamedTuple):
    """expected: what `synapse context` said before a turn. transcript: the client's, before the
    window was emptied; later: the same afterwards, or that of the session which followed it.
    """

    client: Client
    expected: dict[str, str]
    first: Turn
    unchanged: Turn
    switched: Turn
    renewed: Turn
    transcript: Path
    later: Path


@pytest.fixture(scope="session", autouse=True)
def servers() -> Iterator[None]:
    """The servers that clients have started for all places."""
    yield
    for server in SERVERS.values():
        server.end()


def client_of(name: str, place: Place) -> Client:
    """The client, or the reason why the test is skipped."""
    found = program(name)
    if found is None:
        pytest.skip(f"there is no {name} in SYNAPSE_LS_CLIENTS; scripts/test-clients looks for it")
    return CLIENTS[name](found, place)


RESUMING = [name for name, client in CLIENTS.items() if client.resumes]


@pytest.fixture(scope="session", params=[name for name in RESUMING if program(name)] or RESUMING)
def session(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Session]:
    name: str = request.param
    with Model() as model:
        place = Place(tmp_path_factory.mktemp(name), model)
        client = client_of(name, place)
        place.synapse("install", "--client", name, "--scope", "project")
        yield hold(client)


def hold(client: Client) -> Session:
    """The session: a prompt, one that reads a file, a switch of agents, an empty window."""
    place, model = client.place, client.place.model
    expected = {"first": place.synapse("context", FIRST)}
    model.usage = USAGES[0]
    first = client.start(FIRST)
    assert first.hooked, "the client has not called the hook"
    assert first.told, f"the hook had nothing to say: {place.complaints}"

    model.usage = USAGES[1]
    tool, arguments = client.tool()
    model.will_call(tool, **arguments)
    unchanged = client.ask(SECOND)

    model.usage = USAGES[2]
    now = ("--delivery", "--session", client.session)
    expected["switched"] = place.synapse("context", *now, THIRD)
    switched = client.ask(THIRD)
    transcript = place.home / "transcript.jsonl"
    if client.has_transcript:
        shutil.copy(client.transcript, transcript)

    model.usage = USAGES[3]
    renewed = client.renew(FOURTH)
    later = client.transcript if client.has_transcript else transcript
    return Session(client, expected, first, unchanged, switched, renewed, transcript, later)
