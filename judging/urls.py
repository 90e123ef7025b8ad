"""The addresses of the judging app."""

from django.urls import URLPattern, URLResolver, path

from judging.api.v1 import api
from judging.views import (
    dashboard,
    disagreements,
    guide,
    health,
    judges,
    layer1,
    rows,
    run_rows,
    runs,
    schedules,
    trying,
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("api/v1/", api.urls),
    path("dashboard/", dashboard.dashboard, name="dashboard"),
    path("dashboard/<slug:judge>/<slug:criteria>/", dashboard.certification, name="certification"),
    path("dashboard/<slug:judge>/<slug:criteria>/tune/", rows.tune_rows, name="tune_rows"),
    path("dashboard/<slug:judge>/<slug:criteria>/rows/<slug:cell>/", rows.cell_rows, name="cell_rows"),
    path("judges/", judges.judges, name="judges"),
    path("judges/add/<slug:kind>/", judges.judge_add, name="judge_add"),
    path("judges/<slug:slug>/", judges.judge, name="judge"),
    path("judges/<slug:slug>/new-version/", judges.judge_edit, name="judge_edit"),
    path("judges/<slug:slug>/<int:number>/promote/", judges.judge_promote, name="judge_promote"),
    path("judges/<slug:slug>/try/", trying.judge_try, name="judge_try"),
    path("judges/<slug:slug>/trials/<int:pk>/", trying.judge_trial, name="judge_trial"),
    path("guide/", guide.guide, name="guide"),
    path("sets/<slug:slug>/guide/", guide.set_guide, name="set_guide"),
    path("sets/<slug:slug>/layer1/", layer1.layer1, name="set_layer1"),
    path("runs/", runs.runs, name="runs"),
    path("runs/new/", runs.run_new, name="run_new"),
    path("runs/<int:pk>/", runs.run, name="run"),
    path("runs/<int:pk>/resume/", runs.run_resume, name="run_resume"),
    path("runs/<int:pk>/cancel/", runs.run_cancel, name="run_cancel"),
    path("runs/<int:pk>/skips/", run_rows.run_skips, name="run_skips"),
    path("runs/<int:pk>/verdicts/", run_rows.run_verdicts, name="run_verdicts"),
    path("runs/<int:pk>/disagreements/", disagreements.run_disagreements, name="run_disagreements"),
    path("schedules/", schedules.schedules, name="schedules"),
    path("schedules/add/", schedules.schedule_add, name="schedule_add"),
    path("schedules/<int:pk>/", schedules.schedule, name="schedule"),
    path("schedules/<int:pk>/switch/", schedules.schedule_switch, name="schedule_switch"),
    path("schedules/<int:pk>/run/", schedules.schedule_run, name="schedule_run"),
    path("schedules/<int:pk>/delete/", schedules.schedule_delete, name="schedule_delete"),
]
