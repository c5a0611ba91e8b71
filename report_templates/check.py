"""Checks the pack in this file's folder: python3 -I check.py (Python 3.11 or later, its standard library, no network).

For an auditor, to be read from top to bottom; written apart from the program that made the pack, sharing nothing with
it. It reads the files of its own folder alone, runs none of them, follows no link and writes nothing. Fractions are
counted as fractions; of a decimal it is asked whether it is the number rounded. Exit code 0: nothing is against the
pack. 1: something does not hold. 4: nothing is against it, but figures, statement or decks could not be checked at all.
"""
import base64, csv, functools, hashlib, hmac, io, json, math, os, re, stat, statistics, sys, tomllib
from collections import Counter, defaultdict
from fractions import Fraction
MOST_BYTES, MOST_FILES, MOST_NODES = 256 << 20, 500, 300_000  # of a pack; of states, cards and stops in memory
held, wrong, untried, part = Counter(), [], [], ""
def F(value=0, *under):
    """A fraction. An exponent of thousands, which writes a number without end in ten letters, is refused."""
    if isinstance(value, str) and len(value.lower().partition("e")[2]) > 4:
        raise ValueError(f"{value[:40]!r} has too many digits")
    return Fraction(value, *under)
def holds(true, what):
    """Counts one check of the present part, and keeps in words what does not hold."""
    held[part] += bool(true)
    wrong.extend([] if true else [f"{part}: {what}"])
def same(stated, own, what):
    """Counts one comparison of what the pack states with what was found here."""
    holds(stated == own, f"{what}: the pack states {str(stated)[:90]}, found here {str(own)[:90]}")
def attempt(name, work, *given):
    """Takes one part. A pack that lacks what it needs, or has it in another form, does not hold there."""
    global part
    part = name
    try:
        return work(*given)
    except (ArithmeticError, LookupError, OSError, RuntimeError, TypeError, AttributeError, ValueError) as e:
        wrong.append(f"{part}: the pack cannot be read there: {type(e).__name__} {str(e)[:120]}")
def fraction(text):
    """A fraction in lowest terms, as the pack writes it."""
    if not re.fullmatch(r"-?\d+(/[1-9]\d*)?", text, re.ASCII) or str(F(text)) != text:
        raise ValueError(f"{text[:40]!r} is no fraction in lowest terms")
    return F(text)
def _ends(figure):  # which are one where it is no interval
    return [fraction(figure[end]) for end in ("lower", "upper")] if isinstance(figure, dict) else [fraction(figure)] * 2
def decimal(value, places=6):
    """A fraction as a decimal, rounded half away from zero."""
    digits = math.floor(abs(value) * 10**places + F(1, 2))
    return f"{'-' if value < 0 and digits else ''}{digits // 10**places}.{digits % 10**places:0{places}d}"
def odds(net):
    """What a paytable prints of a net result; a loss it does not print."""
    return f"{net.numerator} to {net.denominator}" if net >= 0 else None
def is_root(stated, square, factor=1):
    """Whether a decimal is a factor times the root of a square, to twelve digits."""
    low, high = (F(stated) / F(factor) * (1 + F(way, 10**12)) for way in (-1, 1))
    return stated == square == 0 or (stated > 0 and low**2 <= square <= high**2)
def table(files, name):
    """The rows of a table of the pack."""
    return list(csv.DictReader(io.StringIO(files[name].decode("utf-8"), newline="")))
def read_json(content):
    """What JSON says; decimals become the fractions that they are. A key that comes twice could be read in two ways."""
    def once(pairs):
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a key comes twice")
        return dict(pairs)
    return json.loads(content.decode("utf-8"), object_pairs_hook=once, parse_float=F, parse_constant=F)
def read_files(folder):
    """Every file below the folder: plain files alone, no link, within the bounds, each read once."""
    files = {}
    for root, folders, names in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(root, name))]
        for path in (os.path.join(root, name) for name in names + links):
            flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            with os.fdopen(os.open(path, flags), "rb") as stream:
                if os.path.islink(path) or not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                    raise ValueError(f"{path} is no plain file")
                files[os.path.relpath(path, folder).replace(os.sep, "/")] = stream.read(MOST_BYTES + 1)
            if len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_BYTES:
                raise ValueError("it is larger than a pack may be")
    return files
def check_files(files, evidence):
    """1 FILES: list of digests, attestation, what the evidence says of files; returns the submission that is in it."""
    results = {"satisfied": "PASSED", "not satisfied": "FAILED", "not applicable": ""}  # anything else: WARNED
    own = {name: hashlib.sha256(content).hexdigest() for name, content in files.items() if name != "SHA256SUMS"}
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
    report, tool, item, said = evidence["report"], evidence["tool"], evidence["item"], signed["predicate"]
    told, tests = said["certifyReport"], defaultdict(set)
    same([told["number"], told["revision"], told["issued"], told["game"], told["tool"]["version"],
          told["tool"]["digest"]["sha256"], told["family"]["digest"]["sha256"], said["result"]],
         [report["number"], report["revision"], report["issued"], item["game"], tool["version"], tool["source_sha256"],
          evidence["family"]["sha256"], results.get(report["statement"]["verdict"], "WARNED")], "the attested report")
    for one in evidence["observations"]:
        tests[results.get(one["verdict"], "WARNED")].add(one["check"])
    passed, warned, failed = tests["PASSED"], tests["WARNED"], tests["FAILED"]
    same([said[f"{key}Tests"] for key in ("passed", "warned", "failed")],
         [sorted(passed - warned - failed), sorted(warned - failed), sorted(failed)], "the attested checks")
    game = base64.b64decode(item["files"][0]["base64"], validate=True)
    same((item["files"][0]["sha256"], files["data/game.toml"]), (hashlib.sha256(game).hexdigest(), game), "game.toml")
    return tomllib.loads(game.decode("utf-8"))
