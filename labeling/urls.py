"""The addresses of the labeling app."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
