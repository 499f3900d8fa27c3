"""The brains that come with Wayfolk, one file each."""
