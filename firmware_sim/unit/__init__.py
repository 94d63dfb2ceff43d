"""A device with its power switch: program, link and memory joined to a machine. Owns no port."""
