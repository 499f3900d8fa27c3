"""The algorithms: a folder for each family, the catalogue that reads them, and the calls for one agent."""
