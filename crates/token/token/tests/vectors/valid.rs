//! Valid tokens, and requests that they allow or refuse.

use klero_token::Limits;

use crate::equations::Twin;
use crate::format::{Asked, Asking, Bounds, Check, Hex, Vector};
use crate::maker::{
    AFTER, ANOTHER, Maker, ROOTS, THIRD_PARTY, asked, narrowed, roots, unvouched, vouched,
};

/// All valid tokens of a scheme.
pub fn all<S: Twin>() -> Vec<Vector> {
    [
        roots_and_blocks::<S>(),
        fields::<S>(),
        vouching::<S>(),
        sealed::<S>(),
    ]
    .concat()
}

fn minted<S: Twin>() -> Maker<S> {
    Maker::mint(0, "account 17", "")
}

/// Tokens with different root keys and rights, with caveats, and with opaque blocks.
fn roots_and_blocks<S: Twin>() -> Vec<Vector> {
    let mint = minted::<S>;
    let mut opaque_accepted = granted(full());
    opaque_accepted.opaque_accepted = true;
    let unknown = |shown| [refused(full(), 1, shown, "unknown")];
    vec![
        mint().valid("one block", [granted(Asking::default())]),
        Maker::<S>::mint(0, "", "").valid("no rights", [granted(Asking::default())]),
        Maker::<S>::mint(7, "account 17", "").valid("root key 7", []),
        Vector {
            roots: Some(roots::<S>([(0, ROOTS[0].1), (7, ROOTS[0].1)])),
            ..narrowed::<S>().valid("one root key under two numbers", [])
        },
        narrowed::<S>().valid("caveats", caveat_checks()),
        revocations(narrowed::<S>().valid("revoked blocks", [])),
        mint()
            .caveats("")
            .valid("a block of no caveats", [granted(full())]),
        mint().opaque(b"weekdays").opaque(b"").valid(
            "opaque blocks",
            [refused(full(), 1, "8 bytes", "opaque"), opaque_accepted],
        ),
        mint()
            .caveats("weekday Monday")
            .valid("an unknown caveat", unknown("weekday Monday")),
        mint()
            .caveats("method GET\n")
            .valid("a line feed at the end", unknown("")),
        mint()
            .caveats(b"\xff")
            .valid("not UTF-8", unknown("\u{fffd}")),
    ]
}

/// Tokens with caveats on fields and on the number of blocks.
fn fields<S: Twin>() -> Vec<Vector> {
    let case = |caveat: &str, name: &str, good: &[&[&str]], bad: &[(&[&str], &str)]| {
        let good = good.iter().map(|values| granted(with_field(name, values)));
        let bad = bad
            .iter()
            .map(|(values, reason)| refused(with_field(name, values), 1, caveat, reason));
        let checks: Vec<_> = good.chain(bad).collect();
        minted::<S>().caveats(caveat).valid(caveat, checks)
    };
    let most = "amount at most 100";
    let least = "amount at least 100";
    let shallow = || minted::<S>().caveats("depth 1");
    let deep = || [refused(full(), 1, "depth 1", "unmet")];
    vec![
        case(
            "plan in free pro",
            "plan",
            &[&["free"], &["pro"], &["pro", "free"]],
            &[
                (&["paid"], "unmet"),
                (&["free pro"], "unmet"),
                (&["free", "paid"], "unmet"),
                (&[], "missing"),
            ],
        ),
        case(
            most,
            "amount",
            &[&["0"], &["100"], &["99", "100"]],
            &[
                (&["101"], "unmet"),
                (&["18446744073709551615"], "unmet"),
                (&["18446744073709551616"], "integer"),
                (&["007"], "integer"),
                (&["-1"], "integer"),
                (&["1.0"], "integer"),
                (&[""], "integer"),
                (&[" 1"], "integer"),
                (&["1", "one"], "integer"),
                (&["101", "one"], "unmet"),
                (&[], "missing"),
            ],
        ),
        case(
            least,
            "amount",
            &[&["100"], &["18446744073709551615"]],
            &[
                (&["99"], "unmet"),
                (&["0100"], "integer"),
                (&["+100"], "integer"),
                (&["100", "99"], "unmet"),
                (&[], "missing"),
            ],
        ),
        shallow().valid("depth 1, no more blocks", [granted(full())]),
        shallow()
            .caveats("")
            .valid("depth 1, one more block", [granted(full())]),
        shallow()
            .caveats("")
            .caveats("")
            .valid("depth 1, two more blocks", deep()),
        shallow()
            .stated(ANOTHER, "of age")
            .caveats("")
            .valid("depth 1, a statement is a block", deep()),
    ]
}

