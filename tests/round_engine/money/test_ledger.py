"""Postings move money, and all balances sum to zero."""

from round_engine.money.ledger import LAYOUT, TRAY, EntryKind, Ledger, Posting

LOST = Posting(EntryKind.LOST, 1, "ante", 500, LAYOUT, TRAY, "nothing", "here")


def test_a_posting_takes_what_it_gives() -> None:
    ledger = Ledger()
    ledger.post([LOST, LOST._replace(amount=200)])
    assert (ledger.balance(LAYOUT), ledger.balance(TRAY), ledger.balance("nobody"), ledger.total()) == (-700, 700, 0, 0)


def test_the_reverse_undoes_it_and_says_why() -> None:
    ledger = Ledger()
    back = LOST.reversed("misdeal")
    ledger.post([LOST, back])
    assert set(ledger.balances.values()) == {0}
    assert (back.entry, back.note, back.clause) == (EntryKind.VOID, "misdeal", "here")


def test_ledgers_are_equal_by_their_balances() -> None:
    one, other = Ledger({"tray": 5}), Ledger()
    assert one != other
    other.post([LOST._replace(source="x", amount=5)])
    assert other == Ledger({"x": -5, "tray": 5})
    assert one != "tray"


def test_a_posting_is_plain_data() -> None:
    assert LOST.to_json()["entry"] == "lost"
    assert LOST.to_json()["amount"] == 500
