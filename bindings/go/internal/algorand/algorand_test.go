package algorand

import (
	"bytes"
	"testing"

	"klero.example/klero/internal/vectors"
)

func TestVectors(t *testing.T) {
	proven := 0
	for _, vector := range vectors.Load(t, "../../../../vectors", "cross-implementation.json") {
		if vector.Suite != "praos" {
			continue
		}
		var from seed
		copy(from[:], vector.Sk)
		pk, sk := from.keypair()
		made, ok := sk.prove(vector.Alpha)
		if !ok || sk.public() != pk || !bytes.Equal(pk[:], vector.Pk) || !bytes.Equal(made[:], vector.Pi) {
			t.Fatalf("the seed %x gives another key or proof", vector.Sk)
		}
		hash, ok := made.hash()
		proved, valid := pk.verify(made, vector.Alpha)
		if !ok || !valid || proved != hash || !bytes.Equal(hash[:], vector.Beta) {
			t.Fatalf("the seed %x gives another output", vector.Sk)
		}
		made[60] ^= 1
		if _, valid := pk.verify(made, vector.Alpha); valid {
			t.Fatal("a changed proof is valid")
		}
		proven++
	}
	if proven != 32 {
		t.Fatal("32 proofs expected, not ", proven)
	}
}

func TestNewKey(t *testing.T) {
	pk, sk := keypair()
	made, ok := sk.prove(nil)
	if _, valid := pk.verify(made, nil); !ok || !valid {
		t.Fatal("a new key does not prove")
	}
}
