//! The twin: a curve as a list of points (x, y), added by the affine law with a table of inverses,
//! multiplied by repeated addition.

use klero_lanes::Point;
use klero_lanes::unstable::field::Limbs;

use crate::curve::{Constant, Curve};

/// A point's number in the list.
pub type Index = usize;

/// A curve and all its points.
pub struct Model {
    pub curve: Curve,
    /// All points, by y and then by x.
    pub points: Vec<(u64, u64)>,
    inverses: Vec<u64>,
    /// `sums[p][q]`.
    sums: Vec<Vec<Index>>,
    /// `multiples[k][p]` for k below the order.
    multiples: Vec<Vec<Index>>,
    pub identity: Index,
    /// A point that generates the group.
    pub base: Index,
}

impl Model {
    /// # Panics
    /// If the curve is not as [`Curve`] says.
    pub fn new(curve: Curve) -> Self {
        let Curve { q, d, a, order } = curve;
        let inverses: Vec<_> = (0..q).map(|x| curve.inverse(x)).collect();
        let on_curve =
            |x: u64, y: u64| (y * y + (q - x) * x) % q == (1 + d * x % q * x % q * y % q * y) % q;
        let points: Vec<_> = (0..q)
            .flat_map(|y| (0..q).map(move |x| (x, y)))
            .filter(|&(x, y)| on_curve(x, y))
            .collect();
        let find = |point| points.iter().position(|p| *p == point).expect("a point");
        let over = |numerator: u64, denominator: u64| {
            assert_ne!(denominator % q, 0, "the law is complete");
            numerator % q * inverses[(denominator % q) as usize] % q
        };
        // x = (x₁y₂ + y₁x₂)/(1 + d·x₁x₂y₁y₂), y = (y₁y₂ + x₁x₂)/(1 - d·x₁x₂y₁y₂).
        let sum = |(x1, y1): (u64, u64), (x2, y2): (u64, u64)| {
            let product = d * (x1 * x2 % q) % q * (y1 * y2 % q) % q;
            (
                over(x1 * y2 + y1 * x2, 1 + product),
                over(y1 * y2 + x1 * x2, 1 + q - product),
            )
        };
        let sums: Vec<Vec<_>> = points
            .iter()
            .map(|p| points.iter().map(|q| find(sum(*p, *q))).collect())
            .collect();
        let identity = find((0, 1));
        let mut multiples = vec![vec![identity; points.len()]];
        for k in 1..order as usize {
            let next = (0..points.len()).map(|p| sums[multiples[k - 1][p]][p]);
            multiples.push(next.collect());
        }
        let generates = |p: &Index| (1..order as usize).all(|k| multiples[k][*p] != identity);
        let base = (0..points.len()).find(generates).expect("a cyclic group");

        assert_eq!((points.len() as u64, q % 32, order % 16), (order, 13, 8));
        assert_eq!(a * (1 + d) % q, 2 * (1 + q - d) % q, "A = 2(1 - d)/(1 + d)");
        assert!(curve.root(d).is_none() && curve.root((a + 2) % q).is_some());
        assert!(curve.root((a + q - 2) % q).is_none());
        Self {
            curve,
            points,
            inverses,
            sums,
            multiples,
            identity,
            base,
        }
    }

    /// The constants of the formulas.
    pub fn constants(&self) -> Vec<Constant> {
        self.curve.constants(self.points[self.base])
    }

    pub fn add(&self, p: Index, q: Index) -> Index {
        self.sums[p][q]
    }

    /// p - q.
    pub fn sub(&self, p: Index, q: Index) -> Index {
        self.sums[p][self.mul(self.curve.order - 1, q)]
    }

    /// p - q if `sub`, else p + q.
    pub fn add_or_sub(&self, p: Index, q: Index, sub: bool) -> Index {
        if sub { self.sub(p, q) } else { self.add(p, q) }
    }

    /// k·p.
    pub fn mul(&self, k: u64, p: Index) -> Index {
        self.multiples[(k % self.curve.order) as usize][p]
    }

    pub fn inverse(&self, a: u64) -> u64 {
        self.inverses[(a % self.curve.q) as usize]
    }

    /// The point with these coordinates, if there is one.
    pub fn find(&self, x: u64, y: u64) -> Option<Index> {
        self.points
            .iter()
            .position(|p| *p == (x % self.curve.q, y % self.curve.q))
    }

    /// Whether a point is eight times another.
    pub fn torsion_free(&self, p: Index) -> bool {
        self.multiples[8].contains(&p)
    }

    /// An integer of little-endian bytes modulo the order, of its lowest bits.
    pub fn reduce(&self, bytes: &[u8], bits: usize) -> u64 {
        let bit = |i: usize| u64::from(bytes[i / 8] >> (i % 8) & 1);
        let bits = bits.min(8 * bytes.len());
        (0..bits)
            .rev()
            .fold(0, |sum, i| (2 * sum + bit(i)) % self.curve.order)
    }

    /// A point in coordinates that are z times its own. The coordinates are not all least residues.
    pub fn row(&self, p: Index, z: u64) -> Point {
        let (q, (x, y)) = (self.curve.q, self.points[p]);
        assert_ne!(z % q, 0);
        let mut out = Point::IDENTITY;
        let coordinates = [x * z, y * z, z, x * y % q * z];
        for (i, (limbs, value)) in out.0.chunks_mut(5).zip(coordinates).enumerate() {
            let above = if (z >> i) & 1 == 1 { q } else { 0 };
            limbs.copy_from_slice(&[value % q + above, 0, 0, 0, 0]);
        }
        out
    }

    /// Rows whose Z is 1.
    pub fn affine_row(&self, p: Index) -> Point {
        let mut out = self.row(p, 1);
        for limbs in out.0.chunks_mut(5) {
            limbs[0] %= self.curve.q;
        }
        out
    }

    /// The point that a row holds, if it is one: T·Z = X·Y, too.
    pub fn index(&self, row: &Point) -> Option<Index> {
        let q = self.curve.q;
        let small = |limbs: &Limbs| (limbs[1..] == [0; 4]).then_some(limbs[0] % q);
        let [x, y, z, t] = row.0.as_chunks::<5>().0 else {
            return None;
        };
        let [x, y, z, t] = [small(x)?, small(y)?, small(z)?, small(t)?];
        if z == 0 || x * y % q != t * z % q {
            return None;
        }
        self.find(x * self.inverse(z), y * self.inverse(z))
    }
}
