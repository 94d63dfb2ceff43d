"""`python -m shuffler`: the same program as the installed `shuffler`."""

from shuffler.cli import main

main()
