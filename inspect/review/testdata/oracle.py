"""Lichess's accuracy and judgement of moves, from their published description, by the standard library alone. The same of
where its puzzle generator looks for puzzles (analyze_position), and when one move alone wins (is_valid_attack).

    python3 oracle.py                  writes golden.jsonl.gz: games of random scores with what follows from them
    python3 oracle.py review.json      compares accuracies, losses and classes with those that follow from its scores

The description: lichess.org/page/accuracy for a move; for a game the mean of the harmonic mean of the moves and of the
mean weighted by the standard deviation of the winning chances around them (AccuracyPercent.scala); for the classes
Advice.scala. Scores here are White's, as a number of centipawns or as "#n"; "#0" is the end of a game by mate.
"""
import gzip
import json
import math
import random
import statistics
import sys


def chances(cp):
    return 2 / (1 + math.exp(-0.00368208 * cp)) - 1


def mate(score):
    return int(score[1:]) if isinstance(score, str) else None


def percent(score, mated_white=None):
    """White's winning chances in per cent; mated_white says who lost where the score is #0."""
    n = mate(score)
    if n == 0:
        cp = -1000 if mated_white else 1000
    elif n is not None:
        cp = 1000 if n > 0 else -1000
    else:
        cp = max(-1000, min(1000, score))
    return 50 + 50 * chances(cp)


def move_accuracy(before, after):
    if after >= before:
        return 100.0
    value = 103.1668100711649 * math.exp(-0.04354415386753951 * (before - after)) - 3.166924740191411 + 1
    return max(0.0, min(100.0, value))


