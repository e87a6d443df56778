"""Binding: a plugin fits its hook spec or is told in a sentence what does not; facades let nothing wrong through."""

from __future__ import annotations

import inspect
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from skilltrial.model.answering import Question, Readiness, Remarks, ToolAnswer
from skilltrial.model.capabilities import Can, Sees
from skilltrial.model.checks import CheckOptions
from skilltrial.model.errors import Exit, PluginMismatch
from skilltrial.model.events import SessionEnded
from skilltrial.model.evidence import CheckResult
from skilltrial.model.foreign import ForeignRun, ForeignSuite
from skilltrial.model.suite import Say
from skilltrial.model.trial import FixtureIdentity, HostIdentity, Lending, Place, Probe, Skill, ToolCall
from skilltrial.model.words import Ending
from skilltrial.plugins import binding, facades, hookspecs
from skilltrial.plugins.binding import bind, check, public_methods

PROJECT = Path("/place/project")
SKILL = Skill("notes", "0" * 64, "0" * 64)


def place() -> Place:
    return Place(project=PROJECT, home=PROJECT, tmp=PROJECT, environment={}, launcher=None)  # type: ignore[arg-type]


class Exists(CheckOptions):
    exists: str


END = SessionEnded(seq=1, ending=Ending.COMPLETED)
IDENTITY = HostIdentity(name="h", records="r")

HOOKS: dict[tuple[type, str], tuple[dict[str, Any], list[Any], list[Any]]] = {
    (facades.HostFacade, "describe_host"): ({}, [IDENTITY], ["h", {"name": "h"}, HostIdentity]),
    (facades.HostFacade, "probe_host"): ({}, [Probe(None)], [True, "found", Probe]),
    (facades.HostFacade, "lend_host"): ({"passed": {}, "seconds": 1}, [Lending()], [{}, (), Lending]),
    (facades.HostFacade, "place_skill"): (
        {"skill": SKILL, "place": place()},
        [PROJECT / "notes", PROJECT / "a/b/notes"],
        [
            "/place/project/notes",
            PROJECT,
            PROJECT / "other",
            Path("/place/notes"),
            Path("notes"),
            PROJECT / "../notes",
            PROJECT / "a/../../notes",
            Path("/place/project-2/notes"),
        ],
    ),
    (facades.HostFacade, "open_session"): (
        {"trial": None, "place": place(), "offers": (), "model": None, "recorder": None},
        [nullcontext()],
        [object(), "session", nullcontext],
    ),
    (facades.FixtureFacade, "fixture_assets"): ({}, [(), ["a"], iter(["a"])], ["a", b"a", 3, [1], [None]]),
    (facades.FixtureFacade, "fixture_needs"): (
        {},
        [frozenset(), frozenset({Can.MCP_HTTP})],
        [set(), (), frozenset({"x"}), frozenset({Sees.COST})],
    ),
    (facades.FixtureFacade, "check_fixture"): ({"assets": {}, "options": {}}, [(), ["fault"]], ["fault", 3, [3]]),
    (facades.FixtureFacade, "describe_fixture"): (
        {"assets": {}},
        [FixtureIdentity(tools=("search",))],
        [("search",), {"tools": ["search"]}, FixtureIdentity],
    ),
    (facades.FixtureFacade, "open_fixtures"): ({"run": None, "assets": {}}, [nullcontext()], [object(), []]),
    (facades.AnswererFacade, "check_state"): ({"state": {}}, [(), ["fault"]], ["fault", 3, [3]]),
    (facades.AnswererFacade, "check_ready"): ({"state": {}}, [Readiness(True)], [True, "yes", Readiness]),
    (facades.AnswererFacade, "list_questions"): ({"state": {}}, [(), [Question("a", {})]], [3, ["a"], "a"]),
    (facades.AnswererFacade, "remark"): (
        {"tool": "a", "arguments": {}, "result": None, "is_error": False, "state": {}},
        [Remarks()],
        [None, "x", {}],
    ),
    (facades.AnswererFacade, "answer_call"): (
        {"tool": "t", "arguments": {}, "state": {}},
        [ToolAnswer("ok", {})],
        ["ok", {"result": "ok"}, ToolAnswer],
    ),
    (facades.ModelFacade, "open_models"): ({"run": None, "dialect": None}, [nullcontext()], [object(), []]),
    (facades.ObserverFacade, "open_observer"): ({"run": None}, [nullcontext()], [object(), []]),
    (facades.DialectFacade, "spell"): (
        {"act": Say(say="x"), "tools": ()},
        [ToolCall("a", {})],
        ["a", {"name": "a"}, ("a", {}), ToolCall],
    ),
    (facades.NormalizerFacade, "normalize"): (
        {"records": ()},
        [(), [END], iter([END])],
        ["", b"", END, 3, [END, None], ["event"], [{"event": "SessionEnded"}], [SessionEnded]],
    ),
    (facades.FormatFacade, "read_suite"): (
        {"path": PROJECT, "document": {}},
        [ForeignSuite()],
        [{}, ({}, ()), ForeignSuite],
    ),
    (facades.TranscriptFacade, "read_transcript"): (
        {"data": b""},
        [ForeignRun({}, IDENTITY, datetime.now(UTC), ())],
        [{}, [], ForeignRun],
    ),
    (facades.RendererFacade, "render_report"): (
        {"report": None, "inputs": None},
        [b"", b"x"],
        ["x", bytearray(), [b"x"]],
    ),
    (facades.GraderFacade, "check_models"): (
        {},
        [[Exists], (Exists,)],
        [Exists, [int], [Exists(exists="x")], ["Exists"], 3],
    ),
    (facades.GraderFacade, "check_needs"): (
        {"check": Exists(exists="x")},
        [frozenset(), frozenset({Sees.ANSWERS})],
        [set(), (), [Sees.ANSWERS], frozenset({"telepathy"}), frozenset({Can.MODEL}), frozenset({None})],
    ),
    (facades.GraderFacade, "grade"): (
        {"check": Exists(exists="x"), "evidence": None},
        [CheckResult.passed()],
        [True, False, "passed", CheckResult, (CheckResult.passed(),)],
    ),
}
FRONTS = sorted(binding._SPECS, key=lambda front: front.__name__)


