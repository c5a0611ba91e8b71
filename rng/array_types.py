"""Arrays by what they hold, for signatures."""

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]
Numbers = NDArray[np.unsignedinteger]
Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
