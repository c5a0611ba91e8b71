"""Min-entropy of raw noise by the estimators of NIST SP 800-90B section 6.3: what a noise source is good for."""

from rng.battery.sp800_90b.assessment import Assessment, assess, read_samples
from rng.battery.sp800_90b.estimate import Estimate

__all__ = ["Assessment", "Estimate", "assess", "read_samples"]