def check_figures(files, evidence, game):
    """2 FIGURES: every wager under every strategy, and what is told of these figures elsewhere."""
    analysis, listed = {key: one["wagers"] for key, one in evidence["analysis"].items()}, defaultdict(list)
    for row in table(files, "data/outcomes.csv"):
        listed[row["strategy"], row["wager"]].append([row["outcome"], row["net"], row["probability"]])
    for strategy, wagers in analysis.items():
        for wager, one in wagers.items():
            what = f"{wager} under {strategy}"
            loose = [key for key in ("near", "off", "bracket") if key in {*one, *evidence["joint"].get(strategy, ())}]
            loose += ["variances"] if "slot" not in game and any("variance" in o for o in one["outcomes"]) else []
            holds(not loose or "data/automaton.csv" not in files, f"{what}: its table is exact, yet it has {loose}")
            untried.extend([f"figures: {what}: whatever rests on its {' and '.join(loose)} alone"] if loose else [])
            check_wager(what, one)
            check_claims(what, one, [claim for claim in game.get("claims", []) if claim["wager"] == wager])
            outcomes = [[o["outcome"], o["net"], o["probability"]] for o in one["outcomes"]]
            holds(one.get("near") or listed[strategy, wager] == outcomes, f"{what}: data/outcomes.csv says otherwise")
        for one in evidence["analysis"][strategy]["decisions"]:
            worth = {option: fraction(value) for option, value in one["values"].items()}
            best, least = max(worth.values()), min(worth.values())
            same([worth.get(one["best"]), one["costs"], one["cost_of_deviation"], one["reachable"]],
                 [best, {option: str(best - value) for option, value in worth.items()}, str(best - least),
                  one["probability"] != "0"], f"{one['hand']} under {strategy}")
    for strategy, one in evidence["joint"].items():
        check_joint(f"all wagers under {strategy}", one, analysis.get(strategy))
    for wager, sheet in evidence["par"].items():
        check_par(f"PAR sheet of {wager}", sheet, analysis[sheet["strategy"]][wager])
    for strategy, counted in evidence["counted"].items():
        same({key: analysis[strategy][key]["return"] for key in counted}, counted, f"second counting, {strategy}")
    for one in evidence["claims"]:
        keys = ("printed", "metric", "exact", "holds", "interval")
        judged = [[claim[key] for key in keys] for claim in analysis[one["strategy"]][one["wager"]]["claims"]]
        holds([one[key] for key in keys] in judged, f"{one['printed']} of {one['wager']} was judged otherwise")
    for one in evidence.get("strategy_classes", []):
        cost = fraction(evidence["strategy_classes"][0]["main_return"]) - fraction(one["main_return"])
        same((one["cost"], cost >= 0), (str(cost), True), f"cost of {one['strategy']}")
    played = evidence["simulation"]["campaigns"]
    for campaign, one in [(some, one) for some in played for one in some["wagers"]]:
        figures = analysis[campaign["strategy"]][one["wager"]]
        laws = ({o["outcome"]: o["probability"] for o in some["outcomes"]} for some in (one, figures))
        same(*zip((sum(int(o["count"]) for o in one["outcomes"]), campaign["rounds"]), laws,
                  (one["mean"]["exact_return"], figures["return"])), f"campaign of {one['wager']}")
    wager, edge = evidence["wagers"][0]["id"], evidence["edge"]
    one = analysis[evidence["strategy_of"][wager]][wager]
    ends = [fraction(one["bracket"][end] if "bracket" in one else one["return"]) - 1 for end in ("lower", "upper")]
    side = "player" if ends[0] > 0 else edge["bank"] if ends[1] < 0 else "nobody"
    size = min(map(abs, ends)) if side != "nobody" else F(0)
    total = str(size / fraction(one["total_wagered"])) if "total_wagered" in one else None
    same([edge["side"], edge["per_stake"], edge.get("per_total_wagered", total)], [side, str(size), total], "the edge")
    holds("bracket" in one or not size or decimal(100 * size, 4) in edge["sentence"], "the edge in its sentence")
    same(evidence["exposure"]["amount"], sum(win for _, win in evidence["exposure"]["wins"]), "the dearest round")
    check_everywhere(evidence, "")
