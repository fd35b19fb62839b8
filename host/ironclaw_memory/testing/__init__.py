"""Public doubles, for our tests and for yours."""
