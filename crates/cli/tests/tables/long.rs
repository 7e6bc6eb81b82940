//! Tables so long that they are processed in several groups of rows.

use crate::common::{Place, csv_column, csv_rows};

#[test]
fn order_is_kept_in_every_format_and_other_columns_too() {
    let place = Place::new();
    place
        .run("sample --suite praos --count 9 --invalid 0.3 --out s.csv")
        .ends(0);
    let verified = place.run("batch verify s.csv --suite praos").ends(1);
    let verdicts = csv_column(&verified.stdout, "verdict");
    let sample = place.read("s.csv");
    let (header, rows) = sample.split_once('\n').unwrap();
    let rows: Vec<_> = rows.lines().collect();
    let mut text = format!("id,{header},note\n");
    for id in 0..20_000 {
        let row = rows[id % rows.len()];
        text += &format!("{id:05},{row},\"1e10, \"\"quoted\"\"\"\n");
    }
    place.write("t.csv", &text);
    let mut from = "t.csv";
    let ways = ["v.csv", "v.jsonl.gz", "v.parquet", "v.ndjson.zst", "w.csv"];
    for to in ways {
        let line = format!("batch verify {from} --suite praos --out {to}");
        place.run(&line).ends(1);
        from = to;
    }
    assert_eq!(place.read("w.csv"), place.read("v.csv"));
    let (before, after) = (csv_rows(&text), csv_rows(&place.read("v.csv")));
    assert_eq!(before.len(), after.len());
    for (id, (before, after)) in before.iter().zip(&after).enumerate() {
        let (verdict, others) = after.split_last().unwrap();
        assert_eq!(others, before);
        assert_eq!(*verdict, verdicts[id % rows.len()]);
    }
}

#[test]
fn rows_are_numbered_through_the_table() {
    let place = Place::new();
    let sample = place
        .run("sample --suite praos --count 8999")
        .ends(0)
        .stdout;
    // The last row and the first row are in different groups of rows.
    place.write("t.csv", sample + "x,,,\n");
    for format in ["csv", "jsonl", "parquet"] {
        for line in [
            format!("t.csv --force --out t.{format}"),
            format!("t.{format} --only-invalid --out i.csv"),
        ] {
            let ran = place
                .run(&format!("batch verify {line} --suite praos"))
                .ends(1);
            let said = "9,000 rows, 8,999 valid, 1 invalid";
            assert!(ran.stderr.contains(said), "{}", ran.stderr);
            let said = ", first in row 9000\n";
            assert!(ran.stderr.ends_with(said), "{}", ran.stderr);
        }
        let verdict = "invalid: key is not hex: character 1 is 'x'";
        let written = csv_rows(&place.read("i.csv"));
        assert_eq!(written, [["x", "", "", "", verdict]], "{format}");
    }
}
