"""Pictures: data in, SVG out."""
