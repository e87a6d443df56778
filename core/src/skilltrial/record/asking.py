"""What was asked, checked as far as it can be before the first session. Nothing is written here."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from skilltrial.archive.redaction import Redactor
from skilltrial.archive.trees import sha256
from skilltrial.model.capabilities import Sees
from skilltrial.model.errors import InvalidRequest
from skilltrial.model.packaged import Delivery
from skilltrial.model.plan import Plan
from skilltrial.model.request import Route, RunRequest
from skilltrial.model.suite import Suite
from skilltrial.model.trial import Lending, TrialKey
from skilltrial.plugins.discovery import Discovery

from .delivering import Delivered, deliver
from .livefixtures import lent_to_fixtures, one_at_a_time, refuse_mutations
from .loading import Loaded
from .parts import HostChoice, Parts, choose_parts
from .passing import passed_through
from .planning import Digests, Selection, plan_rehearsal, plan_run
from .preparing import Project, Sources, assemble
from .stopping import Budget
from .surveying import Survey, survey


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for. `base` is where places are made: the system's folder for temporary files, or this."""

    loaded: Loaded
    choice: HostChoice
    selection: Selection
    pass_env: tuple[str, ...] = ()
    allow_commands: bool = False
    allow_mutations: bool = False
    budget: Budget = field(default_factory=Budget)
    retries: int = 2
    route: Route | None = None
    base: Path | None = None
    gate: str | None = None
    """What the suite's gate was replaced by on the command line, as it was written."""
    delivery: Delivery | None = None
    """Which way the suite's plugin is to go; None where the suite chooses."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A run that could start: every part bound, every source read, every project assembled."""

    suite: Suite
    request: RunRequest
    parts: Parts
    sources: Sources
    projects: Mapping[tuple[str, str], Project]
    plan: Plan
    trials: tuple[TrialKey, ...]
    """Those that are still to be run, in order."""
    budget: Budget
    passed: Mapping[str, str] = field(repr=False)
    secrets: Mapping[str, str] = field(repr=False)
    told: tuple[str, ...] = ()
    """What the host says of the logins that sessions will be lent."""
    lent: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Variables that fixtures asked for, with their values."""
    base: Path | None = None
    loaded: Loaded | None = None
    """Where the sources came from; None where they come from an archive."""
    others: tuple[str, ...] = ()
    """Of a run that is taken up: the parts and options that are no longer those of its beginning, in words."""


def prepare(asked: Request, discovery: Discovery) -> Prepared:
    """Check, read and plan. Raises InvalidRequest."""
    loaded, suite = asked.loaded, asked.loaded.suite
    live = asked.choice.model is None
    refuse_commands(suite, allowed=asked.allow_commands)
    passed, hidden = passed_through((*suite.env, *asked.pass_env), live=live)
    parts = choose_parts(suite, asked.choice, discovery)
    read_by = (loaded.part, loaded.conversion.part if loaded.conversion else None)
    parts = replace(parts, identities=(*parts.identities, *(part for part in read_by if part is not None)))
    refuse_unseen_budget(asked.budget, parts)
    found = survey(loaded, parts)
    sources = found.sources
    refuse_mutations(found.offered, live=live, allowed=asked.allow_mutations)
    to_fixtures = lent_to_fixtures(found.offered, live=live)
    delivered = deliver(suite, parts, sources, asked.delivery)
    jobs, held = one_at_a_time(found.offered, live=live, jobs=asked.selection.jobs)
    plan = planned(asked, parts, found, delivered).model_copy(update={"jobs": jobs})
    lent = lend(parts, plan, suite, passed) if live else Lending()
    return Prepared(
        suite=suite,
        request=RunRequest(
            host=asked.choice.name,
            options=json.loads(json.dumps(dict(asked.choice.options))),
            dialect=asked.choice.dialect,
            model=asked.choice.model,
            pass_env=asked.pass_env,
            allow_commands=asked.allow_commands,
            allow_mutations=asked.allow_mutations,
            skills={id: sources.skills[id].skill.sha256 for id in loaded.elsewhere.skills},
            catalogs=_catalogs(loaded, sources),
            delivery=asked.delivery,
            fixtures={name: dict(options) for name, options in loaded.elsewhere.options.items()},
            retries=asked.retries,
            route=asked.route,
            gate=asked.gate,
        ),
        parts=parts,
        sources=sources,
        projects=assemble(suite, sources, parts.host, delivered.packages if delivered else None),
        plan=plan,
        trials=plan.trials,
        budget=asked.budget,
        passed=passed,
        lent=to_fixtures,
        secrets={**hidden, **lent.secrets, **to_fixtures},
        told=(*_told(asked.route), *held, *lent.told),
        base=asked.base,
        loaded=loaded,
    )


def planned(asked: Request, parts: Parts, found: Survey, delivered: Delivered | None) -> Plan:
    """The plan of what was asked."""
    sources = found.sources
    digests = Digests(
        suite=sha256(asked.loaded.source),
        workspaces={case: tree.digest() for case, tree in sources.workspaces.items()},
        skills=tuple(skill.identity for skill in sources.skills.values()),
    )
    suite, selection, run = asked.loaded.suite, asked.selection, secrets.token_hex(8)
    needs = tuple(fixture.fixture_needs() for fixture in parts.fixtures.values())
    if asked.choice.model is None:
        plan = plan_run(suite, parts.identity, selection, digests, run, needs)
    else:
        plan = plan_rehearsal(suite, parts.identity, selection, digests, run, asked.choice.model, needs)
    plugin = delivered.identity if delivered is not None else None
    return plan.model_copy(update={"fixtures": dict(found.offered), "plugin": plugin})


def _catalogs(loaded: Loaded, sources: Sources) -> dict[str, str]:
    """Fixture → digest of the catalog file that was given in the place of the suite's own."""
    uses = {name: str(loaded.suite.fixtures[name].options["catalog"]) for name in loaded.elsewhere.catalogs}
    return {name: sha256(sources.assets[path]) for name, path in uses.items()}


