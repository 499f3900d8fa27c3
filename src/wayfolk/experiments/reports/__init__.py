"""Reports: statistics, figures and pages made from a store."""
