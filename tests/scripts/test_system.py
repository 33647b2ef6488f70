"""What the system lacks is named, where it may not be installed."""

import subprocess
from pathlib import Path
from shutil import which

SCRIPT = Path(__file__).parents[2] / "scripts" / "system.sh"


def run(folder: Path, *programs: str) -> subprocess.CompletedProcess[str]:
    """Run the script where only these programs are there, as somebody who is not root."""
    for name in ("bash", "ls", *programs):
        (folder / name).symlink_to(which(name) or "/bin/true")
    (folder / "id").write_text("#!/bin/bash\necho 1000\n")
    (folder / "id").chmod(0o755)
    return subprocess.run(
        [str(folder / "bash"), str(SCRIPT)],
        env={"PATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def test_a_missing_java_is_named_with_its_package(tmp_path: Path) -> None:
    """Without root nothing is installed: one line says what is missing and how to get it."""
    done = run(tmp_path)
    assert done.returncode == 1
    assert "the tests need openjdk-17-jre-headless" in done.stderr.replace("postgresql ", "")
    assert "sudo apt-get install" in done.stderr


def test_a_system_that_has_all_is_left_alone(tmp_path: Path) -> None:
    """Where Java and a server are there, the script says nothing."""
    (tmp_path / "initdb").symlink_to("/bin/true")
    done = run(tmp_path, "java")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
