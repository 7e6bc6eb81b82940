package klero_test

import (
	"bytes"
	"errors"
	"math"
	"sync"
	"testing"

	"klero.example/klero"
)

// honest is a claim that is valid, of the key that made it.
func honest(t testing.TB, suite klero.Suite, alpha []byte) (*klero.SecretKey, klero.Claim) {
	t.Helper()
	key, err := klero.NewKeyFromSeed(suite, bytes.Repeat([]byte{7}, klero.SeedSize))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = key.Close() })
	proof, output, err := key.Prove(alpha)
	if err != nil {
		t.Fatal(err)
	}
	return key, klero.Claim{PublicKey: key.PublicKey(), Alpha: alpha, Proof: proof, Output: output[:]}
}

func TestLengths(t *testing.T) {
	for _, suite := range klero.Suites() {
		_, valid := honest(t, suite, nil)
		var claims []klero.Claim
		for length := 0; length < 200; length++ {
			spare := make([]byte, length)
			changed := valid
			changed.PublicKey = append(spare[:0:0], append(valid.PublicKey, spare...)[:length]...)
			claims = append(claims, changed)
			changed = valid
			changed.Proof = append(spare[:0:0], append(valid.Proof, spare...)[:length]...)
			claims = append(claims, changed)
			changed = valid
			changed.Output = append([]byte{}, append(valid.Output, spare...)[:length]...)
			claims = append(claims, changed)
		}
		claims = append(claims, klero.Claim{}, klero.Claim{Output: []byte{}})
		verdicts, err := klero.VerifyMany(suite, claims, 2)
		if !errors.Is(err, klero.KeyLength) {
			t.Fatal(suite, err)
		}
		unchanged := 0
		for i, claim := range claims {
			output, err := klero.Verify(suite, claim)
			if verdicts[i] != (klero.Verdict{Output: output, Err: err}) {
				t.Fatalf("%s, claim %d: %v together, %v alone", suite, i, verdicts[i].Err, err)
			}
			if err == nil {
				unchanged++
			}
		}
		if unchanged != 3 {
			t.Fatalf("%s: %d claims are valid", suite, unchanged)
		}
		valid.Output = []byte{}
		if _, err := klero.Verify(suite, valid); err != klero.OutputLength {
			t.Fatal("an output of no bytes: ", err)
		}
		valid.Output = nil
		if _, err := klero.Verify(suite, valid); err != nil {
			t.Fatal("no output: ", err)
		}
	}
}

func TestFailures(t *testing.T) {
	const none = klero.Suite("praos\x00")
	long := klero.Suite(bytes.Repeat([]byte("praos"), 1000))
	for _, suite := range []klero.Suite{"", none, "PRAOS", long} {
		_, one := klero.Verify(suite, klero.Claim{})
		verdicts, many := klero.VerifyMany(suite, make([]klero.Claim, 3), 0)
		_, hash := klero.ProofToHash(suite, nil)
		_, key := klero.GenerateKey(suite)
		for _, err := range []error{one, many, hash, key} {
			if !errors.Is(err, klero.ErrUnknownSuite) || len(err.Error()) > 200 {
				t.Fatal(err)
			}
		}
		if suite.ProofSize() != 0 || verdicts != nil {
			t.Fatal("an unknown suite has proofs")
		}
	}
	for _, size := range []int{0, 31, 33, 63, 65, 1 << 20} {
		_, seed := klero.NewKeyFromSeed(klero.Praos, make([]byte, size))
		_, both := klero.NewKeyFromLibsodium(klero.Praos, make([]byte, size))
		if !errors.Is(seed, klero.ErrSize) || !errors.Is(both, klero.ErrSize) {
			t.Fatal(size, seed, both)
		}
		if klero.CheckPublicKey(make([]byte, size)) != klero.KeyLength {
			t.Fatalf("a public key of %d bytes", size)
		}
		if _, err := klero.ProofToHash(klero.Praos, make([]byte, size)); err != klero.ProofLength {
			t.Fatal(err)
		}
	}
	if _, err := (klero.Output{}).Below(0); err != klero.ErrSize {
		t.Fatal(err)
	}
}

