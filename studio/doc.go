// Package studio serves a page for browsers of the same machine: the contents of some folders, and games against
// networks.
//
// A [Server] answers over HTTP. It only reads: datasets, runs and matches are found by walking the folders ([library]),
// and every file below them is opened through [durable.Confine], so that no link leads out. Pages name things by a key
// made of the folder's path, never by the path, so a path cannot be forged. guard.go decides which requests are served.
//
// The page of a dataset reads the blocks that it needs of a dataset that is kept open ([shelf]); a filter is a search
// through all of it, which goes on while pages show what it has found. Curves and figures are drawn by the code of the
// reports (packages train/report and play/match).
//
// Changes are announced by server-sent events, in one stream for all pages of a browser, which opens six connections to
// an origin; a page then asks for what is new ([Server.stream]). So any number of tabs can be open.
//
// A game is a [seat] of the server's, so a reload or another tab finds it as it was; a page that has not asked for a
// while is taken to be closed, and its search ends.
//
// The server has a goroutine for each search, of a game or of a dataset. They end with [Server.Close].
package studio
