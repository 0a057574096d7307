from datetime import timedelta

import pytest

from service.domain.units import parse_size, parse_span


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("250us", timedelta(microseconds=250)),
        ("50ms", timedelta(milliseconds=50)),
        ("30", timedelta(seconds=30)),
        (" 30 s ", timedelta(seconds=30)),
        ("1.5m", timedelta(seconds=90)),
        ("1h", timedelta(hours=1)),
        ("30d", timedelta(days=30)),
        ("0.1s", timedelta(milliseconds=100)),
    ],
)
def test_reads_a_span(text: str, span: timedelta) -> None:
    assert parse_span(text) == span


@pytest.mark.parametrize("text", ["", "s", "-1s", "1e3s", "1 y", "1s 5ms", "٣s", "99999999999999d"])
def test_refuses_what_is_no_span(text: str) -> None:
    with pytest.raises(ValueError, match="is "):
        parse_span(text)


@pytest.mark.parametrize(
    ("text", "size"),
    [("512", 512), ("64kB", 64_000), ("1MiB", 1 << 20), ("1.5 KiB", 1536), ("2GiB", 2 << 30)],
)
def test_reads_a_size(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "MiB", "-1", "1TB", "1 mib", "9" * 400])
def test_refuses_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number followed by one of B, kB"):
        parse_size(text)
