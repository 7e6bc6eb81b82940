//! A macro that makes arrays without closures.
//!
//! `array::map` and `array::from_fn` take a closure, which is a separate function. If the compiler did not
//! inline it, it would be compiled without the backend's instruction set.

/// Makes an array whose item `i` is the value of the expression for this `i`.
///
/// * `unroll!(5, I => …)`, also with 9 or 16 instead of 5: `I` is a constant. There is no loop.
/// * `unroll!(N, i => …)` for a constant parameter `N`, at least 1: `i` is the variable of a loop.
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
