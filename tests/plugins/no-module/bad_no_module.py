"""Its entry point names a module that is not there."""
