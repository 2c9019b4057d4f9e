"""What answers say about themselves: refusals, and statements that need no citation."""
