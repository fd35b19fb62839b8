"""The native memory provider: ordinary Python that runs in the guest and, for tests, natively."""
