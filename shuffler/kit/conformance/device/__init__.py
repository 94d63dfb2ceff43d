"""The device suite: a host that asks a device about every rule, also by doing what no host may."""
