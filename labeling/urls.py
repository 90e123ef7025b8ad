"""The addresses of the labeling app."""

from django.urls import URLPattern, path

from labeling.views import (
    agreement,
    archiving,
    carrying,
    criteria,
    criteria_editor,
    exports,
    golden,
    guidelines,
    history,
    home,
    import_jobs,
    imports,
    label,
    label_text,
    members,
    policy,
    promotion,
    rulings,
)

urlpatterns: list[URLPattern] = [
    path("", home.home, name="home"),
    path("sets/new/", criteria_editor.set_new, name="set_new"),
    path("sets/<slug:slug>/", home.criteria_set, name="set"),
    path("sets/<slug:slug>/label/", label.label, name="label"),
    path("sets/<slug:slug>/label/draft/", label.draft, name="label_draft"),
    path("sets/<slug:slug>/label/hold/", label.hold, name="label_hold"),
    path("sets/<slug:slug>/label/history/", history.history, name="label_history"),
    path("sets/<slug:slug>/label/history/<int:pk>/", history.edit, name="label_edit"),
    path("sets/<slug:slug>/label/text/<int:candidate_id>/<slug:field>/", label_text.text, name="label_text"),
    path("sets/<slug:slug>/golden/", golden.golden, name="golden"),
    path("sets/<slug:slug>/golden/<int:pk>/", golden.candidate, name="candidate"),
    path("sets/<slug:slug>/rulings/", rulings.rulings, name="rulings"),
    path("sets/<slug:slug>/rulings/<int:pk>/", rulings.rule, name="rule"),
    path("sets/<slug:slug>/rulings/<int:pk>/back/", rulings.back, name="rule_back"),
    path("sets/<slug:slug>/agreement/", agreement.agreement, name="agreement"),
    path("sets/<slug:slug>/criteria/", criteria.criteria, name="criteria"),
    path("sets/<slug:slug>/criteria/new/", criteria_editor.criteria_edit, name="criteria_edit"),
    path(
        "sets/<slug:slug>/criteria/<int:number>/promote/", promotion.criteria_promote, name="criteria_promote"
    ),
    path("sets/<slug:slug>/import/", imports.import_rows, name="import"),
    path("sets/<slug:slug>/import/<int:pk>/", imports.import_batch, name="import_batch"),
    path("sets/<slug:slug>/import/begin/", import_jobs.import_begin, name="import_begin"),
    path("sets/<slug:slug>/import/jobs/<int:pk>/", import_jobs.import_job, name="import_job"),
    path("sets/<slug:slug>/import/jobs/<int:pk>/piece/", import_jobs.import_piece, name="import_piece"),
    path("sets/<slug:slug>/import/jobs/<int:pk>/again/", import_jobs.import_again, name="import_again"),
    path("sets/<slug:slug>/import/jobs/<int:pk>/discard/", import_jobs.import_discard, name="import_discard"),
    path(
        "sets/<slug:slug>/import/jobs/<int:pk>/<str:kind>",
        import_jobs.import_refused,
        name="import_refused",
    ),
    path("sets/<slug:slug>/export/", exports.export_rows, name="export"),
    path("sets/<slug:slug>/criteria/<int:number>/ask/", criteria.criteria_ask, name="criteria_ask"),
    path("sets/<slug:slug>/criteria/<int:number>/carry/", carrying.criteria_carry, name="criteria_carry"),
    path("sets/<slug:slug>/criteria/compare/", criteria.criteria_compare, name="criteria_compare"),
    path(
        "sets/<slug:slug>/criteria/<int:number>/archive/", criteria.criteria_archive, name="criteria_archive"
    ),
    path(
        "sets/<slug:slug>/criteria/carried/<int:pk>/take-back/",
        carrying.criteria_take_back,
        name="criteria_take_back",
    ),
    path("sets/<slug:slug>/guidelines/", guidelines.guidelines, name="guidelines"),
    path("sets/<slug:slug>/guidelines/edit/", guidelines.guidelines_edit, name="guidelines_edit"),
    path("sets/<slug:slug>/guidelines/history/", guidelines.guidelines_history, name="guidelines_history"),
    path(
        "sets/<slug:slug>/guidelines/<int:number>/restore/",
        guidelines.guidelines_restore,
        name="guidelines_restore",
    ),
    path("sets/<slug:slug>/archive/", archiving.set_archive, name="set_archive"),
    path("sets/<slug:slug>/settings/", criteria.set_settings, name="set_settings"),
    path("sets/<slug:slug>/policy/", policy.set_policy, name="set_policy"),
    path("sets/<slug:slug>/members/", members.members, name="members"),
    path("sets/<slug:slug>/members/<int:pk>/remove/", members.member_remove, name="member_remove"),
]
