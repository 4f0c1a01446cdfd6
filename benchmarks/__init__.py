"""What is measured, in folders like the source: ``python -m benchmarks --list`` names it all."""
