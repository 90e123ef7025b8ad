"""Each of the six steps by itself: whether it is done, what is there, what can be done about it."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.urls import reverse

from judging.domain.reasons import PAUSE_SENTENCES, CertificateReason, PauseReason
from judging.models import JudgeVersion, Run
from judging.services.connections import Missing
from judging.services.journey_facts import Bench, Facts
from judging.services.standing import Standing
from labeling.services.next_steps import NextStep

# Where these are all the reasons against a judge, asking it again is what helps.
_MENDED_BY_A_RUN = {
    CertificateReason.EXPIRED,
    CertificateReason.GOLDEN_SET_CHANGED,
    CertificateReason.PROVIDER_MODEL_CHANGED,
    CertificateReason.RUN_INCOMPLETE,
}


@dataclass(frozen=True, slots=True)
class Stage:
    """One step; `words`: what is there. `action` is for when it is the current one, `links` for always."""

    title: str
    done: bool
    words: str
    action: NextStep | None = None
    links: tuple[NextStep, ...] = ()
    missing: tuple[Missing, ...] = ()


def before_any_set() -> Iterator[Stage]:
    """The steps of an installation that has no criteria set."""
    yield Stage(
        "Criteria",
        done=False,
        words="Not there yet. A criteria set says what a good output is: a few named criteria, each "
        "described so that two people would decide alike.",
        action=NextStep("Make a criteria set", reverse("set_new")),
    )
    yield Stage("Rows", False, "Then: import outputs of your agent, each with the request it answers.")
    yield Stage("Labels", False, "Then: people say pass or fail, blind, until at least 30 rows are settled.")
    yield Stage("Judge", False, "Then: name a model, or better a panel of models from different families.")
    yield Stage("Run", False, "Then: the judge is asked about every settled row, by a worker.")
    yield Stage(
        "Certificate", False, "Last: judge and people are compared, and the gate opens or says why not."
    )


def stages_of(facts: Facts) -> Iterator[Stage]:
    """The six steps of one criteria set."""
    yield _criteria(facts)
    yield _rows(facts)
    yield _labels(facts)
    yield _judge(facts)
    yield _run(facts)
    yield _certificate(facts)


def _criteria(facts: Facts) -> Stage:
    version = facts.criteria_set.live_version
    address = reverse("criteria", args=[facts.criteria_set.slug])
    if version is None or not facts.criteria:
        words = "No version is live yet. Promote one, or write the first."
        return Stage("Criteria", False, words, NextStep("Open the criteria", address))
    words = f"Version {version.number} is live, with {_many(facts.criteria, 'criterion', 'criteria')}."
    return Stage("Criteria", True, words, links=(NextStep("See the criteria", address),))


def _rows(facts: Facts) -> Stage:
    slug, rows = facts.criteria_set.slug, facts.counts.rows
    needed = facts.criteria_set.min_rows
    bring = reverse("import", args=[slug])
    if not rows:
        words = (
            "No row yet. A row is one output with the request it answers; import a file of them, with or "
            f"without people's verdicts. At least {needed:,} are needed to certify."
        )
        return Stage("Rows", False, words, NextStep("Import rows", bring))
    links = (NextStep("See the rows", reverse("golden", args=[slug])),)
    if rows < needed:
        words = f"{_many(rows, 'row', 'rows')}; at least {needed:,} are needed to certify."
        return Stage("Rows", False, words, NextStep("Import more rows", bring), links)
    words = f"{_many(rows, 'row', 'rows')}, each one output with the request it answers."
    return Stage("Rows", True, words, links=(*links, NextStep("Import more", bring)))


def _labels(facts: Facts) -> Stage:
    policy, counts = facts.criteria_set, facts.counts
    passed, failed = counts.certify["pass"], counts.certify["fail"]
    settled = passed + failed
    words = (
        f"{_many(counts.rows, 'row', 'rows')}, {settled:,} of them settled and there to certify: "
        f"{passed:,} pass, {failed:,} fail; at least {policy.min_rows:,}, with {policy.min_per_class:,} of "
        "each class, are needed."
    )
    if counts.conflicts:
        words += f" On {_many(counts.conflicts, 'row', 'rows')} people disagree."
    done = settled >= policy.min_rows and min(passed, failed) >= policy.min_per_class
    ways = list(_ways_to_label(facts))
    return Stage("Labels", done, words, ways[0], tuple(ways if done else ways[1:])[:2])


def _ways_to_label(facts: Facts) -> Iterator[NextStep]:
    """What brings more settled rows, the most useful first."""
    slug, counts = facts.criteria_set.slug, facts.counts
    if counts.to_label:
        text = f"Label {_many(counts.to_label, 'row', 'rows')}"
        yield NextStep(text, reverse("label", args=[slug]))
    if counts.conflicts:
        text = f"Rule on {_many(counts.conflicts, 'conflict', 'conflicts')}"
        yield NextStep(text, reverse("rulings", args=[slug]))
    if counts.undecided and not counts.to_label:
        yield NextStep("Add people who label", reverse("members", args=[slug]))
    yield NextStep("Import more rows", reverse("import", args=[slug]))


def _bench_words(bench: Bench) -> str:
    counted = f"{_many(bench.models, 'model', 'models')} and {_many(bench.panels, 'panel', 'panels')}"
    if not bench.recorded:
        return f"{counted}."
    return f"{counted}, and {_many(bench.recorded, 'recorded judge', 'recorded judges')}."


def _judge(facts: Facts) -> Stage:
    bench, first = facts.bench, facts.judge
    models, panel = reverse("judge_add", args=["model"]), reverse("judge_add", args=["panel"])
    if first is None:
        words = (
            "No judge yet. A judge is one model, or a panel of models from different families, which "
            "decides by majority and is harder to fool."
        )
        return Stage("Judge", False, words, NextStep("Add a model", models))
    words = _bench_words(bench)
    slug, links = first.judge.slug, [NextStep("See the judges", reverse("judges"))]
    if bench.models > 1 and not bench.panels:
        links.append(NextStep("Make a panel of them", panel))
    if missing := bench.missing[first.pk]:
        words += f" {slug} cannot be asked yet: it is not connected."
        action = NextStep(f"Connect {slug}", reverse("judge", args=[slug]))
        return Stage("Judge", False, words, action, tuple(links), tuple(missing))
    if first.has_recorded:
        return Stage("Judge", True, f"{words} What {slug} says is in a file.", links=tuple(links))
    links.append(NextStep(f"Try {slug}", f"{reverse('judge_try', args=[slug])}?version={first.number}"))
    return Stage("Judge", True, f"{words} {slug} can be asked.", links=tuple(links))


def _run(facts: Facts) -> Stage:
    run, version = facts.run, facts.criteria_set.live_version
    at_work = run is not None and run.state in (Run.State.RUNNING, Run.State.PAUSED)
    if facts.judge_run and not at_work:
        number, judge = facts.judge_run, facts.standings[0].judge_version.judge.slug
        words = f"Run {number} of {judge} has finished: its certificate rests on it."
        link = NextStep(f"See run {number}", reverse("run", args=[number]))
        return Stage("Run", True, words, links=(link,))
    if run and (facts.calibrated or at_work):
        words = _run_words(run)
        action = NextStep(f"Watch run {run.pk}", reverse("run", args=[run.pk]))
        if run.state == Run.State.PAUSED:
            action = NextStep(f"See why run {run.pk} is paused", action.url)
        links = (NextStep(f"See run {run.pk}", action.url),) if facts.calibrated else ()
        return Stage("Run", facts.calibrated, words, action, links)
    number = version.number if version else 1
    words = (
        f"No judge has been compared with people on version {number} yet. A calibration asks a judge about "
        "every settled row; what it will cost is shown before it starts."
    )
    if not facts.bench.workers:
        words += " No worker is seen at the moment; start one with: make worker."
    return Stage("Run", False, words, _calibrate(facts))


def _calibrate(facts: Facts) -> NextStep | None:
    judge, version = facts.judge, facts.criteria_set.live_version
    if judge is None or version is None:
        return None
    return NextStep(f"Calibrate {judge.judge.slug}", _run_address(judge, version.pk))


def _run_address(judge: JudgeVersion, criteria_version: int) -> str:
    return f"{reverse('run_new')}?judge_version={judge.pk}&criteria_version={criteria_version}"


def _run_words(run: Run) -> str:
    judge = run.judge_version.judge.slug
    if run.state == Run.State.RUNNING:
        return f"Run {run.pk} is asking {judge} about the settled rows."
    if run.state == Run.State.PAUSED:
        return f"Run {run.pk} of {judge} is paused. {PAUSE_SENTENCES[PauseReason(run.pause_reason)]}"
    ended = "was cancelled" if run.state == Run.State.CANCELLED else "has finished"
    return f"Run {run.pk} of {judge} {ended}."


def _certificate(facts: Facts) -> Stage:
    if not facts.standings:
        words = "Not there yet. It says certified or uncertified, with its reasons, and expires by itself."
        return Stage("Certificate", False, words, _calibrate(facts))
    first = facts.standings[0]
    judge = first.judge_version.judge.slug
    address = reverse("certification", args=[judge, facts.criteria_set.slug])
    if first.certified:
        others = len(facts.standings) - sum(standing.certified for standing in facts.standings)
        words = f"{_certified_words(first)}" + (
            f" {_many(others, 'other judge is', 'other judges are')} not." if others else ""
        )
        return Stage("Certificate", True, words, links=(NextStep("See what it rests on", address),))
    reasons = " ".join(reason.message for reason in first.reasons[:2])
    words = f"{judge} is not certified. {reasons}"
    action = NextStep(f"See what {judge} lacks", address)
    if {reason.code for reason in first.reasons} <= _MENDED_BY_A_RUN:
        again = _run_address(first.judge_version, first.criteria_version.pk)
        action = NextStep(f"Calibrate {judge} again", again)
    links = (NextStep("See why", address), NextStep("Dashboard", reverse("dashboard")))
    return Stage("Certificate", False, words, action, links)


def _certified_words(standing: Standing) -> str:
    certificate = standing.certificate
    judge = standing.judge_version.judge.slug
    if certificate is None or certificate.kappa is None:
        return f"{judge} is certified."
    return (
        f"{judge} is certified: kappa {certificate.kappa:.2f} on {certificate.n:,} rows, "
        f"where the bar is {float(certificate.bar):.2f}."
    )


def _many(number: int, one: str, more: str) -> str:
    return f"{number:,} {one if number == 1 else more}"
