"""The graded exercises, one folder each, and what they share."""
