package main

// #cgo pkg-config: klero
// #include <klero.h>
// #include <stdlib.h>
import "C"

import "unsafe"

// verify returns the output of 64 bytes if the proof is valid, else nil. Here: Klero's, by its C
// library. Put your verifier in its place.
func verify(suite string, key, alpha, proof []byte) []byte {
	name := C.CString(suite)
	defer C.free(unsafe.Pointer(name))
	var verifier *C.klero_verifier
	if C.klero_verifier_new(name, &verifier) != 0 {
		panic("no suite " + suite)
	}
	defer C.klero_verifier_free(verifier)

	// In C's memory: Go passes no pointers to its own within a struct.
	var claim C.klero_claim
	fields := []*C.klero_bytes{&claim.key, &claim.alpha, &claim.proof}
	for i, value := range [][]byte{key, alpha, proof} {
		copied := C.CBytes(value)
		defer C.free(copied)
		fields[i].data, fields[i].size = (*C.uint8_t)(copied), C.size_t(len(value))
	}
	output := make([]byte, 64)
	if C.klero_verify(verifier, &claim, (*C.uint8_t)(&output[0])) != 0 {
		return nil
	}
	return output
}
