"""What the host may be asked for, and what it refuses."""

from typing import Any

import pytest
from pydantic import ValidationError

from skilltrial_host_portable.host import PortableHost


@pytest.mark.parametrize(
    "command",
    [
        (),
        ("",),
        ("agent", ""),
        ("agent", "a\0b"),
        ("agent", "x" * 4097),
        ("agent",) * 65,
        "agent",
        ("agent", 5),
        {"a": 1},
    ],
)
def test_embraion_17_a_command_is_a_bounded_vector_of_usable_items(command):
    with pytest.raises(ValidationError):
        PortableHost(command=command)


def test_a_command_may_come_as_a_list_as_long_as_allowed():
    listed: Any = ["agent", *["x" * 4096] * 63]

    assert PortableHost(command=listed)._vector[0] == "agent"


@pytest.mark.parametrize(
    "folder",
    ["../x", "x/../y", "./x", "x/.", "x//y", "/x", "x/", "", "C:/x", "C:x", "x\\y", "..\\x", "\\\\host\\x", "x\0y"],
)
def test_embraion_17_a_skill_folder_must_lie_below_the_project(folder):
    with pytest.raises(ValidationError):
        PortableHost(command=("agent",), skill_dir=folder)


@pytest.mark.parametrize("option", ["model", "effort", "binary", "host_binary", "skill-dir"])
def test_embraion_17_what_a_portable_command_can_not_apply_is_refused(option):
    unknown: dict[str, Any] = {option: "x"}

    with pytest.raises(ValidationError, match=option):
        PortableHost(command=("agent",), **unknown)


@pytest.mark.parametrize("home", ["", "mine", "copy", "copy:", "copy:/does/not/exist", "/root", "FRESH"])
def test_a_home_is_fresh_own_or_a_copy_of_a_folder_that_exists(home):
    with pytest.raises(ValidationError):
        PortableHost(command=("agent",), home=home)


@pytest.mark.parametrize("name", ["", "A B", "A=B", "1A", "A-B", "A\0"])
def test_a_variable_of_the_endpoint_needs_a_usable_name(name):
    with pytest.raises(ValidationError):
        PortableHost(command=("agent",), endpoint_env={name: "{model_url}"})


def test_no_refusal_repeats_what_it_refuses():
    for options in ({"command": ("a", "canary\0")}, {"command": ("a",), "skill_dir": "../canary"}):
        with pytest.raises(ValidationError) as caught:
            PortableHost(**options)
        assert all("canary" not in fault["msg"] for fault in caught.value.errors())
