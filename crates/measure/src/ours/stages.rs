//! Where the time goes: the stages of the library's verifier and prover, each measured by
//! itself over the same items and in the same groups, beside the whole.
//!
//! The inputs of a stage are computed once, before it is measured. Where only the cost of a
//! scalar matters, any scalar of its length is used.

use std::ops::Range;
use std::rc::Rc;

use blake2::digest::consts::U32;
use blake2::{Blake2b, Digest};
use klero::{Backend, Coefficients, HashToCurve, ProofForm};
use klero_lanes::{Elligator2, Engine, Point};

use super::claims::Claims;
use super::rows::{name_of, prove, verify};
use crate::figure::{Bars, Figure, Steps};
use crate::measured::Run;
use crate::run::Row;
use crate::section::{Cell, Section, Table};

/// The claims that go through the stages together, as in the library: for single
/// verification and proving, and for sums.
const GROUP: usize = 64;
const SUM_GROUP: usize = 2048;

/// The contender that does all stages.
const WHOLE: &str = "whole";

/// The inputs of all stages.
struct Known {
    engine: Engine,
    keys: Vec<[u8; 32]>,
    /// The 32-byte parts of each proof: Γ, U, V, s, or Γ twice and s twice.
    parts: Vec<[[u8; 32]; 4]>,
    /// Y, Γ, U, V of all claims, one kind after the other.
    encodings: Vec<[u8; 32]>,
    points: Vec<Point>,
    h: Vec<Point>,
    inputs: Vec<[u8; 64]>,
    challenges: Vec<[u8; 16]>,
    scalars: Vec<[u8; 32]>,
}

impl Known {
    fn of(claims: &Claims, engine: Engine) -> Self {
        let n = claims.len();
        let with_points = claims.suite.proof_form() != ProofForm::GammaCS;
        let parts: Vec<_> = (0..n)
            .map(|i| {
                let proof = claims.proof(i);
                let part = |at: usize| {
                    let mut part = [0; 32];
                    part.copy_from_slice(&proof[at..at + 32]);
                    part
                };
                let s = part(proof.len() - 32);
                match with_points {
                    true => [part(0), part(32), part(64), s],
                    false => [part(0), part(0), part(0), s],
                }
            })
            .collect();
        let mut encodings = claims.keys.clone();
        for kind in 0..if with_points { 3 } else { 1 } {
            encodings.extend(parts.iter().map(|parts| parts[kind]));
        }
        let mut points = vec![Point::IDENTITY; encodings.len()];
        let mut on_curve = vec![false; encodings.len()];
        engine.decode(&encodings, &mut points, &mut on_curve);
        let inputs: Vec<_> = (0..n)
            .map(|i| {
                let mut input = [0; 64];
                input[..32].copy_from_slice(&claims.keys[i]);
                input[32..].copy_from_slice(&claims.alphas[i]);
                input
            })
            .collect();
        let scalars: Vec<_> = parts.iter().map(|parts| parts[3]).collect();
        let challenge = |s: &[u8; 32]| {
            let mut c = [0; 16];
            c.copy_from_slice(&s[..16]);
            c
        };
        let mut known = Self {
            engine,
            keys: claims.keys.clone(),
            challenges: scalars.iter().map(challenge).collect(),
            parts,
            encodings,
            points,
            h: vec![Point::IDENTITY; n],
            inputs,
            scalars,
        };
        known.h = known.hash_to_curve(claims.suite.hash_to_curve(), GROUP);
        engine.normalize(&mut known.h);
        known
    }

    fn n(&self) -> usize {
        self.keys.len()
    }

    fn y(&self) -> &[Point] {
        &self.points[..self.n()]
    }

    fn gamma(&self) -> &[Point] {
        &self.points[self.n()..2 * self.n()]
    }

