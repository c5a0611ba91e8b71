"""Checks the pack in this file's folder: python3 -I check.py (Python 3.11 or later, its standard library, no network).

For an auditor, to be read from top to bottom. Written apart from the program that made the pack, and sharing nothing
with it. It reads the files of its own folder alone, runs none of them, follows no link and writes nothing. What the pack
gives as a fraction is counted as a fraction; of a decimal it is asked whether it is the number rounded.

1 FILES      digests, sizes, names; the attestation says what the evidence says (who signed: VERIFY.md, with openssl)
2 FIGURES    returns, edges, variances, frequencies, contributions, claims and bands, from the exact distributions
3 STATEMENT  status of clauses, findings and statement, from what the checks of the program saw
4 DECKS      recorded decks, dealt again from the seed by the written byte rule, and the rounds played on them
5 AUTOMATON  distributions and strategies, counted from the table of the game; recorded rounds, settled by the table
6 SLOT       a slot, counted reel by reel from the strips of the submission; recorded rounds, settled from the strips

Exit code 0: nothing is against the pack. 1: something does not hold. 4: nothing is against it, but the figures, the
statement or the decks could not be checked at all. What was not tried is listed, with the reason.
"""

import base64
import csv
import hashlib
import hmac
import io
import json
import math
import os
import re
import stat
import sys
import tomllib
from collections import Counter, defaultdict
from fractions import Fraction as F
from functools import reduce
from operator import xor
from statistics import NormalDist

MOST_BYTES, MOST_FILES, MOST_NODES = 256 << 20, 500, 300_000  # of a pack; of states that are kept in memory
sys.set_int_max_str_digits(100_000)
PARTS = ("files", "figures", "statement", "decks", "automaton", "slot")
held, wrong, untried, part = Counter(), [], [], ""

def holds(true, what):
    """Counts one check of the present part, and keeps in words what does not hold."""
    if true:
        held[part] += 1
    else:
        wrong.append(f"{part}: {what}")

def same(stated, own, what):
    """Counts one comparison of what the pack states with what was found here."""
    holds(stated == own, f"{what}: the pack states {str(stated)[:90]}, found here {str(own)[:90]}")

def attempt(name, work, *given):
    """Takes one part. A pack that lacks what it needs, or has it in another form, does not hold there."""
    global part
    part = name
    try:
        return work(*given)
    except (ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError) as error:
        wrong.append(f"{part}: the pack cannot be read there: {type(error).__name__} {str(error)[:120]}")

def fraction(text):
    """A fraction in lowest terms, as the pack writes it."""
    if not re.fullmatch(r"-?\d+(/[1-9]\d*)?", text, re.ASCII) or str(F(text)) != text:
        raise ValueError(f"{text[:40]!r} is no fraction in lowest terms")
    return F(text)

def decimal(value, places=6):
    """A fraction as a decimal, rounded half away from zero."""
    digits = math.floor(abs(value) * 10**places + F(1, 2))
    return f"{'-' if value < 0 and digits else ''}{digits // 10**places}.{digits % 10**places:0{places}d}"

def is_root(stated, square, factor=1):
    """Whether a decimal is a factor times the root of a square, to twelve digits."""
    low, high = (F(stated) / F(factor) * (1 + F(way, 10**12)) for way in (-1, 1))
    return stated == square == 0 or (stated > 0 and low**2 <= square <= high**2)

def table(files, name):
    """The rows of a table of the pack."""
    return list(csv.DictReader(io.StringIO(files[name].decode("utf-8"), newline="")))

def once(pairs):
    """An object of JSON. A key that comes twice could be read in two ways."""
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a key comes twice")
    return dict(pairs)

def read_json(content):
    """What JSON says; decimals become the fractions that they are."""
    return json.loads(content.decode("utf-8"), object_pairs_hook=once, parse_float=F, parse_constant=F)

# ------------------------------------------------------------------------------------------------------------ 1 FILES

def read_files(folder, prefix=""):
    """Every file below the folder: plain files alone, within the bounds, each read once."""
    files = {}
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
        name = prefix + entry.name
        if entry.is_dir(follow_symlinks=False) and name.count("/") < 4:
            files |= read_files(entry.path, name + "/")
            continue
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        with os.fdopen(os.open(entry.path, flags), "rb") as stream:
            if entry.is_symlink() or not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise ValueError(f"{name} is no plain file")
            files[name] = stream.read(MOST_BYTES + 1)
        if len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_BYTES:
            raise ValueError("it is larger than a pack may be")
    return files

def sha256(content):
    """The digest by which files are named."""
    return hashlib.sha256(content).hexdigest()

RESULTS = {"satisfied": "PASSED", "not satisfied": "FAILED", "not applicable": ""}  # anything else: WARNED

def check_files(files, evidence):
    """The list of digests, the attestation, the files that the evidence names; returns the submission in it."""
    own = {name: sha256(content) for name, content in files.items() if name != "SHA256SUMS"}
    listed = dict(line.split("  ", 1)[::-1] for line in files["SHA256SUMS"].decode("ascii").splitlines())
    signed = read_json(base64.b64decode(read_json(files["attestation.dsse.json"])["payload"], validate=True))
    attested = {one["name"]: one["digest"]["sha256"] for one in signed["subject"]}
    named = {one["name"]: (one["sha256"], one["bytes"]) for one in evidence["files"]}
    for name in sorted(listed.keys() | attested.keys() | own.keys() | named.keys()):
        same(listed.get(name), own.get(name), f"digest of {name} in SHA256SUMS")
        if name != "attestation.dsse.json":
            same(attested.get(name), own.get(name), f"attested digest of {name}")
        if name in named or name.startswith("data/"):
            same(named.get(name), (own.get(name), len(files.get(name, b""))), f"{name} in the evidence")
    said, report, tool = signed["predicate"], evidence["report"], evidence["tool"]
    told, tests = said["certifyReport"], defaultdict(set)
    same([told[key] for key in ("number", "revision", "issued", "game")],
         [report["number"], report["revision"], report["issued"], evidence["item"]["game"]], "the attested report")
    same([told["tool"]["version"], told["tool"]["digest"]["sha256"], told["family"]["digest"]["sha256"]],
         [tool["version"], tool["source_sha256"], evidence["family"]["sha256"]], "the attested software")
    same(said["result"], RESULTS.get(report["statement"]["verdict"], "WARNED"), "the attested result")
    for one in evidence["observations"]:
        tests[RESULTS.get(one["verdict"], "WARNED")].add(one["check"])
    passed, warned, failed = tests["PASSED"], tests["WARNED"], tests["FAILED"]
    for key, checks in (("passed", passed - warned - failed), ("warned", warned - failed), ("failed", failed)):
        same(said[f"{key}Tests"], sorted(checks), f"attested checks, {key}")
    game = evidence["item"]["files"][0]
    content = base64.b64decode(game["base64"], validate=True)
    same((game["sha256"], int(game["bytes"])), (sha256(content), len(content)), "the submission")
    same(content, files["data/game.toml"], "data/game.toml")
    return tomllib.loads(content.decode("utf-8"))

