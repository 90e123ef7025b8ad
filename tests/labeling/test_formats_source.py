"""From bytes to JSON objects: encodings, line ends, arrays, and what is refused by line."""

import io

import pytest

from labeling.formats import source
from labeling.formats.rows import FileProblem, Refused
from labeling.formats.source import Found, read_objects
from labeling.formats.strict_json import StrictDecoder

LINES = '{"candidate": "é"}\r\n\r\n{"candidate": "𝄞"}'


def read(content: bytes) -> list[Found | Refused]:
    return list(read_objects(io.BytesIO(content)))


def only_refused(content: bytes) -> Refused:
    (refused,) = (found for found in read(content) if isinstance(found, Refused))
    return refused


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le-bom", "utf-16-be-bom"])
def test_encodings_and_line_ends(encoding: str) -> None:
    marks = {"utf-16-le-bom": b"\xff\xfe", "utf-16-be-bom": b"\xfe\xff"}
    content = marks.get(encoding, b"") + LINES.encode(encoding.removesuffix("-bom"))

    found = read(content)

    assert found == [Found(1, {"candidate": "é"}), Found(3, {"candidate": "𝄞"})]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "empty"),
        (b" \r\n\n", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        ('{"a": 1}'.encode("utf-32"), "UTF-32"),
        ('{"a": 1}'.encode("utf-16-le"), "byte order mark"),
        ('{"a": 1}'.encode("utf-16")[:-1], "incomplete"),
        (b'[{"candidate": "\xff"}]', "Byte 17 (0xFF) is not UTF-8"),
    ],
)
def test_unreadable_files_say_what_to_do(content: bytes, says: str) -> None:
    with pytest.raises(FileProblem, match=r"\.") as problem:
        read(content)

    assert says in str(problem.value)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"candidate": "half', "not valid JSON: Unterminated string starting at column 15"),
        (b'{"candidate": NaN}', "NaN is not JSON"),
        (b'{"candidate": 1e999}', "too large"),
        (b'{"candidate": ' + b"9" * 5000 + b"}", "too long"),
        (b'{"candidate": "a", "candidate": "b"}', "'candidate' appears twice"),
        (b'{"a": {"b": 1, "b": 1}}', "'b' appears twice"),
        (b'{"a": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"a": 1} {"a": 2}', "on a line of its own"),
        (b'["a"]', "must be a JSON object"),
        (b'{"candidate": "\xff"}', "Byte 16 (0xFF) is not UTF-8"),
        (b'{"candidate": "\xed\xff"}', "Byte 16 (0xED) is not UTF-8"),
    ],
)
def test_a_bad_line_is_refused_and_the_next_one_read(line: bytes, says: str) -> None:
    content = b'{"a": 1}\n' + line + b'\n{"a": 3}\n'

    assert says in only_refused(content).reason
    assert [found.line for found in read(content)] == [1, 2, 3]


def test_a_lone_surrogate_from_utf16_is_left_for_the_field_to_refuse() -> None:
    content = '{"candidate": "\ud800"}'.encode("utf-16", "surrogatepass")

    assert read(content) == [Found(1, {"candidate": "\ud800"})]


def test_keys_are_compared_once_each_to_find_one_that_is_there_twice() -> None:
    compared = 0

    class Name(str):
        __hash__ = str.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return str.__eq__(self, other)

    pairs: list[tuple[str, int]] = [(Name(number), 1) for number in [*range(1000), 999]]
    StrictDecoder()._object(pairs)

    assert compared < 10_000


def test_a_row_that_is_too_large_is_refused_unread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGEST_ROW", 1024 * 1024)
    content = b'{"a": 1}\n{"a": "' + b"x" * 1024 * 1024 + b'"}\n{"a": 3}'

    assert [found.line for found in read(content)] == [1, 2, 3]
    assert only_refused(content) == Refused(2, "", "The row is larger than 1 MB. Shorten or leave it out.")


def test_ten_megabytes_are_a_row() -> None:
    text = "x" * 10 * 1024 * 1024

    assert read(f'{{"candidate": "{text}"}}'.encode()) == [Found(1, {"candidate": text})]


def test_an_array_names_element_and_line() -> None:
    content = b'\n[\n {"a": 1},\n {"a":\n  NaN},\n 7, {"a": 4}\n]\n'

    assert read(content) == [
        Found(3, {"a": 1}, 1),
        Refused(4, "", "NaN is not JSON; write a number or null.", 2),
        Refused(6, "", "A row must be a JSON object: {…}.", 3),
        Found(6, {"a": 4}, 4),
    ]


@pytest.mark.parametrize("end", ["", ",", ", {", " {}", "] []", ",]"])
def test_an_array_that_breaks_off_is_refused_where_it_does(end: str) -> None:
    first, refused = read(f'[{{"a": 1}}\n{end}'.encode())

    assert first == Found(1, {"a": 1}, 1)
    assert isinstance(refused, Refused)
    assert refused.line in {1, 2}


def test_an_array_too_large_asks_for_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "LARGEST_ARRAY", 1024 * 1024)

    with pytest.raises(FileProblem, match="JSON Lines"):
        read(b"[" + b" " * 1024 * 1024 + b"]")
