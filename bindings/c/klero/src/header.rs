//! Checking headers of Cardano: the crate's own `HeaderCheck` behind a handle, a verdict for each header,
//! and the leader rule alone. Nothing is judged here.

use std::collections::BTreeMap;
use std::ffi::{CString, c_char, c_int};
use std::ptr;

use klero_audit::{HeaderCheck, HeaderVerdict, RawHeader};
use klero_cardano::{Counters, Era, EraStarts, Hash, Network, Nonce};
use klero_edge::{items, object, place};
use klero_leader::{ActiveSlots, Distribution, LeaderValue, PoolId, Stake, Threshold, VrfKeyHash};

use crate::bytes::{Bytes, Room};
use crate::floating::as_expected;
use crate::key::free;
use crate::names;
use crate::status::{Status, returned};

/// The headers that are judged together: memory does not depend on how many a call has.
const BATCH: usize = 1024;

/// `klero_header_check`.
pub struct Check {
    genesis: Hash<32>,
    check: HeaderCheck,
}

// Threads share checks.
const _: () = {
    const fn is_shared<T: Send + Sync>() {}
    is_shared::<Check>();
};

/// `klero_header_counters`.
pub struct NetworkCounters {
    genesis: Hash<32>,
    counters: Counters,
    /// The faults and messages that the verdicts of the last call point to.
    faults: Vec<(Vec<RawFault>, Vec<CString>)>,
}

/// `klero_era_start`.
#[repr(C)]
pub struct RawStart {
    tag: u8,
    epoch: u64,
}

/// `klero_header_pool`.
#[repr(C)]
pub struct RawPool {
    pool: [u8; 28],
    stake: u64,
    vrf: *const [u8; 32],
}

/// `klero_header_stake`.
#[repr(C)]
pub struct RawStake {
    epoch: u64,
    pools: *const RawPool,
    count: usize,
    total: u64,
    d_numerator: u64,
    d_denominator: u64,
}

/// `klero_header_nonce`.
#[repr(C)]
pub struct RawNonce {
    epoch: u64,
    nonce: [u8; 32],
}

/// `klero_header`.
#[repr(C)]
pub struct GivenHeader {
    tag: u8,
    bytes: Bytes,
}

/// `klero_header_fault`.
#[repr(C)]
pub struct RawFault {
    name: *const c_char,
    message: *const c_char,
}

/// `klero_header_verdict`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Verdict {
    faults: *const RawFault,
    fault_count: usize,
    slot: u64,
    decoded: c_int,
    judged_by_stake: c_int,
    experimental: c_int,
}

#[cfg(target_pointer_width = "64")]
const _: () = {
    assert!(size_of::<RawStart>() == 16 && size_of::<RawNonce>() == 40);
    assert!(size_of::<GivenHeader>() == size_of::<[usize; 3]>());
    assert!(size_of::<Verdict>() == size_of::<[usize; 2]>() + 24);
};

impl NetworkCounters {
    /// The verdict for C. Its faults are kept.
    fn keep(&mut self, found: &HeaderVerdict) -> Verdict {
        let messages = found.faults.iter().map(|fault| {
            let message = fault.to_string().replace('\0', "\\0");
            CString::new(message).expect("no zero is left")
        });
        let messages: Vec<_> = messages.collect();
        let faults = found.faults.iter().zip(&messages);
        let faults = faults.map(|(fault, message)| RawFault {
            name: names::of_fault(fault),
            message: message.as_ptr(),
        });
        let faults: Vec<_> = faults.collect();
        let header = found.header.as_ref();
        let verdict = Verdict {
            faults: if faults.is_empty() {
                ptr::null()
            } else {
                faults.as_ptr()
            },
            fault_count: faults.len(),
            slot: header.map_or(0, |header| header.place.slot),
            decoded: header.is_some().into(),
            judged_by_stake: found.judged_by_stake.into(),
            experimental: found.is_experimental().into(),
        };
        self.faults.push((faults, messages));
        verdict
    }
}

