"""Conformance: any device or controller put through the protocol's numbered rules, each with a verdict and evidence.

`device/` asks a device as a host that does what hosts must not; `controller/` is a device that watches its host. Both
are pure: a wire with a clock is handed to them, real (`live`) or virtual (`virtual`). The rules themselves are in the
protocol's reference (`protocol.render.rules`); here each has a check, or a sentence why it has none.
"""
