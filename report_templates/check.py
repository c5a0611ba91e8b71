"""Checks the pack in this file's folder: python3 -I check.py (Python 3.11 or later, its standard library, no network).
It writes nothing and runs one file, data/second.py: only where it is listed below, or where you read it and name its
SHA-256: python3 -I check.py SHA256. Exit code 0: nothing is against it. 1: something is. 4: a part was not checked."""
import base64, bisect, csv, decimal, functools, gc, hashlib, io, itertools, json, math, os, re, stat, sys, tomllib, zlib
from collections import Counter, defaultdict
from fractions import Fraction
MOST_BYTES, MOST_FILES, MOST_NODES, MOST_LINES, MOST_SUMS = 256 << 20, 500, 300_000, 250_000, 30_000  # more: left out
KNOWN = """026a936e225b5012c8c98323676a2dce 0c3c9366a8552a6a3410987a9ff3d4a9 1d9f6487d240d7b8f0f833b15fe8f99d
    28fd1955e9e6fc8c1da2583ee043eb57 56883a91611b43eef6134b32b41c1fb9 b2fa24d09829745879c311165dea3573
    ca43dc90b7f88c8bf91be38d94179476"""  # how the SHA-256 of the second implementations of this release begin
ALWAYS = "bias convergence items observations outcomes par-sheet planted randomness recall simulation situations tests"
held, wrong, untried, part, APART = Counter(), [], [], "", ("variant", "bet level", "purchase", "gamble")
def F(value=0, *under):  # a fraction; refused is an exponent of thousands, by which ten letters write millions
    if isinstance(value, str) and len(value.lower().partition("e")[2]) > 4:
        raise ValueError(f"{value[:40]!r} has too many digits")
    return Fraction(value, *under)
def holds(true, what):  # counts one check of the present part, and keeps in words what does not hold
    held[part] += bool(true)
    wrong.extend([] if true else [f"{part}: {what}"])
def same(stated, own, what):  # counts one comparison of what the pack states with what was found here
    holds(stated == own, f"{what}: the pack states {str(stated)[:90]}, found here {str(own)[:90]}")
def refuse(bad, why, error=ValueError):  # ends the present part, where nothing can be counted from its data
    if bad:
        raise error(why)
def attempt(name, work, *given):  # takes a part; a pack that lacks what it needs, or has it in another form, fails it
    globals()["part"] = name
    try:
        return work(*given)
    except Exception as e:
        (untried if type(e) is MemoryError else wrong).append(f"{part}: the pack cannot be read there: {e!r}"[:200])
def fraction(text):  # in lowest terms, as the pack writes it
    refuse(str(F(text)) != text, f"{str(text)[:40]!r} is no fraction in lowest terms")
    return F(text)
def _ends(figure):  # which are one where it is no interval
    return [fraction(figure[end]) for end in ("lower", "upper")] if isinstance(figure, dict) else [fraction(figure)] * 2
def _decimal(value, places=6):  # a fraction as a decimal, rounded half away from zero
    digits = math.floor(abs(value) * 10**places + F(1, 2))
    return f"{'-' if value < 0 and digits else ''}{digits // 10**places}.{digits % 10**places:0{places}d}"
def _odds(net, least=0):  # what a paytable prints of a net result; no loss, but where even the top award is one
    return f"{net.numerator} to {net.denominator}" if net >= least else None
def _of(noun, names):  # what a noun has under some names, or under paths of names: "number tool/version"
    return [functools.reduce(lambda inner, key: inner[key], path.split("/"), noun) for path in names.split()]
def _table(files, name):  # the rows of a table of the pack
    return list(csv.DictReader(io.StringIO(files[name].decode("utf-8"), newline="")))
def once(pairs):  # what has each key once: one that comes twice could be read in two ways
    refuse(len(dict(pairs)) != len(pairs), "a key comes twice")
    return dict(pairs)
def read_json(content):  # decimals become the fractions that they are
    return json.loads(content.decode("utf-8"), object_pairs_hook=once, parse_float=F, parse_constant=F)
def read_files(folder):  # every file below the folder: plain files alone, no link, within the bounds, each read once
    files, flags = {}, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    for path in (os.path.join(root, name) for root, folders, names in os.walk(folder) for name in folders + names):
        kind = os.lstat(path).st_mode
        refuse(not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)), f"{path} is no plain file")
        if stat.S_ISREG(kind):
            with os.fdopen(os.open(path, flags), "rb") as stream:
                files[os.path.relpath(path, folder).replace(os.sep, "/")] = stream.read(MOST_BYTES + 1)
        refuse(len(files) > MOST_FILES or sum(map(len, files.values())) > MOST_BYTES, "it is larger than a pack may be")
    return files
def check_files(files, evidence):  # 1 FILES: digests, attestation, what evidence says of files; returns the submission
    grave = {"not applicable": 0, "satisfied": 1, "not satisfied": 3}  # anything else: 2, a warning
    own = {name: hashlib.sha256(content).hexdigest() for name, content in files.items() if name != "SHA256SUMS"}
    listed = once([line.split("  ", 1)[::-1] for line in files["SHA256SUMS"].decode("ascii").split("\n")[:-1]])
    signed = read_json(base64.b64decode(read_json(files["attestation.dsse.json"])["payload"], validate=True))
    attested = once([(one["name"], one["digest"]["sha256"]) for one in signed["subject"]])  # all but itself
    attested["attestation.dsse.json"] = own["attestation.dsse.json"]
    named = once([(one["name"], (one["sha256"], one["bytes"])) for one in evidence["files"]])
    for name in sorted(listed.keys() | attested.keys() | own.keys() | named.keys()):
        same([listed.get(name), attested.get(name)], [own.get(name)] * 2, f"digest of {name}, listed and attested")
        if name in named or name.startswith("data/"):
            same(named.get(name), (own.get(name), len(files.get(name, b""))), f"{name} in the evidence")
    at = re.search(rb"/EmbeddedFile.*\nstream\n", pdf := files["report.pdf"]).end()  # its first attachment
    holds(zlib.decompressobj().decompress(pdf[at:], MOST_BYTES) == files["evidence.json"], "evidence in report.pdf")
    said, item = signed["predicate"], evidence["item"]
    of_report = "number revision issued game tool/version tool/digest/sha256 family/digest/sha256"
    of_evidence = "report/number report/revision report/issued item/game tool/version tool/source_sha256 family/sha256"
    result = ("", "PASSED", "WARNED", "FAILED")[grave.get(evidence["report"]["statement"]["verdict"], 2)]
    same([*_of(said["certifyReport"], of_report), said["result"]], [*_of(evidence, of_evidence), result], "the report")
    worst = dict(sorted((one["check"], grave.get(one["verdict"], 2)) for one in evidence["observations"]))
    same(_of(said, "passedTests warnedTests failedTests"),
         [[check for check in worst if worst[check] == n] for n in (1, 2, 3)], "the attested checks")
    game = base64.b64decode(item["files"][0]["base64"], validate=True)
    same((item["files"][0]["sha256"], files["data/game.toml"]), (hashlib.sha256(game).hexdigest(), game), "game.toml")
    return tomllib.loads(game.decode("utf-8"))
