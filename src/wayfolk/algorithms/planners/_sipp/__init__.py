"""What MAPF-LNS2 and MAPF-LNS share: visits by cell, SIPPS, and the loop that replans a few agents at a time."""
