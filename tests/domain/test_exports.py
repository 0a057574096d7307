import service


def test_an_author_imports_exactly_these() -> None:
    names = ["Context", "DefinitionError", "End", "Ended", "Next", "Rate", "Retry", "Workflows"]
    assert sorted(service.__all__) == names
    assert all(getattr(service, name).__doc__ for name in names)
