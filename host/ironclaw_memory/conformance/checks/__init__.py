"""The checks, one file per chapter of the contract. Each check is a rule; see `rule`."""
