"""Shared meters: one progressive meter, many tables, on PostgreSQL. The model is pure, the database an edge.

Names are imported from their modules, so that a table without a shared meter needs no database driver.
"""
