"""The steps from one schema of an archive to the next, one file a step, and what carries them out."""
