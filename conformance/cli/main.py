"""`rankspec VERB`: the group of verbs, and what every verb does alike with a user's mistake."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click
from rankspec.conformance.cases.catalogue import CatalogueError
from rankspec.conformance.cases.yaml_source import SourceError
from rankspec.conformance.cli.adapters import adapters, smoke
from rankspec.conformance.cli.check import check
from rankspec.conformance.cli.compare import compare
from rankspec.conformance.cli.diff import diff
from rankspec.conformance.cli.environments import environments
from rankspec.conformance.cli.explain import explain
from rankspec.conformance.cli.fixtures import fixtures
from rankspec.conformance.cli.group import Verbs
from rankspec.conformance.cli.identify import identify
from rankspec.conformance.cli.interruption import Interruption, signals_interrupt
from rankspec.conformance.cli.reference import reference_verbs
from rankspec.conformance.cli.report import report
from rankspec.conformance.cli.resolve import resolve
from rankspec.conformance.cli.score import score
from rankspec.conformance.cli.witness import witness
from rankspec.conformance.implementations.specs import SpecificationError
from rankspec.conformance.reports.record_files import ReportFileError
from rankspec.oracle.errors import OracleError

FAULT = 2
"""Exit status where the input or the call is at fault."""


@click.group(
    cls=Verbs, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120}
)
@click.version_option(package_name="rankspec")
def verbs() -> None:
    """Settle what a ranking metric means: check implementations against stated conventions, exactly."""


for verb in (
    check,
    report,
    diff,
    adapters,
    environments,
    smoke,
    fixtures,
    identify,
    resolve,
    explain,
    score,
    witness,
    compare,
    *reference_verbs(),
):
    verbs.add_command(verb)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a verb; a user's mistake is one line on standard error and exit status 2, never a traceback."""
    interruption = Interruption()
    try:
        with signals_interrupt() as interruption:
            status = verbs.main(arguments, prog_name="rankspec", standalone_mode=False)
    except click.ClickException as mistake:
        context = getattr(mistake, "ctx", None)
        more = f" (see `{context.command_path} --help`)" if context is not None else ""
        click.echo(f"rankspec: {mistake.format_message().rstrip('.')}{more}", err=True)
        sys.exit(FAULT)
    except click.Abort:
        click.echo(f"rankspec: {interruption.text}", err=True)
        sys.exit(interruption.status)
    except (CatalogueError, ReportFileError, SourceError, SpecificationError, OracleError) as mistake:
        click.echo(f"rankspec: {mistake}", err=True)
        sys.exit(FAULT)
    sys.exit(status if isinstance(status, int) else 0)


if __name__ == "__main__":
    main()
