"""The site's settings, with the addresses of `serving_urls`."""

from vera_site.settings import *  # noqa: F403

ROOT_URLCONF = "tests.benchmarks.serving_urls"
