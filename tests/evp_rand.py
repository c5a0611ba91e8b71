"""OpenSSL's own DRBGs through ctypes: a second opinion that shares no line with ours.

A TEST-RAND parent injects entropy and nonce, so that every byte of a scenario is under control.

Source: OpenSSL manual pages EVP_RAND(3), EVP_RAND-CTR-DRBG(7), EVP_RAND-TEST-RAND(7).
"""

import ctypes
import ctypes.util
from typing import Any


class Param(ctypes.Structure):
    """OSSL_PARAM."""

    _fields_ = [
        ("key", ctypes.c_char_p),
        ("data_type", ctypes.c_uint),
        ("data", ctypes.c_void_p),
        ("data_size", ctypes.c_size_t),
        ("return_size", ctypes.c_size_t),
    ]


class RefusedError(Exception):
    """OpenSSL returned an error."""


def load():
    """libcrypto with the signatures of the calls used here, or None if it lacks EVP_RAND."""
    name = ctypes.util.find_library("crypto")
    if name is None:
        return None
    library = ctypes.CDLL(name)
    if not hasattr(library, "EVP_RAND_fetch"):
        return None
    pointer, size, text, number = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_int
    signatures = {
        "EVP_RAND_fetch": (pointer, [pointer, text, text]),
        "EVP_RAND_CTX_new": (pointer, [pointer, pointer]),
        "EVP_RAND_CTX_free": (None, [pointer]),
        "EVP_RAND_instantiate": (number, [pointer, ctypes.c_uint, number, text, size, pointer]),
        "EVP_RAND_generate": (number, [pointer, pointer, size, ctypes.c_uint, number, text, size]),
        "EVP_RAND_reseed": (number, [pointer, number, text, size, text, size]),
        "EVP_RAND_CTX_set_params": (number, [pointer, pointer]),
        "OSSL_PARAM_construct_octet_string": (Param, [text, pointer, size]),
        "OSSL_PARAM_construct_utf8_string": (Param, [text, pointer, size]),
        "OSSL_PARAM_construct_uint": (Param, [text, pointer]),
        "OSSL_PARAM_construct_end": (Param, []),
    }
    for function, (result, arguments) in signatures.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    return library


LIBCRYPTO = load()


class Params:
    """A row of OSSL_PARAM whose buffers stay alive as long as it does."""

    def __init__(self, **values):
        self.keep: list[Any] = []
        row = []
        for key, value in values.items():
            name = key.encode()
            if isinstance(value, bytes):
                buffer = ctypes.create_string_buffer(value, max(1, len(value)))
                row.append(LIBCRYPTO.OSSL_PARAM_construct_octet_string(name, buffer, len(value)))
            elif isinstance(value, str):
                buffer = ctypes.create_string_buffer(value.encode())
                row.append(LIBCRYPTO.OSSL_PARAM_construct_utf8_string(name, buffer, 0))
            else:
                buffer = ctypes.c_uint(value)
                row.append(LIBCRYPTO.OSSL_PARAM_construct_uint(name, ctypes.byref(buffer)))
            self.keep += [buffer, name]
        self.row = (Param * (len(row) + 1))(*row, LIBCRYPTO.OSSL_PARAM_construct_end())


class EvpRand:
    """One DRBG of OpenSSL whose entropy and nonce are given call by call."""

    def __init__(self, mechanism, **options):
        self.parent = self._context("TEST-RAND", None)
        self.context = self._context(mechanism, self.parent)
        # Only parameters that a DRBG knows are given; the caller names cipher, digest, mac, use_derivation_function.
        self._set(self.context, Params(**options))
        self.started = False

    @staticmethod
    def _context(name, parent):
        fetched = LIBCRYPTO.EVP_RAND_fetch(None, name.encode(), None)
        if not fetched:
            raise RefusedError(f"libcrypto offers no {name}")
        return LIBCRYPTO.EVP_RAND_CTX_new(fetched, parent)

    @staticmethod
    def _set(context, params):
        if not LIBCRYPTO.EVP_RAND_CTX_set_params(context, params.row):
            raise RefusedError("set_params")

    def _inject(self, entropy, nonce=b""):
        values = {"test_entropy": entropy}
        if nonce:
            values["test_nonce"] = nonce
        if not self.started:
            values["strength"] = 256
        self._set(self.parent, Params(**values))
        if not self.started and not LIBCRYPTO.EVP_RAND_instantiate(self.parent, 256, 0, None, 0, None):
            raise RefusedError("instantiate parent")
        self.started = True

    def instantiate(self, entropy, nonce, personalisation, strength):
        """Instantiate with the given inputs."""
        self._inject(entropy, nonce)
        if not LIBCRYPTO.EVP_RAND_instantiate(
            self.context, strength, 0, personalisation, len(personalisation), None
        ):
            raise RefusedError("instantiate")

    def reseed(self, entropy, additional):
        """Reseed with the given entropy input."""
        self._inject(entropy)
        if not LIBCRYPTO.EVP_RAND_reseed(self.context, 0, None, 0, additional, len(additional)):
            raise RefusedError("reseed")

    def generate(self, nbytes, additional, fresh=None):
        """Generate; with `fresh` entropy under prediction resistance."""
        if fresh is not None:
            self._inject(fresh)
        out = ctypes.create_string_buffer(nbytes)
        if not LIBCRYPTO.EVP_RAND_generate(
            self.context, out, nbytes, 0, int(fresh is not None), additional, len(additional)
        ):
            raise RefusedError("generate")
        return out.raw

    def close(self):
        """Free both contexts."""
        LIBCRYPTO.EVP_RAND_CTX_free(self.context)
        LIBCRYPTO.EVP_RAND_CTX_free(self.parent)