def check_figures(files, evidence, game):  # 3 FIGURES: every wager under every strategy, and what follows from it
    analysis, rows = {by: one["wagers"] for by, one in evidence["analysis"].items()}, _table(files, "data/outcomes.csv")
    for strategy, wagers in analysis.items():
        check_joint(f"all wagers under {strategy}", evidence["joint"][strategy], wagers)
        for wager, one in wagers.items():
            what = f"{wager} under {strategy}"
            kinds = sorted({"awards", "net_rest"} & {*one} | {"variance"} & {key for o in one["outcomes"] for key in o})
            holds(not kinds or "slot" in game, f"{what}: it is no slot, yet it has {kinds}")
            loose = kinds + [key for key in ("near", "off", "bracket") if key in {*one, *evidence["joint"][strategy]}]
            holds(not loose or "data/automaton.csv" not in files, f"{what}: its table is exact, yet it has {loose}")
            untried.extend([f"figures: {what}: whatever rests on its {' and '.join(loose)} alone"] if loose else [])
            check_wager(what, one)
            adds = sum(_seeded(meter, one.get("awards", [])) for meter in game.get("jackpots", []))
            about = {key: str(F(one[key]) + way * adds) for key, way in (("return", 1), ("house_edge", -1))}
            told = [_of(c, "wager return house_edge") for c in evidence["configurations"] if c["kind"].endswith("seed")]
            same(told, [[wager, *about.values()]] * ("jackpots" in game), f"{what}: with meters at their seed")
            check_claims(what, {**one, **about}, [claim for claim in game.get("claims", []) if claim["wager"] == wager])
            listed = [_of(r, "outcome net probability") for r in rows if _of(r, "strategy wager") == [strategy, wager]]
            own = [_of(o, "outcome net probability") for o in one["outcomes"]]
            holds(one.get("near") or listed == own, f"{what}: data/outcomes.csv says otherwise")
        for one in evidence["analysis"][strategy]["decisions"]:
            worth = {option: fraction(value) for option, value in one["values"].items()}
            best, hand = max(worth.values()), f"{one['hand']} under {strategy}"
            costs = {option: str(best - value) for option, value in worth.items()}
            same([worth.get(one["best"]), *_of(one, "costs cost_of_deviation reachable")],
                 [best, costs, str(best - min(worth.values())), one["probability"] != "0"], hand)
    for wager, sheet in evidence["par"].items():
        check_par(f"PAR sheet of {wager}", sheet, analysis[sheet["strategy"]][wager])
    for one in evidence["claims"]:
        keys, judged = "printed metric exact holds interval", analysis[one["strategy"]][one["wager"]]["claims"]
        holds(_of(one, keys) in [_of(claim, keys) for claim in judged], f"claim {one['printed']} of {one['wager']}")
    for campaign, one in [(some, one) for some in evidence["simulation"]["campaigns"] for one in some["wagers"]]:
        figures = analysis[campaign["strategy"]][one["wager"]]
        laws = ({o["outcome"]: o["probability"] for o in some["outcomes"]} for some in (one, figures))
        same(*zip((sum(int(o["count"]) for o in one["outcomes"]), campaign["rounds"]), laws,
                  (one["mean"]["exact_return"], figures["return"])), f"campaign of {one['wager']}")
    edge, one = evidence["edge"], analysis[evidence["strategy_of"][wager := evidence["wagers"][0]["id"]]][wager]
    ends = [end - 1 for end in _ends(one.get("bracket", one["return"]))]
    side = "player" if ends[0] > 0 else edge["bank"] if ends[1] < 0 else "nobody"
    size = min(map(abs, ends)) if side != "nobody" else F(0)
    total = str(size / fraction(one["total_wagered"])) if "total_wagered" in one and not one.get("near") else None
    ways = [(way["kind"], F(way.get("highest_return", way["return"]))) for way in evidence["configurations"]]
    most = max(value for kind, value in ways if (kind, value) != ("gamble", 1)) - 1
    if {kind for kind, _ in ways} - {"wager", "gamble"}:  # more may be staked than the wagers as submitted
        side, size, total = ["nobody", "player", edge["bank"]][(most > 0) - (most < 0)], abs(most), None
    same([edge["side"], edge["per_stake"], edge.get("per_total_wagered")], [side, str(size), total], "the edge")
    plays = "|".join(re.escape(key) for key, some in analysis.items() if some[wager]["return"] == one["return"])
    who = f"The {'player' if side == 'player' else 'bank'} has the edge" if size else "Nobody has an edge"
    of = f", {_decimal(100 * fraction(total), 4)} % of everything staked" if total else ""
    words = rf"{who}: {_decimal(100 * size, 4)} % of the [a-z]+{of}, under (?:{plays})\."
    holds({"bracket", "“"} & {*one, *edge["sentence"]} or re.fullmatch(words, edge["sentence"]), f"in words: {edge}")
    same(evidence["exposure"]["amount"], sum(win for _, win in evidence["exposure"]["wins"]), "the dearest round")
    check_everywhere(evidence, "")
