"""The command line: options in, one call of a product, lines or JSON out.

Every failure that a user can do something about is one line on standard error and exit status 2.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from qanat import __version__
from qanat.cli.demo import demo
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


cli.add_command(demo)
cli.add_command(simulate)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit status."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status of the command line."""
    try:
        result = cli.main(args=arguments, prog_name="qanat", standalone_mode=False)
    except QanatError as error:
        return _refuse(str(error))
    except click.ClickException as error:
        return _refuse(f"{error.format_message()} See {_path(error)} --help.")
    except click.Abort:
        return INTERRUPTED
    return result if isinstance(result, int) else 0


def _refuse(message: str) -> int:
    click.echo("qanat: " + " ".join(message.split()), err=True)
    return BAD_INPUT


def _path(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    return context.command_path if context else "qanat"
