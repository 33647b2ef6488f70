"""What cannot be written, or does not fit the memory, is one line and status 2; no command is help."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from qanat.cli import run

QANAT = str(Path(sys.executable).with_name("qanat"))
FULL = Path("/dev/full")

needs_full = pytest.mark.skipif(not FULL.exists(), reason="the system has no /dev/full")


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    """Return the path of sixty pairs, half of them matches."""
    path = tmp_path / "pairs.csv"
    path.write_text("score,pred,label\n" + "".join(f"{i - 30},{int(i > 40)},{i % 2}\n" for i in range(60)))
    return str(path)


def to_full(*arguments: str, stderr: bool = False) -> subprocess.CompletedProcess[str]:
    """Return what the command says whose output, and standard error if asked for, go to a full disk."""
    # With buffers, as users have them: what is left in one fails again when Python ends.
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    command = [QANAT, *arguments]
    with FULL.open("w") as full:
        to = full if stderr else subprocess.PIPE
        return subprocess.run(command, stdout=full, stderr=to, env=buffered, text=True, timeout=60, check=False)


@needs_full
@pytest.mark.parametrize("extra", [[], ["--json"]], ids=["table", "json"])
def test_a_full_disk_is_told_in_one_line(pairs: str, extra: list[str]) -> None:
    """A result that cannot be written is a failure, told once."""
    done = to_full("simulate", pairs, "--prediction", "pred", "--runs", "2", "--budget", "20", *extra)
    assert done.returncode == 2
    assert re.fullmatch(r"qanat: The output could not be written \(No space left [^\n]+\n", done.stderr)


@needs_full
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["demo"]], ids=" ".join)
def test_every_command_notices_a_full_disk(arguments: list[str]) -> None:
    """Help and demo are outputs too."""
    done = to_full(*arguments)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@needs_full
@pytest.mark.parametrize("arguments", [[], ["simulat"], ["--help"]], ids=" ".join)
def test_where_nothing_can_be_said_the_status_still_tells(arguments: list[str]) -> None:
    """With both outputs full the status is that of any failure."""
    assert to_full(*arguments, stderr=True).returncode == 2


def test_no_command_is_answered_with_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Bare `qanat` shows its help as --help does, on standard error, with the status of a wrong call."""
    assert run(["--help"]) == 0
    wanted = capsys.readouterr().out
    assert run([]) == 2
    assert capsys.readouterr() == ("", wanted)
    assert "\nCommands:\n" in wanted


def test_memory_that_is_not_there_is_told(
    capsys: pytest.CaptureFixture[str], pairs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tables that do not fit are refused, not shown as a traceback."""

    def simulate(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("qanat.simulation.simulate", simulate)
    assert run(["simulate", pairs, "--prediction", "pred"]) == 2
    assert re.fullmatch(r"qanat: There is not enough memory: [^\n]+\n", capsys.readouterr().err)
