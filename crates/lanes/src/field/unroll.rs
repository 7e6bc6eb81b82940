//! Loops that are unrolled in the source.
//!
//! `array::map` and `array::from_fn` take a closure, and a closure is a function of its
//! own: where it is not inlined it is compiled without the backend's instruction set.

/// An array whose item `i` is the value of the expression for `i`.
///
/// * `unroll!(5, I => …)`, and the same for 9 and 16: `I` is a constant in the expression.
/// * `unroll!(N, i => …)` for a constant parameter `N`, at least 1: `i` is a variable.
macro_rules! unroll {
    (5, $i:ident => $item:expr) => {
        unroll!(@ $i => $item, 0 1 2 3 4)
    };
    (9, $i:ident => $item:expr) => {
        unroll!(@ $i => $item, 0 1 2 3 4 5 6 7 8)
    };
    (16, $i:ident => $item:expr) => {
        unroll!(@ $i => $item, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
    };
    (@ $i:ident => $item:expr, $($number:literal)*) => {
        [$({
            const $i: usize = $number;
            $item
        }),*]
    };
    ($n:ident, $i:ident => $item:expr) => {{
        let $i = 0;
        let mut out = [$item; $n];
        let mut $i = 1;
        while $i < $n {
            out[$i] = $item;
            $i += 1;
        }
        out
    }};
}
