"""HTTP beside the weight protocol: what is asked over it, the document that says so, and the way in."""