    fn decode(&self, group: usize) -> bool {
        let kinds = self.encodings.len() / self.n().max(1);
        let encodings = self.encodings.chunks(kinds * group);
        encodings.into_iter().all(|encodings| {
            let mut points = vec![Point::IDENTITY; encodings.len()];
            let mut on_curve = vec![false; encodings.len()];
            self.engine.decode(encodings, &mut points, &mut on_curve);
            on_curve.iter().all(|on_curve| *on_curve)
        })
    }

    fn hash_to_curve(&self, way: HashToCurve, group: usize) -> Vec<Point> {
        hash_to_curve(self.engine, way, short_sha512, &self.inputs, group)
    }

    /// Runs a stage over groups of claims; it gets their places and room for points.
    fn points(&self, group: usize, stage: impl Fn(Range<usize>, &mut [Point])) -> bool {
        let mut out = vec![Point::IDENTITY; group.min(self.n())];
        for first in (0..self.n()).step_by(group) {
            let places = first..self.n().min(first + group);
            let count = places.len();
            stage(places, &mut out[..count]);
        }
        !out.is_empty()
    }

    /// Encodes this number of points for each claim.
    fn encode(&self, kinds: usize, group: usize) -> bool {
        let points = self.gamma();
        let points: Vec<Point> = points
            .iter()
            .cycle()
            .take(kinds * points.len())
            .copied()
            .collect();
        let mut all = points.chunks(kinds * group);
        all.all(|points| {
            let mut encodings = vec![[0; 32]; points.len()];
            self.engine.encode(points, &mut encodings);
            encodings[0] != [0; 32]
        })
    }

    /// The hashes of a proof: those over four points, over one, and over two points. A
    /// secret nonce, over two, is hashed one message at a time.
    fn hashes(&self, points: &[usize], group: usize) -> bool {
        let messages = |parts: &[[[u8; 32]; 4]], count: usize| {
            let message = |parts: &[[u8; 32]; 4]| parts[..count].concat();
            parts.iter().map(message).collect::<Vec<_>>()
        };
        self.parts.chunks(group).all(|parts| {
            points.iter().all(|&count| {
                let messages = messages(parts, count);
                let parts: Vec<[&[u8]; 2]> = messages.iter().map(|m| [&[4, 2], &m[..]]).collect();
                if count == 2 {
                    let nonces = parts.iter().all(|parts| sha512(&parts.concat()) != [0; 64]);
                    return nonces;
                }
                let messages: Vec<&[&[u8]]> = parts.iter().map(|parts| &parts[..]).collect();
                let mut digests = vec![[0; 64]; messages.len()];
                self.engine.sha512(&[], &messages, &mut digests);
                digests.iter().all(|digest| *digest != [0; 64])
            })
        })
    }
}

/// One message alone.
fn sha512(message: &[u8]) -> [u8; 64] {
    sha2::Sha512::digest(message).into()
}

/// The first 32 bytes of the hash of each message in its parts.
type Short = fn(Engine, &[&[&[u8]]]) -> Vec<[u8; 32]>;

/// SHA-512.
fn short_sha512(engine: Engine, messages: &[&[&[u8]]]) -> Vec<[u8; 32]> {
    first_halves(engine, &[], messages)
}

fn first_halves(engine: Engine, prefix: &[[u8; 128]], messages: &[&[&[u8]]]) -> Vec<[u8; 32]> {
    let mut digests = vec![[0; 64]; messages.len()];
    engine.sha512(prefix, messages, &mut digests);
    let half = |digest: &[u8; 64]| {
        let mut out = [0; 32];
        out.copy_from_slice(&digest[..32]);
        out
    };
    digests.iter().map(half).collect()
}

/// BLAKE2b of 32 bytes, one message after the other.
fn short_blake2b(_: Engine, messages: &[&[&[u8]]]) -> Vec<[u8; 32]> {
    let digest = |parts: &&[&[u8]]| {
        let mut hasher = Blake2b::<U32>::new();
        parts.iter().for_each(|part| hasher.update(part));
        hasher.finalize().into()
    };
    messages.iter().map(digest).collect()
}

