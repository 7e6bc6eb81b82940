package klero_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"klero.example/klero"
)

// The seed, printed in whatever way, would contain this many times the same byte.
const secretByte = 0xa7

func TestSecretsAreNotPrinted(t *testing.T) {
	key, err := klero.NewKeyFromSeed(klero.Praos, bytes.Repeat([]byte{secretByte}, klero.SeedSize))
	if err != nil {
		t.Fatal(err)
	}
	type holder struct {
		Key    *klero.SecretKey
		hidden *klero.SecretKey
		copied klero.SecretKey
	}
	held := holder{key, key, *key}
	for _, closed := range []bool{false, true} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%b", "%T", "%p"} {
			for _, value := range []interface{}{key, *key, held, &held, []*klero.SecretKey{key}} {
				printed := strings.ToLower(fmt.Sprintf(verb, value))
				for _, form := range []string{"a7a7a7a7", "167, 167", "167 167", "0xa7, 0xa7", "10100111 10100111"} {
					if strings.Contains(printed, form) {
						t.Fatalf("%s prints %s", verb, printed)
					}
				}
			}
		}
		text, err := json.Marshal(held)
		if err != nil || string(text) != `{"Key":{}}` {
			t.Fatal(string(text), err)
		}
		expected := "klero.SecretKey(praos, public key " + hex.EncodeToString(key.PublicKey()) + ")"
		if printed := fmt.Sprintf("%#v", key); printed != expected {
			t.Fatal(printed)
		}
		if !closed {
			_ = key.Close()
		}
	}
}

func TestClosed(t *testing.T) {
	key, err := klero.GenerateKey(klero.PraosOriginal)
	if err != nil {
		t.Fatal(err)
	}
	copied := *key
	for i := 0; i < 2; i++ {
		if err := key.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var none *klero.SecretKey
	for _, key := range []*klero.SecretKey{key, &copied, none, {}} {
		_, _, one := key.Prove(nil)
		_, evaluated := key.Evaluate(nil)
		_, _, many := key.ProveMany(make([][]byte, 3), 0)
		secret, saved := key.Libsodium()
		for _, err := range []error{one, evaluated, many, saved, key.Close()} {
			if err != klero.ErrClosed && err != nil || secret != nil {
				t.Fatal(err)
			}
		}
		if one == nil || evaluated == nil || many == nil || saved == nil {
			t.Fatal("a closed key is used")
		}
		_, _, _ = key.Suite(), key.PublicKey(), fmt.Sprintf("%v", key)
	}
}

func TestLibsodium(t *testing.T) {
	key, err := klero.GenerateKey(klero.PraosOriginal)
	if err != nil {
		t.Fatal(err)
	}
	defer key.Close()
	secret, err := key.Libsodium()
	if err != nil || !bytes.Equal(secret[32:], key.PublicKey()) {
		t.Fatal(err)
	}
	same, err := klero.NewKeyFromLibsodium(klero.PraosOriginal, secret)
	if err != nil {
		t.Fatal(err)
	}
	defer same.Close()
	proof, _, _ := key.Prove([]byte("alpha"))
	again, _, _ := same.Prove([]byte("alpha"))
	if !bytes.Equal(proof, again) || len(proof) != 80 {
		t.Fatal("the saved key makes other proofs")
	}
	secret[63] ^= 1
	if _, err := klero.NewKeyFromLibsodium(klero.PraosOriginal, secret); err != klero.ErrHalvesDiffer {
		t.Fatal(err)
	}
}

// Keys that nobody closes are freed while others are used.
func TestForgottenKeys(t *testing.T) {
	for i := 0; i < 200; i++ {
		key, err := klero.GenerateKey(klero.RFC9381TAI)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := key.Evaluate(nil); err != nil {
			t.Fatal(err)
		}
		if i%50 == 0 {
			runtime.GC()
		}
	}
}
