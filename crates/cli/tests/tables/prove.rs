//! `klero batch prove`.

use crate::common::{Place, csv_column};

#[test]
fn what_is_proved_verifies_in_every_format() {
    let place = Place::new();
    place.write("key", "00".repeat(32));
    let key = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29";
    let alphas: String = (0..5000).map(|n| format!("{n},{n:08x}\n")).collect();
    place.write("a.csv", format!("id,alpha\n{alphas}"));
    for format in ["csv", "jsonl", "parquet"] {
        for suite in ["praos", "rfc9381-ell2-bc"] {
            let out = format!("p.{format}");
            place
                .run(&format!(
                    "batch prove a.csv --suite {suite} --key key --out {out}"
                ))
                .ends(0);
            place
                .run(&format!("batch verify {out} --suite {suite} --out v.csv"))
                .ends(0);
            let text = place.read("v.csv");
            assert_eq!(
                text.lines().next(),
                Some("id,alpha,key,proof,output,verdict")
            );
            assert_eq!(csv_column(&text, "alpha")[4999], "00001387");
            assert!(csv_column(&text, "key").iter().all(|k| *k == key));
        }
    }
}

#[test]
fn bytes_in_parquet_stay_bytes() {
    let place = Place::new();
    place.write("key", "00".repeat(32));
    place
        .run("sample --suite praos --count 100 --out s.parquet")
        .ends(0);
    place
        .run("batch prove s.parquet --suite praos --key key --out p.parquet")
        .ends(0);
    place
        .run("batch verify p.parquet --suite praos --force -o p.parquet")
        .ends(0);
    let file = std::fs::File::open(place.path("p.parquet")).unwrap();
    let reader =
        parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
    for name in ["key", "alpha", "proof", "output"] {
        let field = reader.schema().field_with_name(name).unwrap();
        assert_eq!(field.data_type(), &arrow_schema::DataType::Binary, "{name}");
    }
}

#[test]
fn seeds_are_used_and_not_written() {
    let place = Place::new();
    let seeds = [
        "00".repeat(32),
        "01".repeat(32),
        "02".repeat(31),
        "zz".into(),
    ];
    let rows: String = seeds.iter().map(|seed| format!("{seed},00\n")).collect();
    place.write("a.csv", format!("seed,alpha\n{rows}"));
    for format in ["csv", "jsonl"] {
        let out = format!("p.{format}");
        place
            .run(&format!("batch prove a.csv --suite praos --out {out}"))
            .ends(1);
        assert!(!place.read(&out).contains(&seeds[1]) && !place.read(&out).contains("seed\":"));
    }
    let text = place.read("p.csv");
    assert_eq!(text.lines().next(), Some("alpha,key,proof,output,verdict"));
    let keys = csv_column(&text, "key");
    assert_eq!(
        keys[0],
        "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29"
    );
    assert_eq!(keys[2..], ["", ""]);
    assert_eq!(
        csv_column(&text, "verdict"),
        [
            "valid",
            "valid",
            "invalid: seed has 31 bytes, expected 32",
            "invalid: seed is not hex: character 1 is 'z'"
        ]
    );
    place.write("key", &seeds[0]);
    place
        .run("batch prove a.csv --suite praos --key key")
        .refused("expected one of them");
    place.write("b.csv", "alpha\n00\n");
    place
        .run("batch prove b.csv --suite praos")
        .refused("no column \"seed\"");
    place.write("c.csv", "seed\n00\n");
    place
        .run("batch prove c.csv --suite praos")
        .refused("no column \"alpha\"");
    place
        .run("batch prove - --format csv --suite praos --key -")
        .refused("wanted for FILE and for --key");
}

#[test]
fn of_a_row_with_shifted_fields_only_the_verdict_is_written() {
    let place = Place::new();
    let seeds = ["11", "22", "33"].map(|byte| byte.repeat(32));
    let [first, shifted, last] = &seeds;
    place.write(
        "a.csv",
        format!("id,seed,alpha\nA,{first},aa\nSmith, John,{shifted},bb\nB,{last},cc\n"),
    );
    // A field that appears twice is a fault of its row, too.
    place.write(
        "a.jsonl",
        format!(
            "{{\"id\":\"A\",\"seed\":\"{first}\",\"alpha\":\"aa\"}}\n\
             {{\"id\":\"{shifted}\",\"alpha\":\"{shifted}\",\"alpha\":\"bb\"}}\n\
             {{\"id\":\"B\",\"seed\":\"{last}\",\"alpha\":\"cc\"}}\n\
             \"{shifted}\"\n"
        ),
    );
    for (from, fault) in [
        ("csv", "line 3: expected 3 fields, found 4"),
        ("jsonl", "line 2: field \"alpha\" appears twice"),
    ] {
        let ran = place
            .run(&format!("batch prove a.{from} --suite praos --out p.csv"))
            .ends(1);
        let text = place.read("p.csv");
        for seed in &seeds {
            assert!(!text.contains(seed) && !ran.stderr.contains(seed), "{text}");
        }
        assert_eq!(csv_column(&text, "id")[..3], ["A", "", "B"]);
        assert_eq!(csv_column(&text, "alpha")[..3], ["aa", "", "cc"]);
        assert_eq!(csv_column(&text, "proof")[1], "");
        assert_eq!(
            csv_column(&text, "verdict")[..3],
            ["valid", &format!("invalid: {fault}"), "valid"]
        );
        let lines = place
            .run(&format!(
                "batch prove a.{from} --suite praos --out-format jsonl"
            ))
            .ends(1);
        assert!(!lines.stdout.contains(shifted), "{}", lines.stdout);
    }
    assert_eq!(
        csv_column(&place.read("p.csv"), "verdict")[3],
        "invalid: line 4: expected a JSON object, found a string"
    );
    // With --key no column is secret, and the row keeps what could be read.
    place.write("key", first);
    place.write("b.csv", "id,alpha\nA,aa,bb\n");
    let ran = place
        .run("batch prove b.csv --suite praos --key key")
        .ends(1);
    assert_eq!(csv_column(&ran.stdout, "id"), ["A"]);
}

#[test]
fn the_help_says_what_a_column_suite_costs() {
    for command in ["prove", "evaluate"] {
        let ran = Place::new().run(&format!("batch {command} --help")).ends(0);
        for words in [
            "about 120 bytes of memory are",
            "\n  seed     the 32-byte secret seed",
            "\nFormats:",
        ] {
            assert!(ran.stdout.contains(words), "{}", ran.stdout);
        }
    }
}

#[test]
fn wrong_rows_get_no_proof() {
    let place = Place::new();
    place.write("key", "00".repeat(32));
    let ran = place
        .run_with(
            "batch prove - --format csv --suite praos --key key",
            "alpha,n\n00,1\nxyz,2\n00\n,4\n",
        )
        .ends(1);
    let verdicts = csv_column(&ran.stdout, "verdict");
    assert_eq!(verdicts[0], "valid");
    assert_eq!(verdicts[1], "invalid: alpha is not hex: character 1 is 'x'");
    assert_eq!(verdicts[2], "invalid: line 4: expected 2 fields, found 1");
    assert_eq!(verdicts[3], "valid");
    assert_eq!(csv_column(&ran.stdout, "proof")[1..3], ["", ""]);
}
