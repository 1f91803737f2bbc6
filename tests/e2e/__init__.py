"""What `rallypoint render` prints, run by real pods on every kind."""
