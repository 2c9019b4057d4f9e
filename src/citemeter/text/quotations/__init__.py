"""Quotations: found in answers, matched with sources."""
