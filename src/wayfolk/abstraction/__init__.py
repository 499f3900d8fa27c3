"""Smaller pictures of a map, to plan on first: sectors, clusters (HPA*) and cliques (PRA*).

Each is built once for a map and kept with it. An edited map (`with_blocked`, `with_freed`) finds what was built for the
map it was made from, and brings that up to date instead of building it anew.
"""
