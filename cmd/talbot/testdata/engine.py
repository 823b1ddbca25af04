"""Plays with a UCI engine through python-chess's engine module. Usage: engine.py COMMAND..."""

import sys
import time

import chess
import chess.engine


def check(ok, *what):
    if not ok:
        sys.exit(" ".join(map(str, ("python-chess:",) + what)))


engine = chess.engine.SimpleEngine.popen_uci(sys.argv[1:], timeout=60)
check(engine.id["name"].startswith("talbot "), engine.id)
# What lichess-bot sets by default, tables that are not there included.
engine.configure({"Move Overhead": 100, "Threads": 4, "Hash": 512, "SyzygyPath": "/none", "UCI_ShowWDL": True})

board = chess.Board()
limit = chess.engine.Limit
limits = [limit(nodes=20), limit(time=0.05), limit(depth=2), limit(white_clock=2, black_clock=2, white_inc=0.05,
          black_inc=0.05), limit(white_clock=1, black_clock=1, remaining_moves=10), limit(mate=1, nodes=20)]
for i in range(24):
    result = engine.play(board, limits[i % len(limits)], info=chess.engine.INFO_ALL, ponder=i % 3 == 2)
    check(result.move in board.legal_moves, board.fen(), result.move)
    info = result.info
    check(info["pv"][0] == result.move, info, result.move)
    check(sum(info["wdl"].pov(chess.WHITE)) == 1000 and "score" in info and info["depth"] >= 1, info)
    after = board.copy()
    for move in info["pv"]:
        check(move in after.legal_moves, info["pv"])
        after.push(move)
    board.push(result.move)
    if board.is_game_over(claim_draw=True):
        break

board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
result = engine.play(board, limit(nodes=50), info=chess.engine.INFO_ALL, game="mate")
if "policy" not in sys.argv:
    check(result.move.uci() == "d1d8" and result.info["score"].white().mate() == 1, result)
board = chess.Board()
result = engine.play(board, limit(nodes=20), root_moves=[chess.Move.from_uci("h2h4")], game="root")
check(result.move.uci() == "h2h4", result)
lines = engine.analyse(board, limit(nodes=60), multipv=3)
check([line["multipv"] for line in lines] == [1, 2, 3] and len({line["pv"][0] for line in lines}) == 3, lines)
with engine.analysis(board) as analysis:  # endless
    for info in analysis:
        if "pv" in info:
            break
    begun = time.monotonic()
    analysis.stop()
    best = analysis.wait()
    check(best.move in board.legal_moves, best)
    check(time.monotonic() - begun < 20, "stop took", time.monotonic() - begun)
engine.ping()
engine.quit()
check(engine.returncode.result(60) == 0, "exit status", engine.returncode)
print("ok")
