"""Reads and writes files: maps, scenarios, plans, images, TOML tables, downloads."""
