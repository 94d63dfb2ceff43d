"""The controller suite: a device that watches its host, and now and then does what a bad line or a bad device does."""
