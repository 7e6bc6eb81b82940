package klero_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"klero.example/klero"
	"klero.example/klero/internal/vectors"
)

// A headerCase is one of vectors/headers.json: a header to be judged alone, or a leader value.
type headerCase struct {
	Genesis, Names, Also, Words  string
	Starts                       map[byte]uint64
	Epoch, Stake, Total          uint64
	D, F                         [2]uint64
	Nonce, Header, Issuer, Value vectors.Hex
	Pools                        []struct {
		Pool, VRF vectors.Hex
		Stake     uint64
	}
	Tag   byte
	Last  *uint64
	Leads bool
}

func TestHeaderVectors(t *testing.T) {
	text, err := exec.Command("python3", "../c/tests/headers.py", "cases").Output()
	if err != nil {
		t.Fatal(err)
	}
	cases := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, line := range cases {
		var of headerCase
		if err := json.Unmarshal([]byte(line), &of); err != nil {
			t.Fatal(err)
		}
		if of.Value == nil {
			of.judge(t)
		} else {
			of.lead(t)
		}
	}
	if len(cases) != 529 {
		t.Fatal(len(cases), " cases")
	}
}

func (of *headerCase) judge(t *testing.T) {
	stake := klero.Stake{Epoch: of.Epoch, Total: of.Total, Decentralization: of.D}
	for _, pool := range of.Pools {
		one := klero.PoolStake{Pool: *(*[28]byte)(pool.Pool), Stake: pool.Stake}
		if len(pool.VRF) > 0 {
			one.VRF = (*[32]byte)(pool.VRF)
		}
		stake.Pools = append(stake.Pools, one)
	}
	check, err := klero.HeaderCheckFromGenesis([]byte(of.Genesis), of.Starts, stake)
	if err != nil {
		t.Fatal(err)
	}
	counters, err := check.NewCounters(true)
	if err == nil && of.Last != nil {
		err = counters.Set(*(*[28]byte)(of.Issuer), *of.Last)
	}
	if err != nil {
		t.Fatal(err)
	}
	nonces := map[uint64][32]byte{of.Epoch: *(*[32]byte)(of.Nonce)}
	verdicts, err := check.Verify([]klero.Header{{Tag: of.Tag, Bytes: of.Header}}, nonces, counters)
	verdict, named := verdicts[0], false
	for _, fault := range verdict.Faults {
		is := strings.Contains(of.Names, fault.Name) && strings.Contains(fault.Message, of.Words)
		if !is && !strings.Contains(of.Also, fault.Name) {
			t.Fatal(of, fault)
		}
		named = named || is
	}
	decoded := of.Names != "bad-header"
	if named != (of.Names != "") || (err == klero.HeaderInvalid) != (len(verdict.Faults) > 0) ||
		verdict.Decoded != decoded || verdict.JudgedByStake != decoded || (verdict.Slot > 0) != decoded {
		t.Fatal(of, verdict, err)
	}
}

func (of *headerCase) lead(t *testing.T) {
	var output klero.Output
	protocol := klero.ProtocolPraos
	if copy(output[:], of.Value) == len(output) {
		protocol = klero.ProtocolTPraos
	}
	leader, err := klero.Leads(protocol, output, of.Stake, of.Total, of.F[0], of.F[1])
	leads := bytes.Compare(of.Value, leader.Last) <= 0
	if err != nil || leads != of.Leads || protocol == klero.ProtocolTPraos && leads != leader.Leads {
		t.Fatal(of, leader, err)
	}
}