def check_everywhere(noun, where):
    """Whatever stands beside what it follows from: percents, roots, quantiles, reciprocals, widths, differences."""
    for key, value in enumerate(noun) if isinstance(noun, list) else noun.items() if isinstance(noun, dict) else ():
        check_everywhere(value, f"{where}/{key}")
    if isinstance(noun, dict):
        for key in [key for key in noun if isinstance(noun.get(f"{key}_percent"), str) and noun[key]]:
            same(noun[f"{key}_percent"], decimal(100 * fraction(noun[key])), f"{where}/{key} in percent")
        if {"variance", "standard_deviation"} <= noun.keys():
            holds(is_root(noun["standard_deviation"], fraction(noun["variance"])), f"{where}/standard_deviation")
            for label, index in noun.get("volatility_index", {}).items():
                z = statistics.NormalDist().inv_cdf((100 + int(label.split()[0])) / 200)
                holds(is_root(index, fraction(noun["variance"]), z), f"{where}/volatility_index of {label}")
        if "one_in" in noun:
            often = F(noun.get("times") or noun["probability"])
            same(noun["one_in"], str(1 / often) if often else None, f"{where}/one_in")
        for key, high, low in (("width", "upper", "lower"), ("delta", "after", "before")):
            if {key, high, low} <= noun.keys():
                same(noun[key], str(fraction(noun[high]) - fraction(noun[low])), f"{where}/{key}")
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
    if "total_wagered" in one and not one.get("near"):
        own["return_on_total_wagered"] = 1 + mean / fraction(one["total_wagered"])
    same({key: one[key] for key in own}, {key: str(value) for key, value in own.items()}, what)
    net, rest = [(fraction(n["net"]), fraction(n["probability"])) for n in one["net"]], F(one.get("net_rest", "0"))
    whole = not net or sum(p for _, p in net) + rest == 1  # where an outcome is a class of rounds, with a variance
    holds(whole if any("variance" in o for o, _, _ in ends) else net == sorted(merged.items()), f"{what}: net results")
    for key, limit in (("win_frequency", 0), ("hit_frequency", -1)):  # of an added stake the automaton tells the hits
        if net and not one.get("near") and (limit == 0 or "total_wagered" not in one):
            least = sum(p for value, p in net if value > limit)
            holds(all(least <= end <= least + rest for end in _ends(one[key])), f"{what}: {key}, not {least}")
    low, high = (F(one["bracket"][end] if "bracket" in one else one["return"]) for end in ("lower", "upper"))
    holds(low <= 1 + mean <= high, f"{what}: the return lies outside of its bracket")
    if "awards" in one:
        same(sum(fraction(row["contribution"]) for row in one["awards"]), 1 + mean, f"{what}: the rows together")
    elif "total_wagered" not in one:
        best, top = max(net for _, p, net in ends if p), one["top_award"]
        same((top["pays"], top["probability"]), (odds(best), str(merged[best])), f"{what}: the top award")
def check_claims(what, one, submitted):
    """Printed figures: what each stands for, and whether the exact figure is one of those."""
    figure = {"return-to-player": "return", "house-edge": "house_edge", "hit-frequency": "hit_frequency"}
    figure |= dict.fromkeys(("standard-deviation", "volatility-index", "volatility-class"), "variance")
    same(*([[c["metric"], c["printed"]] for c in some] for some in (one["claims"], submitted)), f"{what}: claims")
    for claim, source in zip(one["claims"], submitted):
        (exact, upper), (low, high), text = _ends(claim["exact"]), map(fraction, claim["interval"]), claim["printed"]
        same(claim["exact"], one.get(figure.get(claim["metric"]), claim["exact"]), f"{what}: what {text} is about")
        percent = re.fullmatch(r"(-?\d+)(?:\.(\d+))? ?%", text, re.ASCII)
        if percent:
            unit = F(1, 100 * 10 ** len(percent[2] or ""))
            start = int(percent[1] + (percent[2] or "")) * unit - (0 if source.get("truncated") else unit / 2)
            same((low, high), (start, start + unit), f"{what}: what {text} stands for")
        turned = claim["metric"].startswith("odds-") and not percent  # the upper end belongs, the lower does not
        within = low < exact <= upper <= high if turned else low <= exact <= upper < high or low == exact == high
        same([claim["distance_to_low"], claim["distance_to_high"], claim["holds"], "status" in claim],
             [str(exact - low), str(high - upper), within, within], f"{what}: whether {text} holds")
def check_joint(what, one, wagers):
    """All wagers of a round together."""
    stakes, returns = ({wager: fraction(value) for wager, value in one[key].items()} for key in ("stakes", "returns"))
    net = [(fraction(n["net"]), fraction(n["probability"])) for n in one["net"]]
    chances, mean, square = (sum(value**n * p for value, p in net) for n in range(3))
    variance = square - mean**2
    moved = {tuple(pair["wagers"]): fraction(pair["covariance"]) for pair in one["covariance"]}
    together = sum((1 + (a != b)) * stakes[a] * stakes[b] * value for (a, b), value in moved.items())
    same([1, *(one[key] for key in ("expectation", "variance", "total_return", "return_percent")), one["returns"]],
         [chances, str(mean), str(variance), str(1 + mean / sum(stakes.values())),
          {wager: decimal(100 * value) for wager, value in returns.items()},
          {wager: wagers[wager]["return"] for wager in returns} if wagers else one["returns"]], what)
    same(sum(stakes[wager] * (value - 1) for wager, value in returns.items()), mean, f"{what}: the returns together")
    holds(one.get("off") or together == variance, f"{what}: the variance by covariances")
    for (a, b), pair in zip(moved, one["covariance"]):
        root = is_root(abs(pair["correlation"]), moved[a, b] ** 2 / (moved[a, a] * moved[b, b] or 1))
        holds(root and pair["correlation"] * moved[a, b] >= 0, f"{what}: correlation of {a} and {b}")
