"""Unreal Tournament 2004: its lines, its game types and its mutators."""
