"""A local server in place of the public origins, which sends what a test tells it to, and never the network."""

import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest

from qanat.datasets.origin import File

MORE_THAN_SENT = 1000


class Origin:
    """What the server has, by path, what was asked of it, and what it does wrong."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.has: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.truncated = False
        self.without_length = False

    def serving(self, files: Mapping[str, File]) -> dict[str, File]:
        """Return the files with the address of this server in their sources."""
        return {name: self._moved(file) for name, file in files.items()}

    def _moved(self, file: File) -> File:
        moved = (source._replace(url=self.address + urlsplit(source.url).path) for source in file.sources)
        return file._replace(sources=tuple(moved))


def handler(origin: Origin) -> type[BaseHTTPRequestHandler]:
    """Return what answers for the origin."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            origin.asked.append(self.path)
            content = origin.has.get(self.path)
            if content is None:
                self.send_error(404)
                return
            self.send_response(200)
            if not origin.without_length:
                length = len(content) + MORE_THAN_SENT * origin.truncated
                self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler


@pytest.fixture
def origin() -> Iterator[Origin]:
    """Return a server that has nothing yet."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    told = Origin(f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass = handler(told)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield told
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache, with no folder of data named and no proxy in between."""
    monkeypatch.delenv("QANAT_DATA", raising=False)
    monkeypatch.setenv("QANAT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    return tmp_path / "cache"


class Told(NamedTuple):
    """The shares that were told, and whether they are those of work that ended."""

    shares: list[float]

    def assert_whole(self) -> None:
        assert self.shares == sorted(self.shares)
        assert self.shares[0] >= 0
        assert self.shares[-1] == 1.0


@pytest.fixture
def told() -> Told:
    """Return a list for the shares that progress is told."""
    return Told([])
