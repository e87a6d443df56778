"""Routing policies: which host, model and effort may be used for which work and data."""

from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skilltrial.model.errors import DocumentInvalid, InvalidRequest, SourceUnusable
from skilltrial.model.routing import CLASSES, DATA
from skilltrial.record.routing.finding import find_policy
from skilltrial.record.routing.policy import (
    OwnPolicy,
    Policy,
    Work,
    WrittenPolicy,
    WrittenRoute,
    load_policy,
)

CODEX = Work(hosts=frozenset({"codex"}))
CLAUDE = Work(hosts=frozenset({"claude", "claude-code"}))

OWN = """\
routes:
  - id: private
    hosts: [codex]
    classes: [ordinary, substantial]
    data: [PUBLIC, PRIVATE]
    models: [m-1, m-2]
    efforts: [high]
  - {id: open, hosts: [claude-code], data: [PUBLIC]}
"""

Lay = Callable[..., Path]


@pytest.fixture
def lay(tmp_path: Path) -> Lay:
    """Write files below a project; returns the project."""

    def write(**files: str) -> Path:
        project = tmp_path / "project"
        project.mkdir(exist_ok=True)
        for name, text in files.items():
            path = project / {"own": "skilltrial.policy.yaml", "routing": ".embraion/routing.yaml"}.get(
                name, f".embraion/{name}.yaml"
            )
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        return project

    return write


def found(project: Path, named: Path | None = None) -> Policy:
    policy = find_policy(named, project)
    assert policy is not None
    return policy


# --- our own format --------------------------------------------------------------------------------------------


def test_without_a_policy_there_is_none(tmp_path: Path) -> None:
    assert find_policy(None, tmp_path) is None


def test_the_nearest_policy_upwards_counts(lay: Lay) -> None:
    project = lay(own=OWN)
    inner = project / "a" / "b"
    inner.mkdir(parents=True)

    assert found(inner).route(CODEX).rule == "private"
    (inner.parent / "skilltrial.policy.json").write_text('{"routes": [{"id": "nearer"}]}', "utf-8")
    assert found(inner).route(CODEX).rule == "nearer"


