"""The clock and the referee: simulations, scenes, and the calls for many agents."""
