package klero

// #include <klero.h>
import "C"

import "fmt"

// A Reason says why a claim, a proof, a public key or a header is invalid. It is an error: compare it with
// errors.Is, or tell it from failures with errors.As.
type Reason int

// The checks run in this order, so a claim always has the same reason. Later versions may add others.
const (
	KeyLength          Reason = C.KLERO_KEY_LENGTH
	KeyNotCanonical    Reason = C.KLERO_KEY_NOT_CANONICAL
	KeyNotOnCurve      Reason = C.KLERO_KEY_NOT_ON_CURVE
	KeySmallOrder      Reason = C.KLERO_KEY_SMALL_ORDER
	ProofLength        Reason = C.KLERO_PROOF_LENGTH
	GammaNotCanonical  Reason = C.KLERO_GAMMA_NOT_CANONICAL
	GammaNotOnCurve    Reason = C.KLERO_GAMMA_NOT_ON_CURVE
	ScalarNotCanonical Reason = C.KLERO_SCALAR_NOT_CANONICAL
	NoCurvePoint       Reason = C.KLERO_NO_CURVE_POINT
	ChallengeMismatch  Reason = C.KLERO_CHALLENGE_MISMATCH
	UMismatch          Reason = C.KLERO_U_MISMATCH
	VMismatch          Reason = C.KLERO_V_MISMATCH
	OutputLength       Reason = C.KLERO_OUTPUT_LENGTH
	OutputMismatch     Reason = C.KLERO_OUTPUT_MISMATCH
	// Headers are: the faults of each are in its verdict.
	HeaderInvalid Reason = C.KLERO_HEADER_INVALID
)

// Error says the reason in the words that every language has for it.
func (r Reason) Error() string {
	return words(C.int(r))
}

// A failure is a misuse, or a failure of the machine: a negative number of the library.
type failure int

func (f failure) Error() string {
	return "klero: " + words(C.int(f))
}

// Failures, for errors.Is. The error of a call may say more.
var (
	// No suite has this name. Names are those of [Suites], letter by letter.
	ErrUnknownSuite error = failure(C.KLERO_UNKNOWN_SUITE)
	// A seed or a secret key has another size, or there is no integer below 0.
	ErrSize error = failure(C.KLERO_SIZE)
	// The last 32 bytes of a secret key are not the public key of the seed in the first 32. Proofs with
	// such a key would give it away.
	ErrHalvesDiffer error = failure(C.KLERO_HALVES_DIFFER)
	// The operating system supplied no random bytes.
	ErrNoRandomness error = failure(C.KLERO_NO_RANDOMNESS)
	// The key is closed, or it was not made by a function of this package.
	ErrClosed error = closed{}
	// Errors of header checks: a network that is not public, a file that is no Shelley genesis of one, a tag of
	// no era since Shelley, a number of no protocol, a ratio that is not from 0 to 1, a pool that is there twice
	// or stake above the total or a total of zero, the stake of an epoch twice, counters of another network,
	// bytes that are no saved counters, a check or counters that no function of this package made.
	ErrUnknownNetwork  error = failure(C.KLERO_UNKNOWN_NETWORK)
	ErrBadGenesis      error = failure(C.KLERO_BAD_GENESIS)
	ErrUnknownEra      error = failure(C.KLERO_UNKNOWN_ERA)
	ErrUnknownProtocol error = failure(C.KLERO_UNKNOWN_PROTOCOL)
	ErrBadRatio        error = failure(C.KLERO_BAD_RATIO)
	ErrBadStake        error = failure(C.KLERO_BAD_STAKE)
	ErrGivenTwice      error = failure(C.KLERO_GIVEN_TWICE)
	ErrOtherNetwork    error = failure(C.KLERO_OTHER_NETWORK)
	ErrBadCounters     error = failure(C.KLERO_BAD_COUNTERS)
	ErrNotMade         error = notMade{}
	// A defect of the library.
	ErrInternal error = failure(C.KLERO_INTERNAL)
)

type closed struct{}

type notMade struct{}

func (closed) Error() string { return "klero: the secret key is closed" }

func (notMade) Error() string {
	return "klero: a check or counters that no function of this package made"
}

// A ClaimError is the error of [VerifyMany] if claims are invalid. It wraps the [Reason].
type ClaimError struct {
	Index  int // of the first claim that is invalid
	Reason Reason
}

func (e *ClaimError) Error() string {
	return fmt.Sprintf("claim %d: %v", e.Index, e.Reason)
}

// Unwrap returns the reason.
func (e *ClaimError) Unwrap() error {
	return e.Reason
}

// failed is the error that a number of the library means.
func failed(status C.int) error {
	switch {
	case status == 0:
		return nil
	case status > 0:
		return Reason(status)
	default:
		return failure(status)
	}
}

func words(status C.int) string {
	return C.GoString(C.klero_reason(status))
}
