"""The pages of labeling, one module per subject."""
