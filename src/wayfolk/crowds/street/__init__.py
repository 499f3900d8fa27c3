"""The street: pedestrians and vehicles with brains, signals, crossings."""

from wayfolk.crowds.street.parties import Spawn
from wayfolk.crowds.street.street import Street
from wayfolk.crowds.street.street_map import StreetMap, read_street_map

__all__ = ["Spawn", "Street", "StreetMap", "read_street_map"]
