"""Wilt and Botea, "Spatially distributed multiagent path planning", 2014; Renukamurthy, its cooperative version, 2016."""

PROBLEMS = {"sdp-rooms": "rooms:problem_in_rooms"}
