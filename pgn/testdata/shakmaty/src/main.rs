//! Resolves every move of a PGN file and prints the number of plies.

use pgn_reader::shakmaty::{fen::Fen, CastlingMode, Chess, Position};
use pgn_reader::{RawTag, Reader, SanPlus, Visitor};
use std::{env, fs::File, ops::ControlFlow};

struct Game {
    position: Chess,
    legal: bool,
    plies: u64,
}

struct Plies(u64);

impl Visitor for Plies {
    type Tags = Option<Chess>;
    type Movetext = Game;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), Option<Chess>> {
        ControlFlow::Continue(None)
    }

    fn tag(&mut self, start: &mut Option<Chess>, name: &[u8], value: RawTag<'_>) -> ControlFlow<()> {
        if name == b"FEN" {
            let fen = Fen::from_ascii(value.as_bytes()).ok();
            *start = fen.and_then(|fen| fen.into_position(CastlingMode::Standard).ok());
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: Option<Chess>) -> ControlFlow<(), Game> {
        ControlFlow::Continue(Game { position: start.unwrap_or_default(), legal: true, plies: 0 })
    }

    fn san(&mut self, game: &mut Game, san: SanPlus) -> ControlFlow<()> {
        if game.legal {
            match san.san.to_move(&game.position) {
                Ok(m) => {
                    game.position.play_unchecked(m);
                    game.plies += 1;
                }
                Err(_) => game.legal = false,
            }
        }
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, game: Game) {
        self.0 += game.plies;
    }
}

fn main() {
    let path = env::args().nth(1).expect("a PGN file");
    let mut reader = Reader::new(File::open(path).expect("opening the file"));
    let mut plies = Plies(0);
    while reader.read_game(&mut plies).expect("reading the file").is_some() {}
    println!("{}", plies.0);
}