/// Makes a check and hands out its handle.
unsafe fn hand_out(
    stakes: *const RawStake,
    count: usize,
    check: *mut *mut Check,
    network: impl FnOnce() -> Result<Network, Status>,
) -> c_int {
    let call = || {
        let to = place(check)?;
        let (mut network, mut decides) = (network()?, BTreeMap::new());
        // SAFETY: the caller's promise.
        for stake in unsafe { items(stakes, count) }? {
            let mut builder = Distribution::builder();
            // SAFETY: the caller's promise.
            for pool in unsafe { items(stake.pools, stake.count) }? {
                // SAFETY: the caller's promise.
                let vrf = unsafe { pool.vrf.as_ref() }.map(|hash| VrfKeyHash::new(*hash));
                let added = builder.pool(PoolId::new(pool.pool), pool.stake, vrf);
                added.map_err(|_| Status::BAD_STAKE)?;
            }
            if stake.total > 0 {
                builder.total(stake.total);
            }
            let built = builder.build().map_err(|_| Status::BAD_STAKE)?;
            if decides.insert(stake.epoch, built).is_some() {
                return Err(Status::GIVEN_TWICE);
            }
            if (stake.d_numerator, stake.d_denominator) != (0, 0) {
                let d = format!("{}/{}", stake.d_numerator, stake.d_denominator);
                let d = d.parse().map_err(|_| Status::BAD_RATIO)?;
                network.set_decentralization(stake.epoch, d);
            }
        }
        let genesis = network.genesis_hash();
        let check = HeaderCheck::new(network).map_err(|_| Status::BAD_GENESIS)?;
        let check = match decides.is_empty() {
            true => check,
            false => check.stake(&decides),
        };
        // SAFETY: the caller's promise.
        unsafe { to.write(Box::into_raw(Box::new(Check { genesis, check }))) };
        Ok(())
    };
    as_expected(|| returned(call))
}

/// A check for a public network.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_header_check_new(
    network: *const c_char,
    stakes: *const RawStake,
    count: usize,
    check: *mut *mut Check,
) -> c_int {
    let network = || {
        // SAFETY: the caller's promise.
        let network = unsafe { names::text(network) }?.and_then(Network::by_name);
        network.ok_or(Status::UNKNOWN_NETWORK)
    };
    // SAFETY: the caller's promise.
    unsafe { hand_out(stakes, count, check, network) }
}

/// A check for the network of a Shelley genesis file.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_header_check_from_genesis(
    genesis: *const u8,
    genesis_size: usize,
    starts: *const RawStart,
    start_count: usize,
    stakes: *const RawStake,
    count: usize,
    check: *mut *mut Check,
) -> c_int {
    let network = || {
        // SAFETY: the caller's promise.
        let genesis = unsafe { items(genesis, genesis_size) }?;
        let (mut begin, mut seen) = (EraStarts::default(), Vec::new());
        // SAFETY: the caller's promise.
        for RawStart { tag, epoch } in unsafe { items(starts, start_count) }? {
            let era = Era::from_tag(*tag).filter(|era| *era != Era::Byron);
            let era = era.ok_or(Status::UNKNOWN_ERA)?;
            if seen.contains(&era) {
                return Err(Status::GIVEN_TWICE);
            }
            seen.push(era);
            begin.set(era, *epoch);
        }
        Network::from_shelley_genesis("custom", genesis, begin).map_err(|_| Status::BAD_GENESIS)
    };
    // SAFETY: the caller's promise.
    unsafe { hand_out(stakes, count, check, network) }
}

/// Frees the check.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_header_check_free(check: *mut Check) {
    // SAFETY: the caller's promise.
    unsafe { free(check) };
}

/// Counters of certificates, none or saved ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_header_counters_new(
    check: *const Check,
    since_first_block: c_int,
    saved: *const u8,
    size: usize,
    counters: *mut *mut NetworkCounters,
) -> c_int {
    returned(|| {
        let to = place(counters)?;
        let none = saved.is_null();
        // SAFETY: the caller's promise.
        let (check, saved) = unsafe { (object(check)?, items(saved, size)?) };
        let (genesis, loaded) = match (saved, since_first_block) {
            ([], 0) if none => (check.genesis, Counters::since_any_block()),
            ([], _) if none => (check.genesis, Counters::since_first_block()),
            _ => Counters::from_bytes(saved).ok_or(Status::BAD_COUNTERS)?,
        };
        if genesis != check.genesis {
            return Err(Status::OTHER_NETWORK);
        }
        let made = Box::new(NetworkCounters {
            genesis,
            counters: loaded,
            faults: Vec::new(),
        });
        // SAFETY: the caller's promise.
        unsafe { to.write(Box::into_raw(made)) };
        Ok(())
    })
}

/// Sets the number of an issuer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_header_counters_set(
    counters: *mut NetworkCounters,
    issuer: *const u8,
    number: u64,
) -> c_int {
    returned(|| {
        // SAFETY: the caller's promise.
        let issuer = *unsafe { object::<[u8; 28]>(issuer.cast()) }?;
        // SAFETY: the caller's promise.
        let counters = unsafe { counters.as_mut() }.ok_or(Status::NULL)?;
        counters.counters.set(issuer.into(), number);
        Ok(())
    })
}

