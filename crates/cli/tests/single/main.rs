//! One key, one proof: keygen, public-key, prove, evaluate, verify, suites.

#[path = "../common/mod.rs"]
mod common;

mod claims;
mod keys;
mod pages;
mod usage;

const SEED: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const KEY: &str = "3b6a27bcceb6a42d62a3a8d02a6f0d73653215771de243a63ac048a18b59da29";
/// cardano-base, vrf_ver03_generated_1: that seed, alpha 00.
const PROOF: &str = "000f006e64c91f84212919fe0899970cd341206fc081fe599339c8492e2cea3299ae9de4b6ce21cda0a975f65f45b70f82b3952ba6d0dbe11a06716e67aca233c0d78f115a655aa1952ada9f3d692a0a";
const OUTPUT: &str = "9930b5dddc0938f01cf6f9746eded569ee676bd6ff3b4f19233d74b903ec53a45c5728116088b7c622b6d6c354f7125c7d09870b56ec6f1e4bf4970f607e04b2";
