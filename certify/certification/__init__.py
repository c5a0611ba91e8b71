"""The certification run: compute everything, conclude, write the evidence, compute it again."""
