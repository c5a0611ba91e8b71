"""What a report may consist of: no object in it does, shows or carries anything that a report and a signature need not.

PDF/A forbids most of what makes a file act or show something else than it did when it was signed. Whoever holds a
trusted key can sign such things all the same, and a lone report has nothing next to it to compare with.
"""

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any, Final

import pikepdf

from certify.errors import Refusing, TrustError, listed
from certify.seal.pdf_bounds import first_revision
from certify.seal.pdf_signature import FIELD

_FORBIDDEN_KEYS: Final = frozenset(
    {
        *("/AA", "/OpenAction", "/JS", "/JavaScript", "/XFA", "/OC", "/OCGs", "/OCProperties", "/Collection"),
        *(
            "/RichMediaContent",
            "/Movie",
            "/Sound",
            "/Rendition",
            "/3DD",
            "/Threads",
            "/PieceInfo",
            "/Requirements",
        ),
        *("/NeedsRendering", "/SpiderInfo", "/Alternates", "/OPI", "/PS", "/Ref", "/Trans", "/Dur", "/URLS"),
        *(
            "/EmbeddedFDFs",
            "/FFilter",
            "/FDecodeParms",
            "/DecodeParms",
            "/Encrypt",
            "/AlternatePresentations",
        ),
    }
)
"""Entries by which a file acts, hides or fetches (ISO 19005-3, sections 6.1.3, 6.1.7, 6.2.9, 6.5, 6.9 to 6.11)."""

_ACTIONS: Final = frozenset({"/GoTo", "/URI"})
_ACTING: Final = frozenset(
    {
        *(
            "/JavaScript",
            "/Launch",
            "/GoToR",
            "/GoToE",
            "/GoToDp",
            "/Thread",
            "/Sound",
            "/Movie",
            "/Hide",
            "/Named",
        ),
        *("/SubmitForm", "/ResetForm", "/ImportData", "/SetOCGState", "/Rendition", "/GoTo3DView"),
        "/RichMediaExecute",
    }
)
_NOTES: Final = frozenset(
    {"/FileAttachment", "/RichMedia", "/Screen", "/3D", "/Sound", "/Movie", "/FreeText", "/Stamp"}
)
_NOTED: Final = re.compile(
    b"|".join(
        re.escape(name.encode()) + rb"(?![A-Za-z0-9])"
        for name in (
            *_FORBIDDEN_KEYS,
            "/AF",
            "/EF",
            "/UF",
            "/Filespec",
            "/EmbeddedFile",
            "/Annot",
            "/Action",
            *_ACTING,
            *_NOTES,
            "/F",
        )
    )
)
"""What an object is looked into for, part by part; the reader writes every name in its one form."""

_ANNOTATIONS: Final = frozenset({"/Link", "/Widget"})
_CATALOGUE: Final = frozenset(
    {
        *(
            "/Type",
            "/Version",
            "/Extensions",
            "/Pages",
            "/Outlines",
            "/Lang",
            "/Names",
            "/Dests",
            "/StructTreeRoot",
        ),
        *(
            "/ViewerPreferences",
            "/MarkInfo",
            "/OutputIntents",
            "/AF",
            "/Metadata",
            "/AcroForm",
            "/Perms",
            "/DSS",
        ),
        *("/PageMode", "/PageLayout", "/PageLabels"),
    }
)
_NAMES: Final = frozenset({"/EmbeddedFiles", "/Dests"})
_MOST_LISTED: Final = 8


