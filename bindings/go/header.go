package klero

// #include <klero.h>
import "C"

import (
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// A HeaderCheck checks headers of Cardano's blocks, of one network: VRF proofs, KES signatures, operational
// certificates with their periods and numbers, leader values, eras. How headers are linked (hash, number,
// slot) is not checked, and neither are bodies.
//
// Make one when a program starts or an epoch begins, and share it. It keeps keys and certificates that it
// has seen, at most 20 MB. Its memory, like that of [Counters], is C's, and freed some time after its last use.
type HeaderCheck struct {
	check *C.klero_header_check
	_     [1]*byte // makes it an object that Go frees by itself
}

// A Stake says who may lead in an epoch.
type Stake struct {
	Epoch uint64
	Pools []PoolStake
	Total uint64 // the total active stake; 0 if it is the sum over the pools
	// The share of the slots that is the overlay of the genesis delegates, in an epoch before Babbage, as
	// numerator and denominator; zeros if it is not known.
	Decentralization [2]uint64
}

// A PoolStake is a pool with its stake in lovelace.
type PoolStake struct {
	Pool  [28]byte // BLAKE2b-224 of its cold key
	Stake uint64
	VRF   *[32]byte // BLAKE2b-256 of its VRF key; nil if that is not known
}

// NewHeaderCheck makes a check for "mainnet", "preprod" or "preview", with the nonces of all epochs until
// this version was made. In the epochs whose stake is given it also checks who may lead.
func NewHeaderCheck(network string, stakes ...Stake) (*HeaderCheck, error) {
	name := append([]byte(network), 0)
	if strings.Contains(network, "\x00") {
		return nil, ErrUnknownNetwork
	}
	return newCheck(stakes, func(stakes *C.klero_header_stake, count C.size_t, to **C.klero_header_check) C.int {
		return C.klero_header_check_new((*C.char)(unsafe.Pointer(&name[0])), stakes, count, to)
	})
}

// HeaderCheckFromGenesis makes a check for another network, from its Shelley genesis file exactly as the
// nodes have it, and the first epochs of its eras by their tags: 2 Shelley (0 unless it is named), 3 Allegra,
// 4 Mary, 5 Alonzo, 6 Babbage, 7 Conway, 8 Dijkstra (experimental). Byron's security parameter, if there were
// blocks of Byron, is taken to be the one in this file.
func HeaderCheckFromGenesis(genesis []byte, starts map[byte]uint64, stakes ...Stake) (*HeaderCheck, error) {
	eras := make([]C.klero_era_start, 0, len(starts))
	for tag, epoch := range starts {
		eras = append(eras, C.klero_era_start{tag: C.uint8_t(tag), epoch: C.uint64_t(epoch)})
	}
	return newCheck(stakes, func(stakes *C.klero_header_stake, count C.size_t, to **C.klero_header_check) C.int {
		return C.klero_header_check_from_genesis(first(genesis), C.size_t(len(genesis)), table(eras),
			C.size_t(len(eras)), stakes, count, to)
	})
}

func newCheck(stakes []Stake,
	create func(*C.klero_header_stake, C.size_t, **C.klero_header_check) C.int) (*HeaderCheck, error) {
	passed := make([]C.klero_header_stake, len(stakes))
	for i, stake := range stakes {
		const size = C.sizeof_klero_header_pool
		copied := newCopies((size + 32) * len(stake.Pools))
		defer copied.free()
		start := (*C.klero_header_pool)(unsafe.Pointer(copied.add(make([]byte, size*len(stake.Pools))).data))
		pools := unsafe.Slice(start, len(stake.Pools))
		for j, pool := range stake.Pools {
			pools[j].pool = *(*[28]C.uint8_t)(unsafe.Pointer(&pool.Pool))
			pools[j].stake = C.uint64_t(pool.Stake)
			if pool.VRF != nil {
				pools[j].vrf = copied.add(pool.VRF[:]).data
			}
		}
		numerator, denominator := stake.Decentralization[0], stake.Decentralization[1]
		passed[i] = C.klero_header_stake{epoch: C.uint64_t(stake.Epoch), total: C.uint64_t(stake.Total),
			pools: start, pool_count: C.size_t(len(pools)),
			d_numerator: C.uint64_t(numerator), d_denominator: C.uint64_t(denominator)}
	}
	made := new(HeaderCheck)
	if err := failed(create(table(passed), C.size_t(len(passed)), &made.check)); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(made, func(c *HeaderCheck) { C.klero_header_check_free(c.check) })
	return made, nil
}

// Counters are the last certificate number of each issuer, at one block of one chain. Peers on different
// chains have counters of their own.
type Counters struct {
	check    *HeaderCheck // of the same network
	mutex    sync.Mutex
	counters *C.klero_header_counters
}

// NewCounters makes counters of no issuer. If the next block is the first one since Byron, each issuer begins
// at 0; else the first number of an issuer is not judged.
func (c *HeaderCheck) NewCounters(sinceFirstBlock bool) (*Counters, error) {
	made := &Counters{check: c}
	if err := made.replace(sinceFirstBlock, nil); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(made, func(n *Counters) { C.klero_header_counters_free(n.counters) })
	return made, nil
}

// replace puts saved counters, or empty ones, in the place of these.
func (n *Counters) replace(sinceFirstBlock bool, saved []byte) error {
	var since C.int
	if sinceFirstBlock {
		since = 1
	}
	return n.use(func(check *C.klero_header_check) C.int {
		old := n.counters
		status := C.klero_header_counters_new(check, since, first(saved), C.size_t(len(saved)), &n.counters)
		if status == 0 {
			C.klero_header_counters_free(old)
		}
		return status
	})
}

// use calls the library with counters, which no other goroutine uses meanwhile.
func (n *Counters) use(call func(check *C.klero_header_check) C.int) error {
	if n == nil || n.check == nil {
		return ErrNotMade
	}
	n.mutex.Lock()
	defer n.mutex.Unlock()
	return failed(call(n.check.check))
}

// Set sets the number of an issuer (BLAKE2b-224 of the cold key), such as a node's state has it.
func (n *Counters) Set(issuer [28]byte, number uint64) error {
	return n.use(func(*C.klero_header_check) C.int {
		return C.klero_header_counters_set(n.counters, first(issuer[:]), C.uint64_t(number))
	})
}

// MarshalBinary returns the counters as bytes, to go on with them later or when a fork is left.
func (n *Counters) MarshalBinary() (saved []byte, err error) {
	err = n.use(func(*C.klero_header_check) C.int {
		var size C.size_t
		_ = C.klero_header_counters_save(n.counters, nil, 0, &size)
		saved = make([]byte, size)
		return C.klero_header_counters_save(n.counters, first(saved), size, &size)
	})
	return saved, err
}

// UnmarshalBinary puts saved counters in the place of these, which [HeaderCheck.NewCounters] made for the
// same network. An error, such as [ErrOtherNetwork], changes nothing.
func (n *Counters) UnmarshalBinary(saved []byte) error {
	if len(saved) == 0 {
		return ErrBadCounters
	}
	return n.replace(false, saved)
}

// A Header is one as peers send it and blocks store it.
type Header struct {
	Tag   byte   // of a block of its era, 2 to 8. Peers number eras from one less: add 1.
	Bytes []byte // CBOR: any bytes, of any size
}

// A HeaderFault is what is wrong with a header: a name that is the same in every language, such as
// "invalid-kes", and a message.
type HeaderFault struct{ Name, Message string }

// A HeaderVerdict is what was found about a header.
type HeaderVerdict struct {
	Faults  []HeaderFault // in the order of the checks; none if the header is valid
	Decoded bool
	Slot    uint64 // 0 if the header could not be decoded
	// The maker's right to lead was judged. Without it, the leader value was compared with f alone.
	JudgedByStake bool
	Experimental  bool // the era is in flux: what was found may not hold once it begins
}

// Verify returns a verdict for each header, in order: the one that it has alone, except for certificate numbers.
// It uses one thread, and from eight headers on the lanes of the processor.
//
// The nonces are those of the epochs of the headers. Where one is not named, it is that which is built in, and
// if there is none the header is invalid ("nonce-unknown"). The headers move the counters in the order given,
// which should be that of one chain: a valid one sets the number of its issuer, any other casts doubt on the
// upper bounds.
//
// The error is nil only if every header is valid. If it is [HeaderInvalid], there are verdicts; with any other
// error there are none; after [ErrInternal] the counters are of no use.
func (c *HeaderCheck) Verify(headers []Header, nonces map[uint64][32]byte, counters *Counters) ([]HeaderVerdict, error) {
	if c == nil {
		return nil, ErrNotMade
	}
	named := make([]C.klero_header_nonce, 0, len(nonces))
	for epoch, nonce := range nonces {
		nonce := *(*[32]C.uint8_t)(unsafe.Pointer(&nonce))
		named = append(named, C.klero_header_nonce{epoch: C.uint64_t(epoch), nonce: nonce})
	}
	verdicts := make([]HeaderVerdict, 0, len(headers))
	err := counters.use(func(*C.klero_header_check) (status C.int) {
		for {
			count, size := part(len(headers), func(i int) int { return len(headers[i].Bytes) })
			if now := c.verify(headers[:count], size, named, counters, &verdicts); now != 0 {
				status = now
			}
			headers = headers[count:]
			if status < 0 || len(headers) == 0 {
				return status
			}
		}
	})
	runtime.KeepAlive(c)
	if err != nil && err != HeaderInvalid {
		return nil, err
	}
	return verdicts, err
}

// verify appends the verdicts on headers, which have so many bytes, by one call.
func (c *HeaderCheck) verify(headers []Header, size int, nonces []C.klero_header_nonce, counters *Counters,
	verdicts *[]HeaderVerdict) C.int {
	copied := newCopies(size)
	defer copied.free()
	passed := make([]C.klero_header, len(headers))
	for i, header := range headers {
		passed[i] = C.klero_header{tag: C.uint8_t(header.Tag), bytes: copied.add(header.Bytes)}
	}
	found := make([]C.klero_header_verdict, len(headers))
	status := C.klero_verify_headers(c.check, table(passed), C.size_t(len(passed)), table(nonces),
		C.size_t(len(nonces)), counters.counters, table(found))
	if status < 0 {
		return status
	}
	for _, of := range found {
		verdict := HeaderVerdict{Decoded: of.decoded != 0, Slot: uint64(of.slot),
			JudgedByStake: of.judged_by_stake != 0, Experimental: of.experimental != 0}
		for _, fault := range unsafe.Slice(of.faults, of.fault_count) {
			verdict.Faults = append(verdict.Faults, HeaderFault{C.GoString(fault.name), C.GoString(fault.message)})
		}
		*verdicts = append(*verdicts, verdict)
	}
	return status
}

// A Protocol elects the makers of blocks by stake.
type Protocol int

// The protocols of Shelley to Alonzo, and since Babbage.
const (
	ProtocolTPraos Protocol = C.KLERO_TPRAOS
	ProtocolPraos  Protocol = C.KLERO_PRAOS
)

// A Leader is what the leader rule says of a pool in a slot.
type Leader struct {
	Leads  bool
	Margin float64 // the leader value divided by the last one that leads, for reports; infinite if none does
	Last   []byte  // the last leader value that leads: 64 bytes in TPraos, 32 in Praos, none if none does
}

// Leads judges by the leader rule alone, exact to the last bit of what nodes compute: a pool with this stake
// of a total, in lovelace, by the output of its VRF proof. f is the active slots coefficient, 1/20 on mainnet.
func Leads(protocol Protocol, output Output, stake, total, fNumerator, fDenominator uint64) (Leader, error) {
	var threshold C.klero_leader_threshold
	status := C.klero_leads(C.int(protocol), output.place(), C.uint64_t(stake), C.uint64_t(total),
		C.uint64_t(fNumerator), C.uint64_t(fDenominator), &threshold)
	if status < 0 {
		return Leader{}, failed(status)
	}
	last := C.GoBytes(unsafe.Pointer(&threshold.last[0]), C.int(threshold.last_size))
	return Leader{status == 0, float64(threshold.margin), last}, nil
}

// table points to the first item. Of none, it is nil.
func table[T any](items []T) *T {
	if len(items) == 0 {
		return nil
	}
	return &items[0]
}
