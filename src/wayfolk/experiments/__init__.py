"""The laboratory: sweeps over many runs, the store that keeps them, reports, and papers that can be run again."""
