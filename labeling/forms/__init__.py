"""Forms: what people send, checked once at the door."""