/// Hashes messages that are two bytes, an input, and a few bytes.
fn hash_inputs(
    engine: Engine,
    short: Short,
    before: &[u8],
    inputs: &[&[u8; 64]],
    after: &[u8],
) -> Vec<[u8; 32]> {
    let parts: Vec<[&[u8]; 3]> = inputs
        .iter()
        .map(|input| [before, &input[..], after])
        .collect();
    let messages: Vec<&[&[u8]]> = parts.iter().map(|parts| &parts[..]).collect();
    short(engine, &messages)
}

/// Points from inputs, a group at a time.
fn hash_to_curve(
    engine: Engine,
    way: HashToCurve,
    short: Short,
    inputs: &[[u8; 64]],
    group: usize,
) -> Vec<Point> {
    let map = |r: &[[u8; 32]], form| {
        let mut mapped = vec![Point::IDENTITY; r.len()];
        engine.decode_and_map(&[], &mut [], &mut [], r, form, &mut mapped);
        mapped
    };
    let of_group = |inputs: &[[u8; 64]]| {
        let inputs: Vec<_> = inputs.iter().collect();
        match way {
            HashToCurve::Draft03 => {
                let r = hash_inputs(engine, short, &[4, 1], &inputs, &[]);
                map(&r, Elligator2::Draft03)
            }
            // As expand_message_xmd: a block of zeros that is hashed once, then two hashes.
            HashToCurve::Rfc9380 => {
                let zeros = |engine: Engine, messages: &[&[&[u8]]]| {
                    first_halves(engine, &[[0; 128]], messages)
                };
                let first = hash_inputs(engine, zeros, &[], &inputs, &[0; 43]);
                let wide: Vec<[u8; 64]> = first.iter().map(twice).collect();
                let wide: Vec<_> = wide.iter().collect();
                let r = hash_inputs(engine, short, &[], &wide, &[1; 42]);
                map(&r, Elligator2::Rfc9380)
            }
            HashToCurve::TryAndIncrement => try_and_increment(engine, short, &inputs),
        }
    };
    inputs.chunks(group.max(1)).flat_map(of_group).collect()
}

/// Any 64 bytes that hang on a hash.
fn twice(half: &[u8; 32]) -> [u8; 64] {
    let mut out = [0; 64];
    out[..32].copy_from_slice(half);
    out[32..].copy_from_slice(half);
    out
}

fn try_and_increment(engine: Engine, short: Short, inputs: &[&[u8; 64]]) -> Vec<Point> {
    let mut found = vec![Point::IDENTITY; inputs.len()];
    let mut pending: Vec<usize> = (0..inputs.len()).collect();
    for counter in 0..=u8::MAX {
        let left: Vec<_> = pending.iter().map(|&i| inputs[i]).collect();
        let candidates = hash_inputs(engine, short, &[3, 1], &left, &[counter, 0]);
        let mut points = vec![Point::IDENTITY; candidates.len()];
        let mut on_curve = vec![false; candidates.len()];
        engine.decode(&candidates, &mut points, &mut on_curve);
        let mut tried = points.iter().zip(on_curve);
        pending.retain(|&i| match tried.next() {
            Some((point, true)) => {
                found[i] = *point;
                false
            }
            _ => true,
        });
        if pending.is_empty() {
            break;
        }
    }
    let mut multiples = found.clone();
    engine.mul_by_cofactor(&found, &mut multiples);
    multiples
}

/// The engine under a backend.
fn engine_of(backend: Backend) -> Option<Engine> {
    let mut engines = klero_lanes::engines().into_iter();
    engines.find(|engine| engine.name() == backend.name())
}

/// Rows of the experiment `stages <backend>`: verification of 80-byte claims and of
/// 128-byte claims in one batch, and proving of the former; in each the stages and the
/// whole.
pub fn stage_rows<'c>(short: &'c Claims, long: &'c Claims, backend: Backend) -> Vec<Row<'c>> {
    let Some(engine) = engine_of(backend) else {
        return Vec::new();
    };
    vec![
        verify_row(short, backend, engine),
        batch_row(long, backend, engine),
        prove_row(short, backend, engine),
    ]
}

