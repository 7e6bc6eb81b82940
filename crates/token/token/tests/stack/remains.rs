//! The bytes that a call leaves in memory: on the stack below its caller, and in heap blocks that the call
//! freed.
//!
//! A test binary that has this module uses the allocator below. The allocator fills every new block with
//! zeros, so the last owner of a freed block wrote every byte of the block that is not zero.

// Each test binary uses its own part of this module.
#![allow(dead_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::RefCell;
use std::fs::File;
use std::hint::black_box;
use std::os::unix::fs::FileExt;

/// The number of bytes of stack that are read. Every tested call uses fewer bytes.
const DEPTH: usize = 1 << 18;

/// The number of bytes of stack, just below the caller, that reading the memory afterwards overwrites.
const SPOILT: usize = 1 << 12;

/// The largest number of bytes that a call may free.
const MOST_FREED: usize = 1 << 22;

/// The bytes that the last call left.
pub struct Remains {
    memory: File,
    pub stack: Vec<u8>,
    pub freed: Vec<u8>,
}

impl Remains {
    pub fn new() -> Self {
        Self {
            memory: File::open("/proc/self/mem").unwrap(),
            stack: vec![0; DEPTH],
            freed: Vec::new(),
        }
    }

    /// Calls a function, and keeps the bytes that the call left.
    #[inline(never)]
    pub fn after<T>(&mut self, call: impl FnOnce() -> T) -> T {
        clear_stack();
        self.freed.clear();
        self.freed.reserve_exact(MOST_FREED);
        FREED.set(std::mem::take(&mut self.freed));
        let result = below(call);
        let here = 0u8;
        let end = black_box(&raw const here) as u64;
        self.freed = FREED.take();
        let begin = end - DEPTH as u64;
        self.memory.read_exact_at(&mut self.stack, begin).unwrap();
        assert!(self.freed.len() < MOST_FREED, "more was freed than is kept");
        assert!(
            self.stack[..DEPTH / 8].iter().all(|byte| *byte == 0),
            "more of the stack was used than is read"
        );
        result
    }

    /// Counts how often these bytes occur in the memory that the last call left.
    pub fn count(&self, secret: &[u8]) -> usize {
        let count = |memory: &[u8]| {
            let places = memory.windows(secret.len());
            places.filter(|bytes| *bytes == secret).count()
        };
        count(&self.stack) + count(&self.freed)
    }

    /// Asserts that a call leaves none of these secrets.
    #[track_caller]
    pub fn wiped<T>(&mut self, secrets: &[&[u8]], call: impl FnOnce() -> T) -> T {
        let result = self.after(call);
        for secret in secrets {
            assert_eq!(self.count(secret), 0, "{}", std::any::type_name::<T>());
        }
        result
    }
}

/// Calls a function so deep in the stack that reading the stack afterwards does not overwrite what the call
/// left.
#[inline(never)]
fn below<T>(call: impl FnOnce() -> T) -> T {
    let room = [0u8; SPOILT];
    black_box(&room);
    let result = call();
    black_box(&room);
    result
}

/// Clears the bytes of the stack that earlier calls left.
#[inline(never)]
fn clear_stack() {
    let mut room = [0u8; DEPTH + SPOILT];
    black_box(&mut room);
}

thread_local! {
    /// The bytes of freed blocks. The vector has capacity, and keeps bytes, only while a call is watched.
    static FREED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The system's allocator, with a copy of freed blocks for [`Remains`].
struct Watched;

#[global_allocator]
static WATCHED: Watched = Watched;

// SAFETY: the system's allocator does all the work. `realloc` is the trait's default: a block that grows
// becomes a new block, and the old block is freed.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the same promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // Nothing is kept on a thread that ends, or if the freed block holds the kept bytes themselves.
        let _ = FREED.try_with(|freed| {
            let Ok(mut freed) = freed.try_borrow_mut() else {
                return;
            };
            let room = freed.capacity() - freed.len();
            // SAFETY: the block has at least this many bytes. All of them were written when the block was
            // allocated, and its owner has given them up.
            let bytes = unsafe { std::slice::from_raw_parts(block, layout.size().min(room)) };
            freed.extend_from_slice(bytes);
        });
        // SAFETY: the caller keeps the same promise.
        unsafe { System.dealloc(block, layout) }
    }
}
