"""Speed, as ratios against peers measured in the same run: `make bench` writes docs/benchmarks.md."""
