import re
from pathlib import Path

from click import Context

from service import Workflows
from service.cli.main import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCED = re.compile(r"```(\w+)\n(.*?)```", re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in FENCED.findall(page.read_text()) if kind == language]


def test_the_first_workflow_is_one() -> None:
    written: dict[str, object] = {"__name__": "orders"}
    exec(blocks(ROOT / "README.md", "python")[0], written)  # noqa: S102 - it is ours
    workflows = written["workflows"]
    assert isinstance(workflows, Workflows)
    assert set(workflows.definitions) == {"order", "greet"}
    assert workflows.definitions["order"].queue in workflows.queues


def test_every_link_leads_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_command_that_is_shown_exists() -> None:
    shown = {
        verb
        for page in PAGES
        for text in blocks(page, "sh")
        for verb in re.findall(r"workflow-service ([a-z]+)", text)
    }
    assert {"serve", "worker", "enqueue", "demo"} <= shown <= set(main.list_commands(Context(main)))
