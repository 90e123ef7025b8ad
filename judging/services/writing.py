"""Writing many verdicts at once, in statements that the ORM has not: as pending, and filled."""

from collections.abc import Mapping
from typing import Any

from django.db import connection, models
from django.db.models import QuerySet, Value
from django.db.models.expressions import Combinable

from judging.models import Verdict


def insert_verdicts(rows: QuerySet[Any], **columns: Any) -> int:
    """Insert one verdict for each of `rows`; returns how many."""
    return insert_from(Verdict, rows, **columns)


def insert_from(model: type[models.Model], rows: QuerySet[Any], **columns: Any) -> int:
    """Insert one row of `model` for each of `rows`; returns how many. 100 000 take seconds and no memory.

    `columns`: a plain value, or an expression over the row; columns left out get the model's default. The
    ORM has no INSERT … SELECT, and a batch of objects at a time would lock out SQLite's other writers for
    minutes.
    """
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    chosen = [_expression(field, columns) for field in fields]
    select, parameters = rows.order_by().values_list(*chosen).query.sql_with_params()
    quote = connection.ops.quote_name
    names = ", ".join(quote(str(field.column)) for field in fields)
    with connection.cursor() as cursor:
        # Only names of the model's own table and columns are put into the statement.
        cursor.execute(f"INSERT INTO {quote(model._meta.db_table)} ({names}) {select}", parameters)
        return int(cursor.rowcount)


def fill_pending(filled: Mapping[int, Mapping[str, Any]]) -> None:
    """Write the values of each verdict (by id) that is still pending; all must name the same columns.

    One statement for all, sent in one go: the ORM would put together and send one for each.
    """
    if not filled:
        return
    by_name = {field.name: field for field in Verdict._meta.concrete_fields}
    fields = {name: by_name[name] for name in next(iter(filled.values()))}
    quote = connection.ops.quote_name
    assigned = ", ".join(f"{quote(str(field.column))} = %s" for field in fields.values())
    rows = [
        [*(field.get_db_prep_save(values[name], connection) for name, field in fields.items()), pk]
        for pk, values in filled.items()
    ]
    with connection.cursor() as cursor:
        # Only names of the model's own table and columns are put into the statement.
        statement = f"UPDATE {quote(Verdict._meta.db_table)} SET {assigned}"  # noqa: S608
        cursor.executemany(f"{statement} WHERE id = %s AND outcome = 'pending'", rows)


def _expression(field: models.Field[Any, Any], columns: dict[str, Any]) -> Combinable:
    given = columns.get(field.attname, field.get_default())
    return given if isinstance(given, Combinable) else Value(given, output_field=field)
