"""Benchmarks: product and peer side by side in one run; `make bench` writes the ratios to docs/benchmarks.md."""
