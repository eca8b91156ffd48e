"""The HTTP application over a bound memory."""
