"""Nothing from outside is read in part: one module reads files, streams and numbers, and refuses what is too much."""

import ast
import re
from collections.abc import Iterator, Sequence

import pytest
from test_house import ROOT, tracked

OWN_FILES = {
    "certify/children.py": "code that is running",
    "certify/certification/sbom.py": "the lock of the package",
    "certify/certification/submitted.py": "code that is running",
    "certify/clauses/catalogue.py": "catalogues, regimes and references of the package",
    "certify/cli/operator_items.py": "code that is running",
    "certify/executors/packages.py": "packages that are installed",
    "certify/fonts.py": "faces of the package",
    "certify/families/second_text.py": "code that is running",
    "certify/gate/change.py": "kinds of the package",
    "certify/kit/code.py": "code of a family that is run next",
    "certify/kit/kernels.py": "the user's own note beside the user's own kernels",
    "certify/kit/starting.py": "templates and games of the package",
    "certify/messages/catalogue.py": "messages of packages that are installed",
    "certify/report/markup.py": "templates of the package",
    "certify/seal/guide.py": "the checker of the package",
    "rng/__init__.py": "what the system says of its processors",
    "rng/compiled.py": "code that is running",
}
OWN_TEXTS = {
    "certify/clauses/catalogue.py": "catalogues, regimes and references of the package",
    "certify/cli/rng_generate.py": "lines that were just written",
    "certify/executors/port.py": "results of this process, written anew",
    "certify/executors/processes.py": "what the parent and its own child, of the same code, send each other",
    "certify/gate/figures.py": "the task that the parent gives its own child",
    "certify/gate/change.py": "kinds of the package",
    "certify/issue/data.py": "a bill that was just made",
    "certify/result_cache.py": "results under the user's own mark",
    "certify/kit/code.py": "the task that the parent gives its own child",
    "certify/kit/run.py": "rounds that were just played",
    "certify/messages/catalogue.py": "messages of packages that are installed",
    "certify/untrusted_input.py": "the reader of TOML",
    "certify/report/view.py": "evidence that was just made",
    "certify/seal/confined.py": "what the parent and its own child tell each other",
    "rng/outside.py": "the reader of JSON",
}
PARTS = {
    "certify/certification/generator.py": "the first bytes of streams without end",
    "certify/children.py": "the digest that a child states first; its answer is read next",
    "certify/gate/git_store.py": "an object, by the size that git states first; an answer that is shorter is refused",
    "rng/battery/sp800_90b/assessment.py": "a million samples, as the standard has it; the answer says of how many",
    "rng/given/encodings.py": "a piece of what a loop reads to its end",
}
BOUND = re.compile(r"(\w+\.)*_?[A-Z][A-Z_]+(\.size)?")
FOREIGN = re.compile(r"(\w+\.)*(data|raw|content|stdout|body|\w*read\w*\(.*)")


def is_bound(node: ast.expr) -> bool:
    """Tells whether an expression is a number, a constant that names a bound, or one more than either."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return is_bound(node.left) or is_bound(node.right)
    if isinstance(node, ast.Constant):
        return type(node.value) is int and node.value > 0
    return bool(BOUND.fullmatch(ast.unparse(node)))


Nodes = Sequence[ast.AST]


def walked(text: str | bytes) -> Nodes:
    return list(ast.walk(ast.parse(text)))


def calls(nodes: Nodes, name: str) -> Iterator[ast.Call]:
    """Yields the calls whose function is written so, or ends so where the name begins with a dot."""
    of, _, last = name.rpartition(".")
    for node in nodes:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == last
            and of in ("", ast.unparse(node.func.value))
        ):
            yield node


def reads_in_part(nodes: Nodes) -> bool:
    """Tells whether a text reads a part of something; a loop that reads piece by piece reads all of it."""
    whole = {id(inner) for node in nodes if isinstance(node, ast.While) for inner in ast.walk(node.test)}
    read = [*calls(nodes, ".read"), *calls(nodes, ".readline"), *calls(nodes, ".readlines")]
    return any(
        len(node.args) == 1 and id(node) not in whole and is_bound(node.args[0]) for node in read
    ) or any(
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Slice)
        and node.slice.lower is None
        and node.slice.upper is not None
        and BOUND.fullmatch(ast.unparse(node.slice.upper))
        and FOREIGN.fullmatch(ast.unparse(node.value))
        for node in nodes
    )


def reads_files(nodes: Nodes) -> bool:
    return any(next(calls(nodes, name), None) for name in (".read_bytes", ".read_text"))


def parses(nodes: Nodes) -> bool:
    return any(
        next(calls(nodes, f"{kind}.{name}"), None)
        for kind in ("json", "tomllib", "marshal", "pickle")
        for name in ("load", "loads")
    )


def takes_any_number(nodes: Nodes) -> bool:
    return any(
        ast.unparse(node) in ("click.FloatRange", "click.FLOAT", "type=float")
        for node in nodes
        if getattr(node, "attr", getattr(node, "arg", "")) in ("FloatRange", "FLOAT", "type")
    )


RULES = {
    reads_in_part: PARTS,
    reads_files: OWN_FILES,
    parses: OWN_TEXTS,
    takes_any_number: {"certify/cli/options.py": "the type that refuses what is not finite"},
}


def test_what_is_not_bounded_is_named_with_its_reason() -> None:
    found = {
        (rule.__name__, path.relative_to(ROOT).as_posix())
        for path in tracked("certify/*.py", "rng/*.py")
        for nodes in [walked(path.read_bytes())]
        for rule in RULES
        if rule(nodes)
    }
    assert found == {(rule.__name__, name) for rule, known in RULES.items() for name in known}


@pytest.mark.parametrize(
    "text",
    [
        "data = read_regular(path)[:MAXIMUM_BYTES]",
        "return file.read(MOST + 1)",
        "head = stream.read(4096)",
        "text = output.read(LONGEST_LOG).decode()",
        "line = log.readline(80)",
        "return done.stdout[:_MAXIMUM_SIGNATURE]",
    ],
)
def test_a_cut_is_found(text: str) -> None:
    assert reads_in_part(walked(text))


@pytest.mark.parametrize(
    "text",
    ["while piece := stream.read(CHUNK_BYTES):\n    add(piece)", "key = generator.read(size)", "file.read()"],
)
def test_what_reads_all_is_no_cut(text: str) -> None:
    assert not reads_in_part(walked(text))
