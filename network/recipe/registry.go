package recipe

import (
	"talbot/encode"
	"talbot/network/model"
)

// recipes is the list.
var recipes = []*Recipe{talbotbot, napoleon, tahl, nosearch, prior, probability, lynx, leela}

// talbotbot's default preset is the best training known here of the reference's network; "v1.5" are the published
// hyper-parameters of the reference, whose schedule ran over 656,844 steps.
var talbotbot = New(
	Recipe{
		Name:    "talbotbot",
		About:   "the reference: a residual network with a policy and a value",
		Data:    "games, puzzles and endgames, labelled by Stockfish",
		Targets: "the move played, the solution or the engine's move; Stockfish's score",
		Size:    []string{"blocks", "filters"}, Grows: []string{"blocks", "filters"}, Learns: []string{"legal_mask"},
		Winograd: true,
	},
	model.TalbotBot{Blocks: 20, Filters: 128, BlockDropout: 0.1, ValueDropout: 0.2, ValueWeight: 1},
	Preset{Epochs: 1, Training: Training{Batch: 512, Steps: 100000, Schedule: "cosine", LR: 5e-3, MinLR: 1e-5,
		Warmup: 1000, WeightDecay: 1e-2, Decay: DecayWeights, Clip: 5}},
	func(n model.TalbotBot) encode.Encoder { return encode.TalbotBot{LegalMask: n.LegalMask} },
	preset[model.TalbotBot]{"v1.5", "as published for the reference", func(n *model.TalbotBot, p *Preset) {
		n.ValueWeight = 5
		p.Epochs, p.Training = 12, Training{Batch: 512, Steps: 656844, Schedule: "cosine", LR: 1e-4, MinLR: 1e-5,
			WeightDecay: 1e-4, Decay: DecayAll}
	}},
	preset[model.TalbotBot]{"small", "for a first try: 2 blocks of 16 filters that learn in minutes on a processor, " +
		"from the legal moves only", func(n *model.TalbotBot, p *Preset) {
		n.Blocks, n.Filters, n.LegalMask = 2, 16, true
		p.Training.Batch = 128
	}},
	preset[model.TalbotBot]{"10x64", "the default settings with 10 blocks of 64 filters",
		func(n *model.TalbotBot, _ *Preset) { n.Blocks, n.Filters = 10, 64 }},
	preset[model.TalbotBot]{"20x256", "the default settings with 20 blocks of 256 filters",
		func(n *model.TalbotBot, _ *Preset) { n.Filters = 256 }},
)

// lynx is a recipe of talbot's own. Planes of attacks and tactics and Muon were compared with going without
// (docs/log.md); its other settings are a first choice.
var lynx = New(
	Recipe{
		Name:    "lynx",
		About:   "talbot's own: a small network that plays well after hours on a processor",
		Data:    "games of an engine with itself, endgames and puzzles, labelled by Stockfish; or any other",
		Targets: "the engine's move, or the one played; its chances, or else the result of the game",
		Size:    []string{"attacks", "tactics", "threats", "blocks", "filters", "squeeze", "value_filters", "hidden"},
		Extends: []string{"attacks", "tactics", "threats"}, Grows: []string{"blocks", "filters"},
		Learns: []string{"nearness"}, Winograd: true, Masked: true, Search: "look=true",
	},
	model.Lynx{Attacks: true, Tactics: true, Threats: true, Blocks: 6, Filters: 64, Squeeze: 16, ValueFilters: 8,
		Hidden: 128, ValueWeight: 1, ChancesWeight: 1, Nearness: true},
	Preset{Epochs: 4, Training: Training{Batch: 512, Steps: 100000, Schedule: "cosine", Optimizer: Muon, LR: 4e-3,
		MinLR: 4e-5, Warmup: 500, WeightDecay: 1e-2, Decay: DecayWeights, Clip: 5}},
	func(n model.Lynx) encode.Encoder {
		return encode.Lynx{Attacks: n.Attacks, Tactics: n.Tactics, Threats: n.Threats, Nearness: n.Nearness}
	},
)

// napoleon is trained as recipes of its kind are: nothing was published.
var napoleon = New(
	Recipe{
		Name:    "napoleon",
		About:   "a value from counts of attacks: a small network with squeeze-and-excitation",
		Data:    "evaluated positions; mates and more than ten pawns are left out",
		Targets: "Stockfish's score",
	},
	model.Napoleon{},
	Preset{Epochs: 60, ByEpoch: true, Training: Training{Batch: 256, Steps: 100000, Schedule: "plateau:3=0.5,stop=8",
		LR: 1e-3, Decay: DecayWeights, Epsilon: 1e-7}},
	func(model.Napoleon) encode.Encoder { return encode.Napoleon{} },
)

// tahl is trained on the few thousand games of one player. Nothing was published; the number of epochs is ours too.
var tahl = New(
	Recipe{
		Name:    "tahl",
		About:   "the moves of one player, as the board after the move",
		Data:    "games; one player's own moves, by ingest --player NAME --side player",
		Targets: "the move played, and the result of the game",
		Size:    []string{"blocks", "filters"}, Grows: []string{"blocks", "filters"}, Winograd: true,
		Search: "c=1.5,c-factor=0,policy-temp=1",
	},
	model.Tahl{Blocks: 10, Filters: 128, BlockDropout: 0.2, ValueDropout: 0.2, ValueWeight: 1},
	Preset{Epochs: 20, Training: Training{Batch: 512, Steps: 100000, Schedule: "cosine", LR: 1e-3, MinLR: 1e-5,
		WeightDecay: 1e-4, Decay: DecayAll}},
	func(model.Tahl) encode.Encoder { return encode.Tahl{} },
)

