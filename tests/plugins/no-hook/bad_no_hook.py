"""Has no hook."""
