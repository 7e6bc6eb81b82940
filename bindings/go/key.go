package klero

// #include <klero.h>
import "C"

import (
	"fmt"
	"runtime"
	"sync"
)

// A SecretKey makes the proofs of one suite. It proves in that suite only: two proofs of one alpha in two
// suites can give the key away. For the same reason, no seed serves two suites, or a suite and Ed25519
// signatures.
//
// Call Close when it is not needed any more. Printing a key, with whatever verb, gives the suite and
// the public key.
type SecretKey struct {
	handle *handle
}

// handle is shared by copies of a key, so that none frees what another uses.
type handle struct {
	suite     Suite
	publicKey [PublicKeySize]byte
	proofSize int

	mutex sync.RWMutex        // held for writing only to close
	key   *C.klero_secret_key // nil after that
}

// GenerateKey makes a key from the operating system's random source.
func GenerateKey(suite Suite) (*SecretKey, error) {
	return newKey(suite, func(name *C.char, key **C.klero_secret_key) C.int {
		return C.klero_secret_key_generate(name, key)
	})
}

// NewKeyFromSeed makes the key of a seed: 32 secret, uniformly random bytes. Wiping them is up to the
// caller.
func NewKeyFromSeed(suite Suite, seed []byte) (*SecretKey, error) {
	if len(seed) != SeedSize {
		return nil, fmt.Errorf("%w: a seed has %d bytes, not %d", ErrSize, SeedSize, len(seed))
	}
	return newKey(suite, func(name *C.char, key **C.klero_secret_key) C.int {
		return C.klero_secret_key_from_seed(name, first(seed), key)
	})
}

// librarySize is that of libsodium's secret keys.
const librarySize = SeedSize + PublicKeySize

// NewKeyFromLibsodium makes the key of libsodium's 64 bytes, seed and then public key, as Algorand's node
// keeps them. Wiping them is up to the caller.
func NewKeyFromLibsodium(suite Suite, secret []byte) (*SecretKey, error) {
	if len(secret) != librarySize {
		return nil, fmt.Errorf("%w: a secret key has %d bytes, not %d", ErrSize, librarySize, len(secret))
	}
	return newKey(suite, func(name *C.char, key **C.klero_secret_key) C.int {
		return C.klero_secret_key_from_libsodium(name, first(secret), key)
	})
}

func newKey(suite Suite, create func(*C.char, **C.klero_secret_key) C.int) (*SecretKey, error) {
	found, err := suite.implementation()
	if err != nil {
		return nil, err
	}
	var key *C.klero_secret_key
	if err := failed(create(found.name, &key)); err != nil {
		return nil, err
	}
	made := &handle{suite: suite, proofSize: found.proofSize, key: key}
	runtime.SetFinalizer(made, (*handle).close)
	if err := failed(C.klero_secret_key_public_key(key, first(made.publicKey[:]))); err != nil {
		return nil, err
	}
	return &SecretKey{made}, nil
}

// Close wipes the key, after calls that use it have ended. Later calls return [ErrClosed]. A key that
// nobody refers to is closed at some time after that. The error is always nil.
func (k *SecretKey) Close() error {
	if k != nil && k.handle != nil {
		k.handle.close()
	}
	return nil
}

func (h *handle) close() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	C.klero_secret_key_free(h.key)
	h.key = nil
	runtime.SetFinalizer(h, nil)
}

// use calls the library with the key, which nobody closes meanwhile.
func (k *SecretKey) use(call func(*handle) C.int) error {
	if k == nil || k.handle == nil {
		return ErrClosed
	}
	k.handle.mutex.RLock()
	defer k.handle.mutex.RUnlock()
	if k.handle.key == nil {
		return ErrClosed
	}
	return failed(call(k.handle))
}

// Suite returns the suite of the key, which is known after Close as well.
func (k *SecretKey) Suite() Suite {
	if k == nil || k.handle == nil {
		return ""
	}
	return k.handle.suite
}

// PublicKey returns a copy of the public key, 32 bytes, which are known after Close as well.
func (k *SecretKey) PublicKey() []byte {
	if k == nil || k.handle == nil {
		return nil
	}
	return append([]byte(nil), k.handle.publicKey[:]...)
}

// Libsodium returns libsodium's 64 bytes, the seed and then the public key: to save the key. They are
// secret, and wiping them is up to the caller.
func (k *SecretKey) Libsodium() ([]byte, error) {
	secret := make([]byte, librarySize)
	err := k.use(func(h *handle) C.int {
		return C.klero_secret_key_to_libsodium(h.key, first(secret))
	})
	if err != nil {
		return nil, err
	}
	return secret, nil
}

// Prove makes the proof, and the output that it proves. The same key and alpha always give the same
// proof. It takes a time that does not depend on the key.
func (k *SecretKey) Prove(alpha []byte) (proof []byte, output Output, err error) {
	err = k.use(func(h *handle) C.int {
		proof = make([]byte, h.proofSize)
		return C.klero_prove(h.key, first(alpha), C.size_t(len(alpha)), first(proof),
			C.size_t(len(proof)), output.place())
	})
	if err != nil {
		return nil, Output{}, err
	}
	return proof, output, nil
}

// Evaluate returns the output without a proof, in less than half the time.
func (k *SecretKey) Evaluate(alpha []byte) (Output, error) {
	var output Output
	err := k.use(func(h *handle) C.int {
		return C.klero_evaluate(h.key, first(alpha), C.size_t(len(alpha)), output.place())
	})
	return output, err
}

// ProveMany makes a proof and an output for each alpha, in order: the same as [SecretKey.Prove], side by
// side. For threads, see [VerifyMany].
func (k *SecretKey) ProveMany(alphas [][]byte, threads int) (proofs [][]byte, outputs []Output, err error) {
	err = k.use(func(h *handle) C.int {
		for len(alphas) > 0 {
			count, bytes := part(len(alphas), func(i int) int { return len(alphas[i]) })
			status := h.prove(alphas[:count], bytes, threads, &proofs, &outputs)
			if status != 0 {
				return status
			}
			alphas = alphas[count:]
		}
		return 0
	})
	if err != nil {
		return nil, nil, err
	}
	return proofs, outputs, nil
}

// prove appends the proofs and outputs of at least one alpha, which have so many bytes, by one call.
func (h *handle) prove(alphas [][]byte, bytes, threads int, proofs *[][]byte, outputs *[]Output) C.int {
	copied := newCopies(bytes)
	defer copied.free()
	requests := make([]C.klero_request, len(alphas))
	for i, alpha := range alphas {
		requests[i] = C.klero_request{key: h.key, alpha: copied.add(alpha)}
	}
	made := make([]byte, len(alphas)*h.proofSize)
	values := make([]Output, len(alphas))
	status := C.klero_prove_many(&requests[0], C.size_t(len(alphas)), first(made), C.size_t(len(made)),
		places(values), processors(threads))
	if status != 0 {
		return status
	}
	for i := range alphas {
		end := (i + 1) * h.proofSize
		*proofs = append(*proofs, made[i*h.proofSize:end:end])
	}
	*outputs = append(*outputs, values...)
	return 0
}

// Format prints the suite and the public key, never the secret.
func (k *SecretKey) Format(state fmt.State, _ rune) {
	fmt.Fprintf(state, "klero.SecretKey(%s, public key %x)", k.Suite(), k.PublicKey())
}
