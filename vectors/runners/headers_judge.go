package main

// #cgo pkg-config: libsodium
// #include <sodium.h>
import "C"

import (
	"bytes"
	"crypto/ed25519"
	"encoding/binary"
	"math/big"
)

// A plain judge of the tests of headers.json, written from docs/header-vectors.md. It verifies VRF proofs
// by Klero (verify.go), takes Ed25519 from Go and BLAKE2b from libsodium; the rest is here. The checks
// stand in the order of the page. Nothing is fast. Put your validator in its place.

// validate returns the first rule that the header of the test breaks, or nothing. A rule of the file is
// compared with the one that is broken; any other name only says that the header is invalid.
func validate(c context, t test) string {
	if broken := brokenRules(c, t); len(broken) > 0 {
		return broken[0]
	}
	return ""
}

// brokenRules returns every rule that the header breaks, as far as one can be judged without the ones
// before.
func brokenRules(c context, t test) (broken []string) {
	h, ok := decode(t.Header, t.Tag >= 6)
	if !ok {
		return []string{"bad-header"}
	}
	if h.slot < c.FirstSlot || h.slot-c.FirstSlot >= c.EpochLength || t.Tag != c.Tag {
		broken = append(broken, "era")
	}
	broken = append(broken, brokenByVrf(c, h)...)
	broken = append(broken, brokenByIssuer(c, t, h)...)
	return append(broken, brokenByCertificate(c, t, h)...)
}

func brokenByVrf(c context, h header) (broken []string) {
	for i, certificate := range h.vrf {
		alpha := hash256(be64(h.slot), c.Nonce)
		if !h.praos {
			for at, mask := range hash256(be64(uint64(i))) {
				alpha[at] ^= mask
			}
		}
		if output := verify("praos", h.vrfKey, alpha, certificate.proof); output == nil {
			broken = append(broken, "vrf-proof")
		} else if !bytes.Equal(output, certificate.output) {
			broken = append(broken, "vrf-output")
		}
	}
	return broken
}

func brokenByIssuer(c context, t test, h header) []string {
	issuer, vrf := hash(28, h.coldKey), hash256(h.vrfKey)
	switch of, which := turn(&c.D, &c.F, len(c.Delegates), h.slot-c.FirstSlot); of {
	case "reserved":
		return []string{"reserved-slot"}
	case "delegate":
		delegate := c.Delegates[which]
		if !bytes.Equal(delegate.Delegate, issuer) || !bytes.Equal(delegate.Vrf, vrf) {
			return []string{"wrong-delegate"}
		}
		return nil
	}
	for _, pool := range c.Stake.Pools {
		if !bytes.Equal(pool.Pool, issuer) {
			continue
		}
		var broken []string
		if pool.Vrf != nil && !bytes.Equal(pool.Vrf, vrf) {
			broken = append(broken, "other-vrf-key")
		}
		if pool.Vrf == nil && t.VrfSeen != nil && !bytes.Equal(t.VrfSeen, vrf) {
			broken = append(broken, "two-vrf-keys")
		}
		value := h.vrf[len(h.vrf)-1].output
		if h.praos {
			value = hash256([]byte("L"), value)
		}
		stake, total := new(big.Int).SetUint64(pool.Stake), new(big.Int).SetUint64(c.Stake.Total)
		if !leads(&c.F, stake, total, value) {
			broken = append(broken, "leader-value")
		}
		return broken
	}
	return []string{"unknown-pool"}
}

func brokenByCertificate(c context, t test, h header) (broken []string) {
	period := h.slot / c.SlotsPerKesPeriod
	if period < h.firstPeriod {
		broken = append(broken, "kes-before-start")
	} else if period-h.firstPeriod >= c.MaxKesEvolutions {
		broken = append(broken, "kes-after-end")
	} else if !sumKes(6, h.hotKey, period-h.firstPeriod, h.body, h.kesSignature) {
		broken = append(broken, "kes-signature")
	}
	signed := join(h.hotKey, be64(h.number), be64(h.firstPeriod))
	if !verifyEd25519(h.coldKey, signed, h.certificate) {
		broken = append(broken, "opcert-signature")
	}
	last := uint64(0)
	if t.LastNumber != nil {
		last = *t.LastNumber
	}
	if h.number < last {
		broken = append(broken, "opcert-number-too-small")
	} else if h.praos && h.number-last > 1 {
		broken = append(broken, "opcert-number-too-large")
	}
	return broken
}

// Signatures and hashes.

var (
	l = add(new(big.Int).Lsh(big.NewInt(1), 252), number("27742317777372353535851937790883648493"))
	p = sub(new(big.Int).Lsh(big.NewInt(1), 255), big.NewInt(19))
	// The y of the points of order 8; it is the same but for the sign.
	eighth, _ = new(big.Int).SetString("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7", 16)
)

