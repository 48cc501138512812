package kernels

import "testing"

var sink uint64

func BenchmarkSlower(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink += Slower()
	}
}

func BenchmarkFaster(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink += Faster()
	}
}

func BenchmarkSame(b *testing.B) {
	b.Run("times=10", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			for time := 0; time < 10; time++ {
				sink += Same()
			}
		}
	})
}
