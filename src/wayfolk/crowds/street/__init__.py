"""The street: pedestrians and vehicles with brains, signals, crossings."""

from wayfolk.crowds.street.ground import Ground, read_ground
from wayfolk.crowds.street.parties import Spawn
from wayfolk.crowds.street.street import Street

__all__ = ["Ground", "Spawn", "Street", "read_ground"]
