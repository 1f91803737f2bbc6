"""A real one-node Kubernetes for the tests: built from Go modules, run as plain processes of this machine."""
