"""Reading answers: markers, sentences, quotations."""
