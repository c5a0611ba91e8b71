"""Shared settings of the test suite."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "certify", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.load_profile("certify")