# ---------------------------------------------------------------------------------------------------------- 2 FIGURES

def check_figures(files, evidence, game):
    """Every wager under every strategy, and what is told of these figures elsewhere."""
    analysis, listed = {key: one["wagers"] for key, one in evidence["analysis"].items()}, defaultdict(list)
    for row in table(files, "data/outcomes.csv"):
        listed[row["strategy"], row["wager"]].append([row["outcome"], row["net"], row["probability"]])
    for strategy, wagers in analysis.items():
        for wager, one in wagers.items():
            what = f"{wager} under {strategy}"
            check_wager(what, one)
            check_claims(what, one, [claim for claim in game.get("claims", []) if claim["wager"] == wager])
            if not one.get("near"):  # else the table gives what a probability lies between
                outcomes = [[o["outcome"], o["net"], o["probability"]] for o in one["outcomes"]]
                same(listed[strategy, wager], outcomes, f"{what}: data/outcomes.csv")
        for one in evidence["analysis"][strategy]["decisions"]:
            values, what = {key: fraction(value) for key, value in one["values"].items()}, f"{one['hand']}, {strategy}"
            best = max(values.values())
            same(one["costs"], {key: str(best - value) for key, value in values.items()}, f"{what}: costs")
            same((values.get(one["best"]), one["cost_of_deviation"], one["reachable"]),
                 (best, str(best - min(values.values())), one["probability"] != "0"), f"{what}: the best option")
    for strategy, one in evidence["joint"].items():
        check_joint(f"all wagers under {strategy}", one, analysis.get(strategy, {}))
    for wager, sheet in evidence["par"].items():
        check_par(f"PAR sheet of {wager}", sheet, analysis[sheet["strategy"]][wager])
    for strategy, counted in evidence["counted"].items():
        same({key: analysis[strategy][key]["return"] for key in counted}, counted, f"second counting, {strategy}")
    for one in evidence["claims"]:
        keys = ("printed", "metric", "exact", "holds", "interval")
        judged = [[claim[key] for key in keys] for claim in analysis[one["strategy"]][one["wager"]]["claims"]]
        holds([one[key] for key in keys] in judged, f"{one['printed']} of {one['wager']} was judged otherwise")
    classes = evidence.get("strategy_classes", [])
    for one in classes:
        cost = fraction(classes[0]["main_return"]) - fraction(one["main_return"])
        same((one["cost"], cost >= 0), (str(cost), True), f"cost of {one['strategy']}")
    for campaign in evidence["simulation"]["campaigns"]:
        for one in campaign["wagers"]:
            figures, what = analysis[campaign["strategy"]][one["wager"]], f"campaign of {one['wager']}"
            same({o["outcome"]: o["probability"] for o in one["outcomes"]},
                 {o["outcome"]: o["probability"] for o in figures["outcomes"]}, f"{what}: probabilities")
            same((sum(int(o["count"]) for o in one["outcomes"]), one["mean"]["exact_return"]),
                 (campaign["rounds"], figures["return"]), f"{what}: rounds, and the exact return")
    wager, edge, cost = evidence["wagers"][0]["id"], evidence["edge"], evidence["exposure"]
    one = analysis[evidence["strategy_of"][wager]][wager]
    ends = [fraction(one["bracket"][end] if "bracket" in one else one["return"]) - 1 for end in ("lower", "upper")]
    side = "player" if ends[0] > 0 else edge["bank"] if ends[1] < 0 else "nobody"
    size = min(map(abs, ends)) if side != "nobody" else F(0)
    same((edge["side"], edge["per_stake"]), (side, str(size)), "the edge")
    if edge.get("per_total_wagered"):
        same(edge["per_total_wagered"], str(size / fraction(one["total_wagered"])), "the edge on all that is wagered")
    if "bracket" not in one and size:
        holds(decimal(100 * size, 4) in edge["sentence"], "the edge in its sentence")
    same(cost["amount"], sum(win for _, win in cost["wins"]), "the dearest round")
    check_everywhere(evidence, "")

def check_everywhere(noun, where):
    """Whatever stands beside what it follows from: percents, roots, quantiles, reciprocals, widths, differences."""
    for key, value in enumerate(noun) if isinstance(noun, list) else noun.items() if isinstance(noun, dict) else ():
        check_everywhere(value, f"{where}/{key}")
    if not isinstance(noun, dict):
        return
    for key in [key for key in noun if isinstance(noun.get(f"{key}_percent"), str) and noun[key]]:
        same(noun[f"{key}_percent"], decimal(100 * fraction(noun[key])), f"{where}/{key} in percent")
    if {"variance", "standard_deviation"} <= noun.keys():
        holds(is_root(noun["standard_deviation"], fraction(noun["variance"])), f"{where}/standard_deviation")
        for label, index in noun.get("volatility_index", {}).items():
            z = NormalDist().inv_cdf((100 + int(label.split()[0])) / 200)
            holds(is_root(index, fraction(noun["variance"]), z), f"{where}/volatility_index of {label}")
    if "one_in" in noun:
        often = fraction(noun.get("times") or noun["probability"])
        same(noun["one_in"], str(1 / often) if often else None, f"{where}/one_in")
    for key, high, low in (("width", "upper", "lower"), ("delta", "after", "before")):
        if {key, high, low} <= noun.keys():
            same(noun[key], str(fraction(noun[high]) - fraction(noun[low])), f"{where}/{key}")