def _told(route: Route | None) -> tuple[str, ...]:
    """The route, as a sentence."""
    if route is None:
        return ()
    what = (
        f"{route.route_class} work with {route.data} data" if route.data else f"a rehearsal of {route.route_class} work"
    )
    return (f"{route.policy}: {what} goes by {route.rule}",)


def lend(parts: Parts, plan: Plan, suite: Suite, passed: Mapping[str, str]) -> Lending:
    """Ask the host what live sessions will be lent. Raises InvalidRequest where they could not log in."""
    rounds = -(-len(plan.trials) // plan.jobs)
    return parts.host.lend_host(passed, rounds * suite.limits.seconds)


def sources_with_secrets(prepared: Prepared) -> tuple[str, ...]:
    """The workspaces and skills that hold the value of a secret: their exact bytes go into the archive."""
    redactor = Redactor(prepared.secrets)
    named = {f"the workspace of case {case}": tree for case, tree in prepared.sources.workspaces.items()}
    named |= {f"skill {reference}": skill.tree for reference, skill in prepared.sources.skills.items()}
    named |= {"the plugin": prepared.sources.plugin} if prepared.sources.plugin is not None else {}
    return tuple(name for name, tree in named.items() if any(redactor.data(data)[1] for data in tree.contents.values()))


def refuse_commands(suite: Suite, *, allowed: bool) -> None:
    """Raise InvalidRequest where the suite runs commands and nobody allowed it."""
    with_commands = [case.id for case in suite.cases if case.setup or case.after]
    if with_commands and not allowed:
        raise InvalidRequest(
            f"case {with_commands[0]!r} runs commands (`setup`, `after`) on this machine; "
            "read them, then allow them with --allow-commands"
        )


def refuse_unseen_budget(budget: Budget, parts: Parts) -> None:
    """Raise InvalidRequest where a budget counts what this host does not show."""
    for asked, needed, flag in (
        (budget.tokens, Sees.TOKENS, "--max-tokens"),
        (budget.cost, Sees.COST, "--max-cost"),
    ):
        if asked is not None and needed not in parts.identity.sees:
            raise InvalidRequest(
                f"{flag} can't be kept: host {parts.identity.name!r} does not show {needed}; "
                "use --max-sessions or --max-time"
            )
