"""The administrator's pages: accounts come from Django; here are criteria sets, members and what was done.

What people said is not here: labels and rulings are only ever added to, by the pages made for it.
"""

from typing import ClassVar

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from labeling.models import AuditEvent, CriteriaSet, Membership


class MembershipInline(admin.TabularInline[Membership, CriteriaSet]):
    model = Membership
    extra = 1
    autocomplete_fields: ClassVar = ["user"]


@admin.register(CriteriaSet)
class CriteriaSetAdmin(admin.ModelAdmin[CriteriaSet]):
    """Names and members. Versions and policy change on the set's own pages, where they are recorded."""

    list_display = ["slug", "name", "live_version"]
    list_select_related = ["live_version__criteria_set"]
    search_fields: ClassVar = ["slug", "name"]
    fields: ClassVar = ["slug", "name", "description"]
    readonly_fields: ClassVar = ["slug"]
    inlines: ClassVar = [MembershipInline]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(AuditEvent)
class AuditEventAdmin(admin.ModelAdmin[AuditEvent]):
    """What was done, by whom, when; for reading only."""

    list_display = ["created_at", "actor", "action", "subject", "criteria_set"]
    list_select_related = ["actor", "criteria_set"]
    list_filter: ClassVar = ["action"]
    search_fields: ClassVar = ["subject"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False
