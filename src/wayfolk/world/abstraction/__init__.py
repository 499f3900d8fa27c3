"""Abstractions of a map, which are smaller and planned on first: sectors, clusters (HPA*) and cliques (PRA*).

Each is built once for a map and kept with it. An edited map (`with_blocked`, `with_freed`) takes what was built for
the map it is a copy of, and updates that instead of building it again.
"""
