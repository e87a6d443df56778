"""The door: `--version` at once, otherwise the commands; every error becomes one clear text and an exit code."""

from __future__ import annotations

import errno
import gc
import io
import os
import sys

from skilltrial import __version__

NO_READER = 141
"""Exit code where nobody read what we had to say: 128 and SIGPIPE, as shells know it. No statement of ours."""

_OF_PATHS = frozenset({errno.ENAMETOOLONG, errno.ELOOP, errno.EACCES, errno.ENOTDIR})
"""What is wrong with a path that a user names, wherever it is met first."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and exit."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments in (["--version"], ["-V"]):
        # Nothing else is imported for this line.
        sys.stdout.write(f"skilltrial {__version__}\n")
        return
    sys.exit(_run(arguments))


def _run(arguments: list[str]) -> int:
    # pydantic would import every installed package that calls itself a plugin of it, and let it change how models
    # are read: nobody named those. Our own interpreter only; no program of a trial gets this variable.
    os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"

    # Models and dataclasses are made by the hundred at the start, and none of them is ever garbage.
    gc.set_threshold(20_000, 20, 20)

    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        # A name of others may have characters that this output can't write, as standard error does in any case.
        sys.stdout.reconfigure(errors="backslashreplace")

    code = _called(arguments)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _leave_stdout()
    return code


def _called(arguments: list[str]) -> int:
    """Call the command; every way in which it ends becomes an exit code."""
    import click

    from .commands import cli

    stdout = sys.stdout
    try:
        code = cli.main(arguments, prog_name="skilltrial", standalone_mode=False)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        sys.stderr.write(_told(shown.getvalue()))
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return 130
    except SystemExit as error:
        # Where the reader of our output left, click wraps stdout and ends the program with 1: that is *gate failed*.
        if sys.stdout is not stdout:
            sys.stdout = stdout
            _leave_stdout()
            return NO_READER
        # A part that ends the program must not choose its exit code, least of all 0.
        return _explain(error)
    except Exception as error:  # noqa: BLE001 - the last handler: no traceback reaches a user
        return _explain(error)
    return code if isinstance(code, int) else 0


def _leave_stdout() -> None:
    """The reader of our output left (`| head`): Python would complain once more when it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)


def _explain(error: Exception | SystemExit) -> int:
    from skilltrial.model.errors import Exit, SkilltrialError

    if isinstance(error, SkilltrialError):
        sys.stderr.write(f"error: {_told(str(error))}\n")
        return error.exit
    if isinstance(error, OSError) and error.errno in _OF_PATHS and isinstance(error.filename, str):
        sys.stderr.write(f"error: {_told(error.filename)} can't be used: {error.strerror}\n")
        return Exit.INVALID
    if os.environ.get("SKILLTRIAL_TRACE"):
        raise error
    sys.stderr.write(
        f"error: a fault of skilltrial itself: {type(error).__name__} in {_where(error)}; "
        "SKILLTRIAL_TRACE=1 shows more. Please report it.\n"
    )
    return Exit.INTERNAL


def _told(text: str) -> str:
    """What a message says. It may name a file of others, and names can hold what would steer a terminal."""
    from skilltrial.model.visible import written_out

    return written_out(text, keep="\n")


def _where(error: BaseException) -> str:
    """The module and line that raised: an error's own text could hold a prompt."""
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is None:
        return "an unknown place"
    return f"{frame.tb_frame.f_globals.get('__name__', '?')}:{frame.tb_lineno}"
