"""SQLite: its files, its limits and what it is judged by."""
