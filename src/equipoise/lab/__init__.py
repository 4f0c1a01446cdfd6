"""The laboratory: instances to try things on, made from a seed."""
