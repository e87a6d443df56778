"""`skilltrial profile`: describe an agent program by a file, and see what is understood of its lines."""

from __future__ import annotations

from pathlib import Path

import click


@click.group("profile")
def command() -> None:
    """Programs that are described by a file: `run --host portable --profile FILE`.

    A profile says how a program is started, where it looks for skills, and what the lines mean that it prints. What is
    mapped is seen; a check that needs more stays unverified.
    """


@command.command("list")
def list_profiles() -> None:
    """Print the profiles that come along."""
    from .reading import read_profile, shipped

    for name in shipped():
        click.echo(f"{name:<12}{read_profile(name).profile.made_for}")


@command.command("show")
@click.argument("name")
def show(name: str) -> None:
    """Print a profile that comes along, as a start for your own: `skilltrial profile show pi > mine.yaml`."""
    from .reading import shipped, text_of

    if name not in shipped():
        raise click.UsageError(f"there is no profile {name!r}; there are {', '.join(shipped())}")
    click.echo(text_of(name).decode("utf-8"), nl=False)


@command.command("schema")
def schema() -> None:
    """Print the JSON Schema of profiles."""
    import json

    from .profile import Profile

    click.echo(json.dumps(Profile.model_json_schema(), indent=2, sort_keys=True))


@command.command("try")
@click.argument("profile")
@click.argument("recording", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--skill", "skills", metavar="ID", multiple=True, help="A skill that was placed (may repeat).")
@click.option("--server", "servers", metavar="NAME", multiple=True, help="An MCP server that was offered (may repeat).")
def try_profile(profile: str, recording: Path, skills: tuple[str, ...], servers: tuple[str, ...]) -> None:
    """Read a RECORDING (what the program printed) by a PROFILE; say line by line what was understood.

    Starts nothing. Ends with 1 where a line was not understood as it was mapped, or the turn has no end.
    """
    from .reading import read_profile
    from .trying import Trying

    try:
        read = read_profile(profile)
    except ValueError as error:
        faults = "\n".join(f"  {fault}" for fault in str(error).split("; "))
        raise click.UsageError(f"profile {profile}:\n{faults}") from None
    trying = Trying(read.profile, recording.read_bytes(), skills, servers)
    for line in trying.lines():
        click.echo(line)
    if not trying.sound:
        click.get_current_context().exit(1)
