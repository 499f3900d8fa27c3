"""Experiments with crowds whose outcome is known from measurements of people: doors, lanes and corridors."""
