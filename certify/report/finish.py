"""Last touches on the PDF before it is written: attachments, metadata, the signature field."""

from __future__ import annotations

from typing import Any

from certify.errors import RenderError

FIELD = "Issuer"
_RDF_END = b"</rdf:RDF>"
# ISO 14289-1, clause 5 (identification), and ISO 19005-3, 6.6.2.3.3 (extension schema of a foreign
# property): both must stand in the first rdf:RDF, where validators look.
_UNIVERSAL_ACCESS = b"""<rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/" \
pdfuaid:part="1" /><rdf:Description rdf:about="" \
xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" \
xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" \
xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#"><pdfaExtension:schemas><rdf:Bag>\
<rdf:li rdf:parseType="Resource"><pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema>\
<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>\
<pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix><pdfaSchema:property><rdf:Seq>\
<rdf:li rdf:parseType="Resource"><pdfaProperty:name>part</pdfaProperty:name>\
<pdfaProperty:valueType>Integer</pdfaProperty:valueType><pdfaProperty:category>internal</pdfaProperty:category>\
<pdfaProperty:description>Part of ISO 14289 that the file conforms to</pdfaProperty:description></rdf:li>\
</rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas></rdf:Description>"""


def finish(document: object, pdf: Any) -> None:
    """Applies every last touch; the renderer calls this just before it writes the file."""
    _associate_once(pdf)
    finish_unsigned(document, pdf)
    _make_signature_field(pdf)


def finish_unsigned(document: object, pdf: Any) -> None:
    """Applies the last touches to a document that has no place for a signature."""
    _claim_universal_access(pdf)
    _list_identified(pdf)


def _associate_once(pdf: Any) -> None:
    """Lists every attachment once: the renderer's release 70.0 names each of them twice."""
    if "AF" in pdf.catalog:
        pdf.catalog["AF"][:] = list(dict.fromkeys(pdf.catalog["AF"]))


def _claim_universal_access(pdf: Any) -> None:
    """Adds the PDF/UA-1 mark to the metadata of the PDF/A."""
    reference = int(pdf.catalog["Metadata"].split()[0])
    stream = pdf.objects[reference]
    content = b"".join(stream.stream)
    stream.stream = [content.replace(_RDF_END, _UNIVERSAL_ACCESS + _RDF_END, 1)]


def _list_identified(pdf: Any) -> None:
    """Lists the cells that head others by their identifiers: cells name their heads by these.

    Source: ISO 32000-1, 14.7.2 (IDTree, wanted where an element has an ID); 7.9.6 (name trees).
    """
    elements: list[Any] = [
        element for element in pdf.objects if isinstance(element, dict) and "ID" in element
    ]
    identified = {element["ID"].string: element for element in elements}
    names = [
        part
        for name in sorted(identified)
        for part in (identified[name]["ID"].data, identified[name].reference)
    ]
    if names:
        root = pdf.objects[int(pdf.catalog["StructTreeRoot"].split()[0])]
        root["IDTree"] = b"<</Names [" + b" ".join(names) + b"]>>"


def _make_signature_field(pdf: Any) -> None:
    """Turns the placeholder checkbox into an empty signature field.

    The renderer places and tags a checkbox as a form element; a field added later would be untagged.

    Source: ISO 32000-1, 12.7.4.5 (signature fields); 12.8.1.
    """
    if "AcroForm" not in pdf.catalog:
        raise RenderError(f"the report has no place for the signature: expected a field named {FIELD!r}")
    form = pdf.catalog["AcroForm"]
    for reference in form["Fields"]:
        field = pdf.objects[int(reference.split()[0])]
        for key in ("AP", "AS", "MK", "V", "Border"):
            field.pop(key, None)
        field["FT"] = "/Sig"
    form.pop("DR", None)
    form.pop("NeedAppearances", None)
