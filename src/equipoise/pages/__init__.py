"""Pictures and pages: data in, SVG or HTML out, nothing else touched."""