def require_objects(pdf: bytes) -> str:
    """Refuses a report that holds an object which neither its pages nor its signature need.

    Args:
        pdf: The signed report, within the bounds of :func:`certify.seal.pdf_bounds.require_bounded`.

    Returns:
        What was looked at.

    Raises:
        TrustError: It names the objects.

    Source: ISO 19005-3, sections 6.1.7, 6.5, 6.6, 6.8 and 6.9; ISO 32000-2, section 7.5.6.
    """
    # A parser that meets hostile bytes may raise anything; whatever it raises, the file is refused.
    with (
        Refusing(Exception, TrustError, "the objects of the report cannot be read", words=repr),
        pikepdf.open(BytesIO(first_revision(pdf)), attempt_recovery=False, suppress_warnings=True) as before,
        pikepdf.open(BytesIO(pdf), attempt_recovery=False, suppress_warnings=True) as after,
    ):
        old, new = (
            {
                one.objgen[0]: one
                for one in document.objects
                if _name(one, "/Type") not in ("/XRef", "/ObjStm")
            }
            for document in (before, after)
        )
        # What the signature replaced is still in the file, and a viewer can be made to go back to it.
        replaced = {number: old[number] for number in _changed(old, new)}
        problems = [*_everywhere(before, replaced), *_everywhere(after, new)]
        problems += _last_revision(before, after, old, new)
        looked = len(old.keys() | new.keys()), len(new.keys() - old.keys())
    problems = list(dict.fromkeys(problems))
    if problems:
        raise TrustError(listed(problems, _MOST_LISTED))
    return (
        f"{looked[0]} objects, none of which acts, hides or fetches anything; the {looked[1]} written with the "
        "signature belong to it"
    )


def _everywhere(document: Any, objects: dict[int, Any]) -> list[str]:
    """Returns what is anywhere in the file, in use or not, that no report needs."""
    root = document.Root
    problems = [f"the catalogue has {key}" for key in sorted(set(root.keys()) - _CATALOGUE)]
    names = root.get("/Names", {})
    problems += [f"the catalogue has names under {key}" for key in sorted(set(names.keys()) - _NAMES)]
    listed, streams = _listed_files(root)
    for number, held in objects.items():
        if not _is_stream(held) and not _NOTED.search(held.unparse(resolved=True)):
            continue
        for part, depth in _dictionaries(held):
            found = _problems(part, at_top=depth == 0 and number == root.objgen[0])
            if ("/EF" in part or "/UF" in part or _name(part, "/Type") in ("/Filespec", "/F")) and not (
                depth == 0 and number in listed
            ):
                found.append("a file outside the list of attachments")
            if _name(part, "/Type") == "/EmbeddedFile" and number not in streams:
                found.append("the contents of a file outside the list of attachments")
            problems += [f"object {number} holds {problem}" for problem in found]
    return problems


def _listed_files(root: Any) -> tuple[set[int], set[int]]:
    """Returns the numbers of the attachments in the one list, and of their contents."""
    entries = root.get("/Names", {}).get("/EmbeddedFiles", {}).get("/Names", [])
    listed = [entries[place] for place in range(1, len(entries), 2)]
    streams = {held.objgen[0] for one in listed for held in one["/EF"].values()}
    return {one.objgen[0] for one in listed}, streams


def _dictionaries(value: Any) -> Iterator[tuple[Any, int]]:
    """Yields every dictionary of an object, with how deep it is; other objects are not entered."""
    pending = [(value, 0)]
    while pending:
        part, depth = pending.pop()
        if depth and getattr(part, "is_indirect", False):
            continue
        if _is_dictionary(part):
            yield part, depth
            pending += [(held, depth + 1) for held in part.values()]
        elif _is_array(part):
            pending += [(held, depth + 1) for held in part]


def _is_dictionary(value: Any) -> bool:

    return isinstance(value, pikepdf.Dictionary | pikepdf.Stream)


def _is_stream(value: Any) -> bool:

    return isinstance(value, pikepdf.Stream)


def _is_array(value: Any) -> bool:

    return isinstance(value, pikepdf.Array)


def _problems(part: Any, *, at_top: bool) -> list[str]:
    """Returns what one dictionary holds that no report needs."""
    keys = set(part.keys())
    found = sorted(keys & _FORBIDDEN_KEYS)
    if "/AF" in keys and not at_top:
        found.append("associated files of its own")
    kind, subtype, does = (_name(part, key) for key in ("/Type", "/Subtype", "/S"))
    if (kind == "/Annot" and subtype not in _ANNOTATIONS) or subtype in _NOTES:
        found.append(f"an annotation {subtype}")
    if (kind != "/StructElem" and does in _ACTING) or (kind == "/Action" and does not in _ACTIONS):
        found.append(f"an action {does}")
    if _is_stream(part) and (_name(part, "/Filter") not in ("", "/FlateDecode") or "/F" in keys):
        found.append("a stream that is not plain or deflated")
    return found


