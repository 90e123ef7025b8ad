"""CSV and TSV in: encodings, line ends, quotes, delimiters, headings; and what is refused by line."""

import io

import pytest

from labeling.formats import delimited
from labeling.formats.detect import detect
from labeling.formats.rows import FileProblem, Refused, Row
from tests.labeling.format_rows import opinion, read, refused_in, rows_of

TABLE = 'id,candidate,verdict\r\n1,"é, ""so""\r\nit goes",pass\r\n\r\n2,𝄞,fail\r\n'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_line_ends_and_quotes(encoding: str) -> None:
    first, second = rows_of(TABLE.encode(encoding), "csv")

    assert (first.line, first.external_id, first.output) == (2, "1", 'é, "so"\r\nit goes')
    assert (second.line, second.output, second.opinions) == (5, "𝄞", (opinion("fail"),))


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_delimiter_is_told_by_the_heading(mark: str) -> None:
    content = f"id{mark}candidate\n1{mark}a\n"

    assert detect(io.BytesIO(content.encode())) == ("tsv" if mark == "\t" else "csv")
    assert [row.output for row in rows_of(content, "csv")] == ["a"]


def test_a_heading_with_two_delimiters_is_told_by_the_lines_below() -> None:
    content = 'candidate;"a, b";c,d\nx, y;1;2\nz;1;2,3,4\n'

    assert [row.output for row in rows_of(content, "csv")] == ["x, y", "z"]


def test_a_line_that_names_the_delimiter_is_no_row() -> None:
    (row,) = rows_of("sep=;\ncandidate;x\na;1\n", "csv")

    assert (row.line, row.output, row.meta) == (3, "a", {"x": "1"})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "empty"),
        ("a;b,candidate\n1;2,x\n", "by commas or semicolons"),
        ("candidate,id,candidate\nx,1,y\n", "columns 1 and 3 are both called 'candidate'"),
        ("verdict,human,candidate\npass,pass,x\n", "'verdict' and 'human' would both be the field human"),
        ('"candidate,id\nx,1\n', "heading, cannot be read"),
        ("output,label\nx,pass\n", "--map candidate=output"),
        ("candidate,label\nx,pass\n".encode("utf-16-le"), "byte order mark"),
        ("candidate\nx\n".encode("utf-32"), "UTF-32"),
        (b"candidate\nol\xe9\n", "Line 2: Byte 3 (0xE9) is not UTF-8"),
    ],
)
def test_unreadable_files_say_what_to_do(content: bytes | str, says: str) -> None:
    with pytest.raises(FileProblem, match=r"\.") as problem:
        read(content, "csv")

    assert says in str(problem.value)


@pytest.mark.parametrize(
    ("line", "field", "says"),
    [
        ("a", "", "1 cell, the heading 2 columns"),
        ("a,b,c", "", "3 cells, the heading 2 columns"),
        ('"a"b,1', "", "quotes do not match"),
        ("a\rb,1", "", "carriage return stands outside quotes"),
        ("a\0,1", "candidate", "NUL character at character 2"),
        ("a," + "9" * 201, "id", "at most 200"),
    ],
)
def test_a_bad_line_is_refused_and_the_next_one_read(line: str, field: str, says: str) -> None:
    content = f"candidate,id\nx,1\n{line}\ny,3\n"

    refused = refused_in(content, "csv")

    assert (refused.line, refused.field) == (3, field)
    assert says in refused.reason
    assert [row.output for row in read(content, "csv") if isinstance(row, Row)] == ["x", "y"]


@pytest.mark.parametrize("rest", ["y,3\nz,4\n", 'y,"3"x\nz,4\n'])
def test_after_an_open_quote_nothing_is_taken_for_a_row(rest: str) -> None:
    *good, refused = read(f'candidate,id\nx,1\n"open,2\n{rest}', "csv")

    assert [row.line for row in good] == [2]
    assert isinstance(refused, Refused)
    assert (refused.line, "othing after" in refused.reason) == (3, True)


def test_a_quote_left_open_is_not_held_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delimited, "LARGEST_ROW", 1024 * 1024)
    content = 'candidate,id\n"open,2\n' + "many lines\n" * 200_000

    refused = refused_in(content, "csv")

    assert refused.line == 2
    assert "larger than 1 MB" in refused.reason


def test_a_lone_surrogate_is_refused_by_its_field() -> None:
    content = "candidate,x\na\ud800,1\n".encode("utf-16", "surrogatepass")

    assert "lone surrogate (U+D800)" in refused_in(content, "csv").reason


def test_five_thousand_columns() -> None:
    columns = ",".join(f"c{number}" for number in range(5000))
    content = f"candidate,{columns}\nx,1{',' * 4999}\ny,{',1' * 4999}\n"

    first, refused = read(content, "csv")

    assert isinstance(first, Row)
    assert first.meta == {"c0": "1"}
    assert isinstance(refused, Refused)
    assert (refused.line, refused.field) == (3, "")
    assert "4999 further columns; at most 200" in refused.reason


def test_blank_lines_of_a_spreadsheet_are_no_rows_but_an_empty_text_is_one() -> None:
    content = "candidate,id,x\n,,\n,2,\n"

    assert [(row.line, row.output, row.external_id) for row in rows_of(content, "csv")] == [(3, "", "2")]


def test_an_apostrophe_is_text_in_the_table_of_another_tool() -> None:
    (foreign,) = rows_of("output,x\n'=1,2\n", "csv", {"output": "candidate"})
    (ours,) = rows_of("candidate,id\n'=1,2\n", "csv")

    assert (foreign.output, ours.output) == ("'=1", "=1")
