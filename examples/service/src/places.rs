//! How many connections are open: in all, and by each client.
//!
//! A connection that sends nothing costs its client nothing. So one client must not be able to take
//! all places, or it could keep everyone else out.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

/// Counts the connections of each client.
pub struct Places {
    of_each: usize,
    taken: Mutex<HashMap<IpAddr, usize>>,
}

/// A place, free again when it is dropped.
pub struct Place {
    places: Arc<Places>,
    client: IpAddr,
}

impl Places {
    /// This many for each client.
    pub fn new(of_each: usize) -> Arc<Self> {
        Arc::new(Self {
            of_each,
            taken: Mutex::default(),
        })
    }

    /// A place for a connection from this address, unless its client has all that it may have.
    pub fn take(self: &Arc<Self>, address: IpAddr) -> Option<Place> {
        let client = client(address);
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(client).or_default();
        // What has an entry has at least one, unless the limit is 0.
        if *count >= self.of_each {
            return None;
        }
        *count += 1;
        Some(Place {
            places: self.clone(),
            client,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let taken = self.places.taken.lock();
        let mut taken = taken.unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.client);
            }
        }
    }
}

/// Of IPv6 a client has 2^64 addresses, whose first half is the same.
fn client(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(network))
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_places() {
        let places = Places::new(2);
        let take = |address: &str| places.take(address.parse().unwrap());
        let first = take("192.0.2.1").unwrap();
        let _second = take("::ffff:192.0.2.1").unwrap();
        assert!(take("192.0.2.1").is_none());
        let _other = take("192.0.2.2").unwrap();
        drop(first);
        assert!(take("192.0.2.1").is_some());

        let _six = ["2001:db8::1", "2001:db8::2:1"].map(|address| take(address).unwrap());
        assert!(take("2001:db8::3").is_none());
        assert!(take("2001:db8:0:1::3").is_some());
    }

    #[test]
    fn who_has_gone_is_forgotten() {
        let places = Places::new(1);
        drop(places.take("192.0.2.1".parse().unwrap()));
        assert!(places.taken.lock().unwrap().is_empty());
    }
}
