"""The judges of plans, records and straight lines, and the metrics. Imports no algorithm."""
