"""The smallest honest memory provider; README.md says how it came to be."""
