"""A bot that plays by rules of thumb: one program, whose players differ only in their settings.

Read in this order: ``main`` (which rule answers which question), ``settings`` (what differs between players),
``counting`` (what a seat can work out), ``strength`` (which cards will win tricks), ``calling``, ``playing``, and
``pairs`` for the game of pairs. The modules import each other relatively, so that the package works here and inside a
submitted folder alike."""
