"""Rows of the registry: what a row is, and the tables of rows by what they look at."""
