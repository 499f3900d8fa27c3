"""What crowds of people are known to do, tried with every model: lanes, doors, speed by density."""