def odds(net):
    """What a paytable prints of a net result; a loss it does not print."""
    return f"{net.numerator} to {net.denominator}" if net >= 0 else None

def check_wager(what, one):
    """One wager: everything follows from how often it ends how."""
    ends, merged = [(o, fraction(o["probability"]), fraction(o["net"])) for o in one["outcomes"]], defaultdict(F)
    same((sum(p for _, p, _ in ends), min(p for _, p, _ in ends) >= 0), (1, True), f"{what}: the probabilities")
    for o, p, net in ends:
        same((o["contribution"], o["pays"]), (str((1 + net) * p), odds(net)), f"{what}: what {o['outcome']} adds")
        merged[net] += p
    mean = sum(p * net for _, p, net in ends)
    square = sum(p * (net**2 + fraction(o.get("variance", "0"))) for o, p, net in ends)
    own = {"return": 1 + mean, "house_edge": -mean, "variance": square - mean**2}
    net, rest = [(fraction(n["net"]), fraction(n["probability"])) for n in one["net"]], F(one.get("net_rest", "0"))
    if any("variance" in o for o, _, _ in ends):  # an outcome is a class of rounds: its net result is a mean
        holds(not net or sum(p for _, p in net) + rest == 1, f"{what}: net results")
    else:
        same(net, sorted(merged.items()), f"{what}: net results")
    for key, limit in (("win_frequency", 0), ("hit_frequency", -1)):
        # Where a player adds to the stake, what was staked decides what comes back: the automaton tells that.
        if net and not one.get("near") and (limit == 0 or "total_wagered" not in one):
            least = sum(p for value, p in net if value > limit)
            holds(least <= fraction(one[key]) <= least + rest, f"{what}: {key} {one[key]}, found here {least}")
    if "total_wagered" in one and not one.get("near"):
        own["return_on_total_wagered"] = 1 + mean / fraction(one["total_wagered"])
    for key, value in own.items():
        same(one[key], str(value), f"{what}: {key}")
    if "bracket" in one:
        holds(F(one["bracket"]["lower"]) <= 1 + mean <= F(one["bracket"]["upper"]), f"{what}: the bracket")
    if "awards" in one:
        same(sum(fraction(row["contribution"]) for row in one["awards"]), 1 + mean, f"{what}: the rows together")
    elif "total_wagered" not in one:
        best = max(net for _, p, net in ends if p)
        top = one["top_award"]
        same((top["pays"], top["probability"]), (odds(best), str(merged[best])), f"{what}: the top award")

EXACT = {"return-to-player": "return", "house-edge": "house_edge", "hit-frequency": "hit_frequency"}
EXACT |= dict.fromkeys(("standard-deviation", "volatility-index", "volatility-class"), "variance")

def check_claims(what, one, submitted):
    """Printed figures: what each stands for, and whether the exact figure is one of those."""
    keys = ("metric", "printed")
    same([[c[k] for k in keys] for c in one["claims"]], [[c[k] for k in keys] for c in submitted], f"{what}: claims")
    for claim, source in zip(one["claims"], submitted, strict=False):
        exact, (low, high), text = fraction(claim["exact"]), map(fraction, claim["interval"]), claim["printed"]
        if claim["metric"] in EXACT:
            same(claim["exact"], one[EXACT[claim["metric"]]], f"{what}: the figure that {text} is about")
        percent = re.fullmatch(r"(-?\d+)(?:\.(\d+))? ?%", text, re.ASCII)
        if percent:
            unit = F(1, 100 * 10 ** len(percent[2] or ""))
            start = int(percent[1] + (percent[2] or "")) * unit - (0 if source.get("truncated") else unit / 2)
            same((low, high), (start, start + unit), f"{what}: what {text} stands for")
        same([claim["distance_to_low"], claim["distance_to_high"]], [str(exact - low), str(high - exact)], text)
        within = low <= exact < high or low == exact == high
        if claim["metric"].startswith("odds-") and not percent:  # of odds the upper end belongs, the lower does not
            within = low < exact <= high
        same((claim["holds"], "status" in claim), (within, within), f"{what}: whether {text} holds")

def check_joint(what, one, wagers):
    """All wagers of a round together."""
    stakes = {wager: fraction(stake) for wager, stake in one["stakes"].items()}
    returns = {wager: fraction(value) for wager, value in one["returns"].items()}
    net = [(fraction(n["net"]), fraction(n["probability"])) for n in one["net"]]
    mean = sum(value * p for value, p in net)
    variance = sum(value**2 * p for value, p in net) - mean**2
    same((sum(p for _, p in net), sum(stakes[w] * (value - 1) for w, value in returns.items())), (1, mean), what)
    same([one[key] for key in ("expectation", "variance", "total_return")],
         [str(mean), str(variance), str(1 + mean / sum(stakes.values()))], what)
    same(one["return_percent"], {w: decimal(100 * value) for w, value in returns.items()}, f"{what}: in percent")
    if wagers:
        same(one["returns"], {w: wagers[w]["return"] for w in returns}, f"{what}: returns")
    moved = {tuple(pair["wagers"]): fraction(pair["covariance"]) for pair in one["covariance"]}
    if not one.get("off"):
        together = sum((1 if a == b else 2) * stakes[a] * stakes[b] * value for (a, b), value in moved.items())
        same(together, variance, f"{what}: the variance by covariances")
    for pair in one["covariance"]:
        a, b = pair["wagers"]
        square = moved[a, b] ** 2 / (moved[a, a] * moved[b, b] or 1)
        right = is_root(abs(pair["correlation"]), square) and pair["correlation"] * moved[a, b] >= 0
        holds(right, f"{what}: correlation of {a} and {b}")

