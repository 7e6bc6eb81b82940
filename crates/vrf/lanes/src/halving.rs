//! Checks of equations with a multiplier k. Smaller multipliers, of half the size of k, replace k.

use crate::engine::Engine;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use crate::field::with_default_environment;
use crate::formulas::lattice::Halves;
use crate::formulas::point::Point;

/// Runs a stage as it is, because floating-point exceptions trap only on x86-64, and not in Miri.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
fn with_default_environment(stage: impl FnOnce()) {
    stage();
}

impl Engine {
    /// Computes, for each k, integers u and v, usually of about half the size of k. v is odd, and u = v·k
    /// modulo 8·L. So v·(k·P) = u·P for any point P of the curve. v·P is the identity only if P is the
    /// identity, because v is odd and below L. Only the lowest 253 bits of k are used.
    pub fn halve(self, k: &[[u8; 32]], halves: &mut [Halves]) {
        assert_eq!(k.len(), halves.len(), "one place for each scalar");
        // The stage divides doubles, and the host program may have made floating-point exceptions trap.
        with_default_environment(|| self.stages().halve(k, halves));
    }

    /// Sets each item of `vanishes` to true if w·B - u·P - v·Q, with u and v of `halves`, is the identity,
    /// else to false. P and Q must have Z = 1, like the points that [`decode`](Self::decode) returns. Only
    /// the lowest 254 bits of w are used.
    ///
    /// ```
    /// use klero_lanes::{Halves, Point, engine};
    /// // u = 0, v = 1
    /// let halves = [Halves::ZERO; 2];
    /// let mut w = [[0; 32]; 2];
    /// (w[0][0], w[1][0]) = (1, 2);
    /// let (p, q) = ([Point::IDENTITY; 2], [Point::BASE; 2]);
    /// let mut vanishes = [false; 2];
    /// engine().vanishes(&w, &halves, &p, &q, &mut vanishes);
    /// assert_eq!(vanishes, [true, false]);
    /// ```
    pub fn vanishes(
        self,
        w: &[[u8; 32]],
        halves: &[Halves],
        p: &[Point],
        q: &[Point],
        vanishes: &mut [bool],
    ) {
        let n = w.len();
        let lengths = [halves.len(), p.len(), q.len(), vanishes.len()];
        assert_eq!(lengths, [n; 4], "one of each for each w");
        self.stages().vanishes(w, halves, p, q, vanishes);
    }
}
