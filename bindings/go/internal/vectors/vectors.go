// Package vectors reads the test vectors of the repository.
package vectors

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Hex is bytes that JSON has in hex.
type Hex []byte

// UnmarshalText decodes them.
func (h *Hex) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

// A Vector is a claim with its verdict. Without Sk, it is not known who made it; without Beta, it is
// about no output.
type Vector struct {
	Suite, Result     string
	Sk, Pk, Alpha, Pi Hex
	Beta              Hex
	Valid             bool
}

// Load reads a file that is an array of vectors.
func Load(t testing.TB, directory, name string) (vectors []Vector) {
	t.Helper()
	read(t, filepath.Join(directory, name), &vectors)
	if len(vectors) == 0 {
		t.Fatal("no vectors in ", name)
	}
	return vectors
}

// LoadECVRF reads ecvrf.json. What a verifier may accept or reject is left out.
func LoadECVRF(t testing.TB, directory string) (vectors []Vector) {
	t.Helper()
	var file struct {
		NumberOfTests int
		TestGroups    []struct {
			Suite string
			Tests []Vector
		}
	}
	read(t, filepath.Join(directory, "ecvrf.json"), &file)
	tests := 0
	for _, group := range file.TestGroups {
		tests += len(group.Tests)
		for _, test := range group.Tests {
			if test.Result == "acceptable" {
				continue
			}
			test.Suite, test.Valid = group.Suite, test.Result == "valid"
			vectors = append(vectors, test)
		}
	}
	if tests == 0 || tests != file.NumberOfTests {
		t.Fatalf("ecvrf.json has %d tests and says %d", tests, file.NumberOfTests)
	}
	return vectors
}

func read(t testing.TB, path string, to interface{}) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		t.Fatal(path, ": ", err)
	}
}
