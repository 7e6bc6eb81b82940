//! An allocator that ends the process at an access beyond an allocation, on the chosen side.

use std::alloc::{GlobalAlloc, Layout};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// The size of a page of x86-64.
const PAGE: usize = 4096;

/// The side on which an inaccessible page is next to the allocation.
#[derive(Clone, Copy, PartialEq)]
pub enum Side {
    /// The allocation begins right after an inaccessible page.
    Before,
    /// The allocation ends right before an inaccessible page, or as close to the page as alignment allows.
    Behind,
}

/// An allocator that gives each allocation its own pages, between two inaccessible pages. Freed
/// memory is unmapped.
pub struct Fence {
    before: AtomicBool,
}

impl Fence {
    /// Creates an allocator with an inaccessible page on this side of each allocation.
    pub const fn new(side: Side) -> Self {
        Self {
            before: AtomicBool::new(matches!(side, Side::Before)),
        }
    }

    /// Sets the side of later allocations.
    #[allow(dead_code)] // Some programs switch the side. Others have one fence for each side.
    pub fn set(&self, side: Side) {
        self.before.store(side == Side::Before, Ordering::Relaxed);
    }
}

// SAFETY: each allocation lies in a new mapping, has at least the size of the layout, and is aligned.
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
        // SAFETY: the mapping is new, and the part that is made accessible lies within it.
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
        // The slack is less than a page, so rounding down finds the first page of the allocation.
        let inner = memory.map_addr(|address| address & !(PAGE - 1));
        // SAFETY: this is the mapping that `alloc` made.
        unsafe { libc::munmap(inner.sub(PAGE).cast(), room + 2 * PAGE) };
    }
}
