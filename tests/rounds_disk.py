"""A disk under SQLite that fails where it is told to and writes down everything done to it.

A file system of our own is registered with the very library that the interpreter uses. It passes every call on to
that of the machine, except for writes, truncations, syncs and removals, which it can refuse, tear and record.
"""

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int64, c_void_p
from dataclasses import dataclass, field
from pathlib import Path

IOERR_WRITE, IOERR_FSYNC, FULL = 10 | 3 << 8, 10 | 4 << 8, 13

Write = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
Truncate = CFUNCTYPE(c_int, c_void_p, c_int64)
Sync = CFUNCTYPE(c_int, c_void_p, c_int)
# Names as SQLite holds them: it keeps the address, so that a copy which is freed would name another file.
Open = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
Delete = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int)


class Methods(Structure):
    _fields_ = [
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", Write),
        ("truncate", Truncate),
        ("sync", Sync),
        ("others", c_void_p * 13),
    ]


class Vfs(Structure):
    _fields_ = [
        ("version", c_int),
        ("size", c_int),
        ("path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", Open),
        ("delete", Delete),
        ("others", c_void_p * 14),
    ]


@dataclass(frozen=True)
class Done:
    """One thing that was done to a file, or that a caller was told (``acknowledged``)."""

    what: str
    file: str
    offset: int = 0
    data: bytes = b""


@dataclass
class Disk:
    """What was done, and which step is to fail.

    Args:
        fails: The step that fails, counted from 1 over the steps of ``kinds``; never where zero.
        kinds: Which steps count: ``write``, ``sync``.
        code: With what it fails.
    """

    fails: int = 0
    kinds: tuple[str, ...] = ("write", "sync")
    code: int = FULL
    steps: int = 0
    done: list[Done] = field(default_factory=list)

    def refuses(self, what):
        if what not in self.kinds:
            return False
        self.steps += 1
        return self.steps == self.fails

    def acknowledged(self, head):
        self.done.append(Done("acknowledged", "", data=head))


def library():
    """Returns the SQLite of the interpreter; None where it is no library of its own."""
    with Path("/proc/self/maps").open() as maps:
        names = {line.split()[-1] for line in maps if "libsqlite3" in line}
    return ctypes.CDLL(names.pop()) if len(names) == 1 else None


class FailingDisk:
    """Makes a disk the one that new connections are opened on, until it is taken away."""

    def __init__(self, disk):
        found = library()
        assert found is not None
        self.lib, self.disk = found, disk
        self.lib.sqlite3_vfs_find.restype = POINTER(Vfs)
        self.original = self.lib.sqlite3_vfs_find(None)
        self.vfs = Vfs.from_buffer_copy(self.original.contents)
        self.vfs.name, self.vfs.next = b"failing", None
        self.names: dict[int, str] = {}
        self.methods: dict[int, tuple[Methods, Methods]] = {}
        self.vfs.open, self.vfs.delete = Open(self._open), Delete(self._delete)
        self.calls = (Write(self._write), Truncate(self._truncate), Sync(self._sync))

    def __enter__(self):
        self.lib.sqlite3_vfs_register(ctypes.byref(self.vfs), 1)
        return self.disk

    def __exit__(self, *error):
        self.lib.sqlite3_vfs_unregister(ctypes.byref(self.vfs))
        self.lib.sqlite3_vfs_register(self.original, 1)

    def _open(self, vfs, name, file, flags, out):
        code = self.original.contents.open(ctypes.addressof(self.original.contents), name, file, flags, out)
        slot = c_void_p.from_address(file)
        if code or not slot.value:
            return code
        own = Methods.from_address(slot.value)
        ours = Methods.from_buffer_copy(own)
        ours.write, ours.truncate, ours.sync = self.calls
        self.names[file] = _name(name) if name else "temporary"
        self.methods[file] = (own, ours)
        slot.value = ctypes.addressof(ours)
        return code

    def _write(self, file, data, size, offset):
        content, own = ctypes.string_at(data, size), self.methods[file][0]
        if self.disk.refuses("write"):
            torn = content[: size // 2]
            own.write(file, torn, len(torn), offset)
            self.disk.done.append(Done("write", self.names[file], offset, torn))
            return self.disk.code
        self.disk.done.append(Done("write", self.names[file], offset, content))
        return own.write(file, data, size, offset)

    def _truncate(self, file, size):
        self.disk.done.append(Done("truncate", self.names[file], size))
        return self.methods[file][0].truncate(file, size)

    def _sync(self, file, flags):
        if self.disk.refuses("sync"):
            return IOERR_FSYNC
        self.disk.done.append(Done("sync", self.names[file]))
        return self.methods[file][0].sync(file, flags)

    def _delete(self, vfs, name, synchronous):
        self.disk.done.append(Done("delete", _name(name)))
        return self.original.contents.delete(ctypes.addressof(self.original.contents), name, synchronous)


def _name(address):
    return Path(ctypes.string_at(address).decode()).name


Files = dict[str, bytearray]


def _apply(files, step, data=None):
    match step.what:
        case "write":
            content = step.data if data is None else data
            file = files.setdefault(step.file, bytearray())
            file.extend(bytes(max(0, step.offset - len(file))))
            file[step.offset : step.offset + len(content)] = content
        case "truncate":
            del files.setdefault(step.file, bytearray())[step.offset :]
        case "delete":
            files.pop(step.file, None)


def images(done):
    """Yields what a loss of power can leave after each step: its name, the files, and what was acknowledged.

    What was synced is there. Of what was written since, all is there; or nothing; or all, the last one torn in the
    middle of a sector's neighbour; or the last one alone, because a disk orders as it likes.
    """
    for end in range(1, len(done) + 1):
        if done[end - 1].what not in ("write", "acknowledged"):
            continue
        steps = done[:end]
        heads = [step.data for step in steps if step.what == "acknowledged"]
        for name, keep in WAYS.items():
            yield f"{name} after step {end}", _image(steps, keep), heads


def _image(steps, keep):
    synced = {step.file: at for at, step in enumerate(steps) if step.what == "sync"}
    loose = [at for at, step in enumerate(steps) if step.what == "write" and at > synced.get(step.file, -1)]
    files = {}
    for at, step in enumerate(steps):
        left = len(loose) - loose.index(at) if at in loose else 0
        _apply(files, step, keep(left, step.data) if left else None)
    return files


WAYS = {
    "everything written is there": lambda left, data: data,
    "nothing but what was synced is there": lambda left, data: b"",
    "the last write is torn": lambda left, data: data if left > 1 else data[: len(data) // 2],
    "the last write came first": lambda left, data: data if left == 1 else b"",
}
