"""What it takes to run Loci for others, as far as it can be tried without a container engine."""