def check_par(what, sheet, one):
    """The PAR sheet says what the figures say; how long losing runs get, and where the mean of 1,000 rounds lies."""
    keys = "hit_frequency win_frequency variance standard_deviation volatility_index top_award awards".split()
    same([sheet.get(key) for key in keys], [one.get(key) for key in keys], what)
    lose, cycle, ends = _ends(sheet["loss_frequency"])[1], int(sheet["cycle"]), one["outcomes"]
    same([[row[key] for key in ("outcome", "probability", "contribution", "combinations")] for row in sheet["rows"]],
         [[o["outcome"], p := o["probability"], o["contribution"], str(F(p) * cycle)] for o in ends], what)
    for run in sheet["losing_runs"]:  # a longer one begins in the first round, or after one that did not lose
        rounds, length, chance = run["rounds"], run["longest"], fraction(run["but_with_probability"])
        if lose < 1 and length * lose.denominator.bit_length() < 200_000:  # else the power has too many digits
            longer = [lose ** (k + 1) * (1 + (rounds - 1 - k) * (1 - lose)) for k in (length - 1, length)]
            holds(longer[1] <= chance and (length == 0 or longer[0] > chance), f"{what}: losing runs in {rounds}")
    net = [(fraction(n["net"]), fraction(n["probability"])) for n in one["net"]]
    if sum(p for _, p in net) != 1 or len(net) < 2 or one.get("near"):
        return untried.append(f"figures: bands of the {what}: its single results are not all known")
    same(lose, sum(p for value, p in net if value < 0), f"{what}: rounds that lose money")
    # The law of the sum of 1,000 rounds, in whole numbers of 2^-128, rounded down: less than 2^-100 is lost in all. It
    # is one large number, its chances side by side in blocks of 320 bits: the product of two is the law of the sum.
    scale = math.lcm(*(value.denominator for value, _ in net))
    unit = math.gcd(*(steps := [int((value - net[0][0]) * scale) for value, _ in net]))
    if steps[-1] // unit > 60:
        return untried.append(f"figures: bands of the {what}: too many points from the lowest result to the highest")
    one = [math.floor(2**128 * dict(zip(steps, (p for _, p in net))).get(n, 0)) for n in range(0, steps[-1] + 1, unit)]
    def law(*laws):
        size, packed = sum(map(len, laws)), [b"".join(c.to_bytes(40, "little") for c in some) for some in laws]
        whole = math.prod(int.from_bytes(some, "little") for some in packed).to_bytes(40 * size, "little")
        return [int.from_bytes(whole[40 * n : 40 * n + 40], "little") >> 128 for n in range(size - 1)]
    sums = one
    for digit in bin(1000)[3:]:  # from the highest binary digit on: twice as many rounds, and one more
        sums = law(sums, sums) if digit == "0" else law(law(sums, sums), one)
    for band in [band for band in sheet["bands"] if band["rounds"] == 1000]:
        # Ends are rounded outwards, so that each lies on its point but for the last digits of a float.
        low, high = ((F(band[end]) - 1 - net[0][0]) * 1000 * scale / unit for end in ("low", "high"))
        first, last, left = round(low), round(high), (1 - F(int(band["confidence"].split()[0]), 100)) / 2
        tails = [F(sum(some), 2**128) for some in (sums[:first], sums[last + 1 :], sums[: first + 1], sums[last:])]
        inside, slack = F(sum(sums[first : last + 1]), 2**128), F(1, 10**6)
        fits = max(abs(low - first), abs(high - last)) < slack and max(tails[:2]) <= left < min(tails[2:]) + slack
        holds(fits and inside - 2 * slack <= band["covers"] <= inside, f"{what}: the band of {band['confidence']}")
