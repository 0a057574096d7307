"""A shop that takes an order every other second: something to look at."""
