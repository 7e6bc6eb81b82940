package klero_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

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

// Two headers of preview, and one that was altered.
func ExampleHeaderCheck() {
	check, err := klero.NewHeaderCheck("preview") // once, when the program starts
	if err != nil {
		log.Fatal(err)
	}
	headers, err := readHeaders("testdata/headers.txt")
	if err != nil {
		log.Fatal(err)
	}
	counters, err := check.NewCounters(false) // a node saves its own, and goes on with them
	if err != nil {
		log.Fatal(err)
	}
	verdicts, err := check.Verify(headers, nil, counters) // the nonces of their epochs are built in
	if err != nil && !errors.Is(err, klero.HeaderInvalid) {
		log.Fatal(err) // not about a header, and there are no verdicts
	}
	for _, verdict := range verdicts {
		fmt.Println("slot", verdict.Slot, verdict.Faults)
	}
	// Output:
	// slot 518364 []
	// slot 518379 []
	// slot 518379 [{invalid-kes the hot key did not sign the header: verification keys do not belong together, 0 below the root}]
}

// readHeaders reads a file of headers, each a line: the tag of a block of its era, a space, the header in hex.
func readHeaders(path string) (headers []klero.Header, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var header klero.Header
		if _, err := fmt.Sscanf(line, "%d %x", &header.Tag, &header.Bytes); err != nil {
			return nil, fmt.Errorf("%s, line %d: expected a tag, a space and hex: %w", path, i+1, err)
		}
		headers = append(headers, header)
	}
	return headers, nil
}
