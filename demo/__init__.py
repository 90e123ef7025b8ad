"""The example that `make demo` shows: two criteria sets, their rows, and scripted jurors."""
