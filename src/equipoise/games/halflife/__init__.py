"""Half-Life servers, Counter-Strike's above all: their lines, their games and what changes play."""
