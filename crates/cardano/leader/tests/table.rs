//! Stake in CSV.

use klero_leader::{PoolId, TotalSource, stake_table};

const HEX: &str = "07070707070707070707070707070707070707070707070707070707";
const BECH32: &str = "pool1c55n72ag3tz8g7rntzuu9a86u7eugsy008xl3xsje8kwgvz2vdz";

/// Puts the ids of two pools into a table, in place of the words HEX and BECH32.
fn table(csv: &str) -> String {
    csv.replace("HEX", HEX).replace("BECH32", BECH32)
}

#[test]
fn tables_of_stake() {
    let vrf = "ab".repeat(32);
    for (csv, epoch, offset) in [
        ("epoch,pool,stake\n9,HEX,5\n9,BECH32,6\n", None, 0),
        ("pool,stake\nHEX,5\n\nBECH32, 6 \r\n", Some(9), 7),
        (
            "\u{feff}epoch_no,note,pool_id,amount // at its end\n7,a,\\xHEX,5\n7,\"b,c\",BECH32,\"6\"\n",
            None,
            2,
        ),
        (
            &format!(
                "total,vrf_key_hash,active_stake,pool_hash,epoch\n,,5,0xHEX,9\n,\\x{vrf},6,BECH32,9\n"
            ),
            None,
            0,
        ),
    ] {
        let stake = stake_table(&table(csv), epoch, offset).expect(csv);
        assert_eq!(stake.keys().collect::<Vec<_>>(), [&9], "{csv}");
        assert_eq!(stake[&9].total(), 11);
        assert_eq!(stake[&9].total_source(), TotalSource::Sum);
        let [one, two] = [HEX, BECH32].map(|id| stake[&9].pool(&id.parse::<PoolId>().unwrap()));
        assert_eq!(one.unwrap().stake.pool(), 5);
        assert_eq!(two.unwrap().stake.pool(), 6);
        assert_eq!(two.unwrap().vrf.is_some(), csv.contains("vrf"));
    }
    let csv = "epoch,pool,stake,total\n9,HEX,5,50\n10,HEX,6,\n";
    let stake = stake_table(&table(csv), None, 0).unwrap();
    assert_eq!((stake[&9].total(), stake[&10].total()), (50, 6));
    assert_eq!(stake[&9].total_source(), TotalSource::Given);
}

#[test]
fn bad_tables_of_stake() {
    let secret = "ab".repeat(32);
    for (csv, words) in [
        (
            "",
            "the file is empty: expected a line with the names of columns",
        ),
        ("epoch,pool,stake\n", "the table has no rows"),
        (
            "epoch,stake\n1,2\n",
            "there is no column \"pool\": expected epoch (unless it is given for all rows), pool, stake; \
             found epoch, stake",
        ),
        ("pool,stake\n1,2\n", "there is no column \"epoch\""),
        (&format!("{secret},5\n"), "found (64 bytes, not shown), 5"),
        (
            "epoch;pool;stake\n1;2;3\n",
            "found epoch;pool;stake. Between fields, expected a comma",
        ),
        (
            "epoch,pool,stake // live,stake // active\n1,HEX,5,6\n",
            "column \"stake\" appears twice",
        ),
        (
            "epoch,pool,pool_id,stake\n1,HEX,,6\n",
            "column \"pool\" appears twice",
        ),
        ("epoch,pool,stake,total\n1,HEX,5,4\n", "epoch 1: pool "),
        (
            "epoch,pool,stake,total\n1,HEX,5,4\n1,BECH32,1,3\n",
            "row 2: the total of epoch 1 is 3, and 4 in rows before",
        ),
        ("epoch,pool,stake,vrf\n1,HEX,5,00\n", "row 1: vrf: "),
    ] {
        let error = stake_table(&table(csv), None, 0).unwrap_err();
        assert!(error.to_string().contains(words), "{csv}: {error}");
    }
    let checksum = BECH32.replace("vdz", "vdq");
    for (rows, words) in [
        ("1,HEX,5\n1,0xHEX,6", "row 2: epoch 1: pool "),
        ("1,BECH32,5\n1,BECH32,6", " is there twice"),
        (
            "1,HEX,-5",
            "row 1: stake is \"-5\", expected a whole number below 2^64",
        ),
        ("1,HEX,0.5", "row 1: stake is \"0.5\""),
        ("1,HEX,", "row 1: stake is missing"),
        ("x,HEX,5", "row 1: epoch is \"x\""),
        ("1,HEX,5,6", "row 1: line 2: expected 3 fields, found 4"),
        (
            "1,HEX,\"5\n2,HEX,6",
            "row 1: a field goes over several lines",
        ),
        (&format!("1,{checksum},5"), "row 1: pool: "),
        ("1,abc,5", "row 1: pool: "),
        ("1,HEX,0", "epoch 1: the total stake is 0 lovelace"),
    ] {
        let error =
            stake_table(&table(&format!("epoch,pool,stake\n{rows}\n")), None, 0).unwrap_err();
        assert!(error.to_string().contains(words), "{rows}: {error}");
    }
    let error = stake_table(&table("epoch,pool,stake\n1,HEX,5\n"), Some(1), 0).unwrap_err();
    let words = "there is a column \"epoch\", and an epoch was given";
    assert!(error.to_string().contains(words), "{error}");
    let last = format!("epoch,pool,stake\n{},HEX,5\n", u64::MAX);
    let error = stake_table(&table(&last), None, 2).unwrap_err();
    let words = "row 1: epoch is 18446744073709551615, expected less";
    assert!(error.to_string().contains(words), "{error}");
}
