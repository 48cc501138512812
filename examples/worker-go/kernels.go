package main

// The code under test.

var units = [3]uint64{1000, 1000, 1000}

func slower(seed uint64) uint64 { return work(seed, units[0]) }
func faster(seed uint64) uint64 { return work(seed, units[1]) }
func same(seed uint64) uint64   { return work(seed, units[2]) }

//go:noinline
func work(seed, units uint64) uint64 {
	x := seed
	for unit := uint64(0); unit < units; unit++ {
		x = x ^ (x << 13) ^ (x >> 7) ^ unit
	}
	return x
}
