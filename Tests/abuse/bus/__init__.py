"""A D-Bus client that is fast at being a nuisance: many connections, calls without waiting, messages of any size."""
