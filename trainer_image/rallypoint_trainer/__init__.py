"""The built-in training program of Rallypoint."""