fn experiment(backend: Backend) -> String {
    format!("stages {}", backend.name())
}

/// Adds a stage that borrows what is known.
macro_rules! stages {
    ($row:ident, $known:ident, $($name:literal => $stage:expr,)*) => {
        $({
            let known = Rc::clone(&$known);
            let stage: fn(&Known) -> bool = $stage;
            $row.add($name, move || stage(&known));
        })*
    };
}

fn verify_row<'c>(claims: &'c Claims, backend: Backend, engine: Engine) -> Row<'c> {
    let n = claims.len();
    let name = format!("verify {n}, 80 bytes, {}", claims.suite.name());
    let mut row = Row::new(experiment(backend), name, n);
    let known = Rc::new(Known::of(claims, engine));
    let way = claims.suite.hash_to_curve();
    stages!(row, known,
        "decode Y, Γ" => |known| known.decode(GROUP),
    );
    let mapped = Rc::clone(&known);
    row.add("hash to curve", move || {
        mapped.hash_to_curve(way, GROUP).len() == n
    });
    stages!(row, known,
        "torsion of Y" => |known| known.points(GROUP, |at, _| {
            let mut free = [false; GROUP];
            known.engine.torsion_free(&known.y()[at.clone()], &mut free[..at.len()]);
        }),
        "U = sB - cY" => |known| known.points(GROUP, |at, out| {
            let (s, c) = (&known.scalars[at.clone()], &known.challenges[at.clone()]);
            known.engine.mul_base_sub(s, c, &known.y()[at], out);
        }),
        "V = sH - cΓ" => |known| known.points(GROUP, |at, out| {
            let s = &known.scalars[at.clone()];
            known.engine.mul_add(s, &known.h[at.clone()], s, &known.gamma()[at], out);
        }),
        "8Γ, encode 4" => |known| {
            known.points(GROUP, |at, out| known.engine.mul_by_cofactor(&known.gamma()[at], out))
                && known.encode(4, GROUP)
        },
        "hash c, β" => |known| known.hashes(&[4, 1], GROUP),
    );
    row.add(WHOLE, verify(claims, backend, Coefficients::Hashed, n, n));
    row
}

fn batch_row<'c>(claims: &'c Claims, backend: Backend, engine: Engine) -> Row<'c> {
    let n = claims.len();
    let name = format!("batch of {n}, 128 bytes, {}", claims.suite.name());
    let mut row = Row::new(experiment(backend), name, n);
    let known = Rc::new(Known::of(claims, engine));
    let way = claims.suite.hash_to_curve();
    stages!(row, known,
        "decode Y, Γ, U, V" => |known| known.decode(SUM_GROUP),
    );
    let mapped = Rc::clone(&known);
    row.add("hash to curve", move || {
        let mut points = mapped.hash_to_curve(way, SUM_GROUP);
        mapped.engine.normalize(&mut points);
        points.len() == n
    });
    stages!(row, known,
        "8Γ, encode H, 8Γ" => |known| {
            known.points(SUM_GROUP, |at, out| known.engine.mul_by_cofactor(&known.gamma()[at], out))
                && known.encode(2, SUM_GROUP)
        },
        "hash c, β" => |known| known.hashes(&[4, 1], SUM_GROUP),
        "small multiples" => |known| {
            let mut residues = known.points[2 * known.n()..].to_vec();
            let bases = &known.points[..2 * known.n()];
            let small: Vec<i8> = (0..bases.len()).map(|i| (i % 8) as i8 - 3).collect();
            let points = residues.clone();
            known.engine.sub_small_multiple(&points, &small, bases, &mut residues);
            known.engine.normalize(&mut residues);
            residues.len() == 2 * known.n()
        },
        "sum of U, V; torsion" => |known| {
            // Decoded points have Z = 1.
            let points = &known.points[2 * known.n()..];
            let weights: Vec<[u8; 16]> = known.challenges.iter().chain(&known.challenges).copied().collect();
            known.engine.random_combination(points, &weights).1
        },
        "sum of Y, H, Γ" => |known| {
            let mut points = known.points[..2 * known.n()].to_vec();
            points.extend(&known.h);
            let scalars: Vec<[u8; 32]> = known.scalars.iter().cycle().take(points.len()).copied().collect();
            !known.engine.multiscalar_mul(&points, &scalars, 253).is_small_order()
        },
    );
    row.add(WHOLE, verify(claims, backend, Coefficients::Hashed, n, n));
    row
}

