"""Broken doubles: each is a test class of which only the one test is run that it must fail (`pytest -p matrix`)."""

from __future__ import annotations

from typing import Any

import pytest


def broken(contract: type, test: str, make: Any, space: dict[str, Any]) -> None:
    """Put a class into `space` that holds a broken double to the contract. Its `breaks` is the test it must fail."""
    assert test in dir(contract), f"{contract.__name__} has no {test}"
    number = 1 + sum(getattr(one, "breaks", None) == test for one in space.values())
    name = f"TestBroken_{test.removeprefix('test_')}_{number}"

    def subject(self: Any) -> Any:
        return make()

    body = {"subject": pytest.fixture(subject), "breaks": test, "__module__": space["__name__"]}
    space[name] = type(contract)(name, (contract,), body)


def pytest_collection_modifyitems(items: list[Any]) -> None:
    """Leave out the other tests of broken doubles."""
    items[:] = [item for item in items if getattr(item.cls, "breaks", item.originalname) == item.originalname]
