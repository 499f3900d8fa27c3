"""Disk to memory and back: maps, scenarios, plans, images, TOML tables, downloads."""
