"""What is to be divided: the roster, its rules and prices, as arrays."""