/// Tokens with a caveat that requires a third party's statement, with and without statements.
fn vouching<S: Twin>() -> Vec<Vector> {
    let vouched = vouched();
    let unmet = |block| [refused(full(), block, &vouched, "unmet")];
    let expiring = |text: &str, name: &str, holds: bool| {
        let verdict = match holds {
            true => granted(full()),
            false => refused(full(), 0, &vouched, "unmet"),
        };
        unvouched::<S>()
            .stated(THIRD_PARTY, text)
            .valid(name, [verdict])
    };
    vec![
        unvouched::<S>().valid("vouched, without a statement", unmet(0)),
        unvouched::<S>()
            .stated(THIRD_PARTY, "of age")
            .valid("statement", [granted(full())]),
        unvouched::<S>()
            .stated(ANOTHER, "of age")
            .valid("statement by another", unmet(0)),
        unvouched::<S>()
            .stated(THIRD_PARTY, "of age 18")
            .valid("statement of another text", unmet(0)),
        minted::<S>()
            .stated(THIRD_PARTY, "of age")
            .caveats(&vouched)
            .valid("statement before its caveat", unmet(2)),
        expiring(
            "of age\nbefore 2027-01-15T08:00:00Z",
            "statement that expires",
            true,
        ),
        expiring(
            "of age\nbefore 2027-01-15T07:59:59Z",
            "statement that has expired",
            false,
        ),
        expiring(
            "of age\nafter 2026-01-15T08:00:00Z",
            "statement with another line",
            false,
        ),
        expiring(
            "of age\nbefore 2027-01-15",
            "statement with half a time",
            false,
        ),
        expiring("of age\n", "statement with an empty line", false),
        expiring(
            "of age\nbefore 2027-01-15T08:00:00Z\n",
            "statement with a third line",
            false,
        ),
        unvouched::<S>()
            .stated(THIRD_PARTY, "of age\nbefore 2027-01-15T07:59:59Z")
            .stated(THIRD_PARTY, "of age\nbefore 2027-01-15T08:00:00Z")
            .valid("statement that was renewed", [granted(full())]),
        unvouched::<S>()
            .stated(ANOTHER, "")
            .stated(THIRD_PARTY, "of age")
            .valid("two statements", [granted(full())]),
    ]
}

fn sealed<S: Twin>() -> Vec<Vector> {
    let sealed = |asked: Asked, token: Maker<S>, name| Vector {
        challenge: Some(asked.clone()),
        ..token.seal(&asked).valid(name, seal_checks(&asked.audience))
    };
    let short = Asked {
        nonce: [0].into(),
        audience: String::new(),
        time: 0,
    };
    let limited = unvouched().stated(THIRD_PARTY, "of age");
    let limited = sealed(asked(), limited, "exactly at its limits");
    let limits = Limits {
        signatures: 5,
        caveats: 2,
        bytes: limited.token.0.len(),
    };
    vec![
        sealed(asked(), narrowed(), "sealed"),
        sealed(short, minted(), "sealed to a short challenge"),
        Vector {
            limits: Some(Bounds::of(limits, 0)),
            ..limited
        },
    ]
}

/// Checks of one request with three audiences: the challenge's audience, another audience, and none.
fn seal_checks(audience: &str) -> Vec<Check> {
    let seal = format!("audience {audience}");
    let refused = |access, reason| Check {
        block: None,
        ..refused(access, 0, &seal, reason)
    };
    vec![
        granted(to_audience(Some(audience))),
        refused(to_audience(Some("bank")), "unmet"),
        refused(to_audience(None), "missing"),
    ]
}

