"""Annotators of files as users: kept apart from the people of Vera, unable to log in.

The annotator `a1` of a file imported into the set `nq301` is the inactive user `a1@nq301`.
"""

from collections.abc import Iterable

from django.contrib.auth.hashers import is_password_usable, make_password
from django.contrib.auth.models import User

from labeling.formats.rows import Opinion, RowProblem
from labeling.formats.strict_json import quote

UNNAMED = "file"  # whose labels they are where a file does not say
_LONGEST = 150  # as Django's user names


class Annotators:
    """The user names that a file's annotators have, and their users once a label needs them."""

    def __init__(self, slug: str, labeler: User | None) -> None:
        self._suffix = f"@{slug}"
        self._labeler = labeler
        self._ids: dict[str, int] = {labeler.username: labeler.pk} if labeler else {}
        self._checked: set[str] = set()
        self._taken: set[str] = set()

    def username(self, opinion: Opinion) -> str:
        """The name of the user whose label this is. Raises RowProblem where nobody can have that name."""
        if opinion.annotator is None and self._labeler is not None:
            return self._labeler.username
        name = self._own(opinion.annotator or UNNAMED)
        if len(name) > _LONGEST:
            raise RowProblem("annotator", f"The name {quote(name)} is too long. Shorten it.")
        if name in self._taken:
            raise RowProblem(
                "annotator", f"{quote(name)} is somebody who logs in here. Give the annotator another name."
            )
        return name

    def look_up(self, opinions: Iterable[Opinion]) -> None:
        """Find out which of the annotators are known already: one query for many rows."""
        names = {self._own(opinion.annotator or UNNAMED) for opinion in opinions} - self._checked
        for user in User.objects.filter(username__in=names):
            self._ids[user.username] = user.pk
            if user.is_active or is_password_usable(user.password):
                self._taken.add(user.username)
        self._checked |= names

    def ids(self, usernames: Iterable[str]) -> dict[str, int]:
        """Users by name; who is missing is made."""
        missing = [name for name in dict.fromkeys(usernames) if name not in self._ids]
        made = User.objects.bulk_create(
            [User(username=name, is_active=False, password=make_password(None)) for name in missing]
        )
        self._ids |= {user.username: user.pk for user in made}
        return self._ids

    def _own(self, annotator: str) -> str:
        return annotator if annotator.endswith(self._suffix) else annotator + self._suffix
