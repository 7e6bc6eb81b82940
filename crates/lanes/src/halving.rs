//! Equations with a multiplier k, checked with multipliers of half its size.

use crate::engine::Engine;
#[cfg(all(target_arch = "x86_64", not(miri)))]
use crate::field::with_default_environment;
use crate::formulas::lattice::Halves;
use crate::formulas::point::Point;

/// Runs a stage as it is: on other processors, and in Miri, no exception traps.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
fn with_default_environment(stage: impl FnOnce()) {
    stage();
}

impl Engine {
    /// For each k, integers u and v of about half its size with u = v·k modulo 8·L, v odd. So for
    /// any point P of the curve, v·(k·P) = u·P, and v·P is the identity only if P is, since v is odd
    /// and below L. The lowest 253 bits of k count.
    pub fn halve(self, k: &[[u8; 32]], halves: &mut [Halves]) {
        assert_eq!(k.len(), halves.len(), "one place for each scalar");
        // The stage divides doubles, and a host may have set exceptions to trap.
        with_default_environment(|| self.stages().halve(k, halves));
    }

    /// Finds where w·B - u·P - v·Q is the identity. P and Q are as [`decode`](Self::decode) leaves
    /// them. The lowest 254 bits of w count.
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
