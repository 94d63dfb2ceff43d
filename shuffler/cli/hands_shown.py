"""Hands shown as they come: drawn side by side on a terminal, a line each in a pipe."""

import shutil
import sys

import typer

from protocol.cards import card_name
from protocol.messages import DEALER_SEAT
from shuffler.cli.cards_art import DrawnHand, draw, fit
from shuffler.host.dealing import Dealt


class HandsShown:
    """One round's hands; a row is drawn when it is full."""

    def __init__(self) -> None:
        self._shown: set[int] = set()
        self._row: list[DrawnHand] = []
        self._live = sys.stdout.isatty()

    def take(self, dealt: Dealt) -> None:
        """The state of the table after another group."""
        for seat, cards in dealt.hands.items():
            if seat in self._shown:
                continue
            self._shown.add(seat)
            who = "dealer" if seat == DEALER_SEAT else f"seat {seat}"
            if places := dealt.places[seat]:
                typer.echo(f"{who:>7}: faces not read; from places {', '.join(map(str, places))} of the feed")
            else:
                self._row.append(DrawnHand(who, cards))
        if not self._live or len(self._row) >= fit(shutil.get_terminal_size().columns):
            self.flush()

    def flush(self) -> None:
        """Show what has come since the last row."""
        hands, self._row = self._row, []
        if not self._live:
            for hand in hands:
                typer.echo(f"{hand.who:>7}: {' '.join(card_name(card) for card in hand.cards)}")
        elif hands:
            from rich.console import Console

            console = Console(width=shutil.get_terminal_size().columns)
            console.print(draw(hands, console.width), soft_wrap=True)