def test_a_policy_that_is_named_counts_alone(lay: Lay, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("routes: [{id: other}]", "utf-8")

    assert found(lay(own=OWN), other).route(CODEX).rule == "other"


def test_the_route_says_what_was_decided_by_which_bytes(lay: Lay) -> None:
    route = found(lay(own=OWN)).route(CODEX)

    assert (route.policy, route.rule, route.route_class, route.data) == (
        "skilltrial.policy.yaml",
        "private",
        "ordinary",
        "PRIVATE",
    )
    assert (route.model, route.effort) == ("m-1", "high"), "the first of each where nobody asks"
    assert len(route.policy_sha256) == 64


def test_what_a_route_knows_may_be_asked_for_and_nothing_else(lay: Lay) -> None:
    policy = found(lay(own=OWN))

    assert policy.route(replace(CODEX, model="m-2", effort="high")).model == "m-2"
    with pytest.raises(InvalidRequest, match=r"route 'private' of skilltrial.policy.yaml does not allow the model"):
        policy.route(replace(CODEX, model="m-3"))
    with pytest.raises(InvalidRequest, match=r"does not allow the effort 'low'; it allows high"):
        policy.route(replace(CODEX, effort="low"))


def test_a_route_without_models_leaves_the_flags_as_given(lay: Lay) -> None:
    route = found(lay(own=OWN)).route(replace(CLAUDE, data="PUBLIC", model="any", effort=None))

    assert (route.rule, route.model, route.effort) == ("open", "any", None)


@pytest.mark.parametrize(
    "work",
    [
        replace(CODEX, data="CONFIDENTIAL"),
        replace(CODEX, route_class="critical"),
        CLAUDE,
        Work(hosts=frozenset({"portable"}), data="PUBLIC"),
    ],
)
def test_what_no_route_is_for_may_not_run(lay: Lay, work: Work) -> None:
    with pytest.raises(InvalidRequest, match=r"no route lets host .* its routes: private, open"):
        found(lay(own=OWN)).route(work)


FAULTS = {
    "routes: []": "`routes` is empty",
    "{}": "`routes` is missing in a policy",
    "routes: [{id: a, modle: x}]": "unknown key `modle` in a route; did you mean `models`?",
    "routes: [{id: a, data: [SECRET]}]": "unknown word",
    "routes: [{id: a, classes: [odrinary]}]": "unknown word",
    "routes: [{hosts: [codex]}]": "`id` is missing in a route",
    "routes: [{id: a, models: m}]": "`models` must be a list",
    "routes: [{id: a, models: [3]}]": "must be text",
    "routes: [{id: a}, {id: a}]": "is there twice",
    "routes: [{id: a, provider: other}]": "unknown key `provider`",
    "routes: [{id: a, options: {x: 1}}]": "unknown key `options`",
    "schema_version: 2\nroutes: [{id: a}]": "schema_version",
    "- a": "",
    "routes: [": "",
}


@pytest.mark.parametrize("text", list(FAULTS))
def test_every_fault_of_a_policy_has_its_place(lay: Lay, text: str) -> None:
    with pytest.raises(DocumentInvalid) as refused:
        find_policy(None, lay(own=text))

    assert all(fault.file == "skilltrial.policy.yaml" and fault.line >= 1 for fault in refused.value.faults)
    assert FAULTS[text] in str(refused.value)


def test_all_faults_are_told_at_once(lay: Lay) -> None:
    with pytest.raises(DocumentInvalid) as refused:
        find_policy(None, lay(own="routes:\n  - {id: a, modle: x}\n  - {id: b, data: [X]}\n"))

    assert [fault.line for fault in refused.value.faults] == [2, 3]


def test_a_policy_that_is_named_and_not_there_is_no_policy_less_run(tmp_path: Path) -> None:
    with pytest.raises(SourceUnusable, match="can't be read"):
        find_policy(tmp_path / "none.yaml", tmp_path)
    with pytest.raises(SourceUnusable, match="there is no folder"):
        find_policy(None, tmp_path / "nowhere")


names = st.sampled_from(["codex", "claude", "portable"])
routes = st.builds(
    WrittenRoute,
    id=st.sampled_from(["a", "b", "c"]),
    hosts=st.lists(names, max_size=2).map(tuple),
    classes=st.lists(st.sampled_from(CLASSES), max_size=3).map(tuple),
    data=st.lists(st.sampled_from(DATA), max_size=2).map(tuple),
    models=st.lists(st.sampled_from(["m-1", "m-2"]), max_size=2).map(tuple),
)


@given(
    st.lists(routes, min_size=1, max_size=4),
    names,
    st.sampled_from(CLASSES),
    st.sampled_from(DATA),
    st.sampled_from([None, "m-1", "m-2", "m-3"]),
)
def test_what_runs_is_allowed_by_the_first_route_that_fits(
    written: list[WrittenRoute], host: str, route_class: str, data: str, model: str | None
) -> None:
    policy = OwnPolicy(WrittenPolicy(routes=tuple(written)), "p.yaml", "0" * 64)
    work = Work(frozenset({host}), route_class, data, model)
    fitting = [one for one in written if one.fits(work)]
    try:
        route = policy.route(work)
    except InvalidRequest:
        assert not fitting or (model is not None and fitting[0].models and model not in fitting[0].models)
    else:
        assert route.rule == fitting[0].id
        assert route.model in (fitting[0].models or (model,))


# --- an EmbrAIon project ---------------------------------------------------------------------------------------

DEPLOYMENTS = """\
providers: {example: {display-name: Example}}
deployments:
  main: {host: codex, model: m-main, efforts: [medium, high], default-effort: high}
  plain: {host: codex, model: m-plain}
  off: {host: codex, model: m-off, enabled: false}
  theirs: {host: claude-code, model: m-theirs}
  provided: {host: codex, model: m, provider: example}
  optional: {host: codex, model: m, options: {x: true}}
  public: {host: codex, model: m, capabilities: {data-classes: [PUBLIC]}}
  reading: {host: codex, model: m, capabilities: {access-modes: [read-only]}}
  reviewing: {host: codex, model: m, capabilities: {roles: [reviewer]}}
  graver: {host: codex, model: m, capabilities: {task-classes: [complex]}}
"""


def routed(lay: Lay, selection: str, work: Work = CODEX, host: str = "codex", where: str = "ordinary") -> object:
    overrides = f"overrides: {{{host}: {{routes: {{{where}: {selection}}}}}}}"
    route = found(lay(routing=overrides, deployments=DEPLOYMENTS)).route(work)
    return (route.model, route.effort)


def test_a_project_without_a_choice_leaves_the_flags_as_given(lay: Lay) -> None:
    project = lay(routing="overrides: {}\n")

    route = found(project).route(replace(CODEX, model="any", effort="odd"))

    assert (route.rule, route.model, route.effort, route.deployment) == ("host default", "any", "odd", None)


def test_a_choice_is_used_and_another_is_refused(lay: Lay) -> None:
    assert routed(lay, "{model: m, effort: low}") == ("m", "low")
    assert routed(lay, "{deployment: main}") == ("m-main", "high")
    assert routed(lay, "{deployment: main, effort: medium}") == ("m-main", "medium")
    assert routed(lay, "{deployment: plain}") == ("m-plain", None)
    assert routed(lay, "{effort: low}", replace(CODEX, model="free")) == ("free", "low")
    with pytest.raises(InvalidRequest, match=r"overrides\.codex\.routes\.ordinary of .embraion/routing.yaml does not"):
        routed(lay, "{model: m}", replace(CODEX, model="other"))
    with pytest.raises(InvalidRequest, match=r"deployment 'main' .* does not allow the effort 'low'"):
        routed(lay, "{deployment: main}", replace(CODEX, effort="low"))


def test_a_deployment_gives_any_of_its_efforts(lay: Lay) -> None:
    assert routed(lay, "{deployment: main}", replace(CODEX, effort="medium")) == ("m-main", "medium")


REFUSED = {
    "off": "is not enabled",
    "theirs": "is of the host 'claude-code'",
    "provided": "has the provider 'example'",
    "optional": r"has options \(x\)",
    "public": "is not for data of the class PRIVATE; it is for PUBLIC",
    "reading": "is not for the access workspace-write",
    "reviewing": "is not for the role worker",
    "graver": "is not for work of the class ordinary",
    "nowhere": "which .embraion/deployments.yaml does not have",
}


@pytest.mark.parametrize("deployment", list(REFUSED))
def test_a_deployment_that_does_not_fit_is_refused_by_its_rule(lay: Lay, deployment: str) -> None:
    with pytest.raises(InvalidRequest, match=REFUSED[deployment]) as refused:
        routed(lay, f"{{deployment: {deployment}}}")

    assert "overrides.codex.routes.ordinary of .embraion/routing.yaml" in str(refused.value)


def test_options_and_unknown_efforts_are_refused(lay: Lay) -> None:
    with pytest.raises(InvalidRequest, match=r"sets options \(x\)"):
        routed(lay, "{model: m, options: {x: 1}}")
    with pytest.raises(InvalidRequest, match="does not have the effort 'ultra'; it has medium, high"):
        routed(lay, "{deployment: main, effort: ultra}")


def test_the_choice_of_the_role_lies_over_that_of_the_route(lay: Lay) -> None:
    overrides = """\
overrides:
  codex:
    routes: {ordinary: {model: m-route, effort: low}}
    roles: {worker: {effort: high}, reviewer: {model: never}}
    route-roles: {complex: {worker: {deployment: main}}}
"""
    policy = found(lay(routing=overrides, deployments=DEPLOYMENTS))

    ordinary, complex_ = policy.route(CODEX), policy.route(replace(CODEX, route_class="complex"))

    assert (ordinary.model, ordinary.effort, ordinary.rule) == ("m-route", "high", "overrides.codex.roles.worker")
    assert (complex_.model, complex_.effort, complex_.deployment) == ("m-main", "high", "main")


def test_a_host_is_known_by_all_of_its_names(lay: Lay) -> None:
    assert routed(lay, "{deployment: theirs}", CLAUDE, host="claude-code") == ("m-theirs", None)


def test_a_choice_for_another_class_or_host_is_none(lay: Lay) -> None:
    assert routed(lay, "{model: m}", where="critical") == (None, None)
    assert routed(lay, "{model: m}", CLAUDE) == (None, None)


def test_our_own_policy_goes_before_a_projects_in_the_same_folder(lay: Lay) -> None:
    project = lay(own=OWN, routing="overrides: {codex: {routes: {ordinary: {model: theirs}}}}")

    assert found(project).route(CODEX).model == "m-1"


@pytest.mark.parametrize("text", ["overrides: 3", "overrides: {codex: {routes: {ordinary: {model: 3}}}}", "{}", "["])
def test_a_routing_file_with_faults_is_refused(lay: Lay, text: str) -> None:
    with pytest.raises(DocumentInvalid) as refused:
        find_policy(None, lay(routing=text))

    assert all(fault.file == "routing.yaml" for fault in refused.value.faults)


def test_embraion_8_1_nothing_is_ever_written_into_the_project(lay: Lay) -> None:
    project = lay(routing="overrides: {codex: {routes: {ordinary: {deployment: main}}}}", deployments=DEPLOYMENTS)
    before = {path: path.stat().st_mtime_ns for path in project.rglob("*")}
    for folder in (project, project / ".embraion"):
        folder.chmod(stat.S_IRUSR | stat.S_IXUSR)

    found(project).route(CODEX)
    with pytest.raises(InvalidRequest):
        found(project).route(replace(CODEX, model="other"))

    assert {path: path.stat().st_mtime_ns for path in project.rglob("*")} == before


def test_another_byte_in_either_file_is_another_policy(lay: Lay) -> None:
    routing = "overrides: {}\n"

    one = found(lay(routing=routing, deployments=DEPLOYMENTS)).route(CODEX)
    two = found(lay(routing=routing, deployments=DEPLOYMENTS + "\n")).route(CODEX)

    assert one.policy_sha256 != two.policy_sha256


def test_a_policy_file_is_read_by_its_own_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text('{"routes": [{"id": "only", "models": ["m"]}]}', "utf-8")

    assert load_policy(path).route(CODEX).policy == "mine.json"
