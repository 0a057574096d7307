"""SQLite: the driver, the statements and the migrations."""
