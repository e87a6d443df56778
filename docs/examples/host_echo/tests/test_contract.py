"""The contracts of the parts: the host on a fake sed, the others on examples."""

import pytest
from skilltrial_host_echo.grader import SaidGrader
from skilltrial_host_echo.host import EchoHost
from skilltrial_host_echo.normalizer import EchoNormalizer

from skilltrial.api import Ending, Evidence, Exited, Files, HostIdentity, Sees, Source, Spawned, TrialKey, TurnSent
from skilltrial.testing import records
from skilltrial.testing.graders import CheckExample, GraderContract, GraderSubject
from skilltrial.testing.hosts import HostContract, HostSubject
from skilltrial.testing.normalizers import NormalizerContract, NormalizerSubject
from skilltrial.testing.programs import Rendering, out


class SedRendering(Rendering):
    """sed shows nothing but an answer."""

    def answer(self, turn, text):
        return out(*(f"echo: {line}" for line in text.splitlines()))


class TestHost(HostContract):
    @pytest.fixture
    def subject(self):
        return HostSubject(
            EchoHost, lambda program, **more: EchoHost(str(program), **more), SedRendering(), EchoNormalizer()
        )


def session(*lines, code=0):
    told = [(Source.STDOUT, line) for line in lines]
    return records(TurnSent(turn=1, prompt_sha256="a" * 64), Spawned(argv=("sed",)), *told, Exited(code=code))


class TestNormalizer(NormalizerContract):
    @pytest.fixture
    def subject(self):
        good = session("echo: hello", "echo: you")
        return NormalizerSubject(EchoNormalizer(), {"good": good}, {"silent": session(), "failed": session(code=1)})


def evidence(*answers, sees=frozenset(Sees)):
    return Evidence(
        key=TrialKey(case="c", arm="a", label="1"),
        identity=HostIdentity(name="echo", records="echo"),
        sees=sees,
        ending=Ending.COMPLETED,
        events=(),
        files=Files({}, {}, ()),
        answers=dict(enumerate(answers, 1)),
    )


class TestGrader(GraderContract):
    @pytest.fixture
    def subject(self):
        example = CheckExample({"text": "hello"}, evidence("hello you"), evidence("goodbye"), evidence())
        return GraderSubject(SaidGrader(), [example])
