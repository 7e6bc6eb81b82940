package main

import "math/big"

// The lottery and the overlay. Numbers are integers of units of 10^-34.

var (
	zero    = big.NewInt(0)
	one     = new(big.Int).Exp(big.NewInt(10), big.NewInt(34), nil)
	epsilon = new(big.Int).Exp(big.NewInt(10), big.NewInt(10), nil)
	e       = euler()
)

// leads returns whether a pool with this stake leads with the leader value, 32 or 64 bytes.
func leads(f *big.Rat, stake, total *big.Int, value []byte) bool {
	if f.Cmp(big.NewRat(1, 1)) == 0 {
		return true
	}
	largest := new(big.Int).Lsh(big.NewInt(1), uint(8*len(value)))
	reciprocal := over(largest, sub(largest, new(big.Int).SetBytes(value)))
	c := log(sub(one, over(f.Num(), f.Denom())))
	x := sub(zero, times(over(stake, total), c))
	partial, term := one, x
	for number := int64(2); number < 1002; number++ {
		partial, term = add(partial, term), div(times(term, x), big.NewInt(number))
		rest := mul(big.NewInt(3), term)
		if reciprocal.Cmp(add(partial, rest)) >= 0 {
			return false
		}
		if reciprocal.Cmp(sub(partial, rest)) < 0 {
			return true
		}
	}
	return false
}

// log returns ln x for 0 < x < 1: n + ln(x / e^n), where e^n is the largest power that is not above x.
func log(x *big.Int) *big.Int {
	n := floorLog(x)
	rest := sub(over(x, power(e, n)), one)
	return add(mul(big.NewInt(n), one), logPlusOne(rest))
}

func floorLog(x *big.Int) int64 {
	low, high, lower, upper := int64(-1), int64(1), over(one, e), e
	for x.Cmp(lower) < 0 || x.Cmp(upper) > 0 {
		low, high, lower, upper = 2*low, 2*high, times(lower, lower), times(upper, upper)
	}
	for low+1 < high {
		if middle := (low + high) >> 1; x.Cmp(power(e, middle)) < 0 {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// logPlusOne returns ln(1 + x) = x/(1 + x/(2 + x/(3 + 4x/(4 + 4x/(5 + ..., until two convergents are
// closer than 10^-24.
func logPlusOne(x *big.Int) (convergent *big.Int) {
	a, b, lastA, lastB := zero, one, one, zero
	for n := int64(1); n <= 1000; n++ {
		factor := x
		if n > 1 {
			factor = mul(x, big.NewInt((n/2)*(n/2)))
		}
		a, lastA = add(mul(big.NewInt(n), a), times(factor, lastA)), a
		b, lastB = add(mul(big.NewInt(n), b), times(factor, lastB)), b
		last := convergent
		convergent = over(a, b)
		if last != nil && sub(convergent, last).CmpAbs(epsilon) < 0 {
			break
		}
	}
	return convergent
}

// euler returns e by its series, as long as terms are 10^-24 or more.
func euler() *big.Int {
	total := one
	for number, term := int64(1), one; ; number++ {
		term = div(term, big.NewInt(number))
		if term.Cmp(epsilon) < 0 {
			return total
		}
		total = add(total, term)
	}
}

func power(x *big.Int, n int64) *big.Int {
	switch {
	case n < 0:
		return over(one, power(x, -n))
	case n == 0:
		return one
	case n%2 == 1:
		return times(x, power(x, n-1))
	}
	root := power(x, n/2)
	return times(root, root)
}

func times(x, y *big.Int) *big.Int { return div(mul(x, y), one) }
func over(x, y *big.Int) *big.Int  { return div(mul(x, one), y) }
func add(x, y *big.Int) *big.Int   { return new(big.Int).Add(x, y) }
func sub(x, y *big.Int) *big.Int   { return new(big.Int).Sub(x, y) }
func mul(x, y *big.Int) *big.Int   { return new(big.Int).Mul(x, y) }

// div rounds down, since no divisor is negative.
func div(x, y *big.Int) *big.Int { return new(big.Int).Div(x, y) }

// turn returns whose the slot is, lottery, reserved or delegate, and which delegate it is.
func turn(d, f *big.Rat, delegates int, slot uint64) (string, int) {
	if d.Sign() == 0 {
		return "lottery", 0
	}
	at := new(big.Int).SetUint64(slot)
	// The first k for which k/d is not below the slot.
	k := sub(zero, div(sub(zero, mul(at, d.Num())), d.Denom()))
	if div(mul(k, d.Denom()), d.Num()).Cmp(at) != 0 {
		return "lottery", 0
	}
	block, rest := new(big.Int).DivMod(k, div(f.Denom(), f.Num()), new(big.Int))
	if rest.Sign() != 0 {
		return "reserved", 0
	}
	return "delegate", int(block.Uint64() % uint64(delegates))
}