def check_whole(files, evidence, game):  # 2 WHOLE: nothing is left out that submission, texts or rounds imply
    wagers, analysis, named = {one["id"] for one in evidence["wagers"]}, evidence["analysis"], evidence["strategy_of"]
    same(*([one["id"] for one in some["wagers"]] for some in (evidence, game)), "the wagers")
    same([{*named}, {*evidence["par"]}, {*evidence["joint"]}, *({*one["wagers"]} for one in analysis.values())],
         [wagers, wagers, {*analysis}, *[wagers for _ in analysis]], "wagers of strategies, PAR and joint figures")
    played = {one["strategy"]: {w["wager"] for w in one["wagers"]} for one in evidence["simulation"]["campaigns"]}
    counted = {key: {w: analysis[key]["wagers"][w]["return"] for w in own} for key, own in evidence["counted"].items()}
    same([played, evidence["counted"], {*counted}], [dict.fromkeys(played, wagers), counted, {*played}], "campaigns")
    same([one["configuration"] for one in evidence["simulation"].get("configurations", [])],
         [w["id"] for w in evidence["configurations"] if w["kind"] in APART], "what is played by itself")
    laws = {w: analysis[by]["wagers"][w]["outcomes"] for w, by in named.items()}
    own = {w: [analysis[key]["wagers"][w]["outcomes"] for key in played] for w in named}  # laws of what was played
    holds(all(law in own[w] for w, law in laws.items()) and len(played) >= min(2, len(analysis)), "a campaign left out")
    same(*(sorted(_of(c, "wager metric printed") for c in its.get("claims", [])) for its in (evidence, game)), "claims")
    decided = [sum(bool(one["decisions"]) for one in analysis.values()), sum("/decisions-" in name for name in files)]
    some = any(decided) or any(one["decisions"] for one in evidence["played_rounds"])
    same(decided, [len(analysis) if some else 0] * 2, "strategies with decisions, and tables of these")
    nets = {w: [F(o["net"]) for o in law if F(o["probability"])] for w, law in laws.items()}
    for place, one in enumerate(evidence["wagers"]):  # a bet on the first goes with every other one, and may be lost
        lost = evidence["wagers"][0]["limits"]["minimum"] * min(nets[evidence["wagers"][0]["id"]]) if place else 0
        cost = one["limits"]["maximum"] * max(nets[one["id"]]) + lost
        holds(evidence["exposure"]["amount"] >= cost, f"the dearest round: with {one['id']} it may cost {cost}")
    same([name for name in ALWAYS.split() if f"data/{name}.csv" not in files], [], "data that every pack has, left out")
    texts = evidence.get("texts") or {}
    staged = texts.get("merging") or texts.get("deals") or evidence["family"]["reference"]["module"].endswith(".stages")
    if staged and "data/automaton.csv" not in files:
        holds((texts.get("merging") or {"arrows": 0})["arrows"] > MOST_LINES, "the table of the automaton is left out")
        untried.append(f"automaton: its table may have more than {MOST_LINES:,} lines, and is not in the pack")
def check_everywhere(noun, where):  # whatever stands beside what it follows from: percents, roots, reciprocals
    noun = dict(enumerate(noun)) if isinstance(noun, list) else noun
    for key, value in noun.items() if isinstance(noun, dict) else ():
        check_everywhere(value, f"{where}/{key}")
        if isinstance(noun.get(f"{key}_percent"), str) and value:
            same(noun[f"{key}_percent"], _decimal(100 * fraction(value)), f"{where}/{key} in percent")
        if key == "standard_deviation" and "variance" in noun:  # to twelve digits
            near = [way * (F(value) * (1 + F(way, 10**12))) ** 2 >= way * fraction(noun["variance"]) for way in (-1, 1)]
            holds(F(value) >= 0 and all(near), f"{where}/{key}")
        if key == "one_in":
            often = F(noun.get("times") or noun.get("expected") or noun["probability"])
            same(value, str(1 / often) if often else None, f"{where}/one_in")
def check_wager(what, one):  # one wager: everything follows from how often it ends how
    ends, merged = [(o, fraction(o["probability"]), fraction(o["net"])) for o in one["outcomes"]], defaultdict(F)
    same((sum(p for _, p, _ in ends), min(p for _, p, _ in ends) >= 0), (1, True), f"{what}: the probabilities")
    for o, p, net in ends:
        same((o["contribution"], o["pays"]), (str((1 + net) * p), _odds(net)), f"{what}: what {o['outcome']} adds")
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
    if "awards" in one:
        same(sum(fraction(row["contribution"]) for row in one["awards"]), 1 + mean, f"{what}: the rows together")
    elif "total_wagered" not in one:
        best, top = max(net for _, p, net in ends if p), one["top_award"]
        same((top["pays"], top["probability"]), (_odds(best, best), str(merged[best])), f"{what}: the top award")
def _seeded(meter, awards):  # what it adds to the return at its seed, by a row or by an amount that is drawn evenly
    seed, by, top = (F(meter.get(key, 0)) for key in ("seed", "increment", "must_hit_by"))
    often = sum(F(row["times"]) for row in awards if row["row"] == meter.get("row"))
    return min(1, by / (top - seed)) * (seed + min(seed + by, top)) / 2 if top else often * seed
def check_claims(what, one, submitted):  # printed figures: what each stands for, and whether it holds
    figure = {"return-to-player": "return", "house-edge": "house_edge", "hit-frequency": "hit_frequency",
              **dict.fromkeys(("standard-deviation", "volatility-index", "volatility-class"), "variance")}
    same(*([_of(claim, "metric printed") for claim in some] for some in (one["claims"], submitted)), f"{what}: claims")
    for claim, source in zip(one["claims"], submitted):
        (exact, upper), (low, high), text = _ends(claim["exact"]), map(fraction, claim["interval"]), claim["printed"]
        same(claim["exact"], one.get(figure.get(claim["metric"]), claim["exact"]), f"{what}: what {text} is about")
        if percent := re.fullmatch(r"(-?\d+)(?:\.(\d+))? ?%", text, re.ASCII):
            unit = F(1, 100 * 10 ** len(percent[2] or ""))
            start = int(percent[1] + (percent[2] or "")) * unit - unit / 2 * (source.get("rounding") != "truncated")
            same((low, high), (start, start + unit), f"{what}: what {text} stands for")
        turned = claim["metric"].startswith("odds-") and not percent  # the upper end belongs, the lower does not
        within = low < exact <= upper <= high if turned else low <= exact <= upper < high or low == exact == high
        same([claim["distance_to_low"], claim["distance_to_high"], claim["holds"], claim.get("status", "-")[0] in "sf"],
             [str(exact - low), str(high - upper), within, within], f"{what}: whether {text} holds")
