"""What things cost on this machine. Every figure that is kept stands in results.md."""