def spec_of(front: type) -> type:
    return binding._SPECS[front][1]


def plugin_class(front: type, **methods: Any) -> type:
    """A class with every hook of the kind (the spec's own do nothing), some of them replaced."""
    hooks = {name: getattr(spec_of(front), name) for name in public_methods(spec_of(front))}
    return type("Plugin", (), {**hooks, **methods})


def giving(front: type, hook: str, value: object) -> object:
    """A plugin whose hook takes what the spec gives, and returns `value`."""
    parameters = ", ".join(inspect.signature(getattr(spec_of(front), hook)).parameters)
    made: dict[str, Any] = {"value": value}
    exec(f"def {hook}({parameters}):\n    return value", made)
    return plugin_class(front, **{hook: made[hook]})()


def test_the_table_below_has_every_hook_of_every_kind():
    every = {(front, hook) for front in FRONTS for hook in public_methods(spec_of(front))}

    assert set(HOOKS) == every
    for front in FRONTS:
        assert public_methods(front) == public_methods(spec_of(front)), "a facade has the hooks of its spec"


GOOD = [(*key, value) for key, (_, good, _) in HOOKS.items() for value in good]
BAD = [(*key, value) for key, (_, _, bad) in HOOKS.items() for value in [None, *bad]]


@pytest.mark.parametrize(("front", "hook", "value"), GOOD)
def test_a_facade_gives_what_the_plugin_gave(front, hook, value):
    arguments = HOOKS[front, hook][0]
    bound = bind(front, "acme", giving(front, hook, value))

    assert getattr(bound, hook)(**arguments) is not None


@pytest.mark.parametrize(("front", "hook", "value"), BAD)
def test_a_facade_refuses_what_is_of_the_wrong_kind_and_names_the_hook(front, hook, value):
    arguments = HOOKS[front, hook][0]
    bound = bind(front, "acme", giving(front, hook, value))

    with pytest.raises(PluginMismatch, match=f"'acme': hook {hook} (returned|must return)") as caught:
        getattr(bound, hook)(**arguments)
    assert caught.value.exit is Exit.INVALID
    assert "\n" not in str(caught.value)


def test_arguments_reach_a_plugin_by_their_names():
    """So the order in which a plugin writes them down does not matter, and it may leave some out."""
    seen: dict[str, object] = {}

    def open_session(self, recorder, trial):
        seen.update(recorder=recorder, trial=trial)
        return nullcontext()

    bound = bind(facades.HostFacade, "acme", plugin_class(facades.HostFacade, open_session=open_session)())
    bound.open_session("trial", place(), (), None, "recorder")  # type: ignore[arg-type]

    assert seen == {"recorder": "recorder", "trial": "trial"}


