"""The behaviours, one module an area. Importing a module registers what is in it."""
