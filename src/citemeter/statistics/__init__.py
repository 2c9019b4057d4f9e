"""From one score per response to one for the data set."""
