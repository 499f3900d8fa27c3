"""RTA*, LRTA* and their successors that look at the neighbours of a cell before each move."""
