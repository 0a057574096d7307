import re
from pathlib import Path

from service.settings import PREFIX, ClientSettings, Settings

DOCS = Path(__file__).parents[2] / "docs"
FIELDS = ClientSettings.model_fields | Settings.model_fields
NONE = "none"


def rows(page: str) -> list[list[str]]:
    """Return the cells of each row of the page's tables, without their heads and rules."""
    lines = (DOCS / page).read_text().splitlines()
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in lines
        if line.startswith("| `")
    ]


def code(cell: str) -> str:
    match = re.fullmatch(r"`([^`]+)`", cell)
    assert match, cell
    return match[1]


def test_every_setting_is_told_of_once() -> None:
    assert [code(setting) for setting, *_ in rows("settings.md")] == list(FIELDS)


def test_every_setting_has_its_variable_and_what_it_does() -> None:
    for setting, variable, _, meaning in rows("settings.md"):
        name = code(setting)
        assert code(variable) == PREFIX + name.upper()
        assert meaning == FIELDS[name].description


def test_every_default_is_what_holds_when_nothing_is_set() -> None:
    for setting, _, default, _ in rows("settings.md"):
        name = code(setting)
        kind = Settings if name in Settings.model_fields else ClientSettings
        written = kind.read(**{name: None if default == NONE else code(default)})
        assert getattr(written, name) == getattr(kind.read(), name), name
        assert default != NONE or getattr(written, name) is None
