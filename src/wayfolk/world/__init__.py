"""Where agents move: grids, graphs, meshes, and what is known or learned about them."""
