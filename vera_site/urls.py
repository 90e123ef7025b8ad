"""Every address of the site."""

from django.contrib import admin
from django.contrib.auth import views as auth
from django.contrib.auth.decorators import login_required
from django.urls import include, path
from django.views.decorators.http import require_safe
from django.views.generic import TemplateView

words = TemplateView.as_view(template_name="words.html", extra_context={"section": "words"})

urlpatterns = [
    path("accounts/login/", auth.LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/logout/", auth.LogoutView.as_view(), name="logout"),
    path("words/", require_safe(login_required(words)), name="words"),
    path("admin/", admin.site.urls),
    path("", include("labeling.urls")),
    path("", include("judging.urls")),
    path("", include("demo.urls")),
]