@pytest.mark.parametrize("front", FRONTS, ids=lambda front: front.__name__)
def test_each_missing_hook_is_named(front):
    kind = binding._SPECS[front][0]
    for hook in public_methods(spec_of(front)):
        owner = plugin_class(front)
        delattr(owner, hook)
        with pytest.raises(PluginMismatch, match=f"^{kind} 'acme': hook {hook} missing; Plugin must define it$"):
            bind(front, "acme", owner())
    with pytest.raises(PluginMismatch, match="missing"):
        bind(front, "acme", object())


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        pytest.param(
            {"describe_hots": lambda self: 1},
            "public method 'describe_hots' is no hook; did you mean `describe_host`?",
            id="misspelt",
        ),
        pytest.param(
            {"helper": lambda self: 1},
            "public method 'helper' is no hook; give helpers a name that begins with `_`",
            id="helper",
        ),
        pytest.param({"probe": staticmethod(lambda: 1)}, "public method 'probe' is no hook", id="static"),
        pytest.param({"grade": classmethod(lambda cls: 1)}, "public method 'grade' is no hook", id="of another kind"),
        pytest.param(
            {"place_skill": lambda self, skil, place: 1},
            "hook place_skill has no parameter 'skil'; did you mean 'skill'?",
            id="parameter",
        ),
        pytest.param(
            {"place_skill": lambda self, zzz: 1},
            "hook place_skill has no parameter 'zzz'; it may take skill, place",
            id="strange parameter",
        ),
        pytest.param(
            {"describe_host": lambda self, why: 1},
            "hook describe_host has no parameter 'why'; it may take none",
            id="one too many",
        ),
        pytest.param(
            {"place_skill": lambda self, skill, place=None: 1},
            "hook place_skill declares parameter 'place' with a default",
            id="default",
        ),
        pytest.param(
            {"place_skill": lambda self, *, skill: 1},
            "hook place_skill declares parameter 'skill' with a default, as keyword-only",
            id="keyword only",
        ),
        pytest.param(
            {"place_skill": lambda self, skill, /: 1}, "hook place_skill declares parameter 'skill'", id="position only"
        ),
        pytest.param(
            {"place_skill": lambda self, *arguments: 1}, "hook place_skill declares parameter 'arguments'", id="star"
        ),
        pytest.param(
            {"place_skill": lambda self, **arguments: 1},
            "hook place_skill declares parameter 'arguments'",
            id="two stars",
        ),
    ],
)
def test_what_does_not_fit_is_one_sentence_with_plugin_hook_and_remedy(methods, said):
    owner = plugin_class(facades.HostFacade, **methods)

    for hold in (lambda: bind(facades.HostFacade, "acme", owner()), lambda: check("host", "acme", owner)):
        with pytest.raises(PluginMismatch) as caught:
            hold()
        assert str(caught.value).startswith("host 'acme': ")
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_class_in_the_place_of_an_instance_is_refused():
    with pytest.raises(PluginMismatch, match="an instance is needed, not the class Plugin"):
        bind(facades.GraderFacade, "acme", plugin_class(facades.GraderFacade))


def test_hooks_may_be_inherited_static_or_of_the_class():
    base = plugin_class(facades.NormalizerFacade, normalize=lambda self, records: [END])
    static = plugin_class(facades.NormalizerFacade, normalize=staticmethod(lambda records: [END]))
    of_class = plugin_class(facades.NormalizerFacade, normalize=classmethod(lambda cls, records: [END]))

    for owner in (type("Child", (base,), {}), static, of_class):
        assert bind(facades.NormalizerFacade, "acme", owner()).normalize(()) == (END,)


def test_fields_private_methods_and_properties_are_no_hooks_and_are_not_called():
    """pluggy used to look at every attribute of what it registers: a property then ran when nobody asked."""

    class Plugin(plugin_class(facades.NormalizerFacade)):  # type: ignore[misc]
        option = 3
        called = staticmethod  # a name that is no method of its own

        @property
        def costly(self) -> int:
            raise AssertionError("evaluated")

        def _helper(self) -> None:
            raise AssertionError("called")

    del Plugin.called
    bind(facades.NormalizerFacade, "acme", Plugin())


def test_two_bound_plugins_know_nothing_of_each_other():
    one = bind(facades.NormalizerFacade, "one", giving(facades.NormalizerFacade, "normalize", [END]))
    other = bind(facades.NormalizerFacade, "other", giving(facades.NormalizerFacade, "normalize", []))

    assert one.normalize(()) == (END,)
    assert other.normalize(()) == ()


def test_what_a_plugin_raises_is_its_own():
    class Boom(Exception):
        pass

    def normalize(self, records):
        raise Boom

    with pytest.raises(Boom):
        bind(facades.NormalizerFacade, "acme", plugin_class(facades.NormalizerFacade, normalize=normalize)()).normalize(
            ()
        )


def test_every_hook_is_documented_and_has_plain_parameters():
    """The specs hold to the rule that they make."""
    for front in FRONTS:
        spec = spec_of(front)
        assert inspect.getdoc(spec)
        for hook in public_methods(spec):
            assert inspect.getdoc(getattr(spec, hook)), hook
            for parameter in inspect.signature(getattr(spec, hook)).parameters.values():
                assert parameter.default is parameter.empty
                assert parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    assert hookspecs.PROJECT == "skilltrial"