def check_statement(evidence):
    """3 STATEMENT: every clause from what its checks saw; the statement from clauses, checks and findings."""
    observations, clauses, findings = (evidence[key] for key in ("observations", "clauses", "findings"))
    answers, items, operator = {}, defaultdict(set), {"operator-generator-output", "operator-round-system"}
    order = ["not satisfied", "inconclusive", "fitted", "shown on the reference", "satisfied", "not applicable"]
    def worst(verdicts):
        return order[min(map(order.index, verdicts), default=1)]  # of none at all nothing is concluded
    for check in {one["check"] for one in observations}:
        seen = [(one["item"], one["verdict"]) for one in observations if one["check"] == check]
        # What the operator's own item satisfied counts for more than the reference; a failure counts anywhere.
        brought = any(item in operator and verdict == "satisfied" for item, verdict in seen)
        answers[check] = worst([v for _, v in seen if not (brought and v == "shown on the reference")])
        items[check] = {item for item, verdict in seen if verdict != "not applicable"}
        told = any(f["check"] == check and f["status"] != "information" for f in findings)
        holds(told or answers[check] != "not satisfied", f"{check} is not satisfied, and no finding says so")
    applies = {one["applies"] for one in clauses if one["status"] != "not applicable"}
    for one in clauses:
        tested, applied = one["method"] == "test", one["applies"] in applies
        own = worst([answers.get(check, "inconclusive") for check in one["checks"]]) if tested else one["method"]
        # A clause whose number was not read verbatim is kept by a secondary reference at most.
        own = "secondary reference" if own == "satisfied" and one["certainty"] != "V" else own
        may = {own} if applied else {"not applicable"}
        if one["rests_on"] and own not in ("not satisfied", "inconclusive", "not applicable"):
            may |= {"condition", "fitted", "examine"}  # it rests on what was adopted, recovered or is disputed
        looked = set().union(*(items[check] for check in one["checks"])) if tested and applied else set()
        same((one["status"], set(one["shown_on"])), (one["status"] if one["status"] in may else own, looked), one["id"])
    said, verdicts = evidence["report"]["statement"], [one["verdict"] for one in observations]
    statuses = Counter(one["status"] for one in clauses)
    for key, own in (("clauses", statuses), ("checks", Counter(verdicts))):
        same({name: n for name, n in said[key].items() if n}, dict(own), f"how many {key}")
    decided = [one["check"] for one in observations if one["verdict"] != "not applicable"]
    counted, sentence = (sorted(map(int, re.findall(r"\d+", said[key]))) for key in ("counted", "sentence"))
    told = counted == sorted([len(clauses), *statuses.values()]) and {len(decided), len({*decided})} <= {*sentence}
    holds(told, "the numbers of clauses, results and checks in words")
    shown = {item for one in clauses if one["status"] == "satisfied" for item in one["shown_on"]} >= operator
    serious = any(one["status"] == "open" and one["severity"] in ("major", "critical") for one in findings)
    own = ("not satisfied" if serious or worst(verdicts) == "not satisfied" else
           "inconclusive" if worst(verdicts) in ("inconclusive", "not applicable") else
           "satisfied on conditions" if any(one["status"] == "condition" for one in findings) else
           "satisfied" if shown else "mathematics satisfied, product not shown")
    same([said["verdict"], *(one["id"] for one in findings)], [own, *(f"F-{n + 1:02}" for n in range(len(findings)))],
         "the statement, and the numbers of findings")
    duties = {one["clause"].partition(" (")[0] for one in evidence["obligations"]}
    named = {f"{one['standard']} {one['number']}" for one in clauses if one["status"] == "operator"}
    same(named - duties, set(), "duties of the operator that are left out")
SBOX, p, q = bytearray(b"\x63" * 256), 1, 1  # FIPS 197, 5.1.1: p runs over the powers of 3, q over their inverses
for _ in range(255):
    p ^= p << 1 ^ (0x11B if p & 128 else 0)
    q = functools.reduce(lambda byte, turn: byte ^ byte << turn, (1, 2, 4), q) & 255
    q ^= 9 if q & 128 else 0
    SBOX[p] = functools.reduce(int.__xor__, (q << turn & 255 | q >> 8 - turn for turn in range(5))) ^ 0x63
TWICE = bytes(byte << 1 & 255 ^ (0x1B if byte & 128 else 0) for byte in range(256))
def added(*many):
    """Bytes of equal length, added in the field of AES."""
    return functools.reduce(int.__xor__, (int.from_bytes(one, "big") for one in many)).to_bytes(len(many[0]), "big")
