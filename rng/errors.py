"""Everything that can go wrong inside the random number generator, by who is at fault."""


class RngError(Exception):
    """Base of every error that the generator raises."""


class EntropyError(RngError):
    """The entropy source failed or refused: no number may be produced until a fresh, healthy seed."""


class DrbgError(RngError):
    """A DRBG was called outside the limits of SP 800-90A or in the wrong state."""


class RangeError(RngError, ValueError):
    """A range, count or size required of the generator is not one it can serve."""


class TranscriptError(RngError):
    """A recorded transcript does not verify or does not replay."""


class VectorError(RngError, ValueError):
    """A file of known answers cannot be read or is malformed; the file and the place are named."""


class SampleError(RngError, ValueError):
    """Data given to a statistical test is malformed or too short for that test."""


class DoubledItemError(SampleError):
    """A row holds an item twice that is not put back: well-formed, and nothing that the equipment can give.

    Args:
        message: The same in words.
        row: Which row, from 1.
        piece: Place of the piece of equipment among those of a row.
        item: The item, from 0.

    ``sha256`` is the digest of everything that was given, which its reader sets.
    """

    def __init__(self, message: str, row: int, piece: int, item: int) -> None:
        super().__init__(message)
        self.row, self.piece, self.item, self.sha256 = row, piece, item, ""
