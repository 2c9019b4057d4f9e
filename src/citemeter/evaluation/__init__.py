"""From one record to its counts: what every response has, and what some records ask for."""
