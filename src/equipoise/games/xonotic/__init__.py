"""Xonotic: reader of its logs."""
