"""Language models behind the `Model` protocol. Each needs an extra of its own."""
