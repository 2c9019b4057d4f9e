"""Other harnesses' records and interfaces."""
