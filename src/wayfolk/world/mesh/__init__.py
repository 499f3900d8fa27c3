"""Continuous worlds: navigation meshes and waypoints."""
