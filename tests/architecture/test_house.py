from pathlib import Path

ROOT = Path(__file__).parents[2]
LONGEST = 300
VAGUE = {"common", "helper", "helpers", "misc", "shared", "util", "utils"}


def sources() -> list[Path]:
    return sorted((ROOT / "service").rglob("*.py"))


def test_no_file_holds_more_than_one_idea() -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in sources()
    }
    assert lengths
    assert {path: lines for path, lines in lengths.items() if lines > LONGEST} == {}


def test_every_file_says_what_it_is_about() -> None:
    vague = [path for path in sources() if {path.stem, path.parent.name} & VAGUE]
    assert vague == []


def test_every_room_is_a_package() -> None:
    folders = {path.parent for root in ("service", "tests") for path in (ROOT / root).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
