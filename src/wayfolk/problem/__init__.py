"""Question and answer as data: problem, plan, result, record, events."""
