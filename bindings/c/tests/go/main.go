// The calls of Algorand's node, by cgo: every name that it uses.
package main

// #cgo pkg-config: klero_vrf_algorand
// #include "sodium.h"
import "C"

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

func init() {
	if C.sodium_init() == -1 {
		panic("sodium_init")
	}
}

type (
	seed   [32]byte
	public [32]byte
	secret [64]byte
	proof  [80]byte
	output [64]byte
)

// first is a pointer to the message; nil if it has no bytes.
func first(message []byte) *C.uchar {
	if len(message) == 0 {
		return nil
	}
	return (*C.uchar)(&message[0])
}

func check(name string, right bool) {
	if !right {
		fmt.Fprintln(os.Stderr, "failed:", name)
		os.Exit(1)
	}
}

func bytes(text string) []byte {
	decoded, err := hex.DecodeString(strings.Trim(text, ".-"))
	check("hex", err == nil)
	return decoded
}

func main() {
	var pk public
	var sk secret
	check("keypair", C.crypto_vrf_keypair((*C.uchar)(&pk[0]), (*C.uchar)(&sk[0])) == 0)

	vectors, err := os.Open(os.Args[1])
	check("open", err == nil)
	proven := 0
	lines := bufio.NewScanner(vectors)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if fields[0] != "praos" || fields[1] == "-" {
			continue
		}
		var seed seed
		var half public
		var made proof
		var hash, proved output
		copy(seed[:], bytes(fields[1]))
		message := bytes(fields[3])
		C.crypto_vrf_keypair_from_seed((*C.uchar)(&pk[0]), (*C.uchar)(&sk[0]), (*C.uchar)(&seed[0]))
		check("public key", hex.EncodeToString(pk[:]) == fields[2])
		C.crypto_vrf_sk_to_pk((*C.uchar)(&half[0]), (*C.uchar)(&sk[0]))
		check("sk_to_pk", half == pk)
		check("prove", C.crypto_vrf_prove((*C.uchar)(&made[0]), (*C.uchar)(&sk[0]),
			first(message), C.ulonglong(len(message))) == 0)
		check("proof", hex.EncodeToString(made[:]) == fields[4])
		check("proof_to_hash", C.crypto_vrf_proof_to_hash((*C.uchar)(&hash[0]),
			(*C.uchar)(&made[0])) == 0)
		check("verify", C.crypto_vrf_verify((*C.uchar)(&proved[0]), (*C.uchar)(&pk[0]),
			(*C.uchar)(&made[0]), first(message), C.ulonglong(len(message))) == 0)
		check("output", proved == hash && hex.EncodeToString(hash[:]) == fields[5])
		made[60] ^= 1
		check("refused", C.crypto_vrf_verify((*C.uchar)(&proved[0]), (*C.uchar)(&pk[0]),
			(*C.uchar)(&made[0]), first(message), C.ulonglong(len(message))) == -1)
		proven++
	}
	check("31 proofs", proven >= 31)
	fmt.Printf("go: %d proofs: ok\n", proven)
}
