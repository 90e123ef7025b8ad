"""Benchmarks: figures beside a baseline that was measured in the same run, turn by turn with them."""
