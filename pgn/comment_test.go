package pgn
