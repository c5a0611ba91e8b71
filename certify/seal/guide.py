"""VERIFY.md: how to check a pack without this software, with tools that every system has."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib import resources

from cryptography import x509

from certify.fonts import TEMPLATES
from certify.seal.canonical import sha256_hex
from certify.seal.certificates import common_name, fingerprint
from certify.seal.layout import CERTIFICATE, CHECKER
from certify.seal.pdf_bounds import read_byte_range
from certify.seal.signer import is_demonstration

_WARNING = """> **Demonstration key.** This pack was signed with a key made for one run and thrown away. The
> commands below prove that nothing in the pack was altered since; they cannot prove who made it.

"""

_GUIDE = """# How to check this pack

{warning}This pack can be checked offline with `openssl`, `pdfsig`, `pdfdetach` (both of poppler) and
`sha256sum`. Run the commands in a POSIX shell, in the folder of this file, in this order. They write into a scratch
folder only. All of them at once, with a count and exit code 0 only where all hold (what `pdfsig` prints is still to be
read):

    {{ sed -n '/^```sh$/,/^```$/{{/^```/!s/echo "/echo >> "$CHECK\\/holds" "/;/^```/!p;}}' VERIFY.md
      echo 'cat "$CHECK/holds"; N=$(grep -c . "$CHECK/holds")
      printf "%s of {count} hold\\n" "$N"; test "$N" -eq {count}'; }} | sh

```sh
CHECK=$(mktemp -d)
```

## 1. The files are those of the list, and no others

```sh
sha256sum --check --strict --quiet SHA256SUMS && echo "1a holds: every listed file is as listed"
```

```sh
find . ! -type d ! -path ./SHA256SUMS | cut -c3- | LC_ALL=C sort > "$CHECK/found"
cut -c67- SHA256SUMS > "$CHECK/listed"
cmp "$CHECK/found" "$CHECK/listed" && echo "1b holds: there is no file other than the listed ones"
```

The list is not signed. That it was not rewritten follows from step 2.

## 2. The attestation is signed, and covers every file

`attestation.dsse.json` is an in-toto statement in a DSSE envelope. The first commands unpack the statement
and its signature and rebuild the bytes that were signed; the last one checks the signature.

```sh
openssl x509 -in certs/signer.pem -noout -pubkey > "$CHECK/signer.key"
sed 's/.*"payload":"\\([^"]*\\)".*/\\1/' attestation.dsse.json | openssl base64 -d -A > "$CHECK/statement"
sed 's/.*"sig":"\\([^"]*\\)".*/\\1/' attestation.dsse.json | openssl base64 -d -A > "$CHECK/signature"
printf 'DSSEv1 28 application/vnd.in-toto+json %d ' "$(wc -c < "$CHECK/statement")" > "$CHECK/signed"
cat "$CHECK/statement" >> "$CHECK/signed"
openssl dgst -sha256 -verify "$CHECK/signer.key" -signature "$CHECK/signature" "$CHECK/signed" \\
  && echo "2a holds: the attestation is signed by the key of certs/signer.pem"
```

Its subjects are every file of the pack but itself and the list of digests:

```sh
{{ cat "$CHECK/statement"; echo; }} | sed 's/.*"subject"://' | tr '{{' '\\n' \\
  | sed -n 's/^"sha256":"\\([0-9a-f]*\\)"}},"name":"\\([^"]*\\)".*/\\1  \\2/p' > "$CHECK/subjects"
sha256sum --check --strict --quiet "$CHECK/subjects" && echo "2b holds: every attested file is as attested"
```

```sh
grep -v '  attestation.dsse.json$' SHA256SUMS | cmp - "$CHECK/subjects" \\
  && echo "2c holds: every file is attested"
```

## 3. What is a PDF is signed as a whole

{signed}`-attime {epoch}` is the signing time, {time}, by the signer's own clock{stamped}.
`-purpose any` is there because some versions of `openssl` do not know the purpose "document signing"; look
at the purposes yourself:

```sh
openssl x509 -in certs/signer.pem -noout -subject -issuer -dates -ext keyUsage,extendedKeyUsage
```

## 4. The signer is who you think

```sh
openssl x509 -in certs/root.pem -noout -subject -fingerprint -sha256
```

Everything above could have been made by anyone with a root certificate of their own. Compare the fingerprint
with one that you got from the issuer by another way, never with one from this pack. Whether a certificate was
revoked since is known to its issuer only.

## 5. The evidence inside the report is the evidence next to it

```sh
pdfdetach -list report.pdf
```

{attachments}{figures}"""

_FIGURES = """## 6. The figures follow from the evidence

`check.py` is one file of Python's standard library alone, written apart from the software that made this pack, short
enough to be read first. Its SHA-256 in every pack of this release is

    {checker}

```sh
sha256sum check.py && python3 -I check.py && echo "6 holds: check.py found nothing that fails"
```

It counts returns, variances, frequencies, bands, claims, the edge with its sentence, clauses and the statement again
from the exact distributions, reads what the attestation says of each check, misses what is left out, duties too, counts
a game whose table is in `data/automaton.csv` from that table, and a slot from its reels. The second implementation,
`data/second.py`, settles the recorded rounds and a deal for every end of the table. That is the one file of the pack
that is run, and only where it is one of this release, whose digests are in `check.py`. Another was not run, and is
named with its SHA-256: read it, then `python3 -I check.py SHA256` runs it too, with your rights. Exit code 0: nothing
failed; 1: something does not hold; 4: too little could be checked. What it did not try it lists: always
who signed (steps 2 to 4); the pages of `report.pdf`, `certificate.pdf`, `report.html`; ruin, losing runs, covariances
and volatility indices; bands of the mean of too many sums; edges by other ways of staking; campaigns and p-values but
for their totals; how grave a finding is; how rules were read from the submission; that the decks are those of the seed,
since Python's library has no AES; and a table of more than 250,000 lines, which is left out of the pack.

## What these commands do not check

Steps 1 to 5 prove that this is what the signer signed. They do not prove that its figures are right, nor that the
pages say what the evidence says, in the report alone least of all: a signer may sign any sentence. `evidence.json`
holds the submission, the seeds and the versions from which `certify verify --rerun` computes the figures and makes the
pages again, of `report.pdf` alone too, and `--replay` repeats the whole run. `certify verify` also checks what the
commands above cannot: that changes to the report are forbidden by its certification (DocMDP, P=1), the form of the
evidence, and that the attested result is the one in it.
"""

_LOGS = """## What these commands do not check

They prove that this is what the signer signed. They do not prove that its figures are right: the logs, whose digests
are in `audit.json`, are not in this pack. `certify audit` on the same logs, MAP and game makes the same numbers again.
`certify verify` also checks that the verdict follows from the numbers, and `--rerun` that the pages do.
"""

_SIGNED = """```sh
pdfsig {name}
```

**The exit code of `pdfsig` says nothing:** it is 0 for an altered file too. Read the output. Expected are
exactly one signature (`Signature #1` and no other), `Signature Type: ETSI.CAdES.detached`,
`Total document signed` and `Signature Validation: Signature is Valid.` The line on certificate validation
says that the issuer is not trusted or unknown, unless the root certificate was imported into the certificate
store of `pdfsig`; step 4 checks that part.

The same with `openssl`, whose exit code can be relied on. The signature covers all {size} bytes of the file
but for the {gap} bytes that hold the signature itself:

```sh
test "$(wc -c < {name})" -eq {size} && echo "3{steps[0]} holds: nothing was appended to {name}"
```

```sh
PACK=$PWD
(cd "$CHECK" && pdfsig -dump "$PACK/{name}" > /dev/null)
{{ head -c {first} {name}; tail -c {second} {name}; }} > "$CHECK/{name}.signed"
openssl cms -verify -binary -inform DER -in "$CHECK/{name}.sig0" -content "$CHECK/{name}.signed" \\
  -CAfile certs/root.pem -purpose any -attime {epoch} -signer "$CHECK/signer.pem" -out /dev/null \\
  && echo "3{steps[1]} holds: {name} is signed, and the signer's certificate chains to certs/root.pem"
```

```sh
cmp "$CHECK/signer.pem" certs/signer.pem && echo "3{steps[2]} holds: {name} and the attestation have one signer"
```

"""

_ATTACHMENT = """```sh
pdfdetach -savefile {name} -o "$CHECK/attached-{name}" report.pdf
cmp "$CHECK/attached-{name}" {path} && echo "5 holds: the attached {name} is {path}"
```

"""


def guide_bytes(
    path: Sequence[x509.Certificate],
    *,
    signed: Mapping[str, bytes],
    signing_time: datetime,
    attachments: Mapping[str, str],
    time_stamped: bool,
) -> bytes:
    """Returns the guide of one pack, its commands complete with the pack's own numbers.

    Args:
        path: The signer's certificate and its issuers up to the root.
        signed: The signed PDFs by name.
        signing_time: When it was signed.
        attachments: For each file attached to the report, its path in the pack.
        time_stamped: Whether a time-stamp authority dated the signature.
    """
    attached = "".join(_ATTACHMENT.format(name=name, path=path) for name, path in sorted(attachments.items()))
    pages = "".join(
        _of_signed(name, content, signing_time, steps)
        for (name, content), steps in zip(signed.items(), ("abc", "def"), strict=False)
    )
    figures = _FIGURES.format(checker=sha256_hex(checker_bytes())) if CERTIFICATE in signed else _LOGS
    text = _GUIDE.format(
        count=sum(part.count('&& echo "') for part in (_GUIDE, pages, attached, figures)),
        warning=_WARNING if is_demonstration(path) else "",
        signed=pages,
        epoch=int(signing_time.timestamp()),
        time=f"{signing_time:%Y-%m-%dT%H:%M:%SZ}",
        stamped=", and a time-stamp authority dated it" if time_stamped else "",
        attachments=attached,
        figures=figures,
    )
    return (
        text + "\n## Certificates in this pack\n\n"
        "| certificate | named | SHA-256 fingerprint |\n|---|---|---|\n"
        f"| signer | {_cell(common_name(path[0]))} | `{fingerprint(path[0])}` |\n"
        f"| root | {_cell(common_name(path[-1]))} | `{fingerprint(path[-1])}` |\n"
    ).encode("utf-8")


def _of_signed(name: str, content: bytes, signing_time: datetime, steps: str) -> str:
    """Returns the commands that check the signature of one PDF, whose steps are called by these letters."""
    covered = read_byte_range(content)
    return _SIGNED.format(
        name=name,
        steps=steps,
        size=len(content),
        gap=covered.second_start - covered.first_length,
        first=covered.first_length,
        second=covered.second_length,
        epoch=int(signing_time.timestamp()),
    )


@cache
def checker_bytes() -> bytes:
    """Returns the checker that each pack contains, byte for byte as it is among the templates: nothing makes it."""
    return resources.files(TEMPLATES).joinpath(CHECKER).read_bytes()


def _cell(text: str) -> str:
    """Returns a name as text in a table, with nothing in it that Markdown or HTML would act upon."""
    kept = "".join(character if character.isalnum() or character in " .,()-" else "_" for character in text)
    return kept.strip() or "_"
