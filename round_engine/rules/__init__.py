"""Rule sets as data: the TOML files, the values they are parsed into, and the parser."""
