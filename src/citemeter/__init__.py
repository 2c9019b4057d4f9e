"""Measure whether the citations in an answer hold."""
