"""The least that storing costs: `python -m tests.benchmarks.load_texts FILE`, into one plain table.

The rows of a file as `imports` writes it: COPY on PostgreSQL, executemany on SQLite, nothing checked.
"""

import json
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg

_TABLE = "CREATE TABLE plain_texts (request text, output text, human text)"


def rows_of(path: Path) -> Iterator[tuple[str, str, str]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["request"], row["candidate"], row["human"]


def copy_into_postgresql(path: Path, url: str) -> None:
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(_TABLE)
        with cursor.copy("COPY plain_texts FROM STDIN") as copy:
            for row in rows_of(path):
                copy.write_row(row)


def insert_into_sqlite(path: Path, file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute(_TABLE)
        connection.executemany("INSERT INTO plain_texts VALUES (?, ?, ?)", rows_of(path))


def main() -> None:
    path = Path(sys.argv[1])
    if url := os.environ["DATABASE_URL"]:
        copy_into_postgresql(path, url)
    else:
        insert_into_sqlite(path, Path(os.environ["VERA_VAR"]) / "vera.sqlite3")


if __name__ == "__main__":
    main()
