#!/usr/bin/env python
"""Vera's command line; `python manage.py help` lists the commands."""

import os
import sys
from importlib import import_module


def main() -> None:
    for word in sys.argv[1:]:
        if not readable(word):
            sys.stderr.write(f"{word!a} is not UTF-8. Write the command in UTF-8.\n")
            sys.exit(2)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "vera_site.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        import_module(os.environ["DJANGO_SETTINGS_MODULE"])
    except ImproperlyConfigured as problem:
        sys.stderr.write(f"{problem}\n")
        sys.exit(2)
    execute_from_command_line(sys.argv)


def readable(word: str) -> bool:
    """Whether an argument is UTF-8, as names and texts must be, or a file, which may be called anything."""
    try:
        word.encode("utf-8")
    except UnicodeEncodeError:
        return os.path.exists(word)
    return True


if __name__ == "__main__":
    main()
