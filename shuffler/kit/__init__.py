"""The controller tester's kit: devices, tables and backups for tests, and scenarios of what goes wrong at a table.

`shuffler.kit.plugin` is the pytest plugin. Names are imported from their modules, so that a test run that uses none of
this pays for nothing.
"""
