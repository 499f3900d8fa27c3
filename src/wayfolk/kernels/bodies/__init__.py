"""Bodies in continuous space as arrays: who is near, walls, collisions, steering, flocking and potentials."""
