//! Reads the ids of pools and the hashes of VRF keys from text.

use klero_leader::{PoolId, VrfKeyHash};

const HEX: &str = "054c964d2dff35c5f98c229e3fd98f3c330d99e9187fbaddc9c88e26";

#[test]
fn pools_have_two_texts() {
    let text = "pool1qp2xfc2eml6ut7xvy20rlvc7vwxej0a5c07emt4v3nr3xju7rw0";
    let pool: PoolId = text.parse().unwrap();
    assert_eq!(pool.to_hex().len(), 56);
    for other in [
        pool.to_hex(),
        pool.to_hex().to_uppercase(),
        format!("\\x{}", pool.to_hex()),
        format!("0x{}", pool.to_hex()),
        text.to_uppercase(),
    ] {
        assert_eq!(other.parse(), Ok(pool), "{other}");
    }
    assert_eq!(HEX.parse::<PoolId>().unwrap().to_hex(), HEX);
}

#[test]
fn bad_pools_say_what_is_wrong() {
    for (text, reason) in [
        ("", "0 bytes, not 28"),
        ("pool", "not hexadecimal"),
        ("054c", "2 bytes, not 28"),
        ("054", "not hexadecimal"),
        ("0x", "0 bytes, not 28"),
        ("0x\\x00", "not hexadecimal"),
        // The hex digits of 32 bytes.
        (&"07".repeat(32), "32 bytes, not 28"),
        // In both texts, the last character is changed.
        (
            "pool1qp2xfc2eml6ut7xvy20rlvc7vwxej0a5c07emt4v3nr3xju7rw1",
            "bad bech32: ",
        ),
        (
            "pool1qp2xfc2eml6ut7xvy20rlvc7vwxej0a5c07emt4v3nr3xju7rwq",
            "bad bech32: invalid checksum",
        ),
        // A stake address, and an example from BIP 173 with the prefix "a" and no data.
        (
            "stake_test1upteg2v0yqn82fq56xnuyraht0uk0g4jhsv8u7kgsnrvwhq3papgq",
            "the prefix is \"stake_test\"",
        ),
        ("a12uel5l", "the prefix is \"a\""),
    ] {
        let error = text.parse::<PoolId>().unwrap_err().to_string();
        assert!(error.contains(&format!("{text:?}: {reason}")), "{error}");
        let expected = "; expected 56 hex digits or pool1...";
        assert!(error.ends_with(expected), "{error}");
    }
    // An error message cuts a long text short, even if some of its characters have several bytes.
    let error = "é1".repeat(1000).parse::<PoolId>().unwrap_err();
    assert!(error.to_string().len() < 300, "{error}");
}

/// Bech32 texts are refused if their length is not 28 bytes, if an unused last bit is not zero, or if they
/// have the checksum of bech32m.
#[test]
fn only_canonical_bech32_names_a_pool() {
    use bech32::{Bech32, Bech32m, Fe32, Fe32IterExt, Hrp, encode};
    let prefix = Hrp::parse("pool").unwrap();
    // 45 characters have 225 bits, one more than 28 bytes. So the last bit before the checksum is unused.
    let ends_with = |last| {
        let characters = [Fe32::Q; 44].into_iter().chain([last]);
        String::from_iter(characters.with_checksum::<Bech32>(&prefix).chars())
    };
    assert_eq!(ends_with(Fe32::Q).parse(), Ok(PoolId::new([0; 28])));
    let long = |length| encode::<Bech32>(prefix, &vec![7; length]).unwrap();
    let other_checksum = encode::<Bech32m>(prefix, &[7; 28]).unwrap();
    for (text, reason) in [
        (long(0), "0 bytes, not 28"),
        (long(27), "27 bytes, not 28"),
        (long(29), "29 bytes, not 28"),
        (long(32), "32 bytes, not 28"),
        (other_checksum, "invalid checksum"),
        (ends_with(Fe32::P), "its last bits are not zero"),
    ] {
        let error = text.parse::<PoolId>().unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn hashes_of_vrf_keys() {
    let hash = VrfKeyHash::new([0xab; 32]);
    assert_eq!("ab".repeat(32).parse(), Ok(hash));
    assert_eq!("AB".repeat(32).parse(), Ok(hash));
    assert_eq!(format!("\\x{hash}").parse(), Ok(hash));
    for (text, reason) in [
        ("", "0 bytes, not 32"),
        ("ab", "1 bytes, not 32"),
        ("xy", "not hexadecimal"),
    ] {
        let error = text.parse::<VrfKeyHash>().unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_secret_key_is_not_repeated() {
    let error = "vrf_sk1kndg6v39wza4jlj".parse::<PoolId>().unwrap_err();
    let said = error.to_string();
    assert!(said.starts_with("pool \"(a secret key, not shown)\": "));
    assert!(!said.contains("kndg"), "{said}");
}