def check_joint(what, one, wagers):  # all wagers of a round together
    stakes, returns = ({wager: fraction(value) for wager, value in one[key].items()} for key in ("stakes", "returns"))
    chances, mean, square = (
        sum(fraction(n["net"]) ** power * fraction(n["probability"]) for n in one["net"]) for power in range(3))
    together = sum(stakes[wager] * (value - 1) for wager, value in returns.items())
    same([1, together, *_of(one, "expectation variance total_return return_percent returns")],
         [chances, mean, str(mean), str(square - mean**2), str(1 + mean / sum(stakes.values())),
          {w: _decimal(100 * it) for w, it in returns.items()}, {w: wagers[w]["return"] for w in stakes}], what)
def check_par(what, sheet, one):  # it says what the figures say; its bands follow, and its losing runs are all there
    keys = "hit_frequency win_frequency variance standard_deviation volatility_index top_award awards"
    same(*([some.get(key) for key in keys.split()] for some in (sheet, one)), what)
    net = sorted((F(n["net"]), F(n["probability"])) for n in one["net"])
    if whole := sum(p for _, p in net) == 1 and "near" not in one:
        same(_ends(sheet["loss_frequency"]), [sum(p for value, p in net if value < 0)] * 2, f"{what}: losing rounds")
    same([[*_of(row, "outcome probability contribution"), F(row["combinations"])] for row in sheet["rows"]],
         [[*_of(o, "outcome probability contribution"), F(o["probability"]) * int(sheet["cycle"])]
          for o in one["outcomes"]], what)
    same([[_of(band, "rounds confidence") for band in sheet["bands"]], [run["rounds"] for run in sheet["losing_runs"]]],
         [[[10**n, f"{level} %"] for n in range(3, 8) for level in (90, 95, 99)], [10**n for n in range(3, 10)]], what)
    check_bands(what, sheet["bands"], net if whole else [])
def check_bands(what, bands, net):  # of the mean: a law of sums as one number, 40 digits a chance of 10^-20
    scale = math.lcm(*(value.denominator for value, _ in net))
    steps = {int((value - net[0][0]) * scale): math.floor(10**20 * p) for value, p in net}
    unit, exactly = math.gcd(*steps), decimal.Context(decimal.MAX_PREC, Emax=decimal.MAX_EMAX, traps=[decimal.Inexact])
    law = 0, [steps.get(n, 0) for n in range(0, max(steps, default=0) + 1, unit or 1)[: MOST_SUMS + 1]]
    for rounds in (10**n for n in range(1, 8)):
        if len(steps) < 2 or len(law[1]) > MOST_SUMS:
            return untried.append(f"figures: bands of {rounds:,} rounds and more, {what}: too many sums, or unknown")
        for more in (None, None, law, None):  # two, four, five, and ten times as many rounds
            numbers = [decimal.Decimal("".join(f"{one:040}" for one in some[1])) for some in (law, more) if some]
            digits = f"{exactly.multiply(numbers[0], numbers[-1]):0{40 * (len(law[1]) + len((more or law)[1]) - 1)}f}"
            chances = [int(digits[at : at + 20]) for at in range(0, len(digits), 40)]
            some = [n for n, chance in enumerate(chances) if chance]
            law = law[0] + (more or law)[0] + some[0], chances[some[0] : some[-1] + 1]
        below, step, base = [0, *itertools.accumulate(law[1])], F(unit, scale * rounds), 1 + net[0][0]
        for band in [one for one in bands if one["rounds"] == rounds]:
            left, stated = 10**18 * (100 - int(band["confidence"].split()[0])) // 2, _of(band, "low high covers")
            first, last = (round((F(end) - base) / step) - law[0] for end in stated[:2])  # one further in: too much
            outside, more = (below[first], below[-1] - below[last + 1]), (below[first + 1], below[-1] - below[last])
            own = [*(base + step * (law[0] + n) for n in (first, last)), F(below[last + 1] - below[first], 10**20)]
            near = [abs(F(end) - one) <= F(1, part) for end, one, part in zip(stated, own, (10**12, 10**12, 5 * 10**5))]
            holds(all(near) and max(outside) <= left < min(more) + 10**14, f"{what}: {band['confidence']} of {rounds}")
def check_statement(evidence):  # 4 STATEMENT: clauses from what their checks saw; statement from clauses and findings
    observations, clauses, findings = (evidence[key] for key in ("observations", "clauses", "findings"))
    answers, items, operator = {}, defaultdict(set), {"operator-generator-output", "operator-round-system"}
    order = ["not satisfied", "inconclusive", "fitted", "shown on the reference", "satisfied", "not applicable"]
    def worst(verdicts):
        return order[min(map(order.index, verdicts), default=1)]  # of none at all nothing is concluded
    told = {f["check"] for f in findings if f["status"] != "information"}
    failed = {(one["check"], one["item"]) for one in observations if one["verdict"] == "not satisfied"}
    also = {item for check, item in failed if check in told} & operator  # one finding tells all that an item fails
    for check in {one["check"] for one in observations}:
        seen = [(one["item"], one["verdict"]) for one in observations if one["check"] == check]
        brought = any(item in operator and verdict == "satisfied" for item, verdict in seen)  # counts more
        answers[check] = worst([v for _, v in seen if not (brought and v == "shown on the reference")])
        items[check] = {item for item, verdict in seen if verdict != "not applicable"}
        holds(check in told or {i for one, i in failed if one == check} <= also, f"{check} fails, no finding says so")
    applies = {one["applies"] for one in clauses if one["status"] != "not applicable"}
    for one in clauses:
        tested, applied = one["method"] == "test", one["applies"] in applies
        own = worst([answers.get(check, "inconclusive") for check in one["checks"]]) if tested else one["method"]
        own = "secondary reference" if own == "satisfied" and one["certainty"] != "V" else own  # not read verbatim
        may = {own} if applied else {"not applicable"}
        if one["rests_on"] and own not in ("not satisfied", "inconclusive", "not applicable"):
            may |= {"condition", "fitted", "examine"}  # it rests on what was adopted, recovered or is disputed
        looked = set().union(*(items[check] for check in one["checks"])) if tested and applied else set()
        same((one["status"], set(one["shown_on"])), (one["status"] if one["status"] in may else own, looked), one["id"])
    said, verdicts = evidence["report"]["statement"], [one["verdict"] for one in observations]
    statuses = Counter(one["status"] for one in clauses)
    same([Counter(**said[key]) for key in ("clauses", "checks")], [statuses, Counter(verdicts)], "how many of each")
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
    duties = {f"{one['standard']} {one['number']}" for one in clauses if one["status"] == "operator"}
    same(duties - {one["clause"].partition(" (")[0] for one in evidence["obligations"]}, set(), "duties left out")
