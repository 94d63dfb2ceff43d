"""Scenarios: what goes wrong at a table, as TOML files that say what is done and what must come of it.

`scenario` reads them, `running` plays one in virtual time, `library/` holds those that come with the product.
"""
