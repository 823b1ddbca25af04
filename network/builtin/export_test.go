package builtin

// ReadData is [Read] of other bytes.
var ReadData = read