def check_par(what, sheet, one):
    """The PAR sheet says what the figures say; how long losing runs get, and where the mean of 1,000 rounds lies."""
    for key in ("hit_frequency", "win_frequency", "variance", "standard_deviation", "volatility_index", "top_award"):
        same((sheet[key], sheet.get("awards")), (one[key], one.get("awards")), f"{what}: {key}")
    keys = ("outcome", "probability", "contribution")
    same([[*(row[key] for key in keys), row["combinations"], row["pays"]] for row in sheet["rows"]],
         [[*(o[key] for key in keys), str(fraction(o["probability"]) * int(sheet["cycle"])),
           o["pays"] or "{0.numerator} to {0.denominator}".format(F(o["net"]))] for o in one["outcomes"]], what)
    lose = 1 - fraction(sheet["hit_frequency"])
    for run in sheet["losing_runs"]:
        rounds, length, chance = run["rounds"], run["longest"], fraction(run["but_with_probability"])
        if lose < 1 and length * lose.denominator.bit_length() < 200_000:  # else the power has too many digits
            # A longer run begins in the first round, or after a round that did not lose.
            longer = [lose ** (k + 1) * (1 + (rounds - 1 - k) * (1 - lose)) for k in (length - 1, length)]
            holds(longer[1] <= chance and (length == 0 or longer[0] > chance), f"{what}: losing runs in {rounds}")
    net = [(fraction(n["net"]), fraction(n["probability"])) for n in one["net"]]
    if sum(p for _, p in net) == 1 and len(net) > 1 and not one.get("near"):
        check_bands(what, [band for band in sheet["bands"] if band["rounds"] == 1000], net)

