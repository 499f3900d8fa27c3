"""What planners that search for groups of agents share: the joint search, the paths of other groups, and their merging."""
