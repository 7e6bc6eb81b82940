// Runs the tests of headers.json on a validator, the functions validate, leads and turn of other files:
//
//	go run headers*.go verify.go ../headers.json [TYPE...]
//
// Prints the tests whose verdict is wrong, and exits with 1 if there are any. TYPE is a type of groups:
// headers, thresholds or overlay.
package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"strings"
)

type file struct {
	Rules      map[string]any
	Stakes     map[string]stake
	TestGroups []struct {
		context
		Type      string
		Delegates json.RawMessage // of the overlay it is their number
		Tests     []test
	}
}

// The context of a header is the members of its group, and the stake that decides.
type context struct {
	Tag                                 int
	FirstSlot, EpochLength              uint64
	Nonce                               octets
	F, D                                big.Rat
	SlotsPerKesPeriod, MaxKesEvolutions uint64
	Delegates                           []struct{ Delegate, Vrf octets }
	Stake                               stake
}

type stake struct {
	Total uint64 `json:",string"`
	Pools []struct {
		Pool, Vrf octets
		Stake     uint64 `json:",string"`
	}
}

type test struct {
	TcId, Tag, Delegate                         int
	Slot                                        uint64
	Comment, Stake, Total, Result, Broken, Turn string
	Header, Value, VrfSeen                      octets
	LastNumber                                  *uint64
	Leads                                       bool
}

type octets []byte

func (o *octets) UnmarshalText(text []byte) (err error) {
	*o, err = hex.DecodeString(string(text))
	return err
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var vectors file
	check(json.Unmarshal(text, &vectors))
	types := " " + strings.Join(os.Args[2:], " ") + " "
	ran, wrong := 0, 0
	for _, group := range vectors.TestGroups {
		if len(os.Args) > 2 && !strings.Contains(types, " "+group.Type+" ") {
			continue
		}
		delegates := 0
		if group.Type == "overlay" {
			check(json.Unmarshal(group.Delegates, &delegates))
		} else if group.Type == "headers" {
			check(json.Unmarshal(group.Delegates, &group.context.Delegates))
		}
		for _, test := range group.Tests {
			right := false
			switch group.Type {
			case "headers":
				group.Stake = vectors.Stakes[test.Stake]
				broken := validate(group.context, test)
				right = (broken == "") == (test.Result == "valid")
				if _, named := vectors.Rules[broken]; named {
					right = broken == test.Broken
				}
			case "thresholds":
				right = leads(&group.F, number(test.Stake), number(test.Total), test.Value) == test.Leads
			case "overlay":
				of, which := turn(&group.D, &group.F, delegates, test.Slot)
				right = of == test.Turn && which == test.Delegate
			}
			ran++
			if !right {
				wrong++
				fmt.Println(group.Type, test.TcId, "is", test.Result, test.Broken, test.Leads, test.Turn, test.Comment)
			}
		}
	}
	fmt.Printf("%d tests, %d wrong\n", ran, wrong)
	if wrong > 0 || ran == 0 {
		os.Exit(1)
	}
}

func number(text string) *big.Int {
	decoded, ok := new(big.Int).SetString(text, 10)
	if !ok {
		panic("no number: " + text)
	}
	return decoded
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
