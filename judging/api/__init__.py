"""The HTTP API, version 1. Names in it never change their meaning; there are only additions."""
