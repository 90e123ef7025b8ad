"""A site with something on every page, and the address of every page of it, by the name of its route."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import time, timedelta
from io import BytesIO

from django.contrib.auth.models import User
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from judging.domain.examples import stored
from judging.domain.judges import ExampleChoice
from judging.models import (
    Certificate,
    Delivery,
    JudgeVersion,
    ProviderLimit,
    ProviderShare,
    ReferenceSet,
    Run,
    Schedule,
    TakenFormat,
    Trial,
    Verdict,
)
from judging.services.delivering import claim_due, finish
from judging.services.drawing import draw_by_verdict
from judging.services.drills import begin_drill, report_drill
from judging.services.examples import taken
from judging.services.judges import add_model_version
from judging.services.posting import Answer
from judging.services.readers import note_reads
from judging.services.reference_imports import import_references
from judging.services.reference_sets import retire_set
from judging.services.replays import count_replay
from judging.services.retrying import retry_skipped
from judging.services.schedules import SchedulePlan, add_schedule, switch_schedule
from judging.services.standing import Standing
from judging.services.tokens import create_token
from judging.services.webhooks import add_webhook, send_test
from labeling.models import Candidate, CriteriaSet, ImportBatch, ImportJob, Label, Skip, Slot
from labeling.services.guidelines import Example, save_guidelines
from labeling.services.import_jobs import begin_upload, order_import, receive_piece
from labeling.services.import_work import work_on_jobs
from labeling.services.imports import import_golden
from tests.factories import (
    live,
    make_candidate,
    make_criteria_set,
    make_judge,
    make_label,
    make_panel,
    make_ruling,
    make_user,
    make_version,
)
from tests.judging.auditing import audit
from tests.judging.golden import certified, make_run
from tests.judging.living import suspended
from tests.judging.references import order
from tests.judging.repeating import make_repeats

# Routes that answer with no page of their own: they take what a form sends, or are for machines.
NO_PAGES = {
    "certificate_lift",
    "certificate_replay",
    "logout",
    "label_draft",
    "label_hold",
    "rule",
    "rule_back",
    "criteria_ask",
    "criteria_archive",
    "criteria_take_back",
    "guidelines_restore",
    "member_remove",
    "import_begin",
    "import_piece",
    "import_again",
    "import_discard",
    "import_refused",
    "export_row",
    "run_resume",
    "run_cancel",
    "run_retry",
    "run_sample",
    "provider_limits",
    "format_forget",
    "provider_ask_again",
    "schedule_switch",
    "schedule_run",
    "schedule_delete",
    "report_file",
    "webhook_secret",
    "webhook_new_secret",
    "webhook_switch",
    "webhook_test",
    "webhook_delete",
    "delivery_replay",
    "certificate_signed",
    "signing_keys",
    "healthz",
    "readyz",
    "set",
}
OTHERS = {"admin", "api"}  # namespaces: Django's own pages, and the API with its reference

ROWS = b"""{"request": "Say hello.", "candidate": "Hello there.", "human": "PASS"}
{"request": "Say hello.", "candidate": "Go away.", "human": "FAIL"}
{"request": "Say hello.", "candidate": ""}
"""
TABLE = b"question,reply,grade\nWhy?,Because it is so.,pass\nWhen?,On Friday.,fail\n"
PAIRS = b"".join(
    b'{"id": "pair-%d", "request": "Name day %d.", "candidate_a": "Friday, of course.",'
    b' "candidate_b": "Who knows?", "human": [{"annotator": "a1", "vote": "a"}]}\n' % (number, number)
    for number in range(5)
)


@dataclass(frozen=True, slots=True)
class Site:
    """Who looks, and what there is to look at."""

    lead: User
    labeler: User
    criteria_set: CriteriaSet
    empty: CriteriaSet
    calibrated: Run
    paused: Run
    conflict: int
    batch: int
    jobs: list[int]
    trials: list[int]
    of_panel: Run
    divided: Run
    schedules: list[int]
    repeated: Run
    asked_again: Run
    pair: int
    ordered: Run


def make_site() -> Site:
    """Judges and a panel with runs in several states, people who disagree, an import, an empty set."""
    criteria_set, empty = make_criteria_set("replies", labels_per_row=2), make_criteria_set("nothing-yet")
    lead, labeler = make_user("lena", lead_of=criteria_set), make_user("lars", labels=criteria_set)
    empty.memberships.create(user=lead, role="lead")
    strict, hasty = make_judge("strict"), make_judge("hasty")
    limit_provider(make_judge("house", model="openai/qwen3"))
    panel = make_panel([strict, hasty], "panel")
    calibrated = calibrate(strict, criteria_set, (28, 2, 3, 27), skipped=2)
    calibrate(hasty, criteria_set, (18, 12, 9, 21))
    add_model_version(slug="hasty", model="openai/hastier", family="scripted")
    of_panel = calibrate(panel, criteria_set, (16, 1, 1, 16))
    audit(strict, criteria_set, ([True] * 4 + [False]) * 3)
    suspended(Certificate.objects.current().get(judge_version=panel))
    divided = divide(make_run(panel, criteria_set, a=3, b=2, c=1, d=3, split="tune"))
    show_examples(strict, criteria_set)
    make_version(criteria_set)
    guide(criteria_set, lead)
    draw_rows(strict, criteria_set, lead)
    let_ask(strict, criteria_set)
    tell_others(criteria_set)
    return Site(
        lead=lead,
        labeler=labeler,
        criteria_set=criteria_set,
        empty=empty,
        calibrated=calibrated,
        paused=pause(hasty, criteria_set),
        conflict=disagree(criteria_set, lead, labeler),
        batch=bring_in(criteria_set, lead),
        jobs=send_files(criteria_set, lead),
        trials=try_out(strict, criteria_set),
        of_panel=of_panel,
        divided=divided,
        schedules=plan_ahead(strict, criteria_set),
        repeated=repeat(panel, criteria_set),
        asked_again=ask_again(panel, criteria_set, lead),
        pair=compare_pairs(criteria_set, lead),
        ordered=put_in_order(hasty.judge.slug, criteria_set),
    )


def guide(criteria_set: CriteriaSet, lead: User) -> None:
    """Guidelines with an example, in their second state."""
    example = Example(request="Say hello.", output="Hello, reader.", verdict="pass", why="It greets.")
    for text in ("# Tone\n\n- Be fair", "# Tone\n\n- Be fair\n- Be kind"):
        save_guidelines(criteria_set=criteria_set, text=text, examples=[example], actor=lead)


def compare_pairs(criteria_set: CriteriaSet, lead: User) -> int:
    """Reference sets from a file of pairs, one of them retired; the first one's id."""
    import_references(stream=BytesIO(PAIRS), file_name="pairs.jsonl", slug=criteria_set.slug, actor=lead)
    first, *_, last = ReferenceSet.objects.order_by("pk")
    retire_set(reference_set=last, now=timezone.now(), actor=lead)
    return first.pk


