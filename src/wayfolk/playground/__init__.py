"""The playground: a server on this machine, and the page on which algorithms are watched and touched while they run."""