// nosearch is the published network of the late code, with its batches and weight decay; its learning rate was
// constant, without a warm-up. "early" are the size and the training of the early code.
var nosearch = New(
	Recipe{
		Name:    "nosearch",
		About:   "a transformer that plays without search",
		Data:    "games; no labels are needed",
		Targets: "the move played, with legality to be learnt; or scores of all moves",
		Size:    []string{"width", "blocks"}, Computes: []string{"heads"}, Learns: []string{"scores"},
	},
	model.NoSearch{Width: 256, Blocks: 8, AttentionHeads: 8},
	Preset{Epochs: 1, Training: Training{Batch: 1024, Steps: 150000, Schedule: "cosine", LR: 4e-4, MinLR: 4e-6,
		Warmup: 1000, Decay: DecayAll, Clip: 1}},
	func(n model.NoSearch) encode.Encoder { return encode.NoSearch{Scores: n.Scores} },
	preset[model.NoSearch]{"early", "the small network, as published for the early code",
		func(n *model.NoSearch, p *Preset) {
			n.Width, n.Dropout = 128, 0.1
			p.Training = Training{Batch: 4096, Steps: 30000, Schedule: "cosine", LR: 1e-3, MinLR: 1e-5, Warmup: 3000,
				WeightDecay: 1e-3, Decay: DecayAll, Clip: 1}
		}},
)

// prior is trained as published, in epochs over aggregated positions; Adam and its learning rate are Keras's. The
// weights decay by the loss, not beside it.
var prior = New(
	Recipe{
		Name:    "prior",
		About:   "the moves that players of a given rating choose",
		Data:    "positions with the moves played in them by rating, by talbot aggregate; or rated games",
		Targets: "the share of each move",
		Size:    []string{"blocks", "filters"}, Computes: []string{"rating"}, Learns: []string{"legal_mask"},
		Winograd: true,
	},
	model.Prior{Blocks: 7, Filters: 256, L2: 1e-4, Rating: true},
	Preset{Epochs: 100, ByEpoch: true, Training: Training{Batch: 2048, Steps: 91000, Schedule: "constant", LR: 1e-3,
		Decay: DecayWeights, Epsilon: 1e-7}},
	func(n model.Prior) encode.Encoder { return encode.Prior{Unrated: !n.Rating, LegalMask: n.LegalMask} },
)

// probability is trained as published, 20 epochs of 10 steps; Adam and its learning rate are Keras's.
var probability = New(
	Recipe{
		Name:    "probability",
		About:   "which of 20 likely moves players of a given rating choose, from priors and engine values",
		Data:    "positions with the moves played in them by rating, and values of candidates (label --candidates)",
		Targets: "the share of each candidate",
		Size:    []string{"hidden"},
	},
	model.Probability{Hidden: 128, L2: 7e-5},
	Preset{Epochs: 20, ByEpoch: true, Training: Training{Batch: 2048, Steps: 200, Schedule: "constant", LR: 1e-3,
		Decay: DecayWeights, Epsilon: 1e-7}},
	func(model.Probability) encode.Encoder { return encode.Probability{} },
)

// leela's default is a network of the size of Maia's, trained as talbot's own; lc0's networks have any size.
var leela = New(
	Recipe{
		Name:    "leela",
		About:   "networks of lc0: those of Leela and of Maia, and new ones for lc0",
		Data:    "games, with labels or without",
		Targets: "the move played or the engine's; its chances, or else the result of the game",
		Size: []string{"blocks", "filters", "squeeze", "norm", "encoders", "features", "depth", "feed_forward",
			"embedding",
			"board_features", "embed_feed_forward", "gates", "smolgen_compress", "smolgen_hidden", "smolgen_features",
			"policy", "policy_filters", "policy_features", "policy_depth", "chances", "value_filters", "value_hidden",
			"moves_left_filters", "moves_left_hidden"},
		Computes: []string{"input", "activation", "attention_heads", "ffn_activation", "smolgen_activation"},
		Winograd: true, Masked: true, Gentler: 40,
		Search: "c=1.745,c-factor=3.894,c-base=38739,policy-temp=1.359", // lc0's own
	},
	model.Leela{Input: 1, Activation: "relu", Blocks: 6, Filters: 64, Squeeze: 8, Norm: true, Policy: "convolution",
		PolicyFilters: 80, Chances: true, ValueFilters: 32, ValueHidden: 128, ValueWeight: 1, MovesLeftWeight: 1},
	Preset{Epochs: 4, Training: Training{Batch: 512, Steps: 100000, Schedule: "cosine", Optimizer: Muon, LR: 4e-3,
		MinLR: 4e-5, Warmup: 500, WeightDecay: 1e-2, Decay: DecayWeights, Clip: 5}},
	func(n model.Leela) encode.Encoder { return encode.Leela{Input: n.Input} },
	preset[model.Leela]{"attention", "an attention body of 4 encoders of 128 features", func(n *model.Leela,
		_ *Preset) {
		*n = model.Leela{Input: 1, Activation: "mish", Encoders: 4, Features: 128, AttentionHeads: 8, Depth: 128,
			FeedForward: 256, Embedding: "map", SmolgenCompress: 8, SmolgenHidden: 64, SmolgenFeatures: 64,
			FFNActivation: "mish", SmolgenActivation: "swish", Policy: "attention", PolicyFeatures: 128,
			PolicyDepth: 128,
			Chances:     true, ValueFilters: 16, ValueHidden: 128, ValueWeight: 1, MovesLeftWeight: 1}
	}},
)
