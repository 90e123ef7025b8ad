"""Scripts for other programs, which run in environments of their own: see README.md. Nothing imports them."""
