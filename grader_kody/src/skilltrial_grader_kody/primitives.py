"""What a search shows beside saved packages: the runtime's operations that are primitives, and the guides."""

from __future__ import annotations

PRIMITIVES: dict[str, str] = {
    "kody.packageList": "List the saved packages with id, name, title, description and visibility, public or private.",
    "kody.packageGet": "Show one saved package: title, description and visibility.",
    "kody.packageSave": "Save a package: its source, its manifest, and schedules that belong to it.",
    "kody.codingGuideGet": "Read a guide to writing packages.",
    "kody.repoOpenSession": "Open an editing session on the source of a package.",
    "kody.repoReadFile": "Read a file in an editing session.",
    "kody.repoEditFiles": "Change files in an editing session.",
    "kody.repoRunChecks": "Run the checks of an editing session.",
    "kody.repoPublishSession": "Publish what an editing session changed.",
    "kody.valueList": "List the names of the saved values (settings), with whether each is secret.",
    "kody.valueGet": "Read one saved value by its name.",
    "workflows.create": (
        "Run a module once, later: `code` or `exportName`, and `runAt` for when (without it, now). For a single "
        "deferred action such as one reminder; what recurs is a schedule of a saved package."
    ),
}
"""Operation → what it is for. Each is an ingredient, never an exact result."""

GUIDES: dict[str, str] = {
    "packages": (
        "A package is a module with a default export and a manifest. Save it with kody.packageSave({name, files}), or "
        "open a session with kody.repoOpenSession, change files with kody.repoEditFiles, run kody.repoRunChecks and "
        "publish with kody.repoPublishSession. Schedules belong to the manifest."
    ),
    "workflows": (
        "workflows.create({code, runAt, params}) runs a module once at runAt. Without runAt it runs at once. What "
        "recurs belongs to a package's manifest."
    ),
}
"""Guide → its text."""
