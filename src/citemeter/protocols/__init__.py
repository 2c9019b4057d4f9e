"""Published rule sets over the same parsed answers."""
