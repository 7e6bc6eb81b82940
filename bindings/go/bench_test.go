package klero_test

import (
	"testing"

	"klero.example/klero"
)

// What it costs to call C at all: in C, this takes 20 ns.
func BenchmarkCall(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if _, err := (klero.Output{}).Below(1000); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	_, valid := honest(b, klero.PraosOriginal, []byte("alpha"))
	for i := 0; i < b.N; i++ {
		if _, err := klero.Verify(klero.PraosOriginal, valid); err != nil {
			b.Fatal(err)
		}
	}
}

// On one thread, in time for each claim.
func BenchmarkVerifyMany(b *testing.B) {
	_, valid := honest(b, klero.PraosOriginal, []byte("alpha"))
	claims := make([]klero.Claim, b.N)
	for i := range claims {
		claims[i] = valid
	}
	b.ResetTimer()
	if _, err := klero.VerifyMany(klero.PraosOriginal, claims, 1); err != nil {
		b.Fatal(err)
	}
}

// One header at a time. The check has seen its keys before.
func BenchmarkHeader(b *testing.B) {
	check, headers := previewHeaders(b)
	counters, _ := check.NewCounters(false)
	for i := 0; i < b.N; i++ {
		if _, err := check.Verify(headers[:1], nil, counters); err != nil {
			b.Fatal(err)
		}
	}
}