def put_in_order(judge: str, criteria_set: CriteriaSet) -> Run:
    """Both versions of a judge asked about the reference sets; the newer one broke some and mended one."""
    older, newer = JudgeVersion.objects.filter(judge__slug=judge).order_by("number")
    sets = list(ReferenceSet.objects.in_use().order_by("pk"))
    order(older, sets, "92 92 29 9-")
    return order(newer, sets, "29 55 92 92")


def let_ask(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    """Consumers: one that stopped, one that went on, one that never told, and one that never asked."""
    now = timezone.now()
    for name, stopped in (("deploy", True), ("nightly", False), ("notebook", None)):
        token, _ = create_token(name=name, scopes=["gate"], criteria_sets=[criteria_set])
        note_reads(token=token, reads=[(judge.judge_id, criteria_set.pk)], now=now)
        standing = Standing(judge, live(criteria_set), None, now)
        drill = begin_drill(token=token, standing=standing, answer="expired", now=now)
        if stopped is not None:
            report_drill(drill=drill, stopped=stopped, note="Build 4711 <b>", now=now)
    create_token(name="never-asked", scopes=["gate"])


def show_examples(judge: JudgeVersion, criteria_set: CriteriaSet) -> None:
    """Let the judge have two settled tune rows in its prompt."""
    tune = Candidate.objects.filter(criteria_set=criteria_set, split="tune", rulings__verdict="pass")
    hashes = tune.order_by("pk").values_list("content_hash", flat=True)[:2]
    examples = stored(taken(ExampleChoice(criteria_set.slug, tuple(hashes))))
    JudgeVersion.objects.filter(pk=judge.pk).update(template="juror-2", examples=examples)


def limit_provider(judge: JudgeVersion) -> None:
    """A provider with every limit, closed for a while, and a format that its model was found to take."""
    JudgeVersion.objects.filter(pk=judge.pk).update(base_url_env="VERA_JUROR_OLLAMA_URL")
    soon = timezone.now() + timedelta(minutes=2)
    limit = ProviderLimit.objects.create(
        provider="VERA_JUROR_OLLAMA_URL",
        calls_in_flight=8,
        requests_per_minute=600,
        tokens_per_minute=200_000,
        closed_until=soon,
    )
    ProviderShare.objects.create(limit=limit, worker="host:4711", calls=5, lease_until=soon)
    TakenFormat.objects.create(
        model="openai/qwen3",
        base_url_env="VERA_JUROR_OLLAMA_URL",
        format="json",
        noted_at=timezone.now(),
    )


def tell_others(criteria_set: CriteriaSet) -> None:
    """A webhook with a message that was delivered after a failed try, and one that waits."""
    webhook = add_webhook(url="https://example.org/hooks/vera", criteria_set=criteria_set)
    send_test(webhook=webhook, now=timezone.now())
    for answer in (Answer("It answered with status 500.", 500, "<b>broken</b>"), Answer(status=204)):
        (claimed,) = claim_due(timezone.now())
        finish(claimed, answer, timezone.now())
        Delivery.objects.update(next_at=timezone.now())
    send_test(webhook=webhook, now=timezone.now())


def draw_rows(judge: JudgeVersion, criteria_set: CriteriaSet, lead: User) -> None:
    """A draw by a judge's verdict, of which nothing is with people, and a row that came since."""
    for _ in range(12):
        make_candidate(criteria_set)
    draw_by_verdict(
        version=live(criteria_set), judge=judge, most=10, seed="s", now=timezone.now(), actor=lead
    )
    Slot.objects.filter(candidate__draws__draw__strategy="stratified").delete()
    make_candidate(criteria_set, "It came after the draw.")


def draw_queries(site: Site) -> list[str]:
    """What a lead may ask of the page of draws, one of which cannot be."""
    judge, panel = site.calibrated.judge_version, site.of_panel.judge_version
    chosen = ("stratified", judge.pk), ("disagreement", panel.pk), ("random", "")
    return [f"strategy={strategy}&judge={pk}" for strategy, pk in chosen]


def webhook_pages(site: Site) -> dict[str, list[str]]:
    """The pages of webhooks, with messages and without."""
    slugs = [site.criteria_set.slug, site.empty.slug]
    sent = Delivery.objects.filter(webhook__criteria_set=site.criteria_set)
    return {
        "webhooks": [reverse("webhooks", args=[each]) for each in slugs],
        "webhook": [reverse("webhook", args=[slugs[0], sent[0].webhook_id])],
        "delivery": [reverse("delivery", args=[slugs[0], each.webhook_id, each.pk]) for each in sent],
    }


def repeat(panel: JudgeVersion, criteria_set: CriteriaSet) -> Run:
    """A run that asked each question three times; one juror contradicts itself more than the other."""
    calm = ["PPP"] * 14 + ["FFF"] * 9 + ["PPF", "PFS", "SSP"]
    make_repeats(panel, criteria_set, ["PFP", "FFF"], jurors=[["PFP", "FFF"]] * 2, split="certify")
    restless = ["PFP"] * 8 + calm[8:]
    return make_repeats(panel, criteria_set, calm, jurors=[calm, restless])


def ask_again(panel: JudgeVersion, criteria_set: CriteriaSet, lead: User) -> Run:
    """A run that spared calls, was asked again about what failed, and failed once more on most of it."""
    run = make_run(panel, criteria_set, a=9, d=4, skipped_fail=4, split="tune", kind="scoring")
    jurors = run.verdicts.filter(kind="juror", outcome__in=["pass", "fail"])
    jurors.update(calls=1, cost="0.0021", answered_model="scripted-1")
    spared = jurors.filter(judge_version=run.judge_version.jurors()[1]).order_by("pk")[:3].values("pk")
    Verdict.objects.filter(pk__in=list(spared.values_list("pk", flat=True))).update(
        outcome="not_asked", reason="decided", calls=0, cost=None, answered_model=""
    )
    failed = run.verdicts.filter(kind="juror", outcome="skipped")
    failed.update(reason="unavailable", calls=4, resends=3, detail="503: Overloaded.")
    retry_skipped(run=run, actor=lead)
    Verdict.objects.filter(run=run, outcome="pending").update(
        outcome="skipped", reason="rate_limited", calls=2, filled_at=timezone.now()
    )
    answered = run.verdicts.filter(kind="juror", outcome="skipped").order_by("pk")
    first, second = answered[:2]
    Verdict.objects.filter(pk=first.pk).update(outcome="fail", reason="", calls=1)
    Verdict.objects.filter(pk=second.pk).update(
        reason="not_json",
        raw_reply="I would let this pass; " * 40,
        raw_cut=True,
        rejected_reply="Well, it is rather good.",
        rejected_reason="not_json",
        corrections=1,
    )
    Run.objects.filter(pk=run.pk).update(state="finished", finished_at=timezone.now())
    return run


def plan_ahead(judge: JudgeVersion, criteria_set: CriteriaSet) -> list[int]:
    """A replay that ended and one that could not start its run; a sample that is switched off."""
    plan = SchedulePlan(
        criteria_set=criteria_set,
        judge=judge.judge,
        kind="replay",
        every="day",
        at=time(3),
        zone="Asia/Tokyo",
    )
    plans = plan, replace(plan, every="hour"), replace(plan, kind="sample", every="week")
    nightly, hourly, sample = (add_schedule(plan=each, now=timezone.now()) for each in plans)
    run = make_run(judge, criteria_set, a=20, b=3, c=2, d=20, kind="replay")
    Run.objects.filter(pk=run.pk).update(schedule=nightly)
    count_replay(run=run, known={})
    Schedule.objects.filter(pk=hourly.pk).update(problem="The judge strict has no live version. Promote one.")
    switch_schedule(schedule=sample, on=False, now=timezone.now())
    return [nightly.pk, hourly.pk, sample.pk]


def calibrate(
    judge: JudgeVersion, criteria_set: CriteriaSet, cells: tuple[int, int, int, int], skipped: int = 0
) -> Run:
    """A run that ended just now with the cells a, b, c and d, and its certificate."""
    a, b, c, d = cells
    run = make_run(judge, criteria_set, a=a, b=b, c=c, d=d, skipped_fail=skipped)
    run.finished_at = timezone.now()
    run.save()
    certified(run, run.finished_at)
    return run


def divide(run: Run) -> Run:
    """Let the panel's first juror pass every row of a run, with a score and a reason from each juror."""
    criterion = run.criteria_version.criteria.get()
    first = run.judge_version.jurors()[0]
    run.verdicts.filter(judge_version=first).update(outcome="pass")
    for verdict in run.verdicts.filter(kind="juror"):
        passes = verdict.outcome == "pass"
        verdict.scores.create(criterion=criterion, score=passes, reason="It is what was asked for." * passes)
    return run


def pause(judge: JudgeVersion, criteria_set: CriteriaSet) -> Run:
    """A run that stopped because a key is missing."""
    run = make_run(judge, criteria_set, a=2, d=1)
    run.state, run.pause_reason, run.finished_at = "paused", "not_configured", None
    run.save()
    return run


def disagree(criteria_set: CriteriaSet, *people: User) -> int:
    """A row on which people differ, one that was skipped, and rows that wait; the first one's id."""
    contested, skipped = make_candidate(criteria_set, "It may be."), make_candidate(criteria_set, "Perhaps.")
    for person, verdict in zip(people, ("pass", "fail"), strict=True):
        make_label(contested, person, verdict)
    make_ruling(make_candidate(criteria_set, "It is ruled on."), "fail")
    Skip.objects.create(candidate=skipped, version=live(criteria_set), labeler=people[0], reason="broken")
    Slot.objects.create(candidate=skipped, version=live(criteria_set), number=1, state="lead")
    for number in range(3):
        make_candidate(criteria_set, f"Waiting {number}. " + "A long answer goes on and on. " * 90, slots=2)
    return contested.pk


def own_label(row: int, labeler: User) -> int:
    """The id of what somebody said of a row."""
    return Label.objects.current().get(candidate=row, labeler=labeler).pk


def bring_in(criteria_set: CriteriaSet, lead: User) -> int:
    """An import with a refused row."""
    import_golden(
        stream=BytesIO(ROWS), file_name="rows.jsonl", slug=criteria_set.slug, keep_good=True, actor=lead
    )
    return ImportBatch.objects.get().pk


def send_files(criteria_set: CriteriaSet, lead: User) -> list[int]:
    """Files on their way in: a table to map, one with refused rows, one that waits, one half sent."""
    table = send_file(criteria_set, lead, "rows.csv", TABLE)
    refused = send_file(criteria_set, lead, "refused.jsonl", ROWS)
    waiting = send_file(criteria_set, lead, "waiting.jsonl", ROWS)
    order_import(job=refused, format="vera", split="certify", keep_good=False, check_only=True)
    work_on_jobs()
    order_import(job=waiting, format="vera", split="certify", keep_good=True, check_only=False)
    half = begin_upload(criteria_set=criteria_set, file_name="half.jsonl", size=9_000_000, actor=lead)
    return [table.pk, refused.pk, waiting.pk, half.pk]


def send_file(criteria_set: CriteriaSet, lead: User, name: str, content: bytes) -> ImportJob:
    job = begin_upload(criteria_set=criteria_set, file_name=name, size=len(content), actor=lead)
    receive_piece(job=job, offset=0, piece=content)
    return job


def try_out(judge: JudgeVersion, criteria_set: CriteriaSet) -> list[int]:
    """Trials of a judge: one that waits for a worker, one that failed, one whose reply was sent back."""
    about = {"judge_version": judge, "criteria_version": live(criteria_set), "texts": {"output": "Hello."}}
    waiting = Trial.objects.create(**about)
    failed = Trial.objects.create(**about, state="failed", problem="The provider was not reached.")
    sent = {"model": judge.model, "params": {}, "messages": [{"role": "user", "content": "Score it."}]}
    told = {
        "judge": str(judge),
        "slug": judge.judge.slug,
        "outcome": "pass",
        "flags": [],
        "sent": sent,
        "raw_reply": '{"criteria": []}',
        "latency_ms": 40,
        "corrections": 1,
        "rejected_reply": "I would let it pass.",
        "rejected_sentence": "The reply is not exactly one JSON object of the agreed shape.",
    }
    answers = {"layer1": {"check": "", "reason": "", "checks": 9}, "jurors": [told]}
    answered = Trial.objects.create(**about, state="answered", answers=answers)
    return [waiting.pk, failed.pk, answered.pk]


def lead_pages(site: Site) -> dict[str, list[str]]:
    """What a lead opens, by route: each page with data, and without where that looks different."""
    slug, judge = site.criteria_set.slug, ["strict", "replies"]
    both = [slug, site.empty.slug]
    return {
        "home": [reverse("home")],
        "words": [reverse("words")],
        "label": [reverse("label", args=[each]) for each in both],
        "label_text": [reverse("label_text", args=[slug, site.conflict, "output"])],
        "label_history": [
            *(reverse("label_history", args=[each]) for each in both),
            reverse("label_history", args=[slug]) + "?text=nowhere",
        ],
        "label_edit": [reverse("label_edit", args=[slug, own_label(site.conflict, site.lead)])],
        "golden": [
            *(reverse("golden", args=[each]) for each in both),
            reverse("golden", args=[slug]) + "?text=nowhere",
            reverse("golden", args=[slug]) + "?version=2",
        ],
        "candidate": [reverse("candidate", args=[slug, site.conflict])],
        "rulings": [
            *(reverse("rulings", args=[each]) for each in both),
            reverse("rulings", args=[slug]) + "?show=ruled",
        ],
        "agreement": [reverse("agreement", args=[each]) for each in both],
        "criteria": [reverse("criteria", args=[slug])],
        "criteria_compare": [reverse("criteria_compare", args=[slug])],
        "criteria_carry": [
            reverse("criteria_carry", args=[slug, 2]) + "?source=1",
            reverse("criteria_carry", args=[site.empty.slug, 1]),
        ],
        "guidelines": [reverse("guidelines", args=[each]) for each in both],
        "guidelines_edit": [reverse("guidelines_edit", args=[each]) for each in both],
        "guidelines_history": [reverse("guidelines_history", args=[each]) for each in both],
        "set_archive": [reverse("set_archive", args=[slug])],
        "criteria_promote": [reverse("criteria_promote", args=[slug, each]) for each in (1, 2)],
        "judge_promote": [
            reverse("judge_promote", args=["strict", 1]),
            reverse("judge_promote", args=["hasty", 2]),
        ],
        "criteria_edit": [reverse("criteria_edit", args=[slug])],
        "import": [reverse("import", args=[each]) for each in both],
        "import_job": [reverse("import_job", args=[slug, job]) for job in site.jobs],
        "import_batch": [reverse("import_batch", args=[slug, site.batch])],
        "export": [reverse("export", args=[each]) for each in both],
        "set_settings": [reverse("set_settings", args=[slug])],
        "set_policy": [reverse("set_policy", args=[each]) for each in both],
        "members": [reverse("members", args=[slug])],
        "dashboard": [reverse("dashboard")],
        "consumers": [reverse("consumers")],
        "report": [reverse("report", args=[each, "replies"]) for each in ("strict", "panel")],
        "certification": [reverse("certification", args=[each, "replies"]) for each in ("strict", "panel")],
        "panel": [reverse("panel", args=[each, "replies"]) for each in ("strict", "panel")],
        "by_criterion": [reverse("by_criterion", args=[each, "replies"]) for each in ("strict", "panel")],
        "certificate_history": [
            reverse("certificate_history", args=[each, "replies"]) for each in ("strict", "hasty", "panel")
        ],
        "drift": [reverse("drift", args=[each, "replies"]) for each in ("strict", "panel")],
        "pass_rates": [reverse("pass_rates", args=[each, "replies"]) for each in ("strict", "panel")],
        "comparison": [
            reverse("comparison"),
            reverse("comparison") + "?before=strict@1&after=hasty@1&rows=tune",
            reverse("comparison") + "?what=generators",
        ],
        "tune_rows": [reverse("tune_rows", args=["panel", "replies"])],
        "cell_rows": [
            reverse("cell_rows", args=[*judge, cell]) for cell in ("b", "disagreements", "skipped")
        ],
        "ordering": [
            reverse("ordering", args=["hasty", "replies"]) + "?judge_version=2",
            reverse("ordering", args=["strict", "replies"]),
            reverse("ordering", args=["strict", "nothing-yet"]),
        ],
        "draws": [
            *(reverse("draws", args=[each]) for each in both),
            *(f"{reverse('draws', args=[slug])}?most=20&{query}" for query in draw_queries(site)),
        ],
        "reference_sets": [reverse("reference_sets", args=[each]) for each in both],
        "reference_set": [reverse("reference_set", args=[slug, site.pair])],
        "reference_add": [
            *(reverse("reference_add", args=[each]) for each in both),
            f"{reverse('reference_add', args=[slug])}?like={site.conflict}",
        ],
        "reference_import": [reverse("reference_import", args=[slug])],
        "judges": [reverse("judges")],
        "judge_add_recorded": [reverse("judge_add_recorded")],
        "judge_add": [reverse("judge_add", args=[kind]) for kind in ("model", "panel")],
        "judge": [reverse("judge", args=[each]) for each in ("strict", "panel")],
        "judge_add_local": [reverse("judge_add_local")],
        "judge_connect": [
            reverse("judge_connect", args=["strict"]) + "?server=ollama",
            reverse("judge_connect", args=["house"]),
        ],
        "providers": [reverse("providers")],
        "judge_edit": [reverse("judge_edit", args=["strict"])],
        "runs": [reverse("runs")],
        "schedules": [reverse("schedules")],
        "schedule_add": [reverse("schedule_add"), f"{reverse('schedule_add')}?kind=sample&every=week"],
        "schedule": [reverse("schedule", args=[each]) for each in site.schedules],
        "run_new": [reverse("run_new")],
        "run": [
            reverse("run", args=[run.pk])
            for run in (site.calibrated, site.paused, site.repeated, site.asked_again, site.ordered)
        ],
        "run_skips": [
            reverse("run_skips", args=[site.calibrated.pk]),
            *(reverse("run_skips", args=[site.asked_again.pk]) + query for query in ("", "?show=again")),
        ],
        "run_flips": [reverse("run_flips", args=[site.repeated.pk])],
        "run_verdicts": [reverse("run_verdicts", args=[site.calibrated.pk])],
        "run_disagreements": [
            reverse("run_disagreements", args=[run.pk]) for run in (site.divided, site.of_panel)
        ],
        "guide": [reverse("guide")],
        "set_guide": [reverse("set_guide", args=[each]) for each in both],
        "set_layer1": [reverse("set_layer1", args=[each]) for each in both],
        "judge_try": [reverse("judge_try", args=["strict"])],
        "judge_trial": [reverse("judge_trial", args=["strict", trial]) for trial in site.trials],
        **webhook_pages(site),
    }


def labeler_pages(site: Site) -> dict[str, list[str]]:
    """What a labeler sees differently, and what is refused to one."""
    slug = site.criteria_set.slug
    names = ("label", "golden", "criteria", "guidelines", "import")
    seen = {name: [reverse(name, args=[slug])] for name in names}
    return seen | {
        "home": [reverse("home"), "/there-is-no-such-page/"],
        "candidate": [reverse("candidate", args=[slug, site.conflict])],
    }


def admin_pages(site: Site) -> dict[str, list[str]]:
    return {
        "set_new": [reverse("set_new")],
        "members": [reverse("members", args=[site.empty.slug])],
        "providers": [reverse("providers")],
    }


def demo_pages(site: Site) -> dict[str, list[str]]:
    return {"demo_story": [reverse("demo_story")], "home": [reverse("home")]}


def stranger_pages(site: Site) -> dict[str, list[str]]:
    return {"login": [reverse("login")]}


def routes(resolver: URLResolver | None = None) -> Iterator[str]:
    """The names of all routes of the site's own pages and forms."""
    for each in (resolver or get_resolver()).url_patterns:
        if isinstance(each, URLPattern):
            yield each.name or str(each.pattern)
        elif each.namespace not in OTHERS:
            yield from routes(each)
