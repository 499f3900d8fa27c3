"""The scenes that can be started with one click, and the tour through six of them."""

from __future__ import annotations

from typing import Any

STREET = {
    "drawing": """\
##..####..####..####..##
........................
........................
<<<<<<<x<<<<<<B<<<x<<<<<
>>>>B>>x>>>>>>>>>>x>>>>>
........................
........................
##..####..####..####..##
""",
    "cell": 3.0,
    "coming": [
        {"brain": "pedestrian", "rate": 1.0},
        {"brain": "hurried", "rate": 0.3, "settings": {"patience": 3.0, "errs": 0.8, "careless": 0.2}},
        {"brain": "car", "rate": 0.25},
        {"brain": "bus", "rate": 0.04, "radius": 1.3, "speed": 7.0},
    ],
    "signal": {"green_seconds": 12.0, "orange_seconds": 3.0, "red_seconds": 10.0},
}  # fmt: skip
"""The street of Arun."""
SCENES: list[dict[str, Any]] = [
    {
        "name": "A* against JPS",
        "about": "Both find a shortest path. A* opens cell by cell; JPS scans along lines and opens only jump points.",
        "scene": {"map": {"name": "rooms"}, "kind": "search"},
        "algorithms": ["search/astar", "search/jps"],
    },
    {
        "name": "A dead end",
        "about": "A real-time search plans a little for every move. It raises its heuristic until it gets out.",
        "scene": {"map": {"name": "dead-end"}, "kind": "search", "start": [14, 12], "goal": [38, 12]},
        "algorithms": ["realtime/lrta", "realtime/rtaa"],
    },
    {
        "name": "WHCA* at a crossing",
        "about": "Agents reserve cells in space and time for the next steps, and pass each other in the middle.",
        "scene": {"map": {"name": "crossing"}, "agents": 60, "errand": "patrol"},
        "show": ["ahead", "!trails"],
        "algorithms": ["controllers/whca"],
    },
    {
        "name": "Lanes form",
        "about": "Agents learn which way others go in each cell, and prefer to go along: lanes form without a plan.",
        "scene": {"map": {"name": "jansen-c"}, "agents": 100, "errand": "patrol"},
        "show": ["lanes", "!goals", "!trails"],
        "algorithms": ["controllers/direction_map"],
    },
    {
        "name": "A fleet in a warehouse",
        "about": "LaCAM plans the ways of all robots at once, then they go.",
        "scene": {"map": {"name": "warehouse"}, "agents": 150, "errand": "one_shot"},
        "algorithms": ["planners/lacam"],
    },
    {
        "name": "The street",
        "about": "People wait at red and cross at green, some lose patience; cars stop at the signal. Colours are what "
        "their brains do.",
        "scene": {"map": {"name": "empty"}, "kind": "crowd", "street": STREET, "seed": 3},
        "algorithms": ["crowds/orca"],
    },
    {
        "name": "A crowd in rooms",
        "about": "Bodies with a size and a speed push through narrow doors, there and back.",
        "scene": {"map": {"name": "rooms"}, "kind": "crowd", "agents": 80, "errand": "patrol"},
        "algorithms": ["crowds/social_force"],
    },
    {
        "name": "Two corridors",
        "about": "One corridor for each direction would be best. Which algorithms find that out?",
        "scene": {"map": {"name": "two-corridors"}, "agents": 24, "errand": "patrol"},
        "algorithms": ["controllers/direction_map", "controllers/whca"],
    },
    {
        "name": "A corridor one cell wide",
        "about": "Two agents want to pass where nobody can: one of them has to go back.",
        "scene": {
            "map": {"name": "one-corridor"}, "errand": "one_shot",
            "journeys": [[3, 5, 29, 5], [29, 4, 3, 4], [4, 6, 28, 6], [28, 3, 4, 3]],
        },
        "algorithms": ["controllers/pibt", "planners/push_and_rotate"],
    },
    *(
        {
            "name": f"Jansen's map ({letter})",
            "about": "A map of Jansen 2008 on direction maps, with its patrols.",
            "scene": {"map": {"name": f"jansen-{letter}"}, "agents": 100, "errand": "patrol"},
            "algorithms": ["controllers/direction_map", "controllers/lra"],
        }
        for letter in "abd"
    ),
    {
        "name": "One-way map",
        "about": "FAR makes rows and columns one-way, so that agents seldom meet head-on. Arrows show them.",
        "scene": {"map": {"name": "random"}, "agents": 60, "errand": "patrol"},
        "algorithms": ["controllers/far"],
    },
    {
        "name": "Controllers that talk",
        "about": "SDP divides the map into rooms and lanes with a controller each. They send each other messages: lines "
        "on the map, and the list beside it.",
        "scene": {
            "map": {"name": "halls"}, "errand": "patrol",
            "journeys": [[2 + k, 1 + row, 50 - k, 15 - row] for k in range(3) for row in (0, 1, 2, 12, 13, 14)]
            + [[44 + k, 15 - row, 8 - k, 1 + row] for k in range(3) for row in (0, 1, 2, 12, 13, 14)],
        },
        "show": ["!trails", "!goals"],
        "algorithms": [{"name": "controllers/sdp", "options": {"hosts": 2, "record": True}}],
    },
    {
        "name": "A jam",
        "about": "LRA* plans for each agent alone. Who waits for whom is a line; a cycle of them is red.",
        "scene": {"map": {"name": "one-corridor"}, "agents": 40, "errand": "patrol", "moves": "four"},
        "show": ["waits"],
        "algorithms": ["controllers/lra"],
    },
    {
        "name": "Robots on a roadmap",
        "about": "Discs of two sizes on lanes, some of which lead one way. Nobody comes nearer than both radii.",
        "scene": {"map": {"name": "empty"}, "world": "roads", "agents": 8, "errand": "patrol"},
        "algorithms": ["controllers/pibt"],
    },
    {
        "name": "Hexagons",
        "about": "A map need not consist of squares: each hexagon has six neighbours.",
        "scene": {"map": {"name": "empty"}, "world": "hexagons", "agents": 30, "errand": "patrol"},
        "algorithms": ["controllers/pibt"],
    },
    {
        "name": "Bodies of two sizes",
        "about": "Squares of 2 x 2 cells need wider doors than others, and robots with a heading need time to turn.",
        "scene": {"map": {"name": "empty"}, "world": "bodies", "agents": 16, "errand": "patrol"},
        "algorithms": ["controllers/pibt"],
    },
    {
        "name": "A thousand agents",
        "about": "A thousand agents with tasks without an end, on a large map.",
        "scene": {"map": {"name": "large-rooms"}, "agents": 1000, "errand": "tasks"},
        "algorithms": ["controllers/pibt"],
    },
]  # fmt: skip
TOUR = [0, 1, 2, 3, 4, 5]
"""The stops of the tour, as numbers of scenes."""
