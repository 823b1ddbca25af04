// Package studio serves a page for browsers of the same machine: the contents of some folders, games against networks,
// and reviews of games.
//
// A [Server] answers over HTTP. It only reads, but for reviews, each in a new folder: datasets, runs and matches are
// found by walking the folders ([library]), and every file below them is opened through [durable.Confine], so that no
// link leads out. Pages name things by a key made of the folder's path, never by the path, so a path cannot be forged.
// guard.go decides which requests are served.
//
// What takes a while is one of the [jobs]: searches through a dataset ([Server.search]), parts of pages ([partPage]:
// statistics, comparisons), analyses of positions ([Server.analyse]). A job goes on while pages ask for it, and shows
// what it has found; a review that is made goes on without them ([Server.makeReview]). Datasets, matches, networks and
// engines that were used last are kept open ([recent]). A game is a [liveGame] of the server's, so a reload or another
// tab finds it as it was; its search ends when no page has asked for it for a while. Curves and figures are drawn by
// the code of the reports (packages train/report and play/match).
//
// Pages ask every second for what is new, as long as they are seen, and get it if it is not the version that they have
// ([livePage]).
//
// The server has a goroutine for each job and each search of a game. They end with [Server.Close].
package studio
