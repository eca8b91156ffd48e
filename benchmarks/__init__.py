"""Speed and quality, as ratios against what a user would pick instead, measured in one run."""
