"""What was told of matches is kept for those who still look on."""

from arena.web.beginnings import Beginnings


def test_what_was_told_last_of_a_match_is_kept_until_enough_others_were_told_of() -> None:
    beginnings = Beginnings(kept=2)
    assert beginnings.find(("cup", 0, 3)) is None
    beginnings.keep(("cup", 0, 3), "deal 1")
    beginnings.keep(("cup", 1, 3), "deal 1")
    beginnings.keep(("cup", 0, 3), "deals 1 and 2")
    beginnings.keep(("cup", 2, 3), "deal 1")
    assert beginnings.find(("cup", 0, 3)) == "deals 1 and 2"
    assert beginnings.find(("cup", 1, 3)) is None
    assert beginnings.find(("cup", 2, 3)) == "deal 1"
