"""Worlds of the playground, one class for each kind of scene. They run in a worker, which tells the page what changes."""
