"""Proofs: each file runs one claim at a chosen size; tests run it small, `make proof-NAME` runs it in full."""
