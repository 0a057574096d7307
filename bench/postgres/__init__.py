"""PostgreSQL: its databases, its limits and what it is judged by."""
