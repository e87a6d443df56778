"""What a host says of itself and of its program, before anything is started."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from skilltrial.model.errors import SkilltrialError
from skilltrial.model.trial import Skill
from skilltrial.plugins.binding import bind
from skilltrial.plugins.facades import HostFacade

from .contracts import demand, documented
from .stages import SKILL, Stage, digest


class HostIdentityTests:
    """Part of HostContract."""

    def test_fits_its_hook_spec(self, subject: Any, tmp_path: Path) -> None:
        """Every hook is there, with plain parameters, and nothing public beside them; the class says what it is."""
        host = subject.make(tmp_path / subject.name, **subject.options)
        bind(HostFacade, "subject", host)
        demand(isinstance(host, subject.part), f"make built a {type(host).__name__}, not a {subject.part.__name__}")
        demand(documented(host), "the host's class has no docstring; `skilltrial plugins` shows its first line")

    def test_describes_itself_alike_each_time(self, stage: Stage) -> None:
        """The same program gives the same identity; describing it takes no prompt and starts no session."""
        random.seed(7)
        first = stage.host().describe_host()
        random.seed(8)
        demand(first == stage.host().describe_host(), "describe_host gave two identities for one program")
        demand(not stage.program.starts, "describe_host started a session; it may only ask for the version")

    def test_knows_the_program_by_its_bytes(self, stage: Stage) -> None:
        """`program_sha256` is of the file that will be started, or None: it tells two programs apart."""
        before = stage.host().describe_host().program_sha256
        text = stage.program.path.read_text(encoding="utf-8")
        stage.program.path.write_text(text + "# another\n", encoding="utf-8")
        after = stage.host().describe_host().program_sha256
        demand(
            before is None or before != after,
            "another program file has the same program_sha256; give the digest of the file, or None",
        )

    def test_probing_never_raises(self, subject: Any, stage: Stage, tmp_path: Path) -> None:
        """A program that is there is found; one that is not is None, with a sentence on what to do."""
        found = stage.host().probe_host()
        demand(
            found.program == stage.program.path or (found.program is None and found.told),
            f"probe_host found {found.program}, the program is {stage.program.path}",
        )
        missing = bind(HostFacade, "subject", subject.make(tmp_path / "nowhere" / "none", **subject.options))
        try:
            probe = missing.probe_host()
        except Exception as error:
            raise AssertionError(
                f"probe_host raised {type(error).__name__} for a program that is missing; it never raises"
            ) from error
        demand(probe.program is None, "probe_host found a program that does not exist")
        demand(probe.todo or probe.told, "probe_host says nothing of a program that is missing; say what to do")

    def test_a_missing_program_is_told_in_a_sentence(self, subject: Any, tmp_path: Path) -> None:
        """describe_host gives an identity, or raises InvalidRequest: never a bare OSError."""
        missing = bind(HostFacade, "subject", subject.make(tmp_path / "nowhere" / "none", **subject.options))
        try:
            missing.describe_host()
        except SkilltrialError as error:
            demand(str(error).strip(), "the error for a missing program says nothing")
        except Exception as error:
            raise AssertionError(
                f"describe_host raised {type(error).__name__} for a missing program; raise InvalidRequest"
            ) from error

    def test_naming_a_skills_folder_is_pure(self, stage: Stage) -> None:
        """place_skill only names a folder below the project, always the same, whose last name is the skill's."""
        host, place = stage.host(), stage.place()
        skill = Skill(SKILL, digest("kit"), digest("body"))
        folders = {host.place_skill(skill, place) for _ in range(2)}
        demand(len(folders) == 1, "place_skill named two folders for one skill")
        demand(not list(place.project.iterdir()), "place_skill made something in the project; the core copies skills")
        demand(not stage.program.starts, "place_skill started the program")

    def test_lending_tells_no_secret(self, stage: Stage) -> None:
        """What lend_host tells is for everybody; values stand in `secrets` alone, and are not shown by repr."""
        secret = "kit-secret-0b7d4f1e"  # noqa: S105 - made up
        host = stage.host()
        try:
            lending = host.lend_host({"OPENAI_API_KEY": secret, "ANTHROPIC_API_KEY": secret, "KIT_KEY": secret}, 60)
        except SkilltrialError as error:
            demand(secret not in str(error), "the error of lend_host holds a credential's value")
            return
        demand(secret not in " ".join(lending.told), "what lend_host tells holds a credential's value")
        demand(secret not in repr(lending), "the repr of what is lent holds a credential's value")
        demand(secret not in repr(host.describe_host()), "the identity holds a credential's value")
