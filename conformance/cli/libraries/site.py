"""`rankspec site`: the pages of the specification, the atlas and the resolver, as files."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import click
from rankspec.conformance.cli.support.options import CallError

_NEEDED = ("jinja2", "markdown_it")


@click.command()
@click.option("--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="The folder to write to.")
@click.option(
    "--records",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder of records of the atlas instead of those that come with rankspec.",
)
@click.option(
    "--resolver",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The unpacked npm package pyodide, which lets the resolver answer in the browser.",
)
def site(out: Path, records: Path | None, resolver: Path | None) -> None:
    """Write the static site (specification, atlas, errata, resolver), to open from disk or host anywhere.

    \b
    rankspec site --out site
    npm pack pyodide && tar xzf pyodide-*.tgz && rankspec site --out site --resolver package
    """  # noqa: D301 - click knows paragraphs to be left alone by a backspace
    lacking = [name for name in _NEEDED if find_spec(name) is None]
    if lacking:
        raise CallError(f"{', '.join(lacking)} not installed: pip install 'rankspec[site]'", code="package-missing")
    from rankspec.conformance.site.build import build

    built = build(out, records=records, resolver=resolver)
    click.echo(f"{built.pages} pages in {out}; open {out / 'index.html'}")
    if not built.resolver:
        click.echo("The resolver's page says how to ask on a terminal; --resolver lets it answer in the browser.")
    if built.slow:
        click.echo(f"The resolver will take long to start, as it could not be started ahead: {built.slow}", err=True)
