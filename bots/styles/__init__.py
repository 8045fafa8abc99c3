"""The company of Minus One: one program of three styles and three levels, for people who play against the computer.

Read in this order: ``main`` (what is shown and kept), ``settings`` (styles and levels), ``chances`` (how often a keep
wins). Unlike the players of ``rules`` they follow fixed formulas, docs/rules/minus_one.md has them."""
