// Package algorand calls the VRF as Algorand's node does: by every name of its fork of libsodium that
// the node uses. Only the directive for pkg-config knows of Klero.
package algorand

// #cgo pkg-config: klero_vrf_algorand
// #include "sodium.h"
import "C"

type (
	seed   [32]byte
	public [32]byte
	secret [64]byte
	proof  [80]byte
	output [64]byte
)

func init() {
	if C.sodium_init() == -1 {
		panic("sodium_init")
	}
}

// first is a pointer to the message; nil if it has no bytes.
func first(message []byte) *C.uchar {
	if len(message) == 0 {
		return nil
	}
	return (*C.uchar)(&message[0])
}

func keypair() (pk public, sk secret) {
	C.crypto_vrf_keypair((*C.uchar)(&pk[0]), (*C.uchar)(&sk[0]))
	return pk, sk
}

func (s seed) keypair() (pk public, sk secret) {
	C.crypto_vrf_keypair_from_seed((*C.uchar)(&pk[0]), (*C.uchar)(&sk[0]), (*C.uchar)(&s[0]))
	return pk, sk
}

func (sk secret) public() (pk public) {
	C.crypto_vrf_sk_to_pk((*C.uchar)(&pk[0]), (*C.uchar)(&sk[0]))
	return pk
}

func (sk secret) prove(message []byte) (made proof, ok bool) {
	status := C.crypto_vrf_prove((*C.uchar)(&made[0]), (*C.uchar)(&sk[0]), first(message),
		C.ulonglong(len(message)))
	return made, status == 0
}

func (p proof) hash() (hash output, ok bool) {
	status := C.crypto_vrf_proof_to_hash((*C.uchar)(&hash[0]), (*C.uchar)(&p[0]))
	return hash, status == 0
}

func (pk public) verify(p proof, message []byte) (proved output, ok bool) {
	status := C.crypto_vrf_verify((*C.uchar)(&proved[0]), (*C.uchar)(&pk[0]), (*C.uchar)(&p[0]),
		first(message), C.ulonglong(len(message)))
	return proved, status == 0
}
