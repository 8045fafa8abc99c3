"""The rules of the four games read a second time, slowly and in plain words, to judge the engine's records.

Knows no engine: the modules that judge import nothing of ours, and were written from the rules without a look at the
first reading. Only `matches` and `__main__`, which have matches played, import what plays them.
"""
