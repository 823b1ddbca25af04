package pipeline

// shardFlag is the flag of a manifest that says which share of the lines was labelled.
const shardFlag = "shard"
