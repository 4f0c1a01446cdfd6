"""The weight protocol: the lines that game servers send and are answered with."""