def check_bands(what, bands, net):
    """Bands of the mean of 1,000 rounds, by the law of their sum, in whole numbers of 2^-160 that are rounded down.

    A law on a lattice is one large number, its chances side by side in blocks of 512 bits; the product of two such
    numbers is the law of the sum. What rounding loses is less than a chance of 2^-120 in all.
    """
    scale = math.lcm(*(value.denominator for value, _ in net))
    steps = [int((value - net[0][0]) * scale) for value, _ in net]
    unit = math.gcd(*steps)
    if steps[-1] // unit > 60:
        return untried.append(f"figures: bands of the {what}: too many points between the lowest and the highest result")
    one = [0] * (steps[-1] // unit + 1)
    for step, (_, p) in zip(steps, net, strict=True):
        one[step // unit] = math.floor(p * 2**160)

    def law(first, second):
        packed = [int.from_bytes(b"".join(c.to_bytes(64, "little") for c in some), "little") for some in (first, second)]
        whole, size = math.prod(packed).to_bytes(64 * (len(first) + len(second)), "little"), len(first) + len(second) - 1
        return [int.from_bytes(whole[64 * n : 64 * n + 64], "little") >> 160 for n in range(size)]

    sums = one
    for digit in bin(1000)[3:]:  # from the highest binary digit on: twice as many rounds, and one more
        sums = law(sums, sums)
        sums = law(sums, one) if digit == "1" else sums
    for band in bands:
        # Ends are rounded outwards, so that each lies on its point but for the last digits of a float.
        low, high = ((F(band[end]) - 1 - net[0][0]) * 1000 * scale / unit for end in ("low", "high"))
        first, last, left = round(low), round(high), (1 - F(int(band["confidence"].split()[0]), 100)) / 2
        tails = [F(sum(some), 2**160) for some in (sums[:first], sums[last + 1 :], sums[: first + 1], sums[last:])]
        inside, slack = F(sum(sums[first : last + 1]), 2**160), F(1, 10**6)
        fits = max(abs(low - first), abs(high - last)) < slack and max(tails[:2]) <= left < min(tails[2:]) + slack
        holds(fits and inside - 2 * slack <= band["covers"] <= inside, f"{what}: the band of {band['confidence']}")

# -------------------------------------------------------------------------------------------------------- 3 STATEMENT

WORST = ("not satisfied", "inconclusive", "fitted", "shown on the reference", "satisfied", "not applicable")
OPERATOR = {"operator-generator-output", "operator-round-system"}

def worst(verdicts):
    """The worst of several verdicts; of none at all nothing is concluded."""
    seen = set(verdicts)
    return next((verdict for verdict in WORST if verdict in seen), "inconclusive")

def check_statement(evidence):
    """The status of every clause from what its checks saw; the statement from clauses, checks and findings."""
    observations, clauses, findings = (evidence[key] for key in ("observations", "clauses", "findings"))
    answers, items = {}, defaultdict(set)
    for check in {one["check"] for one in observations}:
        seen = [(one["item"], one["verdict"]) for one in observations if one["check"] == check]
        # What the operator's own item satisfied counts for more than the reference; a failure counts anywhere.
        brought = any(item in OPERATOR and verdict == "satisfied" for item, verdict in seen)
        answers[check] = worst(v for _, v in seen if not (brought and v == "shown on the reference"))
        items[check] = {item for item, verdict in seen if verdict != "not applicable"}
        told = any(f["check"] == check and f["status"] != "information" for f in findings)
        holds(told or answers[check] != "not satisfied", f"{check} is not satisfied, and no finding says so")
    applies = {one["applies"] for one in clauses if one["status"] != "not applicable"}
    for one in clauses:
        tested, applied = one["method"] == "test", one["applies"] in applies
        own = worst(answers.get(check, "inconclusive") for check in one["checks"]) if tested else one["method"]
        # A clause whose number was not read verbatim is kept by a secondary reference at most.
        own = "secondary reference" if own == "satisfied" and one["certainty"] != "V" else own
        may = {own} if applied else {"not applicable"}
        if one["rests_on"] and own not in ("not satisfied", "inconclusive", "not applicable"):
            may |= {"condition", "fitted", "examine"}  # it rests on what was adopted, recovered or is disputed
        holds(one["status"] in may, f"clause {one['id']} is {one['status']!r}, by its checks {own!r}")
        looked = set().union(*(items[check] for check in one["checks"])) if tested and applied else set()
        same(set(one["shown_on"]), looked, f"what clause {one['id']} was shown on")
    said, statuses = evidence["report"]["statement"], Counter(one["status"] for one in clauses)
    verdicts, numbers = Counter(one["verdict"] for one in observations), {}
    for key, own in (("clauses", statuses), ("checks", verdicts)):
        same({name: n for name, n in said[key].items() if n}, dict(own), f"how many {key}")
    for key in ("counted", "sentence"):
        numbers[key] = sorted(map(int, re.findall(r"\d+", said[key])))
    same(numbers["counted"], sorted([len(clauses), *statuses.values()]), "the counts of clauses in words")
    decided = [one["check"] for one in observations if one["verdict"] != "not applicable"]
    holds({len(decided), len(set(decided))} <= set(numbers["sentence"]), "the counts in the sentence")
    shown = {item for one in clauses if one["status"] == "satisfied" for item in one["shown_on"]} >= OPERATOR
    own = "satisfied" if shown else "mathematics satisfied, product not shown"
    own = "satisfied on conditions" if any(one["status"] == "condition" for one in findings) else own
    own = "inconclusive" if worst(verdicts) in ("inconclusive", "not applicable") else own
    serious = any(one["status"] == "open" and one["severity"] in ("major", "critical") for one in findings)
    same(said["verdict"], "not satisfied" if serious or worst(verdicts) == "not satisfied" else own, "the statement")
    same([one["id"] for one in findings], [f"F-{n + 1:02}" for n in range(len(findings))], "the numbers of findings")
    duties = {one["clause"].partition(" (")[0] for one in evidence["obligations"]}
    named = {f"{one['standard']} {one['number']}" for one in clauses if one["status"] == "operator"}
    same(named - duties, set(), "duties of the operator that are left out")

# ------------------------------------------------------------------------------------------------------------ 4 DECKS

SBOX, p, q = bytearray(b"\x63" * 256), 1, 1  # FIPS 197, 5.1.1: p runs over the powers of 3, q over their inverses
for _ in range(255):
    p ^= p << 1 ^ (0x11B if p & 128 else 0)
    q = reduce(lambda byte, turn: byte ^ byte << turn, (1, 2, 4), q) & 255
    q ^= 9 if q & 128 else 0
    SBOX[p] = reduce(xor, (q << turn & 255 | q >> 8 - turn for turn in range(5))) ^ 0x63
TWICE = bytes(byte << 1 & 255 ^ (0x1B if byte & 128 else 0) for byte in range(256))

def added(*many):
    """Bytes of equal length, added in the field of AES."""
    return reduce(xor, (int.from_bytes(one, "big") for one in many)).to_bytes(len(many[0]), "big")

def aes(key, blocks):
    """Blocks encrypted by AES-256 (FIPS 197), all at once: a state is the first bytes of all blocks, the second, …"""
    keys, constant, size = [key[at : at + 4] for at in range(0, 32, 4)], 1, len(blocks) // 16
    for n in range(8, 60):
        word = keys[-1][1:] + keys[-1][:1] if n % 8 == 0 else keys[-1]
        word = word.translate(SBOX) if n % 4 == 0 else word
        keys.append(added(word, keys[-8], bytes([constant if n % 8 == 0 else 0, 0, 0, 0])))
        constant <<= n % 8 == 0
    keys = b"".join(keys)
    state = [added(blocks[n::16], keys[n : n + 1] * size) for n in range(16)]
    for turn in range(1, 15):
        state = [state[5 * n % 16].translate(SBOX) for n in range(16)]
        if turn < 14:
            two, around = [one.translate(TWICE) for one in state], [(n, n - n % 4 + (n + 1) % 4) for n in range(16)]
            state = [added(two[a], two[b], state[b], state[b - b % 4 + (b + 1) % 4], state[b - b % 4 + (b + 2) % 4])
                     for a, b in around]
        state = [added(one, keys[16 * turn + n : 16 * turn + n + 1] * size) for n, one in enumerate(state)]
    return bytes(byte for block in zip(*state, strict=True) for byte in block)

def words_of(seed, purpose):
    """Stream 0 of a purpose: HKDF-SHA-384 (rule 1), CTR_DRBG with AES-256 in requests of 65,536 bytes (rule 2)."""
    inner = hmac.digest(b"rng stream, byte-consumption rule 1", seed, "sha384")
    info = bytes([len(purpose)]) + purpose.encode("ascii") + bytes(8)
    key, v, provided = bytes(32), 0, hmac.digest(inner, info + b"\x01", "sha384")
    while True:
        fresh = added(aes(key, b"".join(((v + n) % 2**128).to_bytes(16, "big") for n in (1, 2, 3))), provided)
        key, v, provided = fresh[:32], int.from_bytes(fresh[32:], "big"), bytes(48)
        output = aes(key, b"".join(((v + n) % 2**128).to_bytes(16, "big") for n in range(1, 4097)))
        v += 4096
        yield from (int.from_bytes(output[at : at + 8], "little") for at in range(0, 65536, 8))

def numbers_of(words, bounds):
    """One number below each bound (rules 3 to 5): bounds share a word while their product is at most 2^57."""
    group, numbers = [], []
    for bound in [*bounds, 2**64]:
        if group and math.prod(group) * bound > 2**57:
            rest = -1
            while rest < 2**64 % math.prod(group):
                rest, found = next(words), []
                for one in group:
                    number, rest = divmod(rest * one, 2**64)
                    found.append(number)
            numbers, group = numbers + found, []
        group.append(bound)
    return numbers

def check_decks(files, evidence):
    """Rows of draws dealt again from the seed, and the rounds played on them; returns these with what was dealt."""
    pieces, seed = evidence["layout"]["pieces"], bytes.fromhex(evidence["run"]["seed"])
    said = next(one["description"] for one in evidence["files"] if one["name"] == "data/draws.bin")
    length, size = (int(n) for n in re.search(r"items a row: (\d+), bits an item: (\d+)", said).groups())
    recorded, content, size = [read_json(r) for r in files["data/rounds.jsonl"].splitlines()], files["data/draws.bin"], size // 8
    same([one for one in evidence["played_rounds"] if one not in recorded], [], "rounds that data/rounds.jsonl lacks")
    kept, sizes = {piece["kind"] in ("shoe", "balls") for piece in pieces} == {True}, [piece["size"] for piece in pieces]
    rows, words, first = [], words_of(seed, "simulation-decks"), len(content) // size // length
    if len(pieces) > 1 and (length > len(pieces) or any(piece["kind"] in ("shoe", "balls") for piece in pieces)):
        untried.append("decks: a row is a product of draws, and how many there are of each the evidence does not say")
        first = 0
    while len(rows) < min(max([first, *(one["deck"] + 1 for one in recorded if first)]), 3_000_000 // length):
        row = numbers_of(words, range(sizes[0], max(1, sizes[0] - length), -1) if kept else (sizes * length)[:length])
        if kept:  # rule 4: the first cards of a shuffle
            moves, row = row, list(range(sizes[0]))
            for n, more in enumerate(moves):
                row[n], row[n + more] = row[n + more], row[n]
        rows.append(row[:length])
    for n, row in enumerate(rows[:first]):
        own = b"".join(item.to_bytes(size, "little") for item in row)
        holds(own == content[n * length * size : (n + 1) * length * size], f"row {n} of draws.bin is not that of the seed")
    names, pays = [row["shows"] for row in table(files, "data/items.csv")], defaultdict(set)
    for wager, one in (pair for analysis in evidence["analysis"].values() for pair in analysis["wagers"].items()):
        for o in one["outcomes"]:
            pays[wager, o["outcome"]].add("any" if "variance" in o else o["net"])
    for one in recorded:
        what, one["cards"] = f"round {one['deck']}", None
        same((one["seed"], sha256("\n".join(one["trace"]).encode())), (seed.hex(), one["trace_sha256"]), what)
        for wager, outcome in one["outcomes"].items():
            holds(pays[wager, outcome] & {one["net"][wager], "any"}, f"{what}: what {wager} comes to")
        if one["deck"] < len(rows) and len(pieces) == 1:
            one["cards"] = [names[item] for item in rows[one["deck"]]]
            drawn = [line for line in one["trace"] if not re.search(" decides | ends on | settles as ", line)]
            dealt = all(card in line for line, card in zip(drawn, one["cards"], strict=False))
            holds(dealt, f"{what}: other cards than its deck's")
    return recorded

# -------------------------------------------------------------------------------------------------------- 5 AUTOMATON

def solved(order, constants, steps):
    """x[i] = constants[i] + sum of share x[j] over the (j, share) of steps[i]; order begins with what needs least."""
    form, found = {}, {}  # x[i] as a number and shares of such as come later: there are some where rounds lead back
    for i in order:
        value, later, todo = constants.get(i, F(0)), defaultdict(F), list(steps[i])
        while todo:
            j, share = todo.pop()
            if j in form:
                value += share * form[j][0]
                todo += [(k, share * more) for k, more in form[j][1].items()]
            else:
                later[j] += share
        stays = 1 - later.pop(i, F(0))
        form[i] = value / stays, {j: share / stays for j, share in later.items()}
    for i in reversed(order):
        found[i] = form[i][0] + sum(share * found[j] for j, share in form[i][1].items())
    return found

def in_order(follow, start):
    """All that a start leads to, each after what it leads to itself, but where rounds lead back."""
    order, seen, walk = [], {start}, [(start, iter(follow[start]))]
    while walk:
        new = next((one for one in walk[-1][1] if one not in seen), None)
        if new is None:
            order.append(walk.pop()[0])
        else:
            seen.add(new)
            walk.append((new, iter(follow.get(new, ()))))
    return order

def check_automaton(files, evidence, recorded):
    """The game as a table: what each state waits for, and where each face of a piece, or each option, leads."""
    faces = [(row["piece"], row["shows"], int(row["items"]), row["put_back"] == "no")
             for row in table(files, "data/automaton-pieces.csv")]  # of all pieces, one after the other
    pieces = [piece for piece, *_ in faces]
    pays = {(r["wager"], r["outcome"]): (F(r["net"]), F(r["staked"])) for r in table(files, "data/automaton-pays.csv")}
    takes = {row["decision"]: row for row in table(files, "data/automaton-decisions.csv")}
    waits, arrows, main = defaultdict(str), defaultdict(dict), evidence["wagers"][0]["id"]
    for row in table(files, "data/automaton.csv"):
        state = row["state"]
        waits[state], won = row["waits"], tuple(tuple(one.split("=")) for one in row["settled"].split())
        for move in row["moves"].split():
            move = pieces.index(waits[state]) + int(move) if waits[state] in pieces else move
            arrows[state][move] = row["next"], won
    follow, start = expanded(faces, waits, arrows), ("start", ())
    order = in_order({node: [to for _, _, to, _ in ways] for node, ways in follow.items()}, start)

    def counted(taken):
        """How often a round comes to each node, if taken says how often which option is taken."""
        back = defaultdict(list)
        for node in order:
            for move, chance, to, _ in follow[node]:
                back[to].append((node, chance * taken(node, move)))
        return solved(order[::-1], {start: F(1)}, back)

    for strategy, analysis in evidence["analysis"].items():
        chosen = {decision: row[strategy] for decision, row in takes.items()}

        def taken(node, move, chosen=chosen):
            return F(chosen[waits[node[0]]] == move) if waits[node[0]] in takes else 1

        often, ends, gains, steps = counted(taken), defaultdict(F), defaultdict(F), defaultdict(list)
        for node, move, chance, to, won in ((node, *way) for node in order for way in follow[node]):
            share = chance * taken(node, move)
            steps[node].append((to, share))
            for end in won:
                ends[end] += often[node] * share
                gains[node] += share * pays[end][0] if end[0] == main else 0
        for wager, one in analysis["wagers"].items():
            own = {o: (p, *pays[w, o]) for (w, o), p in ends.items() if w == wager and p}
            same({o["outcome"]: (F(o["probability"]), F(o["net"])) for o in one["outcomes"] if F(o["probability"])},
                 {o: (p, net) for o, (p, net, _) in own.items()}, f"{wager} under {strategy}: how it ends")
            staked, back = (sum(p * staked for p, _, staked in own.values()), sum(p for p, n, s in own.values() if n + s > 0))
            same((one.get("total_wagered", "1"), one["hit_frequency"]), (str(staked), str(back)),
                 f"{wager} under {strategy}: what is staked in all, and how often something comes back")
        if strategy == "main-optimal":
            # Nodes that look alike are weighed by the ways of chance that lead there: options are taken equally often.
            worth, values = solved(order, gains, steps), defaultdict(lambda: defaultdict(F))
            evenly = counted(lambda node, move: F(1, len(follow[node])) if waits[node[0]] in takes else 1)
            for node, move, _, to, won in ((node, *way) for node in order for way in follow[node]):
                gain = sum(pays[end][0] for end in won if end[0] == main) + worth[to]
                values[waits[node[0]]][move] += evenly[node] * gain
            for decision, row in takes.items():
                best = decision not in values or values[decision][row[strategy]] == max(values[decision].values())
                holds(best, f"{row['seat']} on {row['sees']}: another option is worth more than {row[strategy]}")
    for one in [one for one in recorded if one["cards"]]:
        cards, decisions, state, own = iter(one["cards"]), iter(one["decisions"]), "start", {}
        while arrows[state]:
            move = next(decisions) if waits[state] in takes else next(iter(arrows[state]))
            if waits[state] in pieces:
                shown = (waits[state], next(cards))
                move = next(n for n, face in enumerate(faces) if face[:2] == shown)
            state, won = arrows[state][move]
            own |= dict(won)
        same(one["outcomes"], own, f"round {one['deck']}, settled by the table")

def expanded(faces, waits, arrows):
    """Every state with the cards that left, and what follows: (option, chance, node, outcomes) one by one.

    Cards that neither a state nor any of its futures tells apart are counted together: so few nodes remain.
    """
    order, part, again = in_order({s: [to for to, _ in ways.values()] for s, ways in arrows.items()}, "start"), {}, True
    while again:
        before = dict(part)
        for state in order:
            told = {tuple(piece for piece, *_ in faces), *(part[to] for to, _ in arrows[state].values() if to in part)}
            told.add(tuple(arrows[state].get(n) for n in range(len(faces))))
            names = {}
            part[state] = tuple(names.setdefault(key, len(names)) for key in zip(*told, strict=True))
        again = part != before
    follow, todo = {}, [("start", ())]
    while todo:
        node = todo.pop()
        if node not in follow:
            (state, gone), left, follow[node] = node, Counter(), []
            for n, (piece, _, items, kept) in enumerate(faces):
                left[part[state][n] if kept else -1 - n] += items if piece == waits[state] else 0
            left.subtract(one for one in gone if left[one])
            moves = [(None, one, items) for one, items in left.items() if items > 0]
            for move, one, items in moves or [(move, None, 1) for move in arrows[state]]:
                face = move if one is None else part[state].index(one) if one >= 0 else -1 - one
                to, won = arrows[state][face]
                after = (*gone, one) if one is not None and one >= 0 else gone
                after = tuple(sorted(part[to][part[state].index(card)] for card in after))
                follow[node].append((move, F(items, left.total() if moves else 1), (to, after), won))
            todo += [to for _, _, to, _ in follow[node]]
            if len(follow) > MOST_NODES:
                raise ValueError("it has more states than are counted here")
    return follow

# ------------------------------------------------------------------------------------------------------------- 6 SLOT

COUNTED = {"slot": "heights lines direction line_wins cost line_bet", "strips": "id reels", "stages": "id strips multiplier",
           "wilds": "symbol but_not replaces stages", "line_pays": "id symbol symbols pays stages multiplied",
           "scatter_pays": "symbol pays per stages multiplied", "free_games": "id stage symbol games again begins_in"}
BESIDE = {"schema", "rules", "readings", "game", "wagers", "claims", "terms", "sources", "variants", "texts", "clauses"}

def spin(game, stage, stops=None):
    """The law of one spin, reel by reel: how often (coins, triggers shown) come; of some stops, what they come to.

    A line is the rows of the paytable that still fit it, with its best win so far. Where none fits any more the line is
    paid, so that few states remain. Scatters and triggers are counted beside.
    """
    slot, here = game["slot"], {"multiplier": 1, "strips": "base"}
    here |= next((one for one in game.get("stages", []) if one["id"] == stage), {})
    bet, reels = slot.get("line_bet", 1), next(one["reels"] for one in game["strips"] if one["id"] == here["strips"])
    rows, scatters, wilds = ([one for one in game.get(key, []) if stage in one.get("stages", [stage])]
                             for key in ("line_pays", "scatter_pays", "wilds"))
    times = {id(one): here["multiplier"] if one.get("multiplied", True) else 1 for one in rows + scatters}
    fits = [set(one.get("symbols", [one.get("symbol")])) for one in rows]
    for names, wild in ((names, wild) for wild in wilds for names in fits):
        helps = names & set(wild["replaces"]) if "replaces" in wild else names - set(wild.get("but_not", []))
        names |= {wild["symbol"]} if helps else set()
    pays = [[coins * bet * times[id(one)] for coins in (0, *one["pays"])] for one in rows]
    watched = [one["symbol"] for one in [*scatters, *game.get("free_games", [])]]
    law = {(0, (0,) * len(watched), ((tuple(range(len(rows))), 0),) * len(slot["lines"])): 1}
    for place, (strip, height) in enumerate(zip(reels, slot["heights"], strict=True)):
        reel = [name for text in strip.split() for name in [text.split("*")[0]] * int((text + "*1").split("*")[1])]
        before, law, known = law, defaultdict(int), {}
        for stop in range(len(reel)) if stops is None else [stops[place]]:
            window = [reel[(stop + row) % len(reel)] for row in range(height)]
            shown = [window.count(symbol) for symbol in watched]
            for (coins, counts, lines), ways in before.items():
                going = []
                for line, rows_of_line in zip(lines, slot["lines"], strict=True):
                    key = line, window[int(rows_of_line[place]) - 1]
                    if line and key not in known:
                        alive = tuple(n for n in line[0] if key[1] in fits[n])
                        known[key] = alive, max([line[1], *(pays[n][place] for n in line[0] if n not in alive)])
                    new = known[key] if line else None
                    coins += new[1] if new and not new[0] else 0
                    going.append(new if new and new[0] else None)
                law[coins, tuple(map(int.__add__, counts, shown)), tuple(going)] += ways
    ends, units = defaultdict(int), {"bet": slot["cost"], "line": bet, "every line": bet * len(slot["lines"])}
    for (coins, counts, lines), ways in law.items():
        coins += sum(max(best, *(pays[n][-1] for n in alive)) for alive, best in filter(None, lines))
        for one, count in zip(scatters, counts, strict=False):
            coins += (0, *one["pays"])[min(count, len(one["pays"]))] * units[one.get("per", "bet")] * times[id(one)]
        ends[coins, counts[-1] if game.get("free_games") else 0] += ways
    return [(F(ways, sum(ends.values())), *end) for end, ways in ends.items()]

def check_slot(files, evidence, game):
    """The round from the strips: its law where no feature begins, its mean and variance with the free games."""
    slot, free, figures = game["slot"], game.get("free_games", []), evidence["analysis"]["main-optimal"]["wagers"]["main"]
    nouns = {key: value if isinstance(value, list) else [value] for key, value in game.items() if key not in BESIDE}
    more = [f"{key} {k}" for key, many in nouns.items() for one in many for k in one if k not in COUNTED.get(key, "").split()]
    more += [f"{key} {slot[key]}" for key, plain in (("direction", "left"), ("line_wins", "best")) if slot.get(key, plain) != plain]
    if more or len(free) > 1 or ":" in str([one["reels"] for one in game["strips"]]):
        return untried.append(f"slot: its submission says what is not counted here: {', '.join(more) or 'weights, features'}")
    slot.setdefault("cost", len(slot["lines"]) * slot.get("line_bet", 1))
    games, again = [0, *(free[0]["games"] if free else [])], [0, *(free[0].get("again", free[0]["games"]) if free else [])]
    mean, spread = F(0), F(0)  # of one free game with all that it grants; Harris, Branching Processes (1963), chapter I
    if free:
        inner = [(p, coins, again[min(n, len(again) - 1)]) for p, coins, n in spin(game, free[0]["stage"])]
        ends = 1 - sum(p * g for p, _, g in inner)
        mean = sum(p * coins for p, coins, _ in inner) / ends
        spread = (sum(p * (coins + g * mean) ** 2 for p, coins, g in inner) - mean**2) / ends
    rounds, nets = [(p, coins, games[min(n, len(games) - 1)]) for p, coins, n in spin(game, "base")], defaultdict(F)
    won = sum(p * (coins + g * mean) for p, coins, g in rounds)
    square = sum(p * ((coins + g * mean) ** 2 + g * spread) for p, coins, g in rounds)
    same((figures["return"], figures["variance"]), (str(won / slot["cost"]), str((square - won**2) / slot["cost"] ** 2)),
         "return and variance, from the strips")
    for p, coins, _ in (one for one in rounds if not one[2]):
        nets[str(F(coins, slot["cost"]) - 1)] += p
    same({n["net"]: F(n["probability"]) for n in figures["net"]}, nets, "net results where no feature begins")
    for one in map(read_json, files["data/rounds.jsonl"].splitlines()):
        stops = [int(stop) - 1 for stop in re.search(r"reels stop at ([\d ]+)", one["trace"][0])[1].split()]
        ((_, coins, n),) = spin(game, "base", stops)
        if not games[min(n, len(games) - 1)]:
            same(one["net"]["main"], str(F(coins, slot["cost"]) - 1), f"round {one['deck']}, settled from the strips")

def main():
    """Takes the parts one after the other, and says what was found."""
    files = attempt("files", read_files, os.path.dirname(os.path.abspath(__file__)))
    evidence = files and attempt("files", lambda: read_json(files["evidence.json"]))
    game = evidence and attempt("files", check_files, files, evidence) or {}
    if evidence:
        attempt("figures", check_figures, files, evidence, game)
        attempt("statement", check_statement, evidence)
        recorded = attempt("decks", check_decks, files, evidence) or []
        if "data/automaton.csv" in files:
            attempt("automaton", check_automaton, files, evidence, recorded)
        if "slot" in game:
            attempt("slot", check_slot, files, evidence, game)
    untried.append("who signed: VERIFY.md. Pages, ruin, longer bands, campaigns, p-values, the second implementation: certify")
    for name in PARTS:
        sys.stdout.write(f"{name:10} {held[name]:7} checks hold\n" if held[name] else f"{name:10} nothing was checked\n")
    for what in [f"not tried: {one}" for one in untried] + [f"DOES NOT HOLD: {one}" for one in wrong]:
        sys.stdout.write(f"{what}\n")
    sys.stdout.write(f"{sum(held.values())} checks hold, {len(wrong)} do not hold, {len(untried)} things were not tried\n")
    return 1 if wrong else 0 if held["figures"] and held["statement"] and held["decks"] else 4

if __name__ == "__main__":
    sys.exit(main())
