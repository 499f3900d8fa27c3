"""Scenes: agents with tasks and what happens meanwhile, as TOML files."""
