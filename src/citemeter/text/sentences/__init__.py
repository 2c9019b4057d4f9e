"""Where sentences end."""
