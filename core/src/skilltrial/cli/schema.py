"""`skilltrial schema NAME`."""

from __future__ import annotations

import json

import click


@click.command("schema", short_help="Print a JSON Schema: of suites, reports or qualifications.")
@click.argument("name", type=click.Choice(["suite", "report", "qualification"]))
def command(name: str) -> None:
    """Print the JSON Schema of suite files, reports, or answers of `qualified`, as this release has them."""
    if name == "suite":
        from skilltrial.record.suitefile.schema import suite_schema

        schema = suite_schema()
    elif name == "qualification":
        from skilltrial.model.qualifying import qualification_schema

        schema = qualification_schema()
    else:
        from skilltrial.model.report import report_schema

        schema = report_schema()
    click.echo(json.dumps(schema, indent=2, sort_keys=True))
