"""Seals the work: canonical evidence, attestation, PDF signature, the pack, and its verification."""
