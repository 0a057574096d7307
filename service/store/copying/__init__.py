"""Moves everything from one database into another, of whatever dialects the two are."""