/// Sets checks in which blocks of this token or of another token are revoked. These checks need the ids of
/// the blocks, so they are set only after the token is made.
fn revocations(mut vector: Vector) -> Vector {
    let ids: Vec<_> = vector
        .links
        .iter()
        .flat_map(|link| link.id.clone())
        .collect();
    let revoked =
        |ids: &[&Hex]| but(|access| access.revoked = ids.iter().map(|id| (*id).clone()).collect());
    let other = Hex(vec![0; 32]);
    let refused = |ids: &[&Hex], block: usize| {
        refused(revoked(ids), block, &hex::encode(&ids[0].0), "revoked")
    };
    vector.checks = vec![
        granted(revoked(&[&other])),
        refused(&[&ids[0]], 0),
        refused(&[&ids[1], &other], 1),
        refused(&[&ids[2]], 2),
        refused(&[&ids[0], &ids[2]], 0),
    ];
    vector
}

fn caveat_checks() -> Vec<Check> {
    let (before, after) = ("before 2027-01-15T08:00:00Z", AFTER);
    let now = |now| but(|access| access.now = now);
    let plan = |values: &[&str]| with_field("plan", values);
    let with_method = |name: Option<&str>| but(|access| access.method = name.map(Into::into));
    vec![
        granted(full()),
        granted(with_method(Some("HEAD"))),
        granted(at_path(Some("/files"))),
        granted(at_path(Some("/%66iles/a%20b"))),
        granted(now(1_767_225_600)),
        refused(now(1_767_225_599), 2, after, "unmet"),
        refused(now(1_800_000_000), 0, before, "unmet"),
        refused(to_audience(Some("Shop")), 0, "audience shop", "unmet"),
        refused(to_audience(None), 0, "audience shop", "missing"),
        refused(at_path(Some("/filesystem")), 1, "path /files", "unmet"),
        refused(at_path(Some("/")), 1, "path /files", "unmet"),
        refused(at_path(Some("/files/../etc")), 1, "path /files", "path"),
        refused(at_path(None), 1, "path /files", "missing"),
        refused(with_method(Some("get")), 1, "method GET HEAD", "unmet"),
        refused(with_method(None), 1, "method GET HEAD", "missing"),
        refused(plan(&["paid"]), 2, "plan = free", "unmet"),
        refused(plan(&["free", "paid"]), 2, "plan = free", "unmet"),
        refused(plan(&[]), 2, "plan = free", "missing"),
    ]
}

pub fn granted(access: Asking) -> Check {
    Check {
        access,
        opaque_accepted: false,
        granted: true,
        block: None,
        caveat: None,
        reason: None,
    }
}

pub fn refused(access: Asking, block: usize, caveat: &str, reason: &str) -> Check {
    Check {
        granted: false,
        block: Some(block),
        caveat: Some(caveat.into()),
        reason: Some(reason.into()),
        ..granted(access)
    }
}

/// A request with a time, an audience, a path, a method and a field.
pub fn full() -> Asking {
    Asking {
        now: 1_799_999_999,
        audience: Some("shop".into()),
        path: Some("/files/17".into()),
        method: Some("GET".into()),
        fields: vec![("plan".into(), "free".into())],
        revoked: Vec::new(),
    }
}

fn but(change: impl FnOnce(&mut Asking)) -> Asking {
    let mut access = full();
    change(&mut access);
    access
}

fn at_path(path: Option<&str>) -> Asking {
    but(|access| access.path = path.map(Into::into))
}

fn to_audience(name: Option<&str>) -> Asking {
    but(|access| access.audience = name.map(Into::into))
}

fn with_field(name: &str, values: &[&str]) -> Asking {
    let field = |value: &&str| (name.into(), (*value).into());
    but(|access| access.fields = values.iter().map(field).collect())
}