// Real headers of preview that are spoiled and cut, alone and together, by goroutines that share a check.
func TestHostileHeaders(t *testing.T) {
	check, whole := previewHeaders(t)
	random := rand.New(rand.NewSource(1))
	headers := append([]klero.Header(nil), whole...)
	for i := 0; i < 3000; i++ {
		bytes := append([]byte(nil), whole[i%3].Bytes...)
		if i%2 == 0 {
			bytes = bytes[:random.Intn(len(bytes))]
		} else {
			bytes[random.Intn(len(bytes))] ^= 1 << random.Intn(8)
		}
		tag := []byte{6, 6, 7, byte(random.Intn(256))}[random.Intn(4)]
		headers = append(headers, klero.Header{Tag: tag, Bytes: bytes})
	}
	for i := 0; i < 2; i++ { // together they are more than Go gives to one call
		headers = append(headers, klero.Header{Tag: 6, Bytes: make([]byte, 20<<20)})
	}
	counters, _ := check.NewCounters(false)
	together, err := check.Verify(headers, nil, counters)
	if err != klero.HeaderInvalid || len(together) != len(headers) {
		t.Fatal(err)
	}
	var running sync.WaitGroup
	for i := 0; i < 4; i++ {
		running.Add(1)
		go func(first int) {
			defer running.Done()
			for j := first; j < len(headers); j += 4 {
				counters, _ := check.NewCounters(false)
				verdicts, err := check.Verify(headers[j:j+1], nil, counters)
				valid, found := len(verdicts[0].Faults) == 0, fmt.Sprint(together[j])
				// Which number a certificate may have depends on headers before.
				same := fmt.Sprint(verdicts[0]) == found || strings.Contains(found, "certificate-number")
				if (err == nil) != valid || !same {
					t.Error(j, verdicts, found)
				}
			}
		}(i)
	}
	running.Wait()
}

func TestHeaderFailures(t *testing.T) {
	check, headers := previewHeaders(t)
	counters, _ := check.NewCounters(false)
	if _, err := check.Verify(headers[:2], nil, counters); err != nil {
		t.Fatal(err)
	}
	saved, err := counters.MarshalBinary()
	if err != nil || counters.UnmarshalBinary(append(saved, 0)) != klero.ErrBadCounters {
		t.Fatal(err)
	}
	// Behind the head of 50 bytes: an issuer.
	_ = counters.Set(*(*[28]byte)(saved[50:]), 1<<40)
	verdicts, _ := check.Verify(headers[:2], nil, counters)
	if !strings.Contains(fmt.Sprint(verdicts), "certificate-number") || counters.UnmarshalBinary(saved) != nil {
		t.Fatal(verdicts)
	}
	if _, err := check.Verify(headers[:2], nil, counters); err != nil {
		t.Fatal(err)
	}
	preprod, _ := klero.NewHeaderCheck("preprod")
	others, _ := preprod.NewCounters(true)
	pool := klero.PoolStake{Stake: 5}
	_, verified := preprod.Verify(headers, nil, counters)
	_, nobodys := check.Verify(headers, nil, nil)
	_, name := klero.NewHeaderCheck("preview\x00")
	_, genesis := klero.HeaderCheckFromGenesis(nil, nil)
	_, era := klero.HeaderCheckFromGenesis(nil, map[byte]uint64{9: 1})
	_, none := klero.NewHeaderCheck("preview", klero.Stake{})
	_, twice := klero.NewHeaderCheck("preview", klero.Stake{Pools: []klero.PoolStake{pool, pool}})
	_, above := klero.NewHeaderCheck("preview", klero.Stake{Pools: []klero.PoolStake{pool}, Total: 4})
	stake := klero.Stake{Pools: []klero.PoolStake{pool}, Decentralization: [2]uint64{2, 1}}
	_, ratio := klero.NewHeaderCheck("preview", stake)
	stake.Decentralization = [2]uint64{1, 1}
	_, epochs := klero.NewHeaderCheck("preview", stake, stake)
	_, protocol := klero.Leads(0, klero.Output{}, 1, 1, 1, 20)
	for i, of := range [][2]error{{others.UnmarshalBinary(saved), klero.ErrOtherNetwork}, {name, klero.ErrUnknownNetwork},
		{verified, klero.ErrOtherNetwork}, {nobodys, klero.ErrNotMade}, {genesis, klero.ErrBadGenesis},
		{era, klero.ErrUnknownEra}, {none, klero.ErrBadStake}, {twice, klero.ErrBadStake}, {above, klero.ErrBadStake},
		{ratio, klero.ErrBadRatio}, {epochs, klero.ErrGivenTwice}, {protocol, klero.ErrUnknownProtocol}} {
		if !errors.Is(of[0], of[1]) {
			t.Error(i, of)
		}
	}
}

// previewHeaders are two headers of preview that are valid, and one that is altered.
func previewHeaders(t testing.TB) (*klero.HeaderCheck, []klero.Header) {
	headers, err := readHeaders("testdata/headers.txt")
	if err != nil {
		t.Fatal(err)
	}
	check, err := klero.NewHeaderCheck("preview")
	if err != nil {
		t.Fatal(err)
	}
	return check, headers
}
