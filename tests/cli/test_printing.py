import click

from service.cli.printing import clean, table


def test_columns_are_as_wide_as_their_longest_cell() -> None:
    drawn = table(["ID", "WHAT", "WHY"], [["1", "FAILED", ""], ["22", "x", "because"]])
    assert click.unstyle(drawn).splitlines() == [
        "ID  WHAT    WHY",
        "1   FAILED",
        "22  x       because",
    ]


def test_long_cells_are_cut() -> None:
    drawn = table(["WHY"], [["x" * 200]])
    assert drawn.splitlines()[1] == "x" * 59 + "…"


def test_nothing_moves_the_cursor_of_a_terminal() -> None:
    assert clean("a\x1b[31mb\nc\u202ed é") == "a\\x1b[31mb\\nc\\u202ed é"
