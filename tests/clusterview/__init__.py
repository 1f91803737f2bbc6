"""What the verbs on a cluster decide and say, without one."""
