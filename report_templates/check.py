"""Checks the pack in this file's folder: python3 -I check.py (Python 3.11 or later, its standard library, no network).

For an auditor, to be read from top to bottom. Written apart from the program that made the pack, and sharing nothing with
it. It reads the files of its own folder alone, runs none of them, follows no link and writes nothing. What the pack gives
as a fraction is counted as a fraction; of a decimal it is asked whether it is the fraction rounded.

1 FILES      digests, sizes, names; the attestation says what the evidence says. Who signed: VERIFY.md, with openssl
2 FIGURES    returns, edges, variances, frequencies, contributions, claims, bands, from the exact distributions
3 STATEMENT  status of clauses, findings and statement, from what the checks of the program saw
4 DECKS      recorded decks, dealt again from the seed by the written byte rule, and the rounds played on them
5 AUTOMATON  distributions and strategies, counted from the table of the game; recorded rounds, settled by the table
6 SLOT       a slot, counted reel by reel from the strips of the submission

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

MOST_BYTES, MOST_FILES, MOST_NODES = 256 << 20, 500, 300_000
sys.set_int_max_str_digits(100_000)
held, wrong, untried = Counter(), [], []


def holds(part, true, what):
    """Counts one check, and keeps in words what does not hold."""
    if true:
        held[part] += 1
    else:
        wrong.append(f"{part}: {what}")


def same(part, stated, own, what):
    """Counts one comparison of what the pack states with what was found here."""
    holds(part, stated == own, f"{what}: the pack states {str(stated)[:90]}, found here {str(own)[:90]}")


def attempt(part, work, *given):
    """Takes one part. A pack that lacks what it needs, or has it in another form, does not hold there."""
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


# ------------------------------------------------------------------------------------------------------ 1 FILES


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
    return hashlib.sha256(content).hexdigest()


RESULTS = {"satisfied": "PASSED", "not satisfied": "FAILED", "not applicable": ""}  # anything else: WARNED


def check_files(files, evidence):
    """The list of digests, the attestation, the files that the evidence names; returns the submission in it."""
    own = {name: sha256(content) for name, content in files.items() if name != "SHA256SUMS"}
    listed = dict(line.split("  ", 1)[::-1] for line in files["SHA256SUMS"].decode("ascii").splitlines())
    envelope = read_json(files["attestation.dsse.json"])
    statement = read_json(base64.b64decode(envelope["payload"], validate=True))
    attested = {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}
    for name in sorted(listed.keys() | attested.keys() | own.keys()):
        same("files", listed.get(name), own.get(name), f"digest of {name} in SHA256SUMS")
        if name != "attestation.dsse.json":
            same("files", attested.get(name), own.get(name), f"attested digest of {name}")
    named = {one["name"]: (one["sha256"], one["bytes"]) for one in evidence["files"]}
    for name in sorted(named.keys() | {name for name in own if name.startswith("data/")}):
        same("files", named.get(name), (own.get(name), len(files.get(name, b""))), f"{name} in the evidence")
    said, report, tests = statement["predicate"], evidence["report"], defaultdict(set)
    told, tool = said["certifyReport"], evidence["tool"]
    same("files", [told[key] for key in ("number", "revision", "issued", "game")],
         [report[key] for key in ("number", "revision", "issued")] + [evidence["item"]["game"]], "attested report")
    same("files", (told["tool"]["version"], told["tool"]["digest"]["sha256"], told["family"]["digest"]["sha256"]),
         (tool["version"], tool["source_sha256"], evidence["family"]["sha256"]), "attested software")
    same("files", said["result"], RESULTS.get(report["statement"]["verdict"], "WARNED"), "attested result")
    for one in evidence["observations"]:
        tests[RESULTS.get(one["verdict"], "WARNED")].add(one["check"])
    passed, warned, failed = tests["PASSED"], tests["WARNED"], tests["FAILED"]
    for key, checks in (("passed", passed - warned - failed), ("warned", warned - failed), ("failed", failed)):
        same("files", said[f"{key}Tests"], sorted(checks), f"attested checks, {key}")
    game = evidence["item"]["files"][0]
    content = base64.b64decode(game["base64"], validate=True)
    same("files", (game["sha256"], int(game["bytes"])), (sha256(content), len(content)), "the submission")
    same("files", content, files["data/game.toml"], "data/game.toml")
    return tomllib.loads(content.decode("utf-8"))


# ---------------------------------------------------------------------------------------------------- 2 FIGURES


def check_figures(files, evidence, game):
    """Every wager under every strategy, and what is told of these figures elsewhere."""
    analysis = {key: one["wagers"] for key, one in evidence["analysis"].items()}
    exact = defaultdict(list)
    for row in table(files, "data/outcomes.csv"):
        exact[row["strategy"], row["wager"]].append([row["outcome"], row["net"], row["probability"]])
    for strategy, wagers in analysis.items():
        for wager, one in wagers.items():
            what = f"{wager} under {strategy}"
            check_wager(what, one)
            check_claims(what, one, [claim for claim in game.get("claims", []) if claim["wager"] == wager])
            outcomes = [[o["outcome"], o["net"], o["probability"]] for o in one["outcomes"]]
            same("figures", one.get("near") or exact[strategy, wager], one.get("near") or outcomes, f"{what}: outcomes.csv")
        for one in evidence["analysis"][strategy]["decisions"]:
            values = {option: fraction(value) for option, value in one["values"].items()}
            best, what = max(values.values()), f"{one['hand']} under {strategy}"
            same("figures", values.get(one["best"]), best, f"{what}: the best option")
            same("figures", one["costs"], {option: str(best - value) for option, value in values.items()}, what)
            own = (str(best - min(values.values())), one["probability"] != "0")
            same("figures", (one["cost_of_deviation"], one["reachable"]), own, what)
    for strategy, one in evidence["joint"].items():
        check_joint(f"all wagers under {strategy}", one, analysis.get(strategy, {}))
    for wager, sheet in evidence["par"].items():
        check_par(f"PAR sheet of {wager}", sheet, analysis[sheet["strategy"]][wager])
    for strategy, counted in evidence["counted"].items():
        stated = {wager: analysis[strategy][wager]["return"] for wager in counted}
        same("figures", stated, counted, f"returns counted in the second way under {strategy}")
    for one in evidence["claims"]:
        keys = ("printed", "metric", "exact", "holds", "status", "interval")
        judged = [[claim.get(key) for key in keys] for claim in analysis[one["strategy"]][one["wager"]]["claims"]]
        told = [one[key] if key != "status" or one["holds"] else None for key in keys]
        holds("figures", told in judged, f"the claim {one['printed']} of {one['wager']} was judged otherwise")
    classes = evidence.get("strategy_classes", [])
    for one in classes:
        cost = fraction(classes[0]["main_return"]) - fraction(one["main_return"])
        same("figures", (one["cost"], cost >= 0), (str(cost), True), f"cost of {one['strategy']}")
    for campaign in evidence["simulation"]["campaigns"]:
        for one in campaign["wagers"]:
            figures, what = analysis[campaign["strategy"]][one["wager"]], f"campaign of {one['wager']}"
            chances = {o["outcome"]: o["probability"] for o in figures["outcomes"]}
            same("figures", {o["outcome"]: o["probability"] for o in one["outcomes"]}, chances, what)
            same("figures", sum(int(o["count"]) for o in one["outcomes"]), campaign["rounds"], f"rounds, {what}")
            same("figures", one["mean"]["exact_return"], figures["return"], f"exact return, {what}")
    check_edge(evidence, analysis)
    check_everywhere(evidence, "")


def check_everywhere(noun, where):
    """Whatever stands beside what it follows from: percents, roots, quantiles, reciprocals, widths, differences."""
    for key, value in enumerate(noun) if isinstance(noun, list) else noun.items() if isinstance(noun, dict) else ():
        check_everywhere(value, f"{where}/{key}")
    if not isinstance(noun, dict):
        return
    for key in [key for key in noun if isinstance(noun.get(f"{key}_percent"), str) and noun[key]]:
        same("figures", noun[f"{key}_percent"], decimal(100 * fraction(noun[key])), f"{where}/{key} in percent")
    if "variance" in noun and "standard_deviation" in noun:
        square = fraction(noun["variance"])
        holds("figures", is_root(noun["standard_deviation"], square), f"{where}/standard_deviation")
        for label, index in noun.get("volatility_index", {}).items():
            z = NormalDist().inv_cdf((100 + int(label.split()[0])) / 200)
            holds("figures", is_root(index, square, z), f"{where}/volatility_index of {label}")
    often = fraction(noun.get("times") or noun["probability"]) if "one_in" in noun else 0
    same("figures", noun.get("one_in"), str(1 / often) if often else None, f"{where}/one_in")
    for key, high, low in (("width", "upper", "lower"), ("delta", "after", "before")):
        if {key, high, low} <= noun.keys():
            same("figures", noun[key], str(fraction(noun[high]) - fraction(noun[low])), f"{where}/{key}")


def odds(net):
    return f"{net.numerator} to {net.denominator}" if net >= 0 else None


def check_wager(what, one):
    """One wager: everything follows from how often it ends how."""
    ends = [(o, fraction(o["probability"]), fraction(o["net"])) for o in one["outcomes"]]
    holds("figures", all(p >= 0 for _, p, _ in ends), f"{what}: a probability is below nought")
    same("figures", sum(p for _, p, _ in ends), 1, f"{what}: the probabilities together")
    for o, p, net in ends:
        own = (str((1 + net) * p), odds(net))
        same("figures", (o["contribution"], o["pays"]), own, f"{what}: contribution and pays of {o['outcome']}")
    mean = sum(p * net for _, p, net in ends)
    square = sum(p * (net**2 + fraction(o.get("variance", "0"))) for o, p, net in ends)
    own = {"return": 1 + mean, "house_edge": -mean, "variance": square - mean**2}
    net, rest = [(fraction(n["net"]), fraction(n["probability"])) for n in one["net"]], fraction(one.get("net_rest", "0"))
    merged = defaultdict(F)
    for _, p, result in ends:
        merged[result] += p
    single = not any("variance" in o for o, _, _ in ends)  # else an outcome is a class of rounds: a mean and a variance
    same("figures", net if single else not net or sum(p for _, p in net) + rest, sorted(merged.items()) if single else 1,
         f"{what}: net results")
    for key, limit in (("win_frequency", 0), ("hit_frequency", -1)):
        least, stated = sum(p for value, p in net if value > limit), fraction(one[key])
        # Where a player adds to the stake, what was staked decides what comes back: the automaton tells that.
        if net and not one.get("near") and (limit == 0 or "total_wagered" not in one):
            holds("figures", least <= stated <= least + rest, f"{what}: {key} {stated}, found here {least}")
    if "total_wagered" in one and not one.get("near"):
        own["return_on_total_wagered"] = 1 + mean / fraction(one["total_wagered"])
    for key, value in own.items():
        same("figures", one[key], str(value), f"{what}: {key}")
    if "bracket" in one:
        low, high = (fraction(one["bracket"][end]) for end in ("lower", "upper"))
        holds("figures", low <= 1 + mean <= high, f"{what}: the return lies outside of its bracket")
    if "awards" in one:
        same("figures", sum(fraction(row["contribution"]) for row in one["awards"]), 1 + mean, f"{what}: the rows together")
    elif "total_wagered" not in one:
        best = max(net for _, p, net in ends if p)
        own = (odds(best), str(merged[best]))
        same("figures", (one["top_award"]["pays"], one["top_award"]["probability"]), own, f"{what}: the top award")


EXACT = {"return-to-player": "return", "house-edge": "house_edge", "hit-frequency": "hit_frequency"}
EXACT |= dict.fromkeys(("standard-deviation", "volatility-index", "volatility-class"), "variance")


def check_claims(what, one, submitted):
    """Printed figures: what each stands for, and whether the exact figure is one of those."""
    printed = [(claim["metric"], claim["printed"]) for claim in submitted]
    same("figures", [(claim["metric"], claim["printed"]) for claim in one["claims"]], printed, f"{what}: the claims")
    for claim, source in zip(one["claims"], submitted):
        exact, (low, high) = fraction(claim["exact"]), map(fraction, claim["interval"])
        text, where = claim["printed"], f"{what}: {claim['printed']}"
        same("figures", claim["exact"], one[EXACT[claim["metric"]]] if claim["metric"] in EXACT else claim["exact"], where)
        percent = re.fullmatch(r"(-?\d+)(?:\.(\d+))? ?%", text, re.ASCII)
        if percent:
            unit = F(1, 100 * 10 ** len(percent[2] or ""))
            start = int(percent[1] + (percent[2] or "")) * unit - (0 if source.get("truncated") else unit / 2)
            same("figures", (low, high), (start, start + unit), f"{where}: what it stands for")
        distances = [claim["distance_to_low"], claim["distance_to_high"]]
        same("figures", distances, [str(exact - low), str(high - exact)], f"{where}: distances")
        within = low <= exact < high or low == exact == high
        if claim["metric"].startswith("odds-") and not percent:  # of odds the upper end belongs, the lower does not
            within = low < exact <= high
        own = (within, within and claim.get("status") in ("satisfied", "fitted"))
        same("figures", (claim["holds"], "status" in claim), own, f"{where}: whether it holds")


def check_joint(what, one, wagers):
    """All wagers of a round together."""
    stakes = {wager: fraction(stake) for wager, stake in one["stakes"].items()}
    net = [(fraction(n["net"]), fraction(n["probability"])) for n in one["net"]]
    mean = sum(value * p for value, p in net)
    variance = sum(value**2 * p for value, p in net) - mean**2
    total = sum(stakes[wager] * (fraction(value) - 1) for wager, value in one["returns"].items())
    same("figures", (sum(p for _, p in net), total), (1, mean), f"{what}: chances, and returns together")
    same("figures", [one[key] for key in ("expectation", "variance", "total_return")],
         [str(mean), str(variance), str(1 + mean / sum(stakes.values()))], what)
    percent = {wager: decimal(100 * fraction(value)) for wager, value in one["returns"].items()}
    same("figures", one["return_percent"], percent, f"{what}: returns in percent")
    own = {wager: wagers[wager]["return"] if wagers else value for wager, value in one["returns"].items()}
    same("figures", one["returns"], own, f"{what}: returns")
    moved = {tuple(pair["wagers"]): fraction(pair["covariance"]) for pair in one["covariance"]}
    together = sum((1 if a == b else 2) * stakes[a] * stakes[b] * value for (a, b), value in moved.items())
    same("figures", variance if one.get("off") else together, variance, f"{what}: variance by covariances")
    for pair in one["covariance"]:
        a, b = pair["wagers"]
        square = moved[a, b] ** 2 / (moved[a, a] * moved[b, b] or 1)
        holds("figures", is_root(abs(pair["correlation"]), square), f"{what}: correlation of {a} and {b}")


def check_par(what, sheet, one):
    """The PAR sheet says what the figures say; how long losing runs get, and where the mean of 1,000 rounds lies."""
    keys = ("hit_frequency", "win_frequency", "variance", "standard_deviation", "volatility_index", "top_award", "awards")
    same("figures", [sheet.get(key) for key in keys], [one.get(key) for key in keys], what)
    keys = ("outcome", "probability", "contribution")
    stated = [[*(row[key] for key in keys), row["combinations"]] for row in sheet["rows"]]
    own = [[*(o[k] for k in keys), str(fraction(o["probability"]) * int(sheet["cycle"]))] for o in one["outcomes"]]
    same("figures", stated, own, f"{what}: rows")
    lose = 1 - fraction(sheet["hit_frequency"])
    for run in sheet["losing_runs"]:
        rounds, length, chance = run["rounds"], run["longest"], fraction(run["but_with_probability"])
        if lose < 1 and length * lose.denominator.bit_length() < 200_000:  # else the power has too many digits
            # A longer run begins in the first round, or after a round that did not lose.
            longer = [lose ** (k + 1) * (1 + (rounds - 1 - k) * (1 - lose)) for k in (length - 1, length)]
            holds("figures", longer[1] <= chance and (length == 0 or longer[0] > chance), f"{what}: losing runs")
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
        return untried.append(f"bands of the {what}: too many points lie between the lowest and the highest result")
    one = [0] * (steps[-1] // unit + 1)
    for step, (_, p) in zip(steps, net):
        one[step // unit] = math.floor(p * 2**160)

    def law(sums, other):
        a, b = (int.from_bytes(b"".join(c.to_bytes(64, "little") for c in some), "little") for some in (sums, other))
        whole = (a * b).to_bytes(64 * (len(sums) + len(other)), "little")
        return [int.from_bytes(whole[64 * n : 64 * n + 64], "little") >> 160 for n in range(len(sums) + len(other) - 1)]

    sums = one
    for digit in bin(1000)[3:]:  # from the highest binary digit on: twice as many rounds, and one more
        sums = law(sums, sums)
        sums = law(sums, one) if digit == "1" else sums
    for band in bands:
        left = (1 - F(int(band["confidence"].split()[0]), 100)) / 2
        places = [(F(band[end]) - 1 - net[0][0]) * 1000 * scale / unit for end in ("low", "high")]
        # Ends are rounded outwards, so that each lies on its point but for the last digits of a float.
        first, last = round(places[0]), round(places[1])
        exact = abs(places[0] - first) < F(1, 10**6) and abs(places[1] - last) < F(1, 10**6)
        inside, slack = F(sum(sums[first : last + 1]), 2**160), F(1, 10**6)
        tails = [F(sum(some), 2**160) for some in (sums[:first], sums[last + 1 :], sums[: first + 1], sums[last:])]
        fits = max(tails[:2]) <= left and min(tails[2:]) > left - slack
        holds("figures", exact and fits and inside - 2 * slack <= band["covers"] <= inside,
              f"{what}: the band of {band['confidence']} after 1000 rounds")


def check_edge(evidence, analysis):
    """Who has the edge, by the figures of the first wager; and what the dearest round comes to."""
    wager, edge, cost = evidence["wagers"][0]["id"], evidence["edge"], evidence["exposure"]
    one = analysis[evidence["strategy_of"][wager]][wager]
    low, high = (fraction(one["bracket"][end] if "bracket" in one else one["return"]) - 1 for end in ("lower", "upper"))
    side = "player" if low > 0 else edge["bank"] if high < 0 else "nobody"
    size = F(0) if side == "nobody" else min(abs(low), abs(high))
    same("figures", (edge["side"], edge["per_stake"]), (side, str(size)), "the edge")
    if edge.get("per_total_wagered"):
        same("figures", edge["per_total_wagered"], str(size / fraction(one["total_wagered"])), "the edge on all wagered")
    if "bracket" not in one and size:
        holds("figures", decimal(100 * size, 4) in edge["sentence"], "the edge in its sentence")
    same("figures", cost["amount"], sum(win for _, win in cost["wins"]), "the dearest round")


# -------------------------------------------------------------------------------------------------- 3 STATEMENT

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
    applies = {one["applies"] for one in clauses if one["status"] != "not applicable"}
    for one in clauses:
        tested = one["method"] == "test"
        own = worst(answers.get(check, "inconclusive") for check in one["checks"]) if tested else one["method"]
        if (own, one["certainty"] == "V") == ("satisfied", False):
            own = "secondary reference"  # its number was not read verbatim
        may = {own} if one["applies"] in applies else {"not applicable"}
        if one["rests_on"] and own not in ("not satisfied", "inconclusive", "not applicable"):
            may |= {"condition", "fitted", "examine"}  # it rests on what was adopted, recovered or is disputed
        holds("statement", one["status"] in may, f"clause {one['id']} is {one['status']!r}, by its checks {own!r}")
        looked = set().union(*(items[check] for check in one["checks"])) if tested else set()
        same("statement", set(one["shown_on"]), looked if one["applies"] in applies else set(), f"items, {one['id']}")
    said, statuses = evidence["report"]["statement"], Counter(one["status"] for one in clauses)
    verdicts = Counter(one["verdict"] for one in observations)
    for key, own in (("clauses", statuses), ("checks", verdicts)):
        same("statement", {name: n for name, n in said[key].items() if n}, dict(own), f"how many {key}")
    numbers = {key: sorted(map(int, re.findall(r"\d+", said[key]))) for key in ("counted", "sentence")}
    same("statement", numbers["counted"], sorted([len(clauses), *statuses.values()]), "the counts of clauses in words")
    decided = [one["check"] for one in observations if one["verdict"] != "not applicable"]
    holds("statement", {len(decided), len(set(decided))} <= set(numbers["sentence"]), "the counts in the sentence")
    shown = {item for one in clauses if one["status"] == "satisfied" for item in one["shown_on"]} >= OPERATOR
    own = "satisfied" if shown else "mathematics satisfied, product not shown"
    own = "satisfied on conditions" if any(one["status"] == "condition" for one in findings) else own
    if worst(verdicts) in ("inconclusive", "not applicable"):
        own = "inconclusive"
    serious = any(one["status"] == "open" and one["severity"] in ("major", "critical") for one in findings)
    own = "not satisfied" if serious or worst(verdicts) == "not satisfied" else own
    same("statement", said["verdict"], own, "the statement")
    ids = [f"F-{n:02}" for n in range(1, len(findings) + 1)]
    same("statement", [one["id"] for one in findings], ids, "the numbers of findings")
    for check in sorted({one["check"] for one in observations if one["verdict"] == "not satisfied"}):
        told = any(one["check"] == check and one["status"] != "information" for one in findings)
        holds("statement", told, f"{check} is not satisfied, and no finding says so")
    duties = {one["clause"].partition(" (")[0] for one in evidence["obligations"]}
    missing = {f"{one['standard']} {one['number']}" for one in clauses if one["status"] == "operator"} - duties
    same("statement", missing, set(), "duties of the operator that are left out")


# ------------------------------------------------------------------------------------------------------ 4 DECKS

SBOX, p, q = [0x63] * 256, 1, 1  # FIPS 197, 5.1.1: p runs over all bytes but nought as powers of 3, q over their inverses
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
    """Blocks encrypted by AES-256 (FIPS 197), all at once: the first bytes of all blocks, then the second, ..."""
    keys, constant, size = [key[at : at + 4] for at in range(0, 32, 4)], 1, len(blocks) // 16
    for n in range(8, 60):
        word = keys[-1][1:] + keys[-1][:1] if n % 8 == 0 else keys[-1]
        word = word.translate(bytes(SBOX)) if n % 4 == 0 else word
        keys.append(added(word, keys[-8], bytes([constant if n % 8 == 0 else 0, 0, 0, 0])))
        constant <<= n % 8 == 0
    keys = b"".join(keys)
    state = [added(blocks[place::16], keys[place : place + 1] * size) for place in range(16)]
    for turn in range(1, 15):
        state = [state[5 * place % 16].translate(bytes(SBOX)) for place in range(16)]
        if turn < 14:
            two = [one.translate(TWICE) for one in state]
            near = [[place - place % 4 + (place + n) % 4 for n in range(4)] for place in range(16)]
            state = [added(two[a], two[b], state[b], state[c], state[d]) for a, b, c, d in near]
        state = [added(one, keys[16 * turn + n : 16 * turn + n + 1] * size) for n, one in enumerate(state)]
    return bytes(byte for block in zip(*state) for byte in block)


def words_of(seed, purpose):
    """Stream 0 of a purpose: HKDF-SHA-384 (rule 1), CTR_DRBG with AES-256 in requests of 65,536 bytes (rule 2)."""
    info = bytes([len(purpose)]) + purpose.encode("ascii") + bytes(8)
    inner = hmac.digest(b"rng stream, byte-consumption rule 1", seed, "sha384")
    key, v, provided = bytes(32), 0, hmac.digest(inner, info + b"\x01", "sha384")
    while True:
        fresh = added(aes(key, b"".join((v + n).to_bytes(16, "big") for n in (1, 2, 3))), provided)
        key, v, provided = fresh[:32], int.from_bytes(fresh[32:], "big"), bytes(48)
        output = aes(key, b"".join(((v + n) % 2**128).to_bytes(16, "big") for n in range(1, 4097)))
        v = (v + 4096) % 2**128
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


def check_decks(files, evidence, automaton):
    """Rows of draws dealt again from the seed, and what was recorded of the rounds that were played on them."""
    pieces, seed = evidence["layout"]["pieces"], bytes.fromhex(evidence["run"]["seed"])
    said = next(one["description"] for one in evidence["files"] if one["name"] == "data/draws.bin")
    length, bits = map(int, re.search(r"items a row: (\d+), bits an item: (\d+)", said).groups())
    recorded = [read_json(line) for line in files["data/rounds.jsonl"].splitlines()]
    same("decks", [one for one in evidence["played_rounds"] if one not in recorded], [], "rounds not in rounds.jsonl")
    kept, sizes = pieces[0]["kind"] in ("shoe", "balls"), [piece["size"] for piece in pieces]
    rows, words, content = [], words_of(seed, "simulation-decks"), files["data/draws.bin"]
    if len(pieces) > 1 and (length > len(pieces) or any(piece["kind"] in ("shoe", "balls") for piece in pieces)):
        untried.append("decks: a row is a product of draws, of whose parts the evidence does not say how many there are")
    else:
        wanted = max([len(content) * 8 // bits // length, *(one["deck"] + 1 for one in recorded)])
        for _ in range(min(wanted, 3_000_000 // length + 1)):
            if kept:  # rule 4: the first cards of a shuffle
                row = list(range(sizes[0]))
                for n, more in enumerate(numbers_of(words, range(sizes[0], max(1, sizes[0] - length), -1))):
                    row[n], row[n + more] = row[n + more], row[n]
            rows.append(row[:length] if kept else numbers_of(words, (sizes * length)[:length]))
        own = b"".join(item.to_bytes(bits // 8, "little") for row in rows for item in row)[: len(content)]
        for n in range(len(own) * 8 // bits // length):
            part = slice(n * length * bits // 8, (n + 1) * length * bits // 8)
            holds("decks", own[part] == content[part], f"row {n} of data/draws.bin is not that of the seed")
    names, pays = [row["shows"] for row in table(files, "data/items.csv")], defaultdict(set)
    for wagers in (one["wagers"] for one in evidence["analysis"].values()):
        for wager, o in ((wager, o) for wager, one in wagers.items() for o in one["outcomes"]):
            pays[wager, o["outcome"]].add("any" if "variance" in o else o["net"])
    for one in recorded:
        what, trace = f"round {one['deck']}", one["trace"]
        same("decks", (one["seed"], sha256("\n".join(trace).encode())), (seed.hex(), one["trace_sha256"]), what)
        for wager, outcome in one["outcomes"].items():
            holds("decks", pays[wager, outcome] & {one["net"][wager], "any"}, f"{what}: what {wager} comes to")
        if one["deck"] < len(rows) and len(pieces) == 1:
            drawn = [line for line in trace if not re.search(" decides | ends on | settles as ", line)]
            cards = [names[item] for item in rows[one["deck"]]]
            holds("decks", all(card in line for line, card in zip(drawn, cards)), f"{what}: other cards than its deck's")
            if automaton:
                own = automaton.settled(iter(cards), iter(one["decisions"]))
                same("automaton", one["outcomes"], own, f"{what}, settled by the table")


# -------------------------------------------------------------------------------------------------- 5 AUTOMATON


def solved(order, constants, steps):
    """x[i] = constants[i] + sum of share x[j] over (j, share) in steps[i]; most of order comes after what it needs."""
    form = {}  # x[i] as a number and shares of such as come later: there are some where rounds lead back
    for i in order:
        value, later = constants.get(i, F(0)), defaultdict(F)
        todo = list(steps[i])
        while todo:
            j, share = todo.pop()
            if j in form:
                value += share * form[j][0]
                todo += [(k, share * more) for k, more in form[j][1].items()]
            else:
                later[j] += share
        stays = 1 - later.pop(i, F(0))
        form[i] = value / stays, {j: share / stays for j, share in later.items()}
    found = {}
    for i in reversed(order):
        found[i] = form[i][0] + sum(share * found[j] for j, share in form[i][1].items())
    return found


class Automaton:
    """The game as a table: what each state waits for, and where each face of a piece, or each option, leads."""

    def __init__(self, files):
        self.faces, self.first, self.kept = [], {}, []  # the faces of all pieces, one after the other
        for row in table(files, "data/automaton-pieces.csv"):
            self.first.setdefault(row["piece"], len(self.faces))
            self.faces.append((row["piece"], row["shows"], int(row["items"])))
            self.kept.append(row["put_back"] == "no")
        self.pays = {(row["wager"], row["outcome"]): row for row in table(files, "data/automaton-pays.csv")}
        self.takes = {row["decision"]: row for row in table(files, "data/automaton-decisions.csv")}
        self.waits, self.arrows = {}, defaultdict(dict)
        for row in table(files, "data/automaton.csv"):
            self.waits[row["state"]] = row["waits"]
            first, won = self.first.get(row["waits"]), tuple(tuple(one.split("=")) for one in row["settled"].split())
            for move in row["moves"].split():
                self.arrows[row["state"]][move if first is None else first + int(move)] = row["next"], won
        self.order, self.part = self.after({s: [to for to, _ in a.values()] for s, a in self.arrows.items()}), {}
        self.nodes()

    def after(self, follow, start="start"):
        """All that a start leads to, each after what it leads to itself, but where rounds lead back."""
        order, seen, walk = [], {start}, [(start, iter(follow[start]))]
        while walk:
            node, ways = walk[-1]
            new = next((one for one in ways if one not in seen), None)
            if new is None:
                order.append(walk.pop()[0])
            else:
                seen.add(new)
                walk.append((new, iter(follow.get(new, ()))))
        return order

    def nodes(self):
        """Every state with the cards that left, as far as a future tells them apart, and what leads to what."""
        pieces = [piece if keep else None for (piece, _, _), keep in zip(self.faces, self.kept)]
        again = True
        while again:  # the coarsest classes of cards that neither a state nor any of its futures tells apart
            again = False
            for state in self.order:
                ways = self.arrows.get(state, {})
                told = {tuple(pieces), *(self.part[to] for to, _ in ways.values() if to in self.part)}
                if self.waits.get(state) in self.first:
                    told.add(tuple(ways.get(n) for n in range(len(pieces))) if any(self.kept) else tuple(pieces))
                names = {}
                part = tuple(names.setdefault(key, len(names)) for key in zip(*told))
                again |= self.part.get(state, part) != part or state not in self.part
                self.part[state] = part
        self.follow, todo = {}, [("start", ())]
        while todo:
            node = todo.pop()
            if node in self.follow:
                continue
            (state, gone), ways = node, []
            part, piece, left = self.part[state], self.waits.get(state), Counter()
            for n, (own, _, items) in enumerate(self.faces if piece in self.first else ()):
                left[part[n] if self.kept[n] else -1 - n] += items if own == piece else 0
            left.subtract(one for one in gone if one in left)
            for move, (to, won) in self.arrows.get(state, {}).items() if not left else ():
                ways.append((move, F(1), (to, self.named(part, gone, to)), won))
            for one, items in left.items():
                if items > 0:
                    face = part.index(one) if one >= 0 else -1 - one
                    to, won = self.arrows[state][face]
                    after = self.named(part, (*gone, one) if one >= 0 else gone, to)
                    ways.append((None, F(items, left.total()), (to, after), won))
            self.follow[node] = ways
            todo += [after for _, _, after, _ in ways]
            if len(self.follow) > MOST_NODES:
                raise ValueError("more nodes than can be counted here")

    def named(self, part, gone, to):
        """The cards that left, by the classes of the state that follows."""
        return tuple(sorted(self.part[to][part.index(one)] for one in gone))

    def visits(self, order, chances):
        """How often a round comes to each node, where chances say which options are taken."""
        back = defaultdict(list)
        for node in order:
            for move, chance, after, _ in self.follow[node]:
                back[after].append((node, chance * chances(node, move)))
        return solved(order[::-1], {("start", ()): F(1)}, back)

    def evenly(self, node, move):
        """Every option taken equally often."""
        return F(1) if move is None else F(1, len(self.follow[node]))

    def settled(self, cards, decisions):
        """How the wagers of a recorded round end: every card and decision followed through the table."""
        state, won = "start", {}
        while state in self.arrows:
            ways, waits = self.arrows[state], self.waits[state]
            move = next(iter(ways))
            if waits in self.first:
                shows = next(cards)
                move = next(n for n, one in enumerate(self.faces) if one[:2] == (waits, shows))
            elif waits:
                move = next(decisions)
            state, ended = ways[move]
            won |= dict(ended)
        return won


def check_automaton(evidence, automaton):
    """What each strategy comes to by the table, and that no other option is worth more where best play decides."""
    order = automaton.after({node: [after for _, _, after, _ in ways] for node, ways in automaton.follow.items()}, ("start", ()))
    first = evidence["wagers"][0]["id"]
    for strategy, analysis in evidence["analysis"].items():
        takes = {decision: row[strategy] for decision, row in automaton.takes.items()}

        def chances(node, move):
            return F(1) if move is None or automaton.waits[node[0]] == "" else F(takes[automaton.waits[node[0]]] == move)

        often, ends, worth = automaton.visits(order, chances), defaultdict(F), {}
        steps, gains = defaultdict(list), defaultdict(F)
        for node in order:
            for move, chance, after, won in automaton.follow[node]:
                share = chance * chances(node, move)
                steps[node].append((after, share))
                for wager, outcome in won:
                    ends[wager, outcome] += often[node] * share
                    gains[node] += share * F(automaton.pays[wager, outcome]["net"]) if wager == first else 0
        worth = solved(order, gains, steps)
        for wager, one in analysis["wagers"].items():
            what, priced = f"{wager} under {strategy}", {o: row for (w, o), row in automaton.pays.items() if w == wager}
            stated = {o["outcome"]: (o["probability"], o["net"]) for o in one["outcomes"] if o["probability"] != "0"}
            own = {o: (str(ends[wager, o]), row["net"]) for o, row in priced.items() if ends[wager, o]}
            same("automaton", stated, own, f"{what}: how it ends")
            staked = sum(ends[wager, o] * fraction(row["staked"]) for o, row in priced.items())
            same("automaton", one.get("total_wagered", "1"), str(staked), f"{what}: what is staked in all")
            back = sum(ends[wager, o] for o, row in priced.items() if fraction(row["net"]) + fraction(row["staked"]) > 0)
            same("automaton", one["hit_frequency"], str(back), f"{what}: hit frequency")
        if strategy == "main-optimal" and takes:
            # What lies hidden is weighed by the ways of chance that lead there: every option is taken equally often.
            evenly = automaton.visits(order, lambda node, move: automaton.evenly(node, move))
            values = defaultdict(lambda: defaultdict(F))
            for node in order:
                decision = automaton.waits.get(node[0], "")
                for move, _, after, won in automaton.follow[node] if decision in takes else ():
                    gain = sum(F(automaton.pays[one]["net"]) for one in won if one[0] == first)
                    values[decision][move] += evenly[node] * (gain + worth[after])
            for decision, options in values.items():
                row = automaton.takes[decision]
                best = options[takes[decision]] == max(options.values())
                holds("automaton", best, f"{row['seat']} on {row['sees']} has a better option than {takes[decision]}")


# ------------------------------------------------------------------------------------------------------- 6 SLOT

COUNTED = {  # what is counted here; a slot whose submission says more is not
    "slot": "heights lines direction line_wins cost line_bet", "strips": "id reels", "stages": "id strips multiplier",
    "wilds": "symbol but_not replaces stages", "line_pays": "id symbol symbols pays stages multiplied",
    "scatter_pays": "symbol pays per stages multiplied", "free_games": "id stage symbol games again begins_in",
}  # fmt: skip
BESIDE = "schema rules readings game wagers claims terms sources variants texts clauses".split()


def spin_law(game, stage, stops=None):
    """The law of one spin, reel by reel: ways of (coins, windows of the trigger); or what some stops come to.

    A line is the rows of the paytable that still fit it, with the best win so far. Where none fits any more the line
    is paid, so that few states remain. A scatter is counted beside.
    """
    slot, times = game["slot"], next((one.get("multiplier", 1) for one in game.get("stages", []) if one["id"] == stage), 1)
    sheet = next((one["strips"] for one in game.get("stages", []) if one["id"] == stage), "base")
    here, scatters = ([one for one in game.get(key, []) if stage in one.get("stages", [stage])] for key in ("line_pays", "scatter_pays"))
    fits = [set(one.get("symbols", [one.get("symbol")])) for one in here]
    for wild in [one for one in game.get("wilds", []) if stage in one.get("stages", [stage])]:
        for names in fits:
            if names & set(wild["replaces"]) if "replaces" in wild else names - set(wild.get("but_not", [])):
                names.add(wild["symbol"])
    factors = [slot.get("line_bet", 1) * (times if one.get("multiplied", True) else 1) for one in here]
    pays = [[0] + [coins * by for coins in one["pays"]] for one, by in zip(here, factors)]
    watched = [one["symbol"] for one in [*scatters, *game.get("free_games", [])]]
    law = {(0, (0,) * len(watched), ((tuple(range(len(here))), 0),) * len(slot["lines"])): 1}
    for place, (strip, height) in enumerate(zip(next(s["reels"] for s in game["strips"] if s["id"] == sheet), slot["heights"])):
        reel = [name for part in strip.split() for name in [part.split("*")[0]] * int((part + "*1").split("*")[1])]
        before, law, known = law, defaultdict(int), {}
        for stop in range(len(reel)) if stops is None else [stops[place]]:
            window = [reel[(stop + row) % len(reel)] for row in range(height)]
            cells = [window[int(line[place]) - 1] for line in slot["lines"]]
            shown = [window.count(symbol) for symbol in watched]
            for (coins, counts, lines), ways in before.items():
                going = []
                for line, cell in zip(lines, cells):
                    if line and (line, cell) not in known:
                        alive = tuple(n for n in line[0] if cell in fits[n])
                        best = max([line[1], *(pays[n][place] for n in line[0] if n not in alive)])
                        known[line, cell] = (alive, best) if alive else best
                    new = known[line, cell] if line else None
                    coins += new if isinstance(new, int) else 0
                    going.append(None if isinstance(new, int) else new)
                law[coins, tuple(map(int.__add__, counts, shown)), tuple(going)] += ways
    ends = defaultdict(int)
    for (coins, counts, lines), ways in law.items():
        coins += sum(max([best, *(pays[n][-1] for n in alive)]) for alive, best in filter(None, lines))
        for one, count in zip(scatters, counts):
            unit = {"bet": slot["cost"], "line": slot.get("line_bet", 1), "every line": slot.get("line_bet", 1) * len(slot["lines"])}
            by = times if one.get("multiplied", True) else 1
            coins += [0, *one["pays"]][min(count, len(one["pays"]))] * unit[one.get("per", "bet")] * by
        ends[coins, counts[-1] if game.get("free_games") else 0] += ways
    return ends


def check_slot(files, evidence, game):
    """The round from the strips: its law where no feature begins, mean and variance with the free games."""
    more = [key for key in game if key not in COUNTED and key not in BESIDE]
    for key, said in COUNTED.items():
        nouns = game.get(key, [])
        more += [f"{key}.{k}" for one in (nouns if isinstance(nouns, list) else [nouns]) for k in one if k not in said.split()]
    slot, free = game["slot"], game.get("free_games", [])
    plain = slot.get("direction", "left") == "left" and slot.get("line_wins", "best") == "best" and len(free) < 2
    if more or not plain or ":" in str([one["reels"] for one in game["strips"]]):
        return untried.append(f"slot: what is not counted here: {', '.join(more) or 'how its lines win'}")
    slot.setdefault("cost", len(slot["lines"]) * slot.get("line_bet", 1))
    figures = evidence["analysis"]["main-optimal"]["wagers"]["main"]
    law = {key: F(ways) for key, ways in spin_law(game, "base").items()}
    law = {key: ways / sum(law.values()) for key, ways in law.items()}
    most = len(free[0]["games"]) if free else 0
    mean = spread = F(0)  # of one free game with all that it grants
    if free:
        inner = spin_law(game, free[0]["stage"])
        again = [0, *free[0].get("again", free[0]["games"])]
        inner = [(F(ways, sum(inner.values())), coins, again[min(n, most)]) for (coins, n), ways in inner.items()]
        grants = sum(p * g for p, _, g in inner)
        mean = sum(p * coins for p, coins, _ in inner) / (1 - grants)
        spread = (sum(p * (coins + g * mean) ** 2 for p, coins, g in inner) - mean**2) / (1 - grants)
    games = [0, *(free[0]["games"] if free else [])]
    rounds = [(p, coins, games[min(n, most)]) for (coins, n), p in law.items()]
    won = sum(p * (coins + g * mean) for p, coins, g in rounds)
    square = sum(p * ((coins + g * mean) ** 2 + g * spread) for p, coins, g in rounds)
    own = (str(won / slot["cost"]), str((square - won**2) / slot["cost"] ** 2))
    same("slot", (figures["return"], figures["variance"]), own, "return and variance, from the strips")
    nets = defaultdict(F)
    for p, coins, g in rounds:
        nets[F(coins, slot["cost"]) - 1] += p if g == 0 else 0
    listed = {fraction(n["net"]): fraction(n["probability"]) for n in figures["net"]}
    same("slot", listed, {net: p for net, p in nets.items() if p}, "net results of rounds in which no feature begins")
    for one in map(read_json, files["data/rounds.jsonl"].splitlines()):
        stops = [int(stop) - 1 for stop in re.search(r"reels stop at ([\d ]+)", one["trace"][0])[1].split()]
        ((coins, n),) = spin_law(game, "base", stops)
        if not games[min(n, most)]:
            same("slot", one["net"]["main"], str(F(coins, slot["cost"]) - 1), f"round {one['deck']}, settled from the strips")


def main():
    """Takes the parts one after the other, and says what was found."""
    files = attempt("files", read_files, os.path.dirname(os.path.abspath(__file__)))
    evidence = files and attempt("files", lambda: read_json(files["evidence.json"]))
    game = evidence and attempt("files", check_files, files, evidence)
    if evidence:
        attempt("figures", check_figures, files, evidence, game or {})
        attempt("statement", check_statement, evidence)
        automaton = attempt("automaton", Automaton, files) if "data/automaton.csv" in files else None
        if automaton:
            attempt("automaton", check_automaton, evidence, automaton)
        attempt("decks", check_decks, files, evidence, automaton)
        if game and "slot" in game:
            attempt("slot", check_slot, files, evidence, game)
    for part in ("files", "figures", "statement", "decks", "automaton", "slot"):
        print(f"{part:10} {held[part]:7} checks hold" if held[part] else f"{part:10} nothing was checked")
    for what in untried:
        print(f"not tried: {what}")
    for what in wrong:
        print(f"DOES NOT HOLD: {what}")
    print(f"{sum(held.values())} checks hold, {len(wrong)} do not, {len(untried)} were not tried")
    return 1 if wrong else 0 if held["figures"] and held["statement"] and held["decks"] else 4


if __name__ == "__main__":
    sys.exit(main())
