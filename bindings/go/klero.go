// Package klero verifies and makes proofs of ECVRF on edwards25519: one, or many side by side in the
// lanes of a vector register and on all processors.
//
// It calls the C library libklero by cgo, and pkg-config says where that is. A [Suite] is a form of
// ECVRF. Anyone checks a [Claim] with [Verify] or [VerifyMany]; the owner of a [SecretKey] makes
// proofs. In a batch, each claim has the verdict that it has alone. A [HeaderCheck] checks headers of Cardano.
//
// # Errors
//
// An invalid claim is answered with a [Reason], the same in every language and on every processor. All
// other errors are failures of the program or the machine, such as [ErrUnknownSuite]. No input makes a
// function panic.
//
// # Memory
//
// Secret keys are in C's memory, where Go neither moves nor prints them, and [SecretKey.Close] wipes
// them. Slices are read during the call only, and nobody may change them meanwhile. Functions for many
// copy them to C's memory, some 32 MB at a time; functions for one read them where they are.
//
// All functions and methods may be called from any number of goroutines.
package klero

// #cgo pkg-config: --static klero
// #include <klero.h>
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

// Sizes in bytes. The size of a proof depends on the suite: [Suite.ProofSize].
const (
	SeedSize      = C.KLERO_SEED_SIZE
	PublicKeySize = C.KLERO_PUBLIC_KEY_SIZE
	OutputSize    = C.KLERO_OUTPUT_SIZE
)

// A Suite is a form of ECVRF, known by its name. A proof of one suite is invalid in all others.
type Suite string

// The suites that programs need most. [Suites] lists all.
const (
	Praos                  Suite = "praos"           // Cardano's block headers
	PraosOriginal          Suite = "praos-original"  // Algorand, and Cardano's nodes before 2023
	RFC9381TAI             Suite = "rfc9381-tai"     // key transparency
	RFC9381ELL2            Suite = "rfc9381-ell2"    // something new
	RFC9381ELL2BatchCompat Suite = "rfc9381-ell2-bc" // something new, for large batches
)

// implementation is what the library has for a suite. It lives as long as the program.
type implementation struct {
	name      *C.char
	proofSize int
	verifier  *C.klero_verifier
}

var suites, implementations = load()

func load() (names []Suite, all map[Suite]*implementation) {
	all = make(map[Suite]*implementation)
	for {
		name := C.klero_suite_name(C.size_t(len(names)))
		if name == nil {
			return names, all
		}
		made := &implementation{name: name, proofSize: int(C.klero_proof_size(name))}
		// Without a verifier, which only a defect of the library can cause, its calls return an error.
		_ = C.klero_verifier_new(name, &made.verifier)
		suite := Suite(C.GoString(name))
		names = append(names, suite)
		all[suite] = made
	}
}

// Suites returns all suites: those in use, then experimental ones.
func Suites() []Suite {
	return append([]Suite(nil), suites...)
}

// ProofSize returns the size of the suite's proofs: 80, 128 or 144 bytes; 0 if there is no such suite.
func (s Suite) ProofSize() int {
	if found := implementations[s]; found != nil {
		return found.proofSize
	}
	return 0
}

func (s Suite) implementation() (*implementation, error) {
	if found := implementations[s]; found != nil {
		return found, nil
	}
	const longest = 40
	name := s
	if len(name) > longest {
		name = name[:longest] + "…"
	}
	return nil, fmt.Errorf("%w: %q", ErrUnknownSuite, string(name))
}

// Version returns the version of the C library, such as "0.1.0".
func Version() string {
	return C.GoString(C.klero_version())
}

// An Output is what a proof proves: 64 bytes that are as good as random.
type Output [OutputSize]byte

// Below returns an integer from 0 to n-1 that the output gives, such as the number of a winner; each is
// as likely as the others. n = 0 is [ErrSize].
func (o Output) Below(n uint64) (uint64, error) {
	var below C.uint64_t
	status := C.klero_output_below(o.place(), C.uint64_t(n), &below)
	return uint64(below), failed(status)
}

// place is where the library writes or reads an output.
func (o *Output) place() *C.uint8_t {
	return first(o[:])
}

// places is the same for the outputs of many items, at least one.
func places(outputs []Output) *[OutputSize]C.uint8_t {
	return (*[OutputSize]C.uint8_t)(unsafe.Pointer(&outputs[0]))
}

// first points to the first byte of a slice. A slice of none has no such byte: nil.
func first(bytes []byte) *C.uint8_t {
	if len(bytes) == 0 {
		return nil
	}
	return (*C.uint8_t)(unsafe.Pointer(&bytes[0]))
}

// processors is the number of threads that a caller asks for: 0 or less means one for each processor
// that Go uses.
func processors(threads int) C.size_t {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return C.size_t(threads)
}