def aes(key, blocks):
    """Blocks encrypted by AES-256 (FIPS 197), all at once: a state is the first bytes of all blocks, the second."""
    keys, size = [key[at : at + 4] for at in range(0, 32, 4)], len(blocks) // 16
    for n in range(8, 60):
        word = keys[-1][1:] + keys[-1][:1] if n % 8 == 0 else keys[-1]
        word = word.translate(SBOX) if n % 4 == 0 else word
        keys.append(added(word, keys[-8], bytes([1 << n // 8 - 1 if n % 8 == 0 else 0, 0, 0, 0])))
    keys = b"".join(keys)
    state = [added(blocks[n::16], keys[n : n + 1] * size) for n in range(16)]
    for turn in range(1, 15):
        state = [state[5 * n % 16].translate(SBOX) for n in range(16)]
        if turn < 14:
            two = [one.translate(TWICE) for one in state]
            state = [added(two[a], two[b], state[b], state[c], state[d])
                     for a, b, c, d in ([n // 4 * 4 + (n + k) % 4 for k in range(4)] for n in range(16))]
        state = [added(one, keys[16 * turn + n : 16 * turn + n + 1] * size) for n, one in enumerate(state)]
    return bytes(byte for block in zip(*state) for byte in block)
def words_of(seed, purpose):
    """Stream 0 of a purpose: HKDF-SHA-384 (rule 1), CTR_DRBG with AES-256 in requests of 65,536 bytes (rule 2)."""
    info, key, v = bytes([len(purpose)]) + purpose.encode("ascii") + bytes(8) + b"\x01", bytes(32), 0
    provided = hmac.digest(hmac.digest(b"rng stream, byte-consumption rule 1", seed, "sha384"), info, "sha384")
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
    """4 DECKS: rows of draws dealt again from the seed, and the rounds played on them; returns these rounds."""
    pieces, seed, content = evidence["layout"]["pieces"], evidence["run"]["seed"], files["data/draws.bin"]
    length, size = map(int, re.search(r"items a row: (\d+), bits an item: (\d+)", str(evidence["files"])).groups())
    kept, most, step = any(one["kind"] in ("shoe", "balls") for one in pieces), pieces[0]["size"], length * size // 8
    recorded = [read_json(line) for line in files["data/rounds.jsonl"].splitlines()]
    same([one for one in evidence["played_rounds"] if one not in recorded], [], "rounds that data/rounds.jsonl lacks")
    rows, words, wanted = [], words_of(bytes.fromhex(seed), "simulation-decks"), [one["deck"] + 1 for one in recorded]
    told = len(pieces) == 1 or (length == len(pieces) and not kept)
    untried.extend([] if told else ["decks: a row is a product of draws; of how many the evidence does not say"])
    while told and len(rows) < min(max([*wanted, len(content) // step]), 3_000_000 // length):  # some seconds
        if kept:  # rule 4: the first cards of a shuffle
            rows.append(list(range(range(MOST_NODES)[most])))
            for n, more in enumerate(numbers_of(words, range(most, max(1, most - length), -1))):
                rows[-1][n], rows[-1][n + more] = rows[-1][n + more], rows[-1][n]
        else:
            rows.append(numbers_of(words, ([one["size"] for one in pieces] * length)[:length]))
    for n, row in enumerate(rows[: len(content) // step]):
        own = b"".join(item.to_bytes(size // 8, "little") for item in row[:length])
        holds(own == content[n * step : (n + 1) * step], f"row {n} of data/draws.bin is not that of the seed")
    names, pays = [row["shows"] for row in table(files, "data/items.csv")], defaultdict(set)
    for wager, one in (pair for analysis in evidence["analysis"].values() for pair in analysis["wagers"].items()):
        for o in one["outcomes"]:
            pays[wager, o["outcome"]].add("any" if "variance" in o else o["net"])
    for one in recorded:
        what, digest = f"round {one['deck']}", hashlib.sha256("\n".join(one["trace"]).encode()).hexdigest()
        same((one["seed"], one["trace_sha256"]), (seed, digest), f"{what}: seed, and digest of its trace")
        for wager, outcome in one["outcomes"].items():
            holds(pays[wager, outcome] & {one["net"][wager], "any"}, f"{what}: what {wager} comes to")
        dealt = rows[one["deck"]] if one["deck"] < len(rows) and len(pieces) == 1 else []
        one["cards"] = [names[item] for item in dealt]
        drawn = [line for line in one["trace"] if not re.search(" decides | ends on | settles as ", line)]
        holds(all(card in line for line, card in zip(drawn, one["cards"])), f"{what}: other cards than its deck's")
    return recorded
def solved(order, constants, steps):
    """x[i] = constants[i] + sum of share x[j] over the (j, share) of steps[i]; order begins with what needs least."""
    form, found = {}, {}  # x[i] as a number and shares of such as come later: there are some where rounds lead back
    for i in order:
        value, later, todo = constants[i], defaultdict(F), list(steps[i])
        for j, share in todo:  # grows while it is read
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
def in_order(follow, node, seen):
    """All that a node leads to, each after what it leads to itself, but where rounds lead back."""
    seen.add(node)
    return [one for to in follow.get(node, ()) if to not in seen for one in in_order(follow, to, seen)] + [node]
def expanded(faces, waits, arrows):
    """States with the cards that left, alike where no future tells them apart, and (move, chance, node, outcomes)."""
    order = in_order({state: [to for to, _ in ways.values()] for state, ways in arrows.items()}, "start", set())
    part, before, follow, todo = {}, None, {}, [("start", ())]
    while part != before:
        before = dict(part)
        for state in order:
            told = {part[to] for to, _ in arrows[state].values() if to in part}
            told |= {tuple(piece for piece, *_ in faces), tuple(arrows[state].get(n) for n in range(len(faces)))}
            names = {}
            part[state] = tuple(names.setdefault(key, len(names)) for key in zip(*told))
    for node in todo:  # grows while it is read
        if node not in follow:
            (state, gone), left, follow[node] = node, Counter(), []
            for n, (piece, _, items, kept) in enumerate(faces):
                left[part[state][n] if kept else -1 - n] += items if piece == waits[state] else 0
            left.subtract(one for one in gone if left[one])
            ways = [(one, items) for one, items in left.items() if items > 0]
            for one, items in ways or [(option, 1) for option in arrows[state]]:
                face = one if not ways else part[state].index(one) if one >= 0 else -1 - one
                to, won = arrows[state][face]
                cards = (*gone, one) if ways and one >= 0 else gone
                cards = tuple(sorted(part[to][part[state].index(card)] for card in cards))
                follow[node].append((face, F(items, left.total() or 1), (to, cards), won))
            todo += [to for _, _, to, _ in follow[node]]
            if len(follow) > MOST_NODES:
                raise ValueError("it has more states than are counted here")
    return follow
def check_automaton(files, evidence, recorded):
    """5 AUTOMATON: from the table of where each face of a piece, or each option, leads: ends, strategies, rounds."""
    faces = [(row["piece"], row["shows"], int(row["items"]), row["put_back"] == "no")
             for row in table(files, "data/automaton-pieces.csv")]  # of all pieces, one after the other
    pays = {(r["wager"], r["outcome"]): (F(r["net"]), F(r["staked"])) for r in table(files, "data/automaton-pays.csv")}
    takes = {row["decision"]: row for row in table(files, "data/automaton-decisions.csv")}
    waits, arrows, main = defaultdict(str), defaultdict(dict), evidence["wagers"][0]["id"]
    first = {piece: n for n, (piece, *_) in reversed([*enumerate(faces)])}
    for row in table(files, "data/automaton.csv"):
        waits[row["state"]], won = row["waits"], tuple(tuple(one.split("=")) for one in row["settled"].split())
        for move in row["moves"].split():
            arrows[row["state"]][first[row["waits"]] + int(move) if row["waits"] in first else move] = row["next"], won
    follow, start = expanded(faces, waits, arrows), ("start", ())
    order = in_order({node: [to for _, _, to, _ in ways] for node, ways in follow.items()}, start, set())
    def counted(taken):
        """How often a round comes to each node, and what follows, if taken says how often which option is taken."""
        back, on = defaultdict(list), [(node, move, chance * taken(node, move), to, won) for node in order
                                       for move, chance, to, won in follow[node]]
        for node, _, share, to, _ in on:
            back[to].append((node, share))
        return solved(order[::-1], defaultdict(F, {start: F(1)}), back), on
    for strategy, analysis in evidence["analysis"].items():
        often, on = counted(lambda node, move, by=strategy: (takes.get(waits[node[0]]) or {by: move})[by] == move)
        ends, gains, steps = defaultdict(F), defaultdict(F), defaultdict(list)
        for node, _, share, to, won in on:
            steps[node].append((to, share))
            gains[node] += sum(share * pays[end][0] for end in won if end[0] == main)
            for end in won:
                ends[end] += often[node] * share
        for wager, one in analysis["wagers"].items():
            own = {o: (p, *pays[w, o]) for (w, o), p in ends.items() if w == wager and p}
            told = {o["outcome"]: (F(o["probability"]), F(o["net"])) for o in one["outcomes"] if F(o["probability"])}
            staked, back = sum(p * s for p, _, s in own.values()), sum(p for p, net, s in own.values() if net + s > 0)
            top, what = odds(max(net / s for _, net, s in own.values())), f"{wager} under {strategy}"
            same([told, one.get("total_wagered", "1"), one["hit_frequency"], one["top_award"]["pays"]],
                 [{o: ends[:2] for o, ends in own.items()}, str(staked), str(back), top], what)
        if strategy == "main-optimal":
            # Nodes that look alike are weighed by the ways of chance that lead there: options are taken equally often.
            worth, values = solved(order, gains, steps), defaultdict(lambda: defaultdict(F))
            evenly, on = counted(lambda node, move: F(1, len(follow[node])) if waits[node[0]] in takes else 1)
            for node, move, _, to, won in on:
                gain = worth[to] + sum(pays[end][0] for end in won if end[0] == main)
                values[waits[node[0]]][move] += evenly[node] * gain
            for row, options in ((takes[decision], values[decision]) for decision in takes.keys() & values.keys()):
                best = options[row[strategy]] == max(options.values())
                holds(best, f"{row['seat']} on {row['sees']}: another option is worth more than {row[strategy]}")
    for one in [one for one in recorded if one["cards"]]:
        cards, decisions, state, own = iter(one["cards"]), iter(one["decisions"]), "start", {}
        while arrows[state]:
            move = next(decisions, None) if waits[state] in takes else next(iter(arrows[state]))
            if waits[state] in first:
                move = [face[:2] for face in faces].index((waits[state], next(cards, None)))
            state, won = arrows[state][move]
            own |= dict(won)
        same(one["outcomes"], own, f"round {one['deck']}, settled by the table")
def spin(game, stage, stops=None):
    """The law of one spin, reel by reel: how often (coins, triggers shown) come; of some stops, what they come to."""
    slot, here = game["slot"], {"multiplier": 1, "strips": "base"}
    here |= next((one for one in game.get("stages", []) if one["id"] == stage), {})
    rows, scatters, wilds = ([one for one in game.get(key, []) if stage in one.get("stages", [stage])]
                             for key in ("line_pays", "scatter_pays", "wilds"))
    times = {id(one): here["multiplier"] if one.get("multiplied", True) else 1 for one in rows + scatters}
    fits, bet = [set(one.get("symbols", [one.get("symbol")])) for one in rows], slot.get("line_bet", 1)
    for names, wild in ((names, wild) for wild in wilds for names in fits):
        if names & set(wild["replaces"]) if "replaces" in wild else names - set(wild.get("but_not", [])):
            names.add(wild["symbol"])
    pays = [[coins * bet * times[id(one)] for coins in (0, *one["pays"])] for one in rows]
    watched = [one["symbol"] for one in [*scatters, *game.get("free_games", [])]]
    # A line is the rows of the paytable that still fit it, and its best win so far: where none fits it is paid, so that
    # few states remain. Scatters and triggers are counted beside.
    law = {(0, (0,) * len(watched), ((tuple(range(len(rows))), 0),) * len(slot["lines"])): 1}
    for place, strip in enumerate(next(one["reels"] for one in game["strips"] if one["id"] == here["strips"])):
        reel = [n for s in strip.split() for n in [s.split("*")[0]] * range(MOST_NODES)[int((s + "*1").split("*")[1])]]
        before, law, known = law, defaultdict(int), {}
        for stop in range(len(reel)) if stops is None else [stops[place]]:
            window = [reel[(stop + row) % len(reel)] for row in range(slot["heights"][place])]
            for (coins, counts, lines), ways in before.items():
                going = []
                for line, cells in zip(lines, slot["lines"]):
                    symbol = window[int(cells[place]) - 1]
                    if (line, symbol) not in known:
                        alive = tuple(n for n in line[0] if symbol in fits[n])
                        best = max(line[1], 0, *(pays[n][place] for n in line[0] if n not in alive))
                        known[line, symbol] = (0, (alive, best)) if alive else (best, ((), 0))
                    coins += known[line, symbol][0]
                    going.append(known[line, symbol][1])
                shown = tuple(count + window.count(symbol) for count, symbol in zip(counts, watched))
                law[coins, shown, tuple(going)] += ways
    ends, units = Counter(), {"bet": slot["cost"], "line": bet, "every line": bet * len(slot["lines"])}
    for (coins, counts, lines), ways in law.items():
        coins += sum(max(best, 0, *(pays[n][-1] for n in alive)) for alive, best in lines)
        for one, count in zip(scatters, counts):
            coins += (0, *one["pays"])[min(count, len(one["pays"]))] * units[one.get("per", "bet")] * times[id(one)]
        ends[coins, counts[-1] if game.get("free_games") else 0] += ways
    return [(F(ways, ends.total()), *end) for end, ways in ends.items()]
def check_slot(files, evidence, game):
    """6 SLOT: from the strips the law of rounds in which no feature begins, mean and variance with the free games."""
    slot, free = game["slot"], game.get("free_games", [])
    (it,) = evidence["analysis"]["main-optimal"]["wagers"].values()
    counted = """slot heights lines cost line_bet | strips id reels | stages id strips multiplier
        | wilds symbol but_not replaces stages | line_pays id symbol symbols pays stages multiplied
        | scatter_pays symbol pays per stages multiplied | free_games id stage symbol games again begins_in"""
    counted = {words.split()[0]: words.split()[1:] for words in counted.split("|")}
    beside = "schema rules readings game wagers claims terms sources variants texts".split()  # they decide no round
    more = [f"{key} {name}" for key, some in game.items() if key not in beside
            for one in (some if isinstance(some, list) else [some]) for name in one if name not in counted.get(key, ())]
    if more or len(free) > 1 or ":" in str([one["reels"] for one in game["strips"]]):
        return untried.append(f"slot: not counted here: {', '.join(more) or 'weights of stops, several features'}")
    cost = slot.setdefault("cost", len(slot["lines"]) * slot.get("line_bet", 1))
    mean, spread, games = F(0), F(0), [0, *(free[0]["games"] if free else [])]
    for feature in free:  # of one free game with all that it grants: Harris, Branching Processes (1963), chapter I
        again = [0, *feature.get("again", feature["games"])]
        inner = [(p, coins, again[min(n, len(again) - 1)]) for p, coins, n in spin(game, feature["stage"])]
        ends = 1 - sum(p * more for p, _, more in inner)
        mean = sum(p * coins for p, coins, _ in inner) / ends
        spread = (sum(p * (coins + more * mean) ** 2 for p, coins, more in inner) - mean**2) / ends
    rounds, nets = [(p, coins, games[min(n, len(games) - 1)]) for p, coins, n in spin(game, "base")], defaultdict(F)
    won = sum(p * (coins + n * mean) for p, coins, n in rounds)
    square = sum(p * ((coins + n * mean) ** 2 + n * spread) for p, coins, n in rounds)
    for p, coins, _ in [one for one in rounds if not one[2]]:
        nets[str(F(coins, cost) - 1)] += p
    same([it["return"], it["variance"], {n["net"]: F(n["probability"]) for n in it["net"]}],
         [str(won / cost), str((square - won**2) / cost**2), nets], "return, variance and net results, from the strips")
    for one in map(read_json, files["data/rounds.jsonl"].splitlines()):
        stops = [int(stop) - 1 for stop in re.search(r"reels stop at ([\d ]+)", one["trace"][0])[1].split()]
        ((_, coins, n),) = spin(game, "base", stops)
        if not games[min(n, len(games) - 1)]:
            same([*one["net"].values()], [str(F(coins, cost) - 1)], f"round {one['deck']}, settled from the strips")
def main():
    """Takes the parts one after the other, and says what was found."""
    sys.set_int_max_str_digits(100_000)
    sys.setrecursionlimit(20_000)
    files = attempt("files", read_files, os.path.dirname(os.path.abspath(__file__)))
    evidence = files and attempt("files", lambda: read_json(files["evidence.json"]))
    if evidence:
        game = attempt("files", check_files, files, evidence) or {}
        attempt("figures", check_figures, files, evidence, game)
        attempt("statement", check_statement, evidence)
        recorded = attempt("decks", check_decks, files, evidence)
        if "data/automaton.csv" in files:
            attempt("automaton", check_automaton, files, evidence, recorded or [])
        if "slot" in game:
            attempt("slot", check_slot, files, evidence, game)
    untried.append("who signed: VERIFY.md. Pages, ruin, longer bands, campaigns, p-values, the second implementation")
    for name in ("files", "figures", "statement", "decks", "automaton", "slot"):
        print(f"{name:10} {f'{held[name]:7} checks hold' if held[name] else 'nothing to check, or not tried'}")
    lines = (*(f"not tried: {one}" for one in untried), *(f"DOES NOT HOLD: {one}" for one in wrong))
    print(*("".join(c if c.isprintable() else ascii(c)[1:-1] for c in one) for one in lines),  # a terminal obeys none
          f"{held.total()} checks hold, {len(wrong)} do not hold, {len(untried)} things were not tried", sep="\n")
    return 1 if wrong else 0 if held["figures"] and held["statement"] and held["decks"] else 4
if __name__ == "__main__":
    sys.exit(main())
