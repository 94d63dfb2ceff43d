"""The emulated device as a USB device: model, USB/IP server, pyusb backend, capture."""
