"""The pages of the judging app."""
