"""From settings to a bound provider, one module a step.

Binding decides what engine we have; the overlay decides who may see what.
"""
