"""Values and decisions: no I/O, no event loop, no driver."""
