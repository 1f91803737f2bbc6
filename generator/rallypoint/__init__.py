"""Rallypoint: one validated YAML spec becomes a distributed PyTorch run, the same everywhere."""