def game_accuracy(percents, white_begins):
    moves = len(percents) - 1
    size = max(2, min(8, moves // 10))
    size_at_start = min(size, len(percents))
    windows = [percents[:size_at_start]] * (size_at_start - 2)
    windows += [percents[i:i + size] for i in range(len(percents) - size + 1)] or [percents]
    players = {True: [], False: []}
    for i, window in zip(range(moves), windows, strict=True):
        white = (i % 2 == 0) == white_begins
        before, after = percents[i:i + 2] if white else (100 - percents[i], 100 - percents[i + 1])
        weight = max(0.5, min(12, statistics.pstdev(window)))
        players[white].append((move_accuracy(before, after), weight))
    result = []
    for white in (True, False):
        list_ = players[white]
        if not list_:
            result.append(None)
            continue
        weighted = sum(a * w for a, w in list_) / sum(w for _, w in list_)
        harmonic = len(list_) / sum(1 / max(1, a) for a, _ in list_)
        result.append((weighted + harmonic) / 2)
    return result


def judge(before, after, white):
    """The class of a move from White's scores before and after it."""
    sign = 1 if white else -1
    had, has = mate(before), mate(after)
    if had is None and has is None:
        loss = sign * (chances(before) - chances(after))
        return "blunder" if loss >= 0.3 else "mistake" if loss >= 0.2 else "inaccuracy" if loss >= 0.1 else ""
    mine_before = sign * had if had is not None else None
    mine_after = sign * has if has is not None else None
    if has == 0:  # the player has mated
        return ""
    if had is None and mine_after < 0:
        cp = sign * before
        return "inaccuracy" if cp < -999 else "mistake" if cp < -700 else "blunder"
    if had is not None and mine_before > 0 and (has is None or mine_after < 0):
        cp = sign * after if has is None else 0
        return "inaccuracy" if cp > 999 else "mistake" if cp > 700 else "blunder"
    return ""


def review(scores, white_begins):
    last_mover_white = (len(scores) % 2 == 0) == white_begins
    percents = [percent(s, not last_mover_white) for s in scores]
    classes = [judge(a, b, (i % 2 == 0) == white_begins) for i, (a, b) in enumerate(zip(scores, scores[1:]))]
    losses = []
    for i, (a, b) in enumerate(zip(percents, percents[1:])):
        losses.append(a - b if (i % 2 == 0) == white_begins else b - a)
    return {"accuracy": game_accuracy(percents, white_begins), "classes": classes, "losses": losses}


def sharp(score):
    n = mate(score)
    return chances(score) if n is None else 1 if n > 0 else -1


def rank(score):
    """A number by which scores compare: a sooner mate is better, and being mated later."""
    n = mate(score)
    return score if n is None else 10**6 - n if n > 0 else -10**6 - n


def puzzle(was, now, ahead, second):
    """Whether a puzzle may begin where the solver had a score, has one after the opponent's move, and is so many pawns
    ahead; and whether that score is the only one that wins beside the second best. A mate in one has only to be the only
    one, and a mate must not have been there before."""
    n = mate(now)
    begins = ahead <= 0 and sharp(was) < 1 and (
        n is not None and 0 < n < 15
        or not rank(was) > 300 and rank(now) >= 200 and sharp(now) > sharp(was) + 0.6
        and not (rank(now) < 400 and ahead > -1))
    only = sharp(second) <= 0.6 and second != "#1" if now == "#1" else sharp(now) > sharp(second) + 0.7
    return {"was": was, "now": now, "ahead": ahead, "second": second, "begins": begins, "only": only}


def random_puzzle(rng):
    def score(low, high):
        return "#%d" % rng.choice([-9, -1, 1, 1, 2, 14, 15, 20]) if rng.random() < 0.2 else rng.randrange(low, high)
    now = score(150, 700)
    second = score(-300, 700)
    return puzzle(score(-500, 350), now, rng.choice([-9, -3, -1, 0, 0, 1]), second if rank(second) <= rank(now) else now)


def random_scores(rng):
    scores, cp = [], rng.randrange(-50, 60)
    for _ in range(rng.choice([2, 3, 4, 5, 9, 12, 25, 40, 81, 90, 160])):
        scores.append("#%d" % rng.choice([-7, -2, -1, 1, 3, 12]) if rng.random() < 0.04 else cp)
        cp += int(rng.gauss(0, rng.choice([5, 40, 160, 500])))
        cp = max(-3000, min(3000, cp)) if rng.random() < 0.97 else rng.choice([-1000, -700, 700, 1000, -999, 701, 999])
    return scores


def check(path):
    wrong = games = moves = 0
    for game in json.load(open(path))["games"]:
        white_begins = game.get("fen", "- w").split()[1] == "w"
        scores = []
        for i, move in enumerate(game["moves"]):
            sign = 1 if (i % 2 == 0) == white_begins else -1
            for side in ("before", "after"):
                n = move.get("mate_" + side)
                score = sign * move["cp_" + side] if n is None else "#%d" % (sign * n)
                if side == "after":
                    scores.append(score)
                elif i == 0:
                    scores.append(score)
        want = review(scores, white_begins)
        games += 1
        for a, b in zip(game["accuracy"], want["accuracy"]):
            wrong += (a is None) != (b is None) or a is not None and abs(a - b) > 1e-9
        for move, loss, cls in zip(game["moves"], want["losses"], want["classes"]):
            moves += 1
            cls = "" if move["uci"] == move.get("best") else cls
            wrong += abs(move["win_loss"] - loss) > 1e-9 or move["class"] != cls
    print(f"{games} games, {moves} moves, {wrong} differences")
    return wrong


if len(sys.argv) > 1:
    sys.exit(check(sys.argv[1]) > 0)
rng, rng_puzzles = random.Random(1), random.Random(2)
with open("golden.jsonl.gz", "wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as out:
    for n in range(120):
        scores, white_begins = random_scores(rng), n % 5 != 0
        row = {"scores": scores, "white_begins": white_begins, **review(scores, white_begins),
               "puzzles": [random_puzzle(rng_puzzles) for _ in range(20)]}
        out.write((json.dumps(row) + "\n").encode())
