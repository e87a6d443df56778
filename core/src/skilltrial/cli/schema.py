"""`skilltrial schema NAME`."""

from __future__ import annotations

import json

import click


@click.command("schema", short_help="Print a JSON Schema: of suites or of reports.")
@click.argument("name", type=click.Choice(["suite", "report"]))
def command(name: str) -> None:
    """Print the JSON Schema of suite files, or of reports, made from the models of this release."""
    if name == "suite":
        from skilltrial.record.suitefile.schema import suite_schema

        schema = suite_schema()
    else:
        from skilltrial.model.report import report_schema

        schema = report_schema()
    click.echo(json.dumps(schema, indent=2, sort_keys=True))
