"""Arrays by what they hold, for signatures."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Places = NDArray[np.int32]
Words = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Marks = NDArray[np.bool_]
Floats = NDArray[np.float64]
Values = NDArray[Any]
