package klero_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"klero.example/klero"
	"klero.example/klero/internal/vectors"
)

const directory = "../../vectors"

// all are the vectors of every suite.
func all(t testing.TB) []vectors.Vector {
	t.Helper()
	found := vectors.LoadECVRF(t, directory)
	for _, name := range []string{"rfc9381.json", "cardano-base.json", "cross-implementation.json",
		"more-suites.json", "edge-cases.json", "hostile.json"} {
		found = append(found, vectors.Load(t, directory, name)...)
	}
	return found
}

func claim(vector *vectors.Vector) klero.Claim {
	return klero.Claim{PublicKey: vector.Pk, Alpha: vector.Alpha, Proof: vector.Pi, Output: vector.Beta}
}

// Each claim alone, and together with all others of its suite.
func TestVerdicts(t *testing.T) {
	claims := make(map[klero.Suite][]klero.Claim)
	alone := make(map[klero.Suite][]klero.Verdict)
	for _, vector := range all(t) {
		vector := vector
		suite := klero.Suite(vector.Suite)
		output, err := klero.Verify(suite, claim(&vector))
		var reason klero.Reason
		if (err == nil) != vector.Valid || err != nil && !errors.As(err, &reason) {
			t.Fatalf("%s %x: %v", suite, vector.Pi, err)
		}
		if err == nil && vector.Beta != nil && !bytes.Equal(output[:], vector.Beta) ||
			err != nil && output != (klero.Output{}) {
			t.Fatalf("%s %x: output %x", suite, vector.Pi, output)
		}
		claims[suite] = append(claims[suite], claim(&vector))
		alone[suite] = append(alone[suite], klero.Verdict{Output: output, Err: err})
	}
	if len(claims) != len(klero.Suites()) {
		t.Fatalf("vectors of %d suites, not %d", len(claims), len(klero.Suites()))
	}
	for suite, claims := range claims {
		for threads := 0; threads < 4; threads++ {
			verdicts, err := klero.VerifyMany(suite, claims, threads)
			if !reflect.DeepEqual(verdicts, alone[suite]) {
				t.Fatalf("%s: %v together, %v alone", suite, verdicts, alone[suite])
			}
			var invalid *klero.ClaimError
			if !errors.As(err, &invalid) || alone[suite][invalid.Index].Err != invalid.Reason {
				t.Fatal(suite, err)
			}
			for _, before := range verdicts[:invalid.Index] {
				if before.Err != nil {
					t.Fatal(suite, " has an invalid claim before ", invalid.Index)
				}
			}
		}
	}
}

// Each proof made again, alone and together.
func TestProofs(t *testing.T) {
	proven := 0
	for _, vector := range all(t) {
		// With a seed and not valid, a claim is an honest one that was changed.
		if vector.Sk == nil || !vector.Valid {
			continue
		}
		key, err := klero.NewKeyFromSeed(klero.Suite(vector.Suite), vector.Sk)
		if err != nil {
			t.Fatal(err)
		}
		proof, output, err := key.Prove(vector.Alpha)
		if err != nil || !bytes.Equal(proof, vector.Pi) || !bytes.Equal(output[:], vector.Beta) {
			t.Fatalf("%s %x: another proof: %v", vector.Suite, vector.Sk, err)
		}
		if size := key.Suite().ProofSize(); size != len(vector.Pi) {
			t.Fatalf("%s: proofs of %d bytes", vector.Suite, size)
		}
		evaluated, err := key.Evaluate(vector.Alpha)
		if err != nil || evaluated != output || !bytes.Equal(key.PublicKey(), vector.Pk) {
			t.Fatalf("%s %x: another output or key: %v", vector.Suite, vector.Sk, err)
		}
		hash, err := klero.ProofToHash(key.Suite(), proof)
		if err != nil || hash != output {
			t.Fatalf("%s %x: another hash: %v", vector.Suite, vector.Sk, err)
		}
		proofs, outputs, err := key.ProveMany([][]byte{nil, vector.Alpha}, 1)
		if err != nil || len(proofs) != 2 || len(outputs) != 2 || !bytes.Equal(proofs[1], proof) ||
			outputs[1] != output {
			t.Fatalf("%s %x: other proofs: %v", vector.Suite, vector.Sk, err)
		}
		_ = key.Close()
		proven++
	}
	if proven < 228 {
		t.Fatal("at least 228 proofs expected, not ", proven)
	}
}
