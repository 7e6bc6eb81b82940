//! Rows and fields that are long, or many.

use crate::common::{Place, csv_column};
use crate::{verdict_in, verify_csv, verify_jsonl};

#[test]
fn a_field_of_megabytes_is_a_field() {
    let place = Place::new();
    place.write("key", "00".repeat(32));
    let alpha = "ab".repeat(5 << 20);
    let proved = place
        .run_with(
            "batch prove - --format csv --suite praos --key key",
            format!("alpha\n{alpha}\n00\n"),
        )
        .ends(0);
    place.write("p.csv", &proved.stdout);
    place
        .run("batch verify p.csv --suite praos --out v.csv")
        .ends(0);
    assert_eq!(
        csv_column(&place.read("v.csv"), "alpha"),
        [alpha.as_str(), "00"]
    );
}

#[test]
fn a_row_without_end_is_refused() {
    let mut text = b"key,alpha,proof\n\"".to_vec();
    text.resize(70 << 20, b'0');
    verify_csv(text.clone()).refused("no row ends within 64 MiB before byte ");
    verify_jsonl(text)
        .refused("cannot read standard input: no row ends within 64 MiB before byte ")
        .refused("; is a quote not closed?");
}

#[test]
fn many_different_fields_need_no_more_memory_than_few() {
    // 300 lines of 500 fields, all different: 150,000 columns if it were a table.
    let mut text = String::new();
    for line in 0..300 {
        let fields: Vec<_> = (0..500)
            .map(|field| format!("\"{line}-{field}\":0"))
            .collect();
        text += &format!("{{{}}}\n", fields.join(","));
    }
    let ran = verify_jsonl(text).ends(1);
    assert_eq!(ran.stdout.lines().count(), 300);
    let fields: Vec<_> = (0..5000).map(|field| format!("\"{field}\":0")).collect();
    let ran = verify_jsonl(format!("{{{}}}\n", fields.join(","))).ends(1);
    assert!(
        ran.stdout
            .contains("\"invalid: line 1: more than 4096 fields\""),
        "{}",
        ran.stdout
    );
    let (name, longest) = ("n".repeat(4097), "m".repeat(4096));
    let ran = verify_jsonl(format!(
        "{{\"{name}\":0}}\n{{\"{longest}\":0,\"{longest}\":0}}\n"
    ))
    .ends(1);
    let verdicts: Vec<_> = ran.stdout.lines().map(verdict_in).collect();
    assert_eq!(
        verdicts,
        [
            "invalid: line 1: the name of a field has 4097 bytes, expected at most 4096",
            "invalid: line 2: field \"mmmmmmmmmmmmmmmm… (4096 bytes)\" appears twice"
        ]
    );
}
