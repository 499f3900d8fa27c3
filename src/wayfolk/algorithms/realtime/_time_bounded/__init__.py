"""TBA* and Salient Search, which do a slice of one A* for each move."""
