"""The earlier bodies of documents: kept, listed, reconstructed, erased."""
