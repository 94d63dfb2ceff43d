"""Scripts for maintainers. Nothing of the product imports them."""
