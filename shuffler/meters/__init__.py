"""Shared meters: one progressive meter for many tables, on PostgreSQL. The rules of a meter are its SQL functions.

Names are imported from their modules, so that a table without a shared meter needs no database driver.
"""
