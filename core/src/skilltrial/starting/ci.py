"""A GitHub workflow for one suite: what costs nothing for everybody, live runs for the repository's own branches."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from skilltrial.model.errors import InvalidRequest

AGENTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "claude": ("@anthropic-ai/claude-code", "ANTHROPIC_API_KEY"),
        "codex": ("@openai/codex", "CODEX_API_KEY"),
    }
)
"""Host → what npm installs it from, and the secret that its sessions are passed."""

_TEXT = """\
# Written by `skilltrial init --ci github`.
#
# Needs the secret {secret} of this repository. A pull request from a fork gets no secret: it is linted and rehearsed,
# and its live run waits for somebody who merges it or pushes its branch here.
name: skill {name}

on:
  push:
    branches: [main]
    paths: [{paths}]
  pull_request:
    paths: [{paths}]

permissions:
  contents: read

jobs:
  rehearse:
    name: lint and rehearse (no key, no cost)
    runs-on: ubuntu-latest
    timeout-minutes: 15
    steps:
      - uses: actions/checkout@v4
        with:
          # `previous` needs the history up to where the branch left main.
          fetch-depth: 0
          persist-credentials: false
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: python -m pip install skilltrial-all
      - run: skilltrial lint {suite}
      # The page of each run is in the summary of its step as well.
      - run: skilltrial rehearse {suite} --host portable --records events -- skilltrial-agent

  live:
    name: with and without the skill
    needs: rehearse
    if: github.event_name == 'push' || github.event.pull_request.head.repo.full_name == github.repository
    runs-on: ubuntu-latest
    timeout-minutes: 120
    env:
      RUN: .skilltrial/ci/{name}
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
          persist-credentials: false
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - uses: actions/setup-node@v4
        with:
          node-version: "22"
      - run: python -m pip install skilltrial-all && npm install --global {package}
      # A re-run of this job finds what was sealed before, and pays only for what is missing.
      - uses: actions/cache/restore@v4
        with:
          path: ${{{{ env.RUN }}}}
          key: skilltrial-{name}-${{{{ github.run_id }}}}-${{{{ github.run_attempt }}}}
          restore-keys: skilltrial-{name}-${{{{ github.run_id }}}}-
      # Exit 0 is the only green one: 1 is a failed gate, 3 a run that shows nothing.
      - name: run
        env:
          {secret}: ${{{{ secrets.{secret} }}}}
        run: |
          if [ -f "$RUN/plan.json" ]; then
            skilltrial run --resume "$RUN" --incomplete --max-sessions 200 --max-time 6000 --yes
          else
            skilltrial run {suite} --host {host} --pass-env {secret} --out "$RUN" \\
              --max-sessions 200 --max-time 6000 --yes
          fi
      - uses: actions/cache/save@v4
        if: always()
        with:
          path: ${{{{ env.RUN }}}}
          key: skilltrial-{name}-${{{{ github.run_id }}}}-${{{{ github.run_attempt }}}}
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: skilltrial-{name}-${{{{ github.run_attempt }}}}
          path: ${{{{ env.RUN }}}}
          include-hidden-files: true
          if-no-files-found: ignore
"""


@dataclass(frozen=True, slots=True)
class Workflow:
    """What a workflow is for. Paths are POSIX, from the repository's top."""

    name: str
    skill: str
    suite: str
    host: str

    @property
    def path(self) -> str:
        """Where it lies."""
        return f".github/workflows/skilltrial-{self.name}.yml"


def workflow_text(workflow: Workflow) -> str:
    """The workflow's file. Raises InvalidRequest for a host whose installation is not known here."""
    if workflow.host not in AGENTS:
        raise InvalidRequest(
            f"--ci github knows how to install {' and '.join(AGENTS)}, not {workflow.host!r}; write it with one of "
            "these, and change the step that installs the agent"
        )
    package, secret = AGENTS[workflow.host]
    stem = workflow.suite.removesuffix(".trial.yaml")
    watched = (f"{workflow.skill}/**", f"{stem}.*/**", workflow.suite, workflow.path)
    return _TEXT.format(
        name=workflow.name,
        paths=", ".join(map(_quoted, watched)),
        suite=shlex.quote(workflow.suite),
        host=workflow.host,
        package=package,
        secret=secret,
    )


def _quoted(path: str) -> str:
    return "'" + path.replace("'", "''") + "'"
