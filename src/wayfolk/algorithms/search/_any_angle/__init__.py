"""Theta* and its variants, whose paths leave the grid."""
