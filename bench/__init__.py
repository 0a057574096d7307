"""Measures the service against what the machine can do, and against its peers."""