// verifyEd25519 follows libsodium: s is below L, no key or R has small order, and the key is in its one
// encoding.
func verifyEd25519(key, message, signature []byte) bool {
	if y(key).Cmp(p) >= 0 || hasSmallOrder(key) || hasSmallOrder(signature[:32]) {
		return false
	}
	return littleEndian(signature[32:]).Cmp(l) < 0 && ed25519.Verify(key, message, signature)
}

// hasSmallOrder returns whether the y of the point, modulo p, is that of a point of order 1, 2, 4 or 8.
func hasSmallOrder(point []byte) bool {
	found := new(big.Int).Mod(y(point), p)
	for _, small := range []*big.Int{big.NewInt(1), sub(p, big.NewInt(1)), zero, eighth, sub(p, eighth)} {
		if found.Cmp(small) == 0 {
			return true
		}
	}
	return false
}

// y reads the y of a point, which may be p or more.
func y(point []byte) *big.Int { return littleEndian(join(point[:31], []byte{point[31] & 0x7f})) }

func littleEndian(encoded []byte) *big.Int {
	reversed := make([]byte, len(encoded))
	for i, next := range encoded {
		reversed[len(encoded)-1-i] = next
	}
	return new(big.Int).SetBytes(reversed)
}

// sumKes verifies a signature of Sum_depth KES. It ends with the keys of its two halves, whose hash is its
// key.
func sumKes(depth int, key []byte, evolution uint64, message, signature []byte) bool {
	if depth == 0 {
		return evolution == 0 && verifyEd25519(key, message, signature)
	}
	at := len(signature) - 64
	inner, left, right := signature[:at], signature[at:at+32], signature[at+32:]
	if !bytes.Equal(hash256(left, right), key) {
		return false
	}
	if half := uint64(1) << (depth - 1); evolution >= half {
		return sumKes(depth-1, right, evolution-half, message, inner)
	}
	return sumKes(depth-1, left, evolution, message, inner)
}

func be64(number uint64) []byte { return binary.BigEndian.AppendUint64(nil, number) }

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func hash256(parts ...[]byte) []byte { return hash(32, parts...) }

func hash(size int, parts ...[]byte) []byte {
	joined, hashed := join(parts...), make([]byte, size)
	C.crypto_generichash((*C.uchar)(&hashed[0]), C.size_t(size), (*C.uchar)(&joined[0]),
		C.ulonglong(len(joined)), nil, 0)
	return hashed
}

// Headers in CBOR.

type header struct {
	praos                                              bool
	slot, number, firstPeriod                          uint64
	coldKey, vrfKey, hotKey, certificate, kesSignature []byte
	body                                               []byte
	vrf                                                []vrfCertificate
}

type vrfCertificate struct{ output, proof []byte }

func decode(encoded []byte, praos bool) (h header, ok bool) {
	r := reader{rest: encoded}
	h.praos, h.vrf = praos, make([]vrfCertificate, 2)
	items := uint64(15)
	if praos {
		h.vrf, items = h.vrf[:1], 10
	}
	r.array(2)
	body := r.rest
	r.array(items)
	r.uint()
	h.slot = r.uint()
	r.hashOrNull()
	h.coldKey, h.vrfKey = r.bytes(32), r.bytes(32)
	for i := range h.vrf {
		r.array(2)
		h.vrf[i] = vrfCertificate{r.bytes(64), r.bytes(80)}
	}
	r.uint()
	r.bytes(32)
	if praos {
		r.array(4)
	}
	h.hotKey, h.number, h.firstPeriod, h.certificate = r.bytes(32), r.uint(), r.uint(), r.bytes(64)
	if praos {
		r.array(2)
	}
	r.uint()
	r.uint()
	h.body = body[:len(body)-len(r.rest)]
	h.kesSignature = r.bytes(448)
	return h, !r.bad && len(r.rest) == 0
}

// A reader of CBOR. Once something was wrong, the rest is worth nothing.
type reader struct {
	rest []byte
	bad  bool
}

func (r *reader) take(size int) []byte {
	if size > len(r.rest) {
		r.bad = true
		return make([]byte, size)
	}
	taken := r.rest[:size]
	r.rest = r.rest[size:]
	return taken
}

func (r *reader) head(kind byte) (argument uint64) {
	first := r.take(1)[0]
	short := first & 31
	if first>>5 != kind || short > 27 {
		r.bad = true
		return 0
	}
	if short < 24 {
		return uint64(short)
	}
	for _, next := range r.take(1 << (short - 24)) {
		argument = argument<<8 | uint64(next)
	}
	return argument
}

func (r *reader) uint() uint64 { return r.head(0) }

func (r *reader) array(size uint64) { r.bad = r.head(4) != size || r.bad }

func (r *reader) bytes(size int) []byte {
	r.bad = r.head(2) != uint64(size) || r.bad
	return r.take(size)
}

func (r *reader) hashOrNull() {
	if len(r.rest) > 0 && r.rest[0] == 0xf6 {
		r.take(1)
	} else {
		r.bytes(32)
	}
}
