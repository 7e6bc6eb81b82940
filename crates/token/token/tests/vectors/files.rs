//! Makes the contents of the vector files.

use klero_token::{Limits, SecretKey};

use crate::caveats::{is_caveat, normal_path};
use crate::equations::Twin;
use crate::format::{Bounds, File, Key, Line, Path, Texts, Vector};
use crate::maker::{ROOTS, roots, vouched};
use crate::{flaws, valid};

/// Makes the vector file of a scheme.
pub fn tokens<S: Twin>() -> File {
    let mut tokens = valid::all::<S>();
    tokens.extend(flaws::all::<S>(&tokens));
    of_tokens::<S>(tokens)
}

/// Makes a vector file with these tokens.
pub fn of_tokens<S: Twin>(tokens: Vec<Vector>) -> File {
    let keys = ROOTS.map(|(_, seed)| {
        let key = *SecretKey::from_seed(S::SCHEME, &seed).public_key();
        Key {
            seed: seed.into(),
            public: key.as_bytes().into(),
            text: key.to_string(),
        }
    });
    File {
        scheme: S::NAME.into(),
        keys: keys.into(),
        roots: roots::<S>(ROOTS),
        limits: Bounds::of(Limits::default(), 16),
        tokens,
    }
}

/// Makes the file of caveats and paths. All schemes share this file.
pub fn texts() -> Texts {
    let vouched = vouched();
    let [no_key, weak_key] = [31, 32].map(|length| {
        use base64ct::{Base64UrlUnpadded, Encoding};
        let key = Base64UrlUnpadded::encode_string(&vec![0; length]);
        format!("vouched ed25519:{key} of age")
    });
    let lines = include_str!("lines.txt").lines();
    let with_space = [
        "before ",
        "before 2026-11-23T06:15:00Z ",
        "audience ",
        "audience shop ",
        "method ",
        "account = ",
        "plan in ",
        "plan in free ",
        "amount at most 1 ",
        "depth 1 ",
        "account = 17 ",
    ];
    let more = [
        &vouched,
        &no_key,
        &weak_key,
        "",
        "audience a\tb",
        "audience a\u{85}b",
        "plan in a\tb",
    ];
    let lines = lines.chain(with_space).chain(more).map(|line| Line {
        line: line.into(),
        caveat: is_caveat(line),
    });
    let paths = include_str!("paths.txt").lines();
    let paths = paths.chain(["", "/a\u{7f}"]).map(|path| Path {
        path: path.into(),
        normal: normal_path(path),
    });
    Texts {
        lines: lines.collect(),
        paths: paths.collect(),
    }
}
