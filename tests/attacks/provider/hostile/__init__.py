"""One provider, many attacks: the tenant of the bound scope chooses.

An attack is one function in one of the modules here, registered for the export that it
hides in; its tenant is its name with dashes. Every other tenant, and every other export
of an attacking one, is served honestly. The docstring of an attack says what it does and,
after ``Idea:``, where that came from.
"""
