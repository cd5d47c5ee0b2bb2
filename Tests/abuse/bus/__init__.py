"""A D-Bus client for load: many connections, calls without waiting, messages of any size."""
