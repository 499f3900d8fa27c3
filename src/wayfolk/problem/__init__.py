"""Problems and answers as data: problem, plan, result, record, events."""
