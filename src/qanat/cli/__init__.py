"""The command line: options in, one call of a product, lines or JSON out.

Every failure that a user can do something about is one line on standard error and exit status 2.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import TextIO

import click

from qanat import __version__
from qanat.cli.datasets import datasets
from qanat.cli.demo import demo
from qanat.cli.er import er
from qanat.cli.plan import plan
from qanat.cli.pool import pool
from qanat.cli.simulate import simulate
from qanat.errors import QanatError

BAD_INPUT = 2
INTERRUPTED = 130


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="qanat")
def cli() -> None:
    """Tell how good an entity resolution is, from a few hundred labels.

    \b
    Example:
      qanat simulate pairs.csv --prediction pred --label label --sampler oasis
    """


cli.add_command(datasets)
cli.add_command(demo)
cli.add_command(er)
cli.add_command(plan)
cli.add_command(pool)
cli.add_command(simulate)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit status."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status of the command line."""
    try:
        result = cli.main(args=arguments, prog_name="qanat", standalone_mode=False)
    except QanatError as error:
        message = str(error)
    except click.exceptions.NoArgsIsHelpError as error:
        _say(error.format_message())
        return error.exit_code
    except click.ClickException as error:
        message = f"{error.format_message()} See {_path(error)} --help."
    except click.Abort:
        return INTERRUPTED
    except OSError as error:
        # Files that are read have an error of their own; what is left is the output.
        _discard(sys.stdout)
        message = f"The output could not be written ({error.strerror}): check where it goes."
    except MemoryError:
        message = "There is not enough memory: expected fewer pairs, runs, strata or checkpoints."
    else:
        return result if isinstance(result, int) else 0
    _say("qanat: " + " ".join(message.split()))
    return BAD_INPUT


def _say(message: str) -> None:
    try:
        click.echo(message, err=True)
    except OSError:
        _discard(sys.stderr)


def _discard(stream: TextIO) -> None:
    """Let what the stream still holds go nowhere, where Python would try again to write it when it ends."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _path(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return context.command_path if context else "qanat"
