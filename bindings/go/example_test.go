package klero_test

import (
	"errors"
	"fmt"
	"log"

	"klero.example/klero"
)

// Algorand's shape: a key of libsodium's 64 bytes, proofs of 80 bytes, draft 03.
func Example() {
	key, err := klero.GenerateKey(klero.PraosOriginal)
	if err != nil {
		log.Fatal(err)
	}
	defer key.Close() // wipes it

	round := []byte("round 12")
	proof, output, err := key.Prove(round)
	if err != nil {
		log.Fatal(err)
	}

	claim := klero.Claim{PublicKey: key.PublicKey(), Alpha: round, Proof: proof}
	proven, err := klero.Verify(klero.PraosOriginal, claim)
	fmt.Println(proven == output, err)

	claim.Alpha = []byte("round 13")
	_, err = klero.Verify(klero.PraosOriginal, claim)
	fmt.Println(err, errors.Is(err, klero.ChallengeMismatch))
	// Output:
	// true <nil>
	// challenge mismatch true
}

// A thousand claims at once, two of them bad.
func ExampleVerifyMany() {
	key, err := klero.GenerateKey(klero.RFC9381ELL2)
	if err != nil {
		log.Fatal(err)
	}
	defer key.Close()

	alphas := make([][]byte, 1000)
	for i := range alphas {
		alphas[i] = []byte(fmt.Sprint("ticket ", i))
	}
	proofs, _, err := key.ProveMany(alphas, 0)
	if err != nil {
		log.Fatal(err)
	}

	claims := make([]klero.Claim, len(alphas))
	for i := range claims {
		claims[i] = klero.Claim{PublicKey: key.PublicKey(), Alpha: alphas[i], Proof: proofs[i]}
	}
	claims[77].Proof = claims[78].Proof
	claims[500].PublicKey = nil

	verdicts, err := klero.VerifyMany(klero.RFC9381ELL2, claims, 0)
	fmt.Println(err)
	var invalid *klero.ClaimError
	if err != nil && !errors.As(err, &invalid) {
		log.Fatal(err) // not about a claim, and there are no verdicts
	}
	for i, verdict := range verdicts {
		if verdict.Err != nil {
			fmt.Println(i, "is out:", verdict.Err)
		}
	}
	// Output:
	// claim 77: challenge mismatch
	// 77 is out: challenge mismatch
	// 500 is out: public key is not 32 bytes long
}

// An output chooses one of many.
func ExampleOutput_Below() {
	winner, err := klero.Output{0x80}.Below(1000)
	fmt.Println(winner, err)
	// Output: 500 <nil>
}
