"""File formats in and out: one module for each, a pair of pure functions `read(stream)` and `write(rows)`."""
