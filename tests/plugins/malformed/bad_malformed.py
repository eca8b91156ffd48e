"""Its entry point has a dot where a colon belongs."""
