"""The addresses of the judging app."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
