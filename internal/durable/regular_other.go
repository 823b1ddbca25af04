//go:build !unix

package durable

const nonblock = 0
