"""What will happen, said before it does."""

from __future__ import annotations

import textwrap

from skilltrial.archive.redaction import Redactor
from skilltrial.model.packaged import Delivery
from skilltrial.record.asking import Prepared, sources_with_secrets
from skilltrial.record.stopping import Budget

from .printing import width


def outline(prepared: Prepared) -> str:
    """Sessions, user turns, bounds, skips, the model, and whether it may cost money."""
    plan, suite = prepared.plan, prepared.suite
    turns = sum(len(suite.case(key.case).turns) for key in prepared.trials)
    version = f" {plan.host.version}" if plan.host.version else ""
    first = (
        f"suite {plan.suite} on {plan.host.name}{version}: {counted(len(prepared.trials), 'session')}, "
        f"{counted(turns, 'user turn')}; seed {plan.seed}, {counted(plan.jobs, 'job')}"
    )
    lines = [first, f"each session ends after {suite.limits.seconds} s at the latest (limits.seconds)"]
    lines += _bounds(prepared.budget)
    if plan.mode == "run" and (of := suite.gate.majority_of) is not None:
        cases = len({key.case for key in prepared.trials if key.arm == suite.gate.arm})
        lines.append(
            f"gate {suite.gate.rule}: a case that fails is run {of - 1} times more in arm {suite.gate.arm} "
            f"(at most {counted(cases * (of - 1), 'session')} more)"
        )
    if prepared.loaded and (conversion := prepared.loaded.conversion):
        name, lost = conversion.part.name, conversion.losses
        lines.append(
            f"read as a suite of {name}: {len(lost.converted)} rules converted, {len(lost.changed)} changed, "
            f"{len(lost.dropped)} dropped; `skilltrial lint SUITE --format {name}` tells which"
        )
    if plan.plugin is not None:
        how = "installed by the host" if plan.plugin.delivery is Delivery.PLUGIN else "not installed"
        lines.append(f"plugin {plan.plugin.name} {plan.plugin.version}: {how} (delivery: {plan.plugin.delivery.value})")
    reasons: dict[str, int] = {}
    for skip in plan.skips:
        label = f"case {skip.key.case} ({skip.reason})"
        reasons[label] = reasons.get(label, 0) + 1
    lines += [f"skipped: {label}, {counted(count, 'session')}" for label, count in reasons.items()]
    planned = {key.case for key in prepared.trials}
    lines += [
        f"runs on this machine, {when} case {case.id}: {command}"
        for case in suite.cases
        if case.id in planned
        for when, commands in (("before", case.setup), ("after", case.after))
        for command in commands
    ]
    lines += [f"note: {what}" for what in (*plan.host.ambient, *prepared.told)]
    lines += [
        f"note: {name} is too short to be told from ordinary text: its value will not be replaced in what is written"
        for name in Redactor(prepared.secrets).too_short
    ]
    lines += [
        f"note: {source} holds the value of a variable that is passed: the archive keeps sources as they are"
        for source in sources_with_secrets(prepared)
    ]
    if plan.model:
        lines.append("The model is scripted: no provider is asked, nothing is spent, nothing is shown about the skill.")
    else:
        model = plan.host.model or "the agent's own choice"
        lines.append(
            f"A live run: the agent asks its own provider (model: {model}), which may cost money; "
            "tokens and price are not known beforehand."
        )
    return "\n".join(map(_folded, lines))


def _folded(line: str) -> str:
    """The line in as many as the terminal needs; names and paths stay whole."""
    return textwrap.fill(line, width(), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def _bounds(budget: Budget) -> list[str]:
    told = [
        f"{value:g} {unit}" if isinstance(value, float) else f"{value} {unit}"
        for value, unit in (
            (budget.sessions, "sessions"),
            (budget.seconds, "seconds"),
            (budget.tokens, "tokens"),
            (budget.cost, "dollars"),
        )
        if value is not None
    ]
    return [f"at most {', '.join(told)}"] if told else []


def counted(number: int, thing: str) -> str:
    """`1 session`, `2 sessions`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
