"""The administrator's pages: accounts come from Django; here are criteria sets, members and what was done.

What people said is not here: labels and rulings are only ever added to, by the pages made for it.
"""

from typing import Any, ClassVar

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.db.models import Model
from django.http import HttpRequest

from labeling.models import AuditEvent, CriteriaSet, Membership
from labeling.services.members import pass_on_rows_of


class MembershipInline(admin.TabularInline[Membership, CriteriaSet]):
    """Who belongs to the set; for reading only. It changes on the set's own page, where it is recorded."""

    model = Membership
    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(CriteriaSet)
class CriteriaSetAdmin(admin.ModelAdmin[CriteriaSet]):
    """Names. Members, versions and policy change on the set's own pages, where they are recorded."""

    list_display = ["slug", "name", "live_version", "archived_at"]
    list_select_related = ["live_version__criteria_set"]
    search_fields: ClassVar = ["slug", "name"]
    fields: ClassVar = ["slug", "name", "description"]
    readonly_fields: ClassVar = ["slug"]
    inlines: ClassVar = [MembershipInline]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


admin.site.unregister(User)


@admin.register(User)
class AccountAdmin(UserAdmin[User]):
    """Accounts. Rows that only a closed account was left to label go to the leads of their sets."""

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if not obj.is_active:
            pass_on_rows_of([obj])


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
