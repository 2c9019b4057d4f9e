"""Judges: what decides whether a premise entails a hypothesis."""
