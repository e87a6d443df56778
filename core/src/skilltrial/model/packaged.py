"""A packaged plugin that surrounds the suite's skills: hooks, MCP entries and scripts, alike in all arms."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from .part import Part, Sha256, Slug

PLUGIN_NAME = r"^[a-z0-9][a-z0-9._-]{0,63}$"
Word = Annotated[str, Field(min_length=1, max_length=1024)]
ROOT = "{plugin}"
"""In a suite's `allow`, and in the commands of a script: the folder in which the plugin lies."""


class Delivery(StrEnum):
    """How the skills and the MCP servers of a suite with a plugin reach the program."""

    PLUGIN = "plugin"
    """In the plugin, which the program installs itself."""
    FOLDER = "folder"
    """Each by itself, as of a suite without a plugin: the skill's folder, the server's address."""


class PluginSource(Part):
    """The plugin that a suite brings; `folder` is relative to the suite file.

    `variables` are set for the program: name → FIXTURE, the address below which it serves, or FIXTURE/path, more of
    it. `programs` must be on PATH before anything starts: what hooks and scripts are written in.
    """

    folder: Annotated[str, Field(min_length=1, max_length=1024)]
    delivery: Delivery = Delivery.PLUGIN
    variables: dict[Word, Word] = Field(default_factory=dict)
    programs: tuple[Word, ...] = ()


class PluginIdentity(Part):
    """The plugin of a run, by what its manifests say, and which way was taken."""

    name: Annotated[str, Field(pattern=PLUGIN_NAME)]
    version: str
    delivery: Delivery
    arms: dict[Slug, Sha256]
    """Arm → digest of the plugin as this arm has it."""
    skills: dict[Slug, tuple[str, ...]]
    """Arm → the names of all skills in it."""
    servers: tuple[str, ...] = ()
    """Its MCP servers: each is the suite's fixture of that name."""
