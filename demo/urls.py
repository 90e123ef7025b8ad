"""The one address of the demo."""

from django.urls import URLPattern, path

from demo import views

urlpatterns: list[URLPattern] = [path("demo/", views.story, name="demo_story")]
