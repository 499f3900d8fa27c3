"""Is it legal, and how good is it: the judges of plans, records and angles, and the metrics. Imports no algorithm."""
