package klero

// #include <klero.h>
//
// // A claim on C's stack, because Go passes no struct that points to its memory.
// static int verify_one(const klero_verifier *verifier, const uint8_t *key, size_t key_size,
//                       const uint8_t *alpha, size_t alpha_size, const uint8_t *proof, size_t proof_size,
//                       const uint8_t *claimed, size_t claimed_size, uint8_t *output) {
//     klero_claim claim = { { key, key_size }, { alpha, alpha_size }, { proof, proof_size },
//                           { claimed, claimed_size } };
//     return klero_verify(verifier, &claim, output);
// }
import "C"

// A Claim says: this proof proves that the key maps Alpha to an output. The bytes may be any, of any
// size: the verdict says what is wrong with them.
type Claim struct {
	PublicKey []byte
	Alpha     []byte // the input
	Proof     []byte
	// Unless this is nil, the claim is valid only if the proof proves this output.
	Output []byte
}

// A Verdict is the answer to one claim of many.
type Verdict struct {
	Output Output // what the proof proves, if the claim is valid
	Err    error  // nil if the claim is valid; else the Reason
}

// Verify checks one claim, and returns the output that it proves. The error is nil only if the claim is
// valid, and a [Reason] if it is not.
func Verify(suite Suite, claim Claim) (Output, error) {
	found, err := suite.implementation()
	if err != nil {
		return Output{}, err
	}
	claimed := first(claim.Output)
	if claimed == nil && claim.Output != nil {
		claimed = new(C.uint8_t) // an output of no bytes, which is not the same as none
	}
	var output Output
	status := C.verify_one(found.verifier,
		first(claim.PublicKey), C.size_t(len(claim.PublicKey)),
		first(claim.Alpha), C.size_t(len(claim.Alpha)),
		first(claim.Proof), C.size_t(len(claim.Proof)),
		claimed, C.size_t(len(claim.Output)), output.place())
	return output, failed(status)
}

// VerifyMany checks claims of one suite together, and returns a verdict for each, in order: the same
// that [Verify] gives.
//
// The error is nil only if every claim is valid. If it is a [*ClaimError], there are verdicts, and the
// error is about the first claim that is invalid. With any other error there are none.
//
// The work is shared by as many threads as given, or one for each processor (runtime.GOMAXPROCS) if
// that is 0. No verdict depends on it.
func VerifyMany(suite Suite, claims []Claim, threads int) ([]Verdict, error) {
	found, err := suite.implementation()
	if err != nil {
		return nil, err
	}
	verdicts := make([]Verdict, 0, len(claims))
	for len(claims) > 0 {
		count, bytes := part(len(claims), func(i int) int {
			claim := &claims[i]
			return len(claim.PublicKey) + len(claim.Alpha) + len(claim.Proof) + len(claim.Output)
		})
		more, err := found.verify(claims[:count], bytes, threads)
		if err != nil {
			return nil, err
		}
		verdicts = append(verdicts, more...)
		claims = claims[count:]
	}
	for i := range verdicts {
		switch err := verdicts[i].Err.(type) {
		case nil:
		case Reason:
			return verdicts, &ClaimError{Index: i, Reason: err}
		default:
			return nil, err // only a defect of the library can cause it
		}
	}
	return verdicts, nil
}

// verify checks at least one claim, in one call; the claims have so many bytes.
func (m *implementation) verify(claims []Claim, bytes, threads int) ([]Verdict, error) {
	copied := newCopies(bytes)
	defer copied.free()
	passed := make([]C.klero_claim, len(claims))
	for i := range claims {
		passed[i] = C.klero_claim{
			key:   copied.add(claims[i].PublicKey),
			alpha: copied.add(claims[i].Alpha),
			proof: copied.add(claims[i].Proof),
		}
		if claims[i].Output != nil {
			passed[i].output = copied.add(claims[i].Output)
		}
	}
	numbers := make([]C.int, len(claims))
	outputs := make([]Output, len(claims))
	status := C.klero_verify_many(m.verifier, &passed[0], C.size_t(len(claims)), &numbers[0],
		places(outputs), processors(threads))
	if status < 0 {
		return nil, failed(status)
	}
	verdicts := make([]Verdict, len(claims))
	for i, number := range numbers {
		verdicts[i] = Verdict{outputs[i], failed(number)}
	}
	return verdicts, nil
}

// ProofToHash returns the output of a proof that is NOT VERIFIED: for proofs that are known to be valid,
// such as one's own. The error is a [Reason] if the proof does not decode.
func ProofToHash(suite Suite, proof []byte) (Output, error) {
	found, err := suite.implementation()
	if err != nil {
		return Output{}, err
	}
	var output Output
	status := C.klero_proof_to_hash(found.verifier, first(proof), C.size_t(len(proof)),
		output.place())
	return output, failed(status)
}

// CheckPublicKey returns the reason why every proof for this public key is invalid, such as when the key
// is registered; nil if there is none.
func CheckPublicKey(publicKey []byte) error {
	return failed(C.klero_check_public_key(first(publicKey), C.size_t(len(publicKey))))
}
