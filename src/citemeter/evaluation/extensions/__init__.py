"""What only some records ask for."""
