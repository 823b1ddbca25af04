"""Counts moves by position and rating of the mover with python-chess, independently of talbot.

usage: aggregate.py FILE.pgn BANDS MIN_COUNT MIN_BAND [MIN_BASE_TIME]

BANDS are ratings such as 1500,2000,2500, or "none". Prints a line "EPD<tab>BAND<tab>uci:count uci:count …" for each
position (en passant only where a capture is legal) and band (by number, from 0), sorted. MIN_BASE_TIME keeps games
whose players are both rated, with at least so many seconds on the clock at the start.
"""

import bisect
import collections
import sys

import chess.pgn

# not needed, and most of the time
chess.pgn.LOGGER.disabled = True


class Visitor(chess.pgn.BaseVisitor):
    def __init__(self, counter, bands, base):
        self.counter, self.bands, self.base = counter, bands, base

    def begin_game(self):
        self.headers = {}

    def visit_header(self, name, value):
        self.headers[name] = value

    def end_headers(self):
        elos = [self.headers.get(side + "Elo", "") for side in ("Black", "White")]
        self.elos = [int(e) if e.isdecimal() else 0 for e in elos]
        if self.base:
            time = self.headers.get("TimeControl", "").split("+")[0]
            if 0 in self.elos or not time.isdecimal() or int(time) < self.base:
                return chess.pgn.SKIP

    def begin_variation(self):
        return chess.pgn.SKIP

    def visit_move(self, board, move):
        elo = self.elos[board.turn]
        if elo or not self.bands:
            band = bisect.bisect_right(self.bands, elo)
            self.counter[board.epd(en_passant="legal"), band][move.uci()] += 1

    def result(self):
        return True


def main(path, bands, min_count, min_band, base="0"):
    bands = [] if bands == "none" else [int(b) for b in bands.split(",")]
    counter = collections.defaultdict(collections.Counter)
    with open(path, encoding="utf-8") as f:
        while chess.pgn.read_game(f, Visitor=lambda: Visitor(counter, bands, int(base))):
            pass
    seen = collections.Counter()
    for (epd, _), moves in counter.items():
        seen[epd] += sum(moves.values())
    for (epd, band), moves in sorted(counter.items()):
        if seen[epd] >= int(min_count) and sum(moves.values()) >= int(min_band):
            print(epd, band, " ".join(f"{m}:{n}" for m, n in sorted(moves.items())), sep="\t")


main(*sys.argv[1:])