fn prove_row<'c>(claims: &'c Claims, backend: Backend, engine: Engine) -> Row<'c> {
    let n = claims.len();
    let name = format!("prove {n}, 80 bytes, {}", claims.suite.name());
    let mut row = Row::new(experiment(backend), name, n);
    let known = Rc::new(Known::of(claims, engine));
    let way = claims.suite.hash_to_curve();
    let mapped = Rc::clone(&known);
    row.add("hash to curve", move || {
        mapped.hash_to_curve(way, GROUP).len() == n
    });
    stages!(row, known,
        "encode H" => |known| known.encode(1, GROUP),
        "Γ = xH, V = kH" => |known| {
            let mut by_x = [Point::IDENTITY; GROUP];
            let n = known.n();
            (0..n).step_by(GROUP).for_each(|first| {
                let at = first..n.min(first + GROUP);
                let (mut by_k, s) = ([Point::IDENTITY; GROUP], &known.scalars[at.clone()]);
                let room = at.len();
                known.engine.secret_mul_pair(&known.h[at], s, s, &mut by_x[..room], &mut by_k[..room]);
            });
            n > 0
        },
        "U = kB" => |known| known.points(GROUP, |at, out| {
            known.engine.secret_mul_base(&known.scalars[at], out);
        }),
        "8Γ, encode 4" => |known| {
            known.points(GROUP, |at, out| known.engine.mul_by_cofactor(&known.gamma()[at], out))
                && known.encode(4, GROUP)
        },
        "hash k, c, β" => |known| known.hashes(&[2, 4, 1], GROUP),
    );
    row.add(WHOLE, prove(claims, backend, n, n));
    row
}

/// The charts and tables of the stages.
pub fn stage_section(run: &Run, backends: &[Backend]) -> Section {
    let mut section = Section::new(
        "Where the time goes",
        "Each stage is measured by itself, over the same claims and in the same groups as in the \
         whole. The rest is arithmetic on scalars, copying, and overhead between stages. µs for \
         each proof.",
    );
    for (i, &backend) in backends.iter().enumerate() {
        for row in run.of(&experiment(backend)) {
            let Some(whole) = row.get(WHOLE) else {
                continue;
            };
            let title = format!("{}, {}", row.name(), name_of(backend));
            let mut table = Table::new(&title, ["", "min", "median", "p90", "part"]);
            let mut steps = Vec::new();
            for series in row.series() {
                let part = row.ratio(series.contender(), WHOLE);
                table.lines.push(vec![
                    Cell::text(series.contender()),
                    Cell::Micros(series.min()),
                    Cell::Micros(series.median()),
                    Cell::Micros(series.p90()),
                    Cell::part(part),
                ]);
                if series.contender() != WHOLE {
                    steps.push((series.contender().into(), series.spread()));
                }
            }
            // Charts for the fastest backend, tables for all.
            if i == 0 {
                let whole = whole.spread();
                section.figures.push(Figure::Steps(Steps {
                    title: title.clone(),
                    steps,
                    whole,
                }));
            }
            section.tables.push(table);
        }
    }
    section
}