def check_decks(files, evidence):  # 5 DECKS: rows that can be drawn, rounds as they were dealt; returns these and ends
    pieces, seed, content = evidence["layout"]["pieces"], evidence["run"]["seed"], files["data/draws.bin"]
    length, bits = map(int, re.search(r"items a row: (\d+), bits an item: (\d+)", str(evidence["files"])).groups())
    kept, step = any(one["kind"] in ("shoe", "balls") for one in pieces), length * bits // 8
    recorded = [read_json(line) for line in files["data/rounds.jsonl"].splitlines()]
    same([one for one in evidence["played_rounds"] if one not in recorded], [], "rounds that data/rounds.jsonl lacks")
    told, rows = len(pieces) == 1 or (length == len(pieces) and not kept), []
    untried.append(f"decks: that they are the seed's: Python lacks AES{'' if told else '; rows of several draws'}")
    for at in range(0, len(content) - step + 1 if told else 0, step):
        rows.append([int.from_bytes(content[n : n + bits // 8], "little") for n in range(at, at + step, bits // 8)])
        fits = all(item < one["size"] for item, one in zip(rows[-1], pieces * length))
        holds(fits and (not kept or len({*rows[-1]}) == length), f"row {len(rows) - 1} of draws.bin cannot be drawn")
    items, nets = _table(files, "data/items.csv"), defaultdict(set)
    many = Counter({o["piece"]: n for o in items if (n := int(o["item"]) + 1) > 65_536})  # a line a run, by its end
    same(Counter(o["piece"] for o in items) | many, {one["id"]: one["size"] for one in pieces}, "items of each piece")
    for w, o in ((w, o) for a in evidence["analysis"].values() for w, b in a["wagers"].items() for o in b["outcomes"]):
        nets[w, o["outcome"]].add("any" if "variance" in o else o["net"])
    for one in recorded:
        what, digest = f"round {one['deck']}", hashlib.sha256("\n".join(one["trace"]).encode()).hexdigest()
        same((one["seed"], one["trace_sha256"]), (seed, digest), f"{what}: seed, and digest of its trace")
        same({*one["outcomes"]}, {wager["id"] for wager in evidence["wagers"]}, f"{what}: the wagers that it settles")
        for wager, outcome in one["outcomes"].items():
            holds(nets[wager, outcome] & {one["net"][wager], "any"}, f"{what}: what {wager} comes to")
        at = functools.partial(bisect.bisect_left, items, key=lambda o: int(o["item"]))
        one["cards"] = [items[at(n)]["shows"] for row in rows[one["deck"] :][:1] if len(pieces) == 1 for n in row]
        untried.extend({"decks: rounds not in draws.bin"} - {*untried} if len(pieces) == 1 > len(one["cards"]) else [])
        drawn = [line for line in one["trace"] if not re.search(" decides | ends on | settles as ", line)]
        alike = all(re.search(rf"(?<!\w){re.escape(card)}(?!\w)", line) for line, card in zip(drawn, one["cards"]))
        holds(alike, f"{what}: other cards than its deck's")
    return recorded, nets
def solved(order, constants, steps):  # x[i] = constants[i] + sum of share x[j] over steps[i]; what needs least first
    form, found = {}, {}  # x[i] as a number and shares of such as come later: there are some where rounds lead back
    for i in order:
        value, later, todo = constants[i], defaultdict(F), list(steps[i])
        for j, share in todo:  # grows while it is read
            if j in form:
                value += share * form[j][0]
                todo += [(k, share * more) for k, more in form[j][1].items()]
            else:
                later[j] += share
        stays = 1 - later.pop(i, 0)
        form[i] = (value, later) if stays == 1 else (value / stays, {j: share / stays for j, share in later.items()})
    for i in reversed(order):
        found[i] = sum((share * found[j] for j, share in form[i][1].items()), form[i][0])
    return found
def in_order(follow, node, seen):  # what a node leads to, each after what it leads to itself, if no round leads back
    seen.add(node)
    return [one for to in follow.get(node, ()) if to not in seen for one in in_order(follow, to, seen)] + [node]
def expanded(faces, waits, arrows):  # states with the cards that left, alike where no future tells, and their ways on
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
                (to, won), cards = arrows[state][face], (*gone, one) if ways and one >= 0 else gone
                cards = tuple(sorted(part[to][part[state].index(card)] for card in cards))
                follow[node].append((face, F(items, left.total() or 1), (to, cards), won))
            todo += [to for _, _, to, _ in follow[node]]
            refuse(len(follow) > MOST_NODES, "it has more states than are counted here", MemoryError)
    return follow, part
def check_automaton(files, evidence):  # 6 AUTOMATON: from where each face or option leads: ends, strategies, deals
    faces = [(row["piece"], row["shows"], int(row["items"]), row["put_back"] == "no")
             for row in _table(files, "data/automaton-pieces.csv")]  # of all pieces, one after the other
    pays = {(r["wager"], r["outcome"]): (F(r["net"]), F(r["staked"])) for r in _table(files, "data/automaton-pays.csv")}
    takes = {row["decision"]: row for row in _table(files, "data/automaton-decisions.csv")}
    waits, arrows, main = defaultdict(str), defaultdict(dict), evidence["wagers"][0]["id"]
    first = {piece: n for n, (piece, *_) in reversed([*enumerate(faces)])}
    for row in _table(files, "data/automaton.csv"):
        waits[row["state"]], won = row["waits"], tuple(tuple(one.split("=")) for one in row["settled"].split())
        for move in row["moves"].split():
            arrows[row["state"]][first[row["waits"]] + int(move) if row["waits"] in first else move] = row["next"], won
    (follow, part), start = expanded(faces, waits, arrows), ("start", ())
    order = in_order({node: [to for _, _, to, _ in ways] for node, ways in follow.items()}, start, set())
    done, every = {start: []}, sorted(one["id"] for one in evidence["wagers"])
    for node, (_, _, to, won) in ((one, way) for one in order[::-1] for way in follow[one]):
        now = sorted([*done[node], *(wager for wager, _ in won)])
        refuse(done.setdefault(to, now) != now or (not follow[to] and now != every), "a wager settled twice, or never")
    def counted(taken, often=True):  # how often a round comes to a node, what follows; taken: how often each option
        back, lead = defaultdict(list), ((node, taken(node, way[0]), *way) for node in order for way in follow[node])
        on = [(node, move, p if by is True else p * by, to, won) for node, by, move, p, to, won in lead if by]
        for node, _, share, to, _ in on:
            back[to].append((node, share))
        return often and solved(order[::-1], defaultdict(F, {start: F(1)}), back), on
    for strategy, analysis in evidence["analysis"].items():
        often, on = counted(lambda node, move, by=strategy: (takes.get(waits[node[0]]) or {by: move})[by] == move)
        ends = defaultdict(F)
        for node, share, end in ((node, share, end) for node, _, share, _, won in on for end in won):
            ends[end] += often[node] * share
        for wager, law in analysis["wagers"].items():
            own = {o: (p, *pays[w, o]) for (w, o), p in ends.items() if w == wager and p}
            told = sorted(_of(o, "outcome probability net") for o in law["outcomes"] if o["probability"] != "0")
            staked, back = sum(p * s for p, _, s in own.values()), sum(p for p, net, s in own.values() if net + s > 0)
            top, what = max(net / s for _, net, s in own.values()), f"{wager} under {strategy}"
            same([told, law.get("total_wagered", "1"), law["hit_frequency"], law["top_award"]["pays"]],
                 [sorted([o, *map(str, e[:2])] for o, e in own.items()), str(staked), str(back), _odds(top, top)], what)
    evenly, even = counted(lambda node, move: F(1, len(follow[node])) if waits[node[0]] in takes else 1)
    taken, before, tries, values = {one: row["main-optimal"] for one, row in takes.items()}, None, itertools.count(), {}
    while takes and taken != before:  # alike nodes weigh by chance; where best play never comes the best is found
        refuse(next(tries) > len(takes) + 1, "no best play is found where best play never comes")
        before, gains, steps, values = {**taken}, defaultdict(F), defaultdict(list), defaultdict(Counter)
        for node, _, share, to, won in counted(lambda node, move, by=taken: by.get(waits[node[0]], move) == move, 0)[1]:
            steps[node].append((to, share))
            gains[node] += sum(share * pays[end][0] for end in won if end[0] == main)
        worth = solved(order, gains, steps)
        for node, move, _, to, won in (one for one in even if waits[one[0][0]] in takes):
            values[waits[node[0]]][move] += evenly[node] * (worth[to] + sum(pays[e][0] for e in won if e[0] == main))
        taken |= {one: max(o, key=o.get) for one, o in values.items() if not takes[one]["main-optimal"]}
    for row, own in ((takes[one], own) for one, own in values.items() if takes[one]["main-optimal"]):
        holds(own[row["main-optimal"]] == max(own.values()), "{seat}, {sees}: {main-optimal} is not best".format(**row))
    rest, ways, lines, deals = {node: () for node in order if not follow[node]}, {start: ()}, {}, []
    while len(rest) < len(order):  # a round for every line that settles: a way to it, the line, a way on to an end
        for node in [one for one in order if one not in rest]:
            rest |= {node: ((node, move, won), *rest[to]) for move, _, to, won in follow[node][::-1] if to in rest}
    for node, (move, _, to, won) in ((at, line) for at in order[::-1] for line in follow[at]):
        ways.setdefault(to, (*ways[node], (node, move, won)))
        if won:
            lines.setdefault((node[0], to[0], won), (*ways[node], (node, move, won), *rest[to]))
    for steps in lines.values():
        draws, decisions, gone = [], [], Counter()
        for (state, _), move, _ in steps:
            if waits[state] in first:  # of the faces that look alike here one that is left
                left = (n for n, (piece, _, items, kept) in enumerate(faces) if piece == waits[state]
                        and part[state][n] == part[state][move] and not (kept and gone[n] >= items))
                gone[face := next(left)] += 1
                draws.append(faces[face][1])
            elif waits[state]:
                decisions.append(move)
        deals.append((draws, decisions, {w: (o, pays[w, o][0]) for *_, won in steps for w, o in won}))
    return deals
def _plain(one):  # rules from JSON, as the second implementation reads them: objects, lists that do not change
    if isinstance(one, dict):
        return F(one["fraction"]) if "fraction" in one else type("Rules", (), {key: _plain(one[key]) for key in one})()
    return tuple(map(_plain, one)) if isinstance(one, list) else one
def check_second(files, evidence, recorded, nets, deals, slot):  # 7 SECOND: it settles rounds and ends as they are told
    stated, digest = evidence["family"]["second"], hashlib.sha256(code := files.get("data/second.py", b"")).hexdigest()
    same([(evidence.get("texts") or {}).get("second"), (stated or {}).get("sha256")],
         [stated, digest if code else None], "the second implementation in the evidence, and digest of data/second.py")
    if not code or stated["sha256"] != digest or not {digest, digest[:32]} & {*KNOWN.split(), *sys.argv[1:]}:
        why = f"data/second.py is none of this release and was not run, SHA-256 {digest}" if code else "there is none"
        return untried.append(f"second: {why}")
    given, second = read_json(files["data/second.json"]), type(sys)("second")
    rules, pieces = _plain(given["rules"]), evidence["layout"]["pieces"]
    pays = {wager: {row: _plain(net) for row, net in some.items()} for wager, some in given["pays"].items()}
    same([[wager, row, _odds(net)] for wager, some in sorted(pays.items()) for row, net in sorted(some.items())],
         sorted([w["id"], row["id"], row["pays"]] for w in evidence["wagers"] for row in w["paytable"]), "its pays")
    untried.extend(f"second: how the program read {key} from the submission" for key, value in given["rules"].items()
                   if isinstance(value, str | int) and str(value).encode() not in files["data/game.toml"])
    sys.modules["second"] = second  # its classes look themselves up there
    exec(compile(code, "data/second.py", "exec"), second.__dict__)
    def settled(draws, decisions, least=1):  # by the first draws that are a whole round: it refuses more, and fewer
        for n in range(least, len(draws) + 1):
            try:
                return {w: (end, F(net)) for w, (end, net) in second.settle(rules, pays, draws[:n], decisions).items()}
            except Exception as e:
                why = f"refused: {e!r}"
        return why if draws else "nothing was drawn"
    reels = slot and {piece["kind"] for piece in pieces} == {"reel"}  # not what a wheel or a box of a bonus shows
    for one in (whole := [one for one in recorded if one["cards"] or reels]):
        stops = re.findall(r"\d+", " ".join(re.findall(r"reels stop at ([\d ]+)", str(one["trace"]))))
        own = {wager: (end, F(one["net"][wager])) for wager, end in one["outcomes"].items()}
        same(settled(one["cards"] or stops, one["decisions"]), own, f"round {one['deck']}, settled by it")
    untried.extend(f"second: {n} rounds that no record tells whole" for n in [len(recorded) - len(whole)] if n)
    for one in evidence["witnesses"] if len(pieces) == 1 else []:
        found = settled(one["deck_names"], one["decisions"])
        end, net = found[one["wager"]] if isinstance(found, dict) else (found, "")
        ways = [s["row"] for s in given["rules"].get("settlings", []) if f" as {one['row']}'" in str(s["besides"])]
        shows = any(row in end for row in (one["row"], *ways)) and nets[one["wager"], end] & {str(net), "any"}
        holds(shows, f"the round that shows {one['row']} of {one['wager']}: it says {end}")
    for draws, decisions, own in [one for one in deals or [] if one[0]]:
        same(settled(draws, decisions, len(draws)), own, f"dealt {', '.join(draws)}; {', '.join(decisions)}")
def _spin(game, stage, strips, level):  # the law of a spin: (chance, coins, games granted); empty if it is too large
    slot, here = game["slot"], next((one for one in game.get("stages", []) if one["id"] == stage), {})
    rows, scatters, wilds, free = ([one for one in game.get(key, []) if stage in one.get("stages", [stage])]
                                   for key in ("line_pays", "scatter_pays", "wilds", "free_games"))
    bet, way, last = level.get("coins", slot["line_bet"]), slot.get("direction", "left"), len(slot["heights"])
    times = {id(one): here.get("multiplier", 1) if one.get("multiplied", True) else 1 for one in rows + scatters}
    pays = [[coins * bet * times[id(one)] for coins in (0, *one["pays"])] + [0] * last for one in rows]
    alone, product = all(w.get("alone", True) for w in wilds), any(w.get("together") == "multiply" for w in wilds)
    fits = [dict.fromkeys(one.get("symbols", [one.get("symbol")]), 0) for one in rows]  # a wild: what it multiplies by
    for one in fits:
        own, paid = {*one}, {*one} - {s["symbol"] for key in ("scatter_pays", "free_games") for s in game.get(key, ())}
        one |= {w["symbol"]: int(w.get("multiplies", 1)) for w in wilds if w["symbol"] not in own
                and (own & {*w["replaces"]} if "replaces" in w else paid - {*w.get("but_not", [])})}
    @functools.cache
    def further(line, symbol, place):  # what a line is paid, and how it goes on, where a symbol comes, or none more
        best, going = line[0], []  # its best win; of each row that may still win how many fit, times what, if paid
        for n, length, by, paid in line[1]:
            factor, anywhere = fits[n].get(symbol), rows[n].get("anywhere")
            if factor is not None:
                length, by, paid = length + 1, by * (factor or 1) if product else max(by, factor), paid or not factor
            elif symbol is None or (not anywhere and (way == "adjacent" or (way != "right" and length == place))):
                best = max(best, pays[n][length] * by * paid)
            if factor is None and not anywhere:
                length, by, paid = 0, 1, alone
            if any(pays[n][: length + last - place]) and (anywhere or factor is not None or way != "left"):
                going.append((n, length, by, paid))
        return (0, (best, tuple(going))) if going and symbol is not None else (best, ())
    lines = [tuple(re.findall(r"\d+" if last == 1 or re.search(r"[\s,]", x) else r"\d", x)) for x in slot["lines"]]
    lines = lines[: level.get("lines")]
    units = {"bet": level.get("cost", slot["cost"]), "line": bet, "every line": bet * len(lines)}
    fresh = 0, tuple((n, 0, 1, alone) for n in range(len(rows)))
    law = {(0, (0,) * len(scatters + free), tuple((line, fresh) for line in lines)): 1}
    strips = strips.get(stage, here.get("strips", "base"))
    for place, strip in enumerate(next(it["reels"] for it in game["strips"] if it["id"] == strips)):
        reel = [s for s, n in re.findall(r"([^\s,*]+)\*?(\d*)", strip) for s in [s] * range(MOST_NODES)[int(n or 1)]]
        before, law, height = law, defaultdict(int), slot["heights"][place]
        windows = Counter(tuple(reel[(stop + row) % len(reel)] for row in range(height)) for stop in range(len(reel)))
        for window, stops in windows.items():
            cells = [w["symbol"] for w in wilds if w.get("expands") and w["symbol"] in window][:1] * height or window
            for (coins, counts, lines), ways in before.items():
                on = [(line, *further(so_far, cells[int(line[place]) - 1], place)) for line, so_far in lines]
                seen = tuple(count + window.count(one["symbol"]) for count, one in zip(counts, scatters + free))
                law[coins + sum(won for _, won, _ in on), seen, tuple((x, y) for x, _, y in on if y)] += ways * stops
            if len(law) > MOST_NODES:
                return []
    out, grants = Counter(), [0, *(n for one in free for n in ((stage != "base" and one.get("again")) or one["games"]))]
    for (coins, counts, lines), ways in law.items():
        coins += sum(further(so_far, None, last)[0] for _, so_far in lines)
        for one, count in zip(scatters, counts):
            coins += (0, *one["pays"])[min(count, len(one["pays"]))] * units[one.get("per", "bet")] * times[id(one)]
        out[coins, grants[min(sum(counts[len(scatters) :]), len(grants) - 1)]] += ways
    return [(F(ways, out.total()), *end) for end, ways in out.items()]
def check_slot(files, evidence, game):  # 8 SLOT: from its strips the law of rounds without a feature, mean and variance
    [it], slot, nets, own = evidence["analysis"]["main-optimal"]["wagers"].values(), game["slot"], defaultdict(F), {}
    counted = """slot heights lines cost line_bet direction | stages id strips multiplier | strips id reels | wilds
        symbol but_not replaces multiplies together alone expands stages | line_pays id symbol symbols pays anywhere
        multiplied stages | scatter_pays symbol pays per multiplied stages | free_games id stage symbol games again |
        variants id title strips printed | bet_levels id lines coins cost | purchases id feature starts price"""
    counted = {words.split()[0]: words.split()[1:] for words in counted.split("|")}
    aside = "schema rules readings game wagers claims terms sources texts gamble jackpots"
    more = [f"{key} {name}" for key, some in game.items() if key not in aside.split()
            for one in (some if isinstance(some, list) else [some]) for name in one if name not in counted.get(key, ())]
    slot.setdefault("cost", len(slot.get("lines", [])) * slot.setdefault("line_bet", 1))
    stages = ["base", *(one["stage"] for one in game.get("free_games", []))]
    drawn = re.search(r"\w:\d|'add'", str([game["strips"], game.get("wilds")])) or len(stages) > 2
    every = [(variant, one) for variant in [{"id": "", "strips": {}}, *game.get("variants", [])]
             for one in [{"id": ""}, *game.get("bet_levels", []), *game.get("purchases", [])]]
    ways = [] if more or drawn else [
        (other["id"], one, [_spin(game, stage, other["strips"], one) for stage in stages]) for other, one in every]
    if not ways or any([] in laws for *_, laws in ways):
        return untried.append(f"slot: not counted here: {', '.join(more) or 'weights, draws, two series, or its size'}")
    for p, coins, _ in [one for one in ways[0][2][0] if not one[2]]:
        nets[str(F(coins, slot["cost"]) - 1)] += p
    for variant, one, laws in ways:
        mean, spread, cost = F(0), F(0), one.get("cost", slot["cost"]) * F(one.get("price", 1))
        for law in laws[1:]:  # of one free game with all that it grants: Harris, Branching Processes (1963), chapter I
            ends = 1 - sum(p * more for p, _, more in law)
            mean = sum(p * coins for p, coins, _ in law) / ends
            spread = (sum(p * (coins + more * mean) ** 2 for p, coins, more in law) - mean**2) / ends
        begun = [(1, 0, one["starts"])] if "starts" in one else laws[0]  # what is bought begins so many free games
        won = sum(p * (coins + n * mean) for p, coins, n in begun)
        square = sum(p * ((coins + n * mean) ** 2 + n * spread) for p, coins, n in begun)
        own["/".join(filter(None, (variant, one["id"])))] = [str(won / cost), str((square - won**2) / cost**2)]
    same([it["return"], it["variance"], {n["net"]: F(n["probability"]) for n in it["net"]}],
         [*own.pop(""), nets], "return, variance and net results, from the strips")
    if "jackpots" in game and own:
        return untried.append("slot: what meters add to variants, bet levels and purchases")
    told = {c["id"]: _of(c, "return variance") for c in evidence["configurations"] if c["kind"] in APART[:3]}
    same(told, own, "variants, bet levels and purchases, from the strips")
def main():  # takes the parts one after the other, and says what was found
    sys.set_int_max_str_digits(100_000)
    sys.setrecursionlimit(20_000)
    files = attempt("files", read_files, os.path.dirname(os.path.abspath(__file__)))
    evidence = files and attempt("files", lambda: read_json(files["evidence.json"]))
    if files:
        game = attempt("files", check_files, files, evidence) or {}
        attempt("whole", check_whole, files, evidence, game)
        attempt("figures", check_figures, files, evidence, game)
        attempt("statement", check_statement, evidence)
        recorded, nets = attempt("decks", check_decks, files, evidence) or ([], {})
        deals = "data/automaton.csv" in files and attempt("automaton", check_automaton, files, evidence)
        attempt("second", check_second, files, evidence, recorded, nets, deals, "slot" in game)
        _ = "slot" in game and attempt("slot", check_slot, files, evidence, game)
    untried.append("signer, pages, ruin, losing runs, p-values, gravity, jurisdictions, other edges: VERIFY.md")
    lines = [f"{name:10} {f'{held[name]:7} checks hold' if held[name] else 'nothing to check, or not tried'}"
             for name in ("files", "whole", "figures", "statement", "decks", "automaton", "second", "slot")]
    lines += [f"not tried: {one}" for one in untried] + [f"DOES NOT HOLD: {one}" for one in wrong]
    print(*("".join(c if c.isprintable() else ascii(c)[1:-1] for c in one) for one in lines),  # a terminal obeys none
          f"{held.total()} checks hold, {len(wrong)} do not hold, {len(untried)} things were not tried", sep="\n")
    return 1 if wrong else 0 if held["figures"] and held["statement"] and held["decks"] else 4
if __name__ == "__main__":
    gc.disable()  # nothing here leads back to itself, and looking for it takes a quarter of the time
    sys.exit(main())
