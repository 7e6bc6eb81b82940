// Runs the tests of ecvrf.json on a verifier, the function verify of another file:
//
//	go run ecvrf.go verify.go ../ecvrf.json [SUITE...]
//
// Prints the tests whose verdict is wrong, and exits with 1 if there are any.
package main

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

type file struct {
	TestGroups []struct {
		Suite string
		Tests []struct {
			TcId                           int
			Comment, Pk, Alpha, Pi, Result string
			Flags                          []string
			Beta                           *string
		}
	}
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	check(err)
	var vectors file
	check(json.Unmarshal(text, &vectors))
	suites := " " + strings.Join(os.Args[2:], " ") + " "
	ran, wrong := 0, 0
	for _, group := range vectors.TestGroups {
		if len(os.Args) > 2 && !strings.Contains(suites, " "+group.Suite+" ") {
			continue
		}
		for _, test := range group.Tests {
			output := verify(group.Suite, bytes(test.Pk), bytes(test.Alpha), bytes(test.Pi))
			verdict := "invalid"
			if output != nil && (test.Beta == nil || *test.Beta == hex.EncodeToString(output)) {
				verdict = "valid"
			}
			ran++
			if test.Result != verdict && test.Result != "acceptable" {
				wrong++
				fmt.Println(group.Suite, test.TcId, "is", test.Result, test.Flags, test.Comment)
			}
		}
	}
	fmt.Printf("%d tests, %d wrong\n", ran, wrong)
	if wrong > 0 || ran == 0 {
		os.Exit(1)
	}
}

func bytes(text string) []byte {
	decoded, err := hex.DecodeString(text)
	check(err)
	return decoded
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
