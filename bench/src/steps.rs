//! Steps 4 and 5 of verification on Klero's engine, from decoded points: what the
//! library's verifiers spend on them, without what comes before and after.

use klero::Backend;
use klero_measure::ours::Claims;
use klero_lanes::{Engine, Point};

/// Claims in a group, which goes through the stages together, as in the library.
const GROUP: usize = 64;

/// Claims of 128-byte proofs, decoded. H and c cost the same whatever they are: the next
/// claim's Γ and the first half of s stand for them.
pub struct Steps {
    engine: Engine,
    y: Vec<Point>,
    gamma: Vec<Point>,
    h: Vec<Point>,
    u_v: Vec<Point>,
    s: Vec<[u8; 32]>,
    c: Vec<[u8; 16]>,
    out: Vec<Point>,
}

impl Steps {
    /// The first n claims.
    pub fn of(claims: &Claims, backend: Backend, n: usize) -> Self {
        let mut engines = klero_lanes::engines().into_iter();
        let engine = engines
            .find(|engine| engine.name() == backend.name())
            .expect("every backend is an engine");
        let part = |i: usize, at: usize| {
            let mut part = [0; 32];
            part.copy_from_slice(&claims.proof(i)[at..at + 32]);
            part
        };
        let decode = |encodings: Vec<[u8; 32]>| {
            let mut points = vec![Point::IDENTITY; encodings.len()];
            engine.decode(&encodings, &mut points, &mut vec![false; encodings.len()]);
            points
        };
        let gamma = decode((0..n).map(|i| part(i, 0)).collect());
        let mut h = gamma.clone();
        h.rotate_left(1);
        let s: Vec<_> = (0..n).map(|i| part(i, 96)).collect();
        let c = s.iter().map(|s| {
            let mut c = [0; 16];
            c.copy_from_slice(&s[..16]);
            c
        });
        Self {
            engine,
            y: decode(claims.keys[..n].to_vec()),
            h,
            u_v: decode((0..n).flat_map(|i| [part(i, 32), part(i, 64)]).collect()),
            c: c.collect(),
            out: gamma.clone(),
            gamma,
            s,
        }
    }

    /// U = sB - cY and V = sH - cΓ of each.
    pub fn each(&mut self) -> bool {
        for first in (0..self.s.len()).step_by(GROUP) {
            let at = first..self.s.len().min(first + GROUP);
            let (s, c, out) = (
                &self.s[at.clone()],
                &self.c[at.clone()],
                &mut self.out[at.clone()],
            );
            self.engine.mul_base_sub(s, c, &self.y[at.clone()], out);
            self.engine
                .mul_sub(s, &self.h[at.clone()], c, &self.gamma[at], out);
        }
        !self.out.is_empty()
    }

    /// A random combination of the equations of every `size` claims, with the test for
    /// torsion that makes its verdict the same as that for each.
    pub fn combined(&mut self, size: usize) -> bool {
        for first in (0..self.s.len()).step_by(size) {
            let at = first..self.s.len().min(first + size);
            let weights: Vec<_> = self.c[at.clone()].iter().flat_map(|c| [*c, *c]).collect();
            let residues = &self.u_v[2 * at.start..2 * at.end];
            let (weighted, free) = self.engine.random_combination(residues, &weights);
            let of = |points: &[Point]| points[at.clone()].to_vec();
            let mut points = [of(&self.y), of(&self.h), of(&self.gamma)].concat();
            points.push(Point::BASE);
            let scalars = self.s[at.clone()].iter().cycle().take(points.len());
            let scalars: Vec<_> = scalars.copied().collect();
            let sum = self.engine.multiscalar_mul(&points, &scalars, 253);
            if sum.plus(&weighted).is_small_order() || !free {
                return false;
            }
        }
        true
    }
}
