"""PostgreSQL: the driver, the statements and the migrations."""
