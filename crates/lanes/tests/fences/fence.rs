//! Memory between pages that are not mapped: an access beyond an allocation ends the process.

use std::alloc::{GlobalAlloc, Layout};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// The size of a page of x86-64.
const PAGE: usize = 4096;

/// The side on which an allocation meets a page that is not mapped.
#[derive(Clone, Copy, PartialEq)]
pub enum Side {
    /// It begins right behind the page.
    Before,
    /// It ends right before the page, or as close to it as its alignment allows.
    Behind,
}

/// An allocator that gives each allocation pages of its own, between two that are not mapped. Freed
/// memory is not mapped either.
pub struct Fence {
    before: AtomicBool,
}

impl Fence {
    /// A fence on this side of allocations.
    pub const fn new(side: Side) -> Self {
        Self {
            before: AtomicBool::new(matches!(side, Side::Before)),
        }
    }

    /// Sets the side of later allocations.
    #[allow(dead_code)] // Some use both sides in one program, some have a fence for each.
    pub fn set(&self, side: Side) {
        self.before.store(side == Side::Before, Ordering::Relaxed);
    }
}

// SAFETY: an allocation is a new mapping, as long as the layout says, and aligned.
unsafe impl GlobalAlloc for Fence {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if layout.align() > PAGE {
            return ptr::null_mut();
        }
        let room = layout.size().next_multiple_of(PAGE);
        let slack = if self.before.load(Ordering::Relaxed) {
            0
        } else {
            (room - layout.size()) & !(layout.align() - 1)
        };
        // SAFETY: the mapping is new, and what is made accessible lies within it.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let all = room + 2 * PAGE;
            let start = libc::mmap(ptr::null_mut(), all, libc::PROT_NONE, flags, -1, 0);
            if start == libc::MAP_FAILED {
                return ptr::null_mut();
            }
            let inner = start.byte_add(PAGE);
            if libc::mprotect(inner, room, libc::PROT_READ | libc::PROT_WRITE) != 0 {
                return ptr::null_mut();
            }
            inner.byte_add(slack).cast()
        }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        let room = layout.size().next_multiple_of(PAGE);
        // What alignment leaves over is less than a page.
        let inner = memory.map_addr(|address| address & !(PAGE - 1));
        // SAFETY: this is the mapping that `alloc` made.
        unsafe { libc::munmap(inner.sub(PAGE).cast(), room + 2 * PAGE) };
    }
}