/// The row of the experiment "hash to curve": each way there is, from key and alpha to
/// the point.
pub fn hash_to_curve_rows<'c>(claims: &'c Claims, backends: &[Backend]) -> Vec<Row<'c>> {
    use HashToCurve::{Draft03, Rfc9380, TryAndIncrement};
    let ways: [(&str, HashToCurve, Short); 5] = [
        ("Elligator2, draft-03, SHA-512", Draft03, short_sha512),
        ("Elligator2, draft-03, BLAKE2b", Draft03, short_blake2b),
        ("Elligator2, RFC 9380, SHA-512", Rfc9380, short_sha512),
        ("try and increment, SHA-512", TryAndIncrement, short_sha512),
        ("try and increment, BLAKE2b", TryAndIncrement, short_blake2b),
    ];
    let n = claims.len();
    ways.into_iter()
        .map(|(name, way, digest)| {
            let mut row = Row::new("hash to curve", name, n);
            for (&backend, engine) in backends.iter().zip(backends.iter().map(|b| engine_of(*b))) {
                let Some(engine) = engine else { continue };
                let known = Known::of(claims, engine);
                row.add(name_of(backend), move || {
                    hash_to_curve(engine, way, digest, &known.inputs, GROUP).len() == n
                });
            }
            row
        })
        .collect()
}

/// The table and the bars of hashing to the curve.
pub fn hash_to_curve_section(run: &Run) -> Section {
    let mut section = Section::new(
        "Hash to curve alone",
        "From key and alpha to a point of the prime-order subgroup, in groups of 64. Most of \
         the time goes into square roots; where lanes make them cheap, the hash function shows. \
         Drafts from 7 on map as RFC 9380 does.",
    );
    let title = "Hash to curve: µs for each point, medians";
    let table = Table::of_rows(title, "", run.of("hash to curve"));
    section
        .tables
        .extend(Some(table).filter(|table| !table.lines.is_empty()));
    let first = run.of("hash to curve").find_map(|row| row.series().first());
    if let Some(first) = first {
        let bar = |row: &crate::Measured| {
            let series = row.get(first.contender())?;
            Some((row.name().to_owned(), series.spread()))
        };
        section.figures.push(Figure::Bars(Bars {
            title: format!("Hash to curve, {}: µs each", first.contender()),
            bars: run.of("hash to curve").filter_map(bar).collect(),
        }));
    }
    section
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Plan, run};

    #[test]
    fn every_stage_runs_on_every_backend() {
        let short = Claims::new(klero::Suite::PRAOS, 9);
        let long = Claims::new(klero::Suite::RFC9381_ELL2_BC, 9);
        let backends = Backend::all();
        let mut rows = hash_to_curve_rows(&short, &backends);
        for &backend in &backends {
            rows.extend(stage_rows(&short, &long, backend));
        }
        let run = run(rows, &Plan::rounds(3)).unwrap();
        let section = stage_section(&run, &backends);
        assert_eq!(section.figures.len(), 3);
        assert_eq!(section.tables.len(), 3 * backends.len());
        assert_eq!(hash_to_curve_section(&run).tables[0].lines.len(), 5);
    }

    #[test]
    fn points_are_those_of_the_library() {
        let claims = Claims::new(klero::Suite::PRAOS, 5);
        for engine in klero_lanes::engines() {
            // Γ = x·H: with the library's H the prover's Γ comes out.
            let known = Known::of(&claims, engine);
            let x: Vec<_> = claims
                .secret_bytes
                .iter()
                .map(|secret| {
                    let digest = sha2::Sha512::digest(&secret[..32]);
                    let mut x = [0; 32];
                    x.copy_from_slice(&digest[..32]);
                    x[0] &= 248;
                    x[31] = x[31] & 127 | 64;
                    x
                })
                .collect();
            let sums: Vec<_> = (0..5)
                .map(|i| engine.multiscalar_mul(&known.h[i..=i], &x[i..=i], 255))
                .collect();
            let mut encodings = [[0; 32]; 5];
            engine.encode(&sums, &mut encodings);
            for (i, encoding) in encodings.iter().enumerate() {
                assert_eq!(encoding, &known.parts[i][0]);
            }
        }
    }
}
