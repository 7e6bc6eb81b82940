//! `klero sample`.

use crate::common::{Place, csv_column};
use crate::refuses;

#[test]
fn samples_depend_on_seed_and_suite_alone() {
    let place = Place::new();
    let run = |options: &str| {
        place
            .run(&format!("sample --suite praos --out - {options}"))
            .ends(0)
            .stdout
    };
    let sample = run("--count 5000");
    assert_eq!(sample.lines().count(), 5001);
    assert_eq!(run("--count 5000"), sample);
    assert!(sample.starts_with(&run("--count 1000")));
    assert!(run("--count 0").lines().eq(["key,alpha,proof,output"]));
    assert_ne!(run("--count 10 --seed other"), run("--count 10"));
    let keys: std::collections::HashSet<_> = csv_column(&sample, "key").into_iter().collect();
    assert_eq!(keys.len(), 32);
    let lengths: std::collections::HashSet<_> = csv_column(&sample, "alpha")
        .iter()
        .map(String::len)
        .collect();
    assert!(!lengths.contains(&0) && lengths.len() > 100);
    for wrong in ["--invalid 2", "--invalid -1", "--invalid x", "--count -1"] {
        assert_eq!(
            place
                .run(&format!("sample --suite praos --out - {wrong}"))
                .status,
            2
        );
    }
}

#[test]
fn a_longer_sample_begins_with_the_shorter() {
    let place = Place::new();
    for keys in [1, 32, 300] {
        let sample = |rows| {
            let line = format!("sample --suite draft13 --keys {keys} --count {rows} -o -");
            place.run(&line).ends(0).stdout
        };
        let (short, long) = (sample(300), sample(5000));
        assert!(long.starts_with(&short));
        let mut distinct = csv_column(&long, "key");
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), keys);
    }
    refuses(&place, "sample --suite praos --keys 0", "1..=65536");
}
