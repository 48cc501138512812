// Package kernels has three functions to measure. Change how much work one of them does, and see it in
// the report.
package kernels

const (
	workSlower = 1000
	workFaster = 1000
	workSame   = 1000
)

func Slower() uint64 { return work(workSlower) }

func Faster() uint64 { return work(workFaster) }

func Same() uint64 { return work(workSame) }

//go:noinline
func work(units int) uint64 {
	x := uint64(1)
	for unit := 0; unit < units; unit++ {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}
