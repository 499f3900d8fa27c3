"""Jansen, "Multi-agent pathfinding with direction maps", University of Alberta, 2008.

The simulator that it was made with is HOG2, which is public, with its maps and scenarios. What its agents did is an
algorithm of its own here, beside the `direction_map` for users.
"""

MAPS = {f"jansen-{letter}": "maps:read" for letter in "abcd"}
MEASURES = {"jansen-c": "corridors:shares"}
ALGORITHMS = {"jansen_direction_map": "direction_map:begin"}
