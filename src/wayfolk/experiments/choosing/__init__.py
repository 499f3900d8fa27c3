"""Choosing an algorithm: several of them on the same problems of one map, in one table, one page and one replay."""