def _name(part: Any, key: str) -> str:
    """Returns an entry as text, empty where there is none."""
    if not _is_dictionary(part) or key not in part:
        return ""
    value = part[key]
    return "(not a name)" if _is_dictionary(value) or _is_array(value) else str(value)


def _last_revision(before: Any, after: Any, old: dict[int, Any], new: dict[int, Any]) -> Iterator[str]:
    """Yields what the revision of the signature writes that is no part of a signature."""
    root = after.Root
    if before.Root.objgen != root.objgen or before.trailer.get("/Info") is None is not after.trailer.get(
        "/Info"
    ):
        yield "the report has another catalogue with the signature"
    fields = [one for one in root.AcroForm.Fields if str(one.get("/T", "")) == FIELD]
    place = fields[0].objgen[0] if len(fields) == 1 else 0
    allowed = {
        root.objgen[0]: {"/Perms", "/DSS", "/Extensions", "/AcroForm", "/Version"},
        place: {"/V", "/AP"},
    }
    if root.AcroForm.is_indirect:
        allowed[root.AcroForm.objgen[0]] = {"/SigFlags"}
    for number in _changed(old, new):
        if number not in new:
            yield f"object {number} of the report was removed with the signature"
        elif number not in allowed:
            yield f"object {number} of the report was replaced with the signature"
        elif altered := _altered(old[number], new[number]) - allowed[number]:
            yield f"object {number} of the report was altered with the signature: {', '.join(sorted(altered))}"
    altered = _altered(before.Root.AcroForm, root.AcroForm) - {"/SigFlags"}
    if altered:
        yield f"the form of the report was altered with the signature: {', '.join(sorted(altered))}"
    yield from _strays(root, new.get(place), set(old), new)


def _changed(old: dict[int, Any], new: dict[int, Any]) -> list[int]:
    """Returns the numbers of the objects of the report that the signature replaces or takes away."""
    return [
        number
        for number in sorted(old)
        if number not in new or _written(old[number]) != _written(new[number])
    ]


def _altered(before: Any, after: Any) -> set[str]:
    """Returns the entries that two versions of a dictionary have otherwise."""
    keys = set(before.keys()) | set(after.keys())
    return {key for key in keys if _entry(before, key) != _entry(after, key)}


def _entry(part: Any, key: str) -> Any:
    """Returns an entry as it is written, references not followed; None where there is none."""
    if key not in part:
        return None
    value = part[key]
    return value.objgen if getattr(value, "is_indirect", False) else _plain(value)


def _plain(value: Any) -> bytes:

    if isinstance(value, pikepdf.String):
        # The same text in another encoding is the same: a signer writes titles that are not ASCII anew.
        return str(value).encode("utf-8", "surrogatepass")
    return value.unparse() if isinstance(value, pikepdf.Object) else repr(value).encode()


def _written(value: Any) -> tuple[bytes, bytes]:
    """Returns an object as it is written, with the bytes of its stream."""
    return _stream(value) if _is_stream(value) else (value.unparse(resolved=True), b"")


def _stream(value: Any) -> tuple[bytes, bytes]:
    entries = sorted((key, _entry(value, key)) for key in map(str, value))
    return repr(entries).encode(), value.read_raw_bytes()


def _strays(root: Any, field: Any, old: set[int], new: dict[int, Any]) -> Iterator[str]:
    """Yields new objects that the signature does not reach, and objects of the report that it does."""
    pending = [part[key] for part in (field,) if part is not None for key in ("/V", "/AP") if key in part]
    pending += [root[key] for key in ("/Perms", "/DSS") if key in root]
    reached: set[int] = set()
    while pending:
        value = pending.pop()
        if getattr(value, "is_indirect", False):
            number = value.objgen[0]
            if number in reached:
                continue
            reached.add(number)
            if number in old:
                if number != root.objgen[0]:
                    yield f"the signature refers to object {number} of the report"
                continue
        if _is_dictionary(value):
            pending += list(value.values())
        elif _is_array(value):
            pending += list(value)
    for number in sorted(new.keys() - old - reached):
        yield f"object {number} was written with the signature, which does not need it"
