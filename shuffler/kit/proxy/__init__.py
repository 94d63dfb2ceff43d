"""A proxy between any controller and any device: records, disturbs on demand, and opens secure sessions with their key.

`disturbance`, `middle` and `unsealing` are pure; `serving` has the ports.
"""
