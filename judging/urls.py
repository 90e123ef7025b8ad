"""The addresses of the judging app."""

from django.urls import URLPattern, URLResolver, path

from judging.api.v1 import api
from judging.views import dashboard, health, rows

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("api/v1/", api.urls),
    path("dashboard/", dashboard.dashboard, name="dashboard"),
    path("dashboard/<slug:judge>/<slug:criteria>/", dashboard.certification, name="certification"),
    path("dashboard/<slug:judge>/<slug:criteria>/tune/", rows.tune_rows, name="tune_rows"),
    path("dashboard/<slug:judge>/<slug:criteria>/rows/<slug:cell>/", rows.cell_rows, name="cell_rows"),
]