func TestNoneAndMany(t *testing.T) {
	for _, threads := range []int{math.MinInt, 0, 1, math.MaxInt} {
		for _, claims := range [][]klero.Claim{nil, {}} {
			verdicts, err := klero.VerifyMany(klero.Praos, claims, threads)
			if err != nil || len(verdicts) != 0 {
				t.Fatal(verdicts, err)
			}
		}
		key, valid := honest(t, klero.Praos, []byte("alpha"))
		verdicts, err := klero.VerifyMany(klero.Praos, []klero.Claim{valid, valid}, threads)
		if err != nil || len(verdicts) != 2 || verdicts[0] != verdicts[1] {
			t.Fatal(verdicts, err)
		}
		proofs, outputs, err := key.ProveMany(nil, threads)
		if err != nil || len(proofs) != 0 || len(outputs) != 0 {
			t.Fatal(err)
		}
	}
}

// More bytes and more items than one call takes.
func TestParts(t *testing.T) {
	huge := make([]byte, 20<<20)
	key, valid := honest(t, klero.PraosOriginal, huge)
	claims := []klero.Claim{valid, valid, {}, valid}
	verdicts, err := klero.VerifyMany(klero.PraosOriginal, claims, 0)
	var invalid *klero.ClaimError
	if !errors.As(err, &invalid) || *invalid != (klero.ClaimError{Index: 2, Reason: klero.KeyLength}) {
		t.Fatal(err)
	}
	if verdicts[3] != verdicts[0] || verdicts[0].Err != nil || verdicts[0].Output != verdicts[1].Output {
		t.Fatal("the verdicts of equal claims differ")
	}
	proofs, _, err := key.ProveMany([][]byte{huge, {}, huge}, 0)
	if err != nil || !bytes.Equal(proofs[0], valid.Proof) || !bytes.Equal(proofs[2], valid.Proof) {
		t.Fatal("the proofs of equal inputs differ: ", err)
	}

	many := make([]klero.Claim, 200_000)
	many[199_999] = claims[2]
	many[70_000].PublicKey = valid.PublicKey
	verdicts, _ = klero.VerifyMany(klero.Praos, many, 0)
	if len(verdicts) != len(many) {
		t.Fatal(len(verdicts))
	}
	for i, verdict := range verdicts {
		if (verdict.Err == klero.ProofLength) != (i == 70_000) || verdict.Err == nil {
			t.Fatal(i, verdict.Err)
		}
	}
}

// For the race detector: verifiers, a key and claims that goroutines share, and a key that one closes.
func TestConcurrently(t *testing.T) {
	key, valid := honest(t, klero.RFC9381ELL2BatchCompat, []byte("alpha"))
	claims := make([]klero.Claim, 100)
	for i := range claims {
		claims[i] = valid
	}
	var running sync.WaitGroup
	for i := 0; i < 8; i++ {
		running.Add(1)
		go func(i int) {
			defer running.Done()
			verdicts, err := klero.VerifyMany(klero.RFC9381ELL2BatchCompat, claims, i%3)
			if err != nil || len(verdicts) != len(claims) {
				t.Error(err)
			}
			if _, err := klero.Verify(klero.RFC9381ELL2BatchCompat, valid); err != nil {
				t.Error(err)
			}
			if i == 4 {
				_ = key.Close()
			}
			for round := 0; round < 20; round++ {
				proof, _, err := key.Prove(valid.Alpha)
				if err != klero.ErrClosed && (err != nil || !bytes.Equal(proof, valid.Proof)) {
					t.Error(err)
				}
			}
		}(i)
	}
	running.Wait()
	if _, err := key.Evaluate(nil); err != klero.ErrClosed {
		t.Fatal(err)
	}
}