/// Writes the counters as bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_header_counters_save(
    counters: *const NetworkCounters,
    bytes: *mut u8,
    room: usize,
    size: *mut usize,
) -> c_int {
    returned(|| {
        let (to, bytes) = (place(size)?, Room::required(bytes, room)?);
        // SAFETY: the caller's promise.
        let counters = unsafe { object(counters) }?;
        let saved = counters.counters.to_bytes(counters.genesis);
        // SAFETY: the caller's promise.
        unsafe { to.write(saved.len()) };
        if room < saved.len() {
            return Err(Status::SIZE);
        }
        // SAFETY: the caller's promise.
        unsafe { bytes.put(0, &saved) };
        Ok(())
    })
}

/// Frees the counters.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_header_counters_free(counters: *mut NetworkCounters) {
    // SAFETY: the caller's promise.
    unsafe { free(counters) };
}

/// Verifies headers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_verify_headers(
    check: *const Check,
    headers: *const GivenHeader,
    count: usize,
    nonces: *const RawNonce,
    nonce_count: usize,
    counters: *mut NetworkCounters,
    verdicts: *mut Verdict,
) -> c_int {
    let call = || {
        let verdicts = Room::required(verdicts, count)?;
        // SAFETY: the caller's promise.
        let (check, sent) = unsafe { (object(check)?, items(headers, count)?) };
        // SAFETY: the caller's promise.
        let counters = unsafe { counters.as_mut() }.ok_or(Status::NULL)?;
        let mut named = BTreeMap::new();
        // SAFETY: the caller's promise.
        for RawNonce { epoch, nonce } in unsafe { items(nonces, nonce_count) }? {
            let nonce = Nonce::Value((*nonce).into());
            if named.insert(*epoch, nonce).is_some() {
                return Err(Status::GIVEN_TWICE);
            }
        }
        let headers = sent.iter().map(|GivenHeader { tag, bytes }| {
            // SAFETY: the caller's promise.
            let bytes = unsafe { bytes.read() }?;
            Ok(RawHeader { tag: *tag, bytes })
        });
        let headers = headers.collect::<Result<Vec<_>, Status>>()?;
        if counters.genesis != check.genesis {
            return Err(Status::OTHER_NETWORK);
        }
        counters.faults.clear();
        let mut made = Vec::with_capacity(count);
        for batch in headers.chunks(BATCH) {
            let found = check.check.verify(batch, &named, &mut counters.counters);
            made.extend(found.iter().map(|found| counters.keep(found)));
        }
        // SAFETY: the caller's promise.
        unsafe { verdicts.put(0, &made) };
        match made.iter().all(|verdict| verdict.fault_count == 0) {
            true => Ok(()),
            false => Err(Status::HEADER_INVALID),
        }
    };
    as_expected(|| returned(call))
}

/// `klero_leader_threshold`.
#[repr(C)]
pub struct RawThreshold {
    margin: f64,
    last: [u8; 64],
    last_size: usize,
}

const TPRAOS: c_int = 1;
const PRAOS: c_int = 2;

/// Judges by the leader rule.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn klero_leads(
    protocol: c_int,
    output: *const u8,
    stake: u64,
    total: u64,
    f_numerator: u64,
    f_denominator: u64,
    threshold: *mut RawThreshold,
) -> c_int {
    let call = || {
        // SAFETY: the caller's promise.
        let output: &[u8; 64] = unsafe { object(output.cast()) }?;
        let value = match protocol {
            TPRAOS => LeaderValue::TPraos(*output),
            PRAOS => LeaderValue::of_praos(output),
            _ => return Err(Status::UNKNOWN_PROTOCOL),
        };
        let slots = ActiveSlots::new(f_numerator, f_denominator);
        let slots = slots.map_err(|_| Status::BAD_RATIO)?;
        let stake = Stake::new(stake, total).map_err(|_| Status::BAD_STAKE)?;
        let found = Threshold::new(stake, &slots);
        let last = found.last_like(&value);
        let last = last.as_ref().map_or(&[][..], LeaderValue::as_bytes);
        let mut made = RawThreshold {
            margin: found.margin(&value),
            last: [0; 64],
            last_size: last.len(),
        };
        made.last[..last.len()].copy_from_slice(last);
        if !threshold.is_null() {
            // SAFETY: the caller's promise; the output is not read again.
            unsafe { threshold.write(made) };
        }
        match found.leads(&value) {
            true => Ok(()),
            false => Err(Status::NO_LEADER),
        }
    };
    as_expected(|| returned(call))
}
