//! Stake in CSV.

use klero_leader::{PoolId, TotalSource, stake_table};

const HEX: &str = "07070707070707070707070707070707070707070707070707070707";
const BECH32: &str = "pool1c55n72ag3tz8g7rntzuu9a86u7eugsy008xl3xsje8kwgvz2vdz";

#[test]
fn tables_of_stake() {
    let vrf = "ab".repeat(32);
    for (csv, epoch, offset) in [
        (
            format!("epoch,pool,stake\n9,{HEX},5\n9,{BECH32},6\n"),
            None,
            0,
        ),
        (
            format!("pool,stake\n{HEX},5\n\n{BECH32}, 6 \r\n"),
            Some(9),
            7,
        ),
        (
            format!(
                "\u{feff}epoch_no,note,pool_id,amount // at its end\n7,a,\\x{HEX},5\n7,\"b,c\",{BECH32},\"6\"\n"
            ),
            None,
            2,
        ),
        (
            format!(
                "total,vrf_key_hash,active_stake,pool_hash,epoch\n,,5,0x{HEX},9\n,\\x{vrf},6,{BECH32},9\n"
            ),
            None,
            0,
        ),
    ] {
        let stake = stake_table(&csv, epoch, offset).expect(&csv);
        assert_eq!(stake.keys().collect::<Vec<_>>(), [&9], "{csv}");
        assert_eq!(stake[&9].total(), 11);
        assert_eq!(stake[&9].total_source(), TotalSource::Sum);
        let [one, two] = [HEX, BECH32].map(|id| stake[&9].pool(&id.parse::<PoolId>().unwrap()));
        assert_eq!(one.unwrap().stake.pool(), 5);
        assert_eq!(two.unwrap().stake.pool(), 6);
        assert_eq!(two.unwrap().vrf.is_some(), csv.contains("vrf"));
    }
    let csv = format!("epoch,pool,stake,total\n9,{HEX},5,50\n10,{HEX},6,\n");
    let stake = stake_table(&csv, None, 0).unwrap();
    assert_eq!((stake[&9].total(), stake[&10].total()), (50, 6));
    assert_eq!(stake[&9].total_source(), TotalSource::Given);
}

#[test]
fn bad_tables_of_stake() {
    let head = "epoch,pool,stake\n";
    let wrong = BECH32.replace("vdz", "vdq");
    for (csv, words) in [
        (
            String::new(),
            "the file is empty: expected a line with the names of columns",
        ),
        (head.into(), "the table has no rows"),
        (
            "epoch,stake\n1,2\n".into(),
            "there is no column \"pool\": expected epoch (unless it is given for all rows), pool, stake; \
             found epoch, stake",
        ),
        ("pool,stake\n1,2\n".into(), "there is no column \"epoch\""),
        (
            format!("{},5\n", "ab".repeat(32)),
            "found (64 bytes, not shown), 5",
        ),
        (
            "epoch;pool;stake\n1;2;3\n".into(),
            "found epoch;pool;stake. Between fields, expected a comma",
        ),
        (
            format!("epoch,pool,stake // live,stake // active\n1,{HEX},5,6\n"),
            "column \"stake\" appears twice",
        ),
        (
            format!("epoch,pool,pool_id,stake\n1,{HEX},,6\n"),
            "column \"pool\" appears twice",
        ),
        (
            format!("{head}1,{HEX},5\n1,0x{HEX},6\n"),
            "row 2: epoch 1: pool ",
        ),
        (
            format!("{head}1,{BECH32},5\n1,{BECH32},6\n"),
            " is there twice",
        ),
        (
            format!("{head}1,{HEX},-5\n"),
            "row 1: stake is \"-5\", expected a whole number below 2^64",
        ),
        (format!("{head}1,{HEX},0.5\n"), "row 1: stake is \"0.5\""),
        (format!("{head}1,{HEX},\n"), "row 1: stake is missing"),
        (format!("{head}x,{HEX},5\n"), "row 1: epoch is \"x\""),
        (
            format!("{head}1,{HEX},5,6\n"),
            "row 1: line 2: expected 3 fields, found 4",
        ),
        (
            format!("{head}1,{HEX},\"5\n2,{HEX},6\n"),
            "row 1: a field goes over several lines",
        ),
        (format!("{head}1,{wrong},5\n"), "row 1: pool: "),
        (format!("{head}1,abc,5\n"), "row 1: pool: "),
        (
            format!("{head}1,{HEX},0\n"),
            "epoch 1: the total stake is 0 lovelace",
        ),
        (
            format!("epoch,pool,stake,total\n1,{HEX},5,4\n"),
            "epoch 1: pool ",
        ),
        (
            format!("epoch,pool,stake,total\n1,{HEX},5,4\n1,{BECH32},1,3\n"),
            "row 2: the total of epoch 1 is 3, and 4 in rows before",
        ),
        (
            format!("epoch,pool,stake,vrf\n1,{HEX},5,00\n"),
            "row 1: vrf: ",
        ),
    ] {
        let error = stake_table(&csv, None, 0).unwrap_err();
        assert!(error.to_string().contains(words), "{csv}: {error}");
    }
    let csv = format!("{head}1,{HEX},5\n");
    let error = stake_table(&csv, Some(1), 0).unwrap_err().to_string();
    assert!(
        error.contains("there is a column \"epoch\", and an epoch was given"),
        "{error}"
    );
    let csv = csv.replace("1,", &format!("{},", u64::MAX));
    let error = stake_table(&csv, None, 2).unwrap_err().to_string();
    assert!(
        error.contains("row 1: epoch is 18446744073709551615, expected less"),
        "{error}"
    );
}
