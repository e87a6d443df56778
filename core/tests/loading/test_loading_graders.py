"""Which option model reads a check, and the installed graders."""

from __future__ import annotations

import pytest

from skilltrial.model.errors import InvalidRequest, PluginNotFound
from skilltrial.model.suite import Check
from skilltrial.plugins.discovery import Discovery
from skilltrial.plugins.graders import Graders, choose


@pytest.mark.parametrize(
    ("options", "model"),
    [
        ({"path": "a", "contains": "x"}, "TextCheck"),
        ({"path": "a", "unchanged": True}, "UnchangedCheck"),
        ({"changed_within": ["a"]}, "WithinCheck"),
        ({"path": "a", "contain": "x"}, "TextCheck"),
        ({"path": "a", "unchangd": True}, "UnchangedCheck"),
        ({"path": "a", "unchanged": "yes"}, "UnchangedCheck"),
        ({"path": "a", "equals_fil": "x"}, "GoldenCheck"),
        ({"changed_withn": ["a"]}, "WithinCheck"),
        ({"path": "a"}, "TextCheck"),
        ({}, "TextCheck"),
    ],
)
def test_the_model_that_was_meant_is_found(project, options, model):
    models = project.graders.find("files").check_models()

    assert choose(models, options).__name__ == model


class Installed(Graders):
    """Graders that are at hand without being installed."""

    def __init__(self, project) -> None:
        super().__init__(Discovery(()))
        self.project = project

    def find(self, name):
        return self.project.graders.find(name)


def test_a_check_of_an_archive_is_read_as_its_grader_reads_it(project):
    check = Check.model_validate({"id": "a", "grader": "files", "path": "a.txt", "contains": "x"})

    assert Installed(project).read_check(check).paths() == ("a.txt",)


def test_a_check_that_does_not_fit_is_refused_without_its_content(project):
    check = Check.model_validate({"id": "a", "grader": "files", "path": ["CANARY"], "contains": "CANARY"})

    with pytest.raises(InvalidRequest, match=r"check 'a': its options do not fit the files grader \(path\)") as caught:
        Installed(project).read_check(check)

    assert "CANARY" not in str(caught.value)


def test_an_unknown_grader_is_not_found():
    graders = Graders(Discovery(()))

    assert graders.names() == ()
    with pytest.raises(PluginNotFound, match="no grader called 'files'; installed: none"):
        graders.find("files")
