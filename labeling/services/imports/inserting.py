"""Many new rows of one table in few statements, without a model object for each.

`bulk_create` spent four fifths of an import on objects, fields and placeholders; the database's own part of
it is small. Rows here are the plain values of columns.
"""

from collections.abc import Sequence
from itertools import batched, chain
from typing import Any

from django.db import connection
from django.db.models import Field, Model

_MOST_VALUES = 20_000  # in one statement; SQLite binds at most 32 766

type Value = str | int | float | bool | None
type Row = Sequence[Value]
type Statement = tuple[str, list[Any]]


def insert(table: type[Model], columns: Sequence[str], rows: Sequence[Row], **same: Any) -> list[int]:
    """Add `rows` to a table and return their primary keys, in the order of the rows.

    `columns` are the attributes that the values of each row belong to; they are stored as they are, JSON as
    its text. `same` are attributes that all rows have alike. What neither names holds the model's default.
    """
    given: list[Field[Any, Any]] = [table._meta.get_field(name) for name in columns]  # type: ignore[misc]
    alike = _alike(table, columns, same)
    names = ", ".join(map(_quoted, [*alike, *(str(field.column) for field in given)]))
    begins = f"INSERT INTO {_quoted(table._meta.db_table)} ({names})"
    ends = f"RETURNING {_quoted(str(table._meta.pk.column))}"
    made: list[int] = []
    with connection.cursor() as cursor:
        for some in batched(rows, _MOST_VALUES // (len(given) + len(alike))):
            source, values = _source(given, list(alike.values()), some)
            cursor.execute(f"{begins} {source} {ends}", values)
            made.extend(pk for (pk,) in cursor.fetchall())
    return made


def _alike(table: type[Model], columns: Sequence[str], same: dict[str, Any]) -> dict[str, Any]:
    """What the other columns hold in every row, by column: as the model itself would store it."""
    pattern = table(**same)
    return {
        str(field.column): field.get_db_prep_save(field.pre_save(pattern, add=True), connection)
        for field in table._meta.concrete_fields
        if not field.primary_key and field.attname not in columns
    }


def _source(given: Sequence[Field[Any, Any]], alike: list[Any], rows: Sequence[Row]) -> Statement:
    if connection.vendor == "postgresql":
        return _arrays(given, alike, rows)
    return _list(alike, rows)


def _list(alike: list[Any], rows: Sequence[Row]) -> Statement:
    row = f"({', '.join(['%s'] * (len(alike) + len(rows[0])))})"
    return f"VALUES {', '.join([row] * len(rows))}", list(chain.from_iterable((*alike, *r) for r in rows))


def _arrays(given: Sequence[Field[Any, Any]], alike: list[Any], rows: Sequence[Row]) -> Statement:
    # A placeholder for each column instead of each value: psycopg takes as long over one as over a value.
    arrays = ", ".join(f"%s::{_type(field)}[]" for field in given)
    same = "%s, " * len(alike)
    sql = f"SELECT {same}given.* FROM unnest({arrays}) AS given"  # noqa: S608 - the types of our own columns
    return sql, [*alike, *(list(column) for column in zip(*rows, strict=True))]


def _type(field: Field[Any, Any]) -> str:
    # Without its length: a cast to varchar(10) would cut what is longer instead of refusing it.
    return str(field.db_type(connection)).partition("(")[0]


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
