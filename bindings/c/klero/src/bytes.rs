//! Memory that C lends: to read, and to write the answers for many items.

use std::ptr;

use klero_edge::{Misuse, items};

/// `klero_bytes`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes {
    data: *const u8,
    size: usize,
}

// SAFETY: the library only reads what it points to, and the program leaves that alone for the
// time of the call.
unsafe impl Sync for Bytes {}

impl Bytes {
    /// Neither bytes nor a size.
    pub(crate) fn is_absent(self) -> bool {
        self.data.is_null() && self.size == 0
    }

    /// # Safety
    /// Unless it is NULL, `data` points to `size` bytes that nobody writes during `'a`.
    pub(crate) unsafe fn read<'a>(self) -> Result<&'a [u8], Misuse> {
        // SAFETY: the caller's promise.
        unsafe { items(self.data, self.size) }
    }
}

/// Room for the values of many items; none, if the program does not want them.
pub(crate) struct Room<T>(*mut T);

// SAFETY: each thread writes the values of its own items, and no thread reads.
unsafe impl<T: Send> Sync for Room<T> {}

impl<T: Copy> Room<T> {
    /// Room that the program may withhold by NULL.
    pub(crate) fn wanted(to: *mut T) -> Self {
        Self(to)
    }

    /// Room that a program with items must lend.
    pub(crate) fn required(to: *mut T, count: usize) -> Result<Self, Misuse> {
        if to.is_null() && count > 0 {
            return Err(Misuse::Null);
        }
        Ok(Self(to))
    }

    /// Writes the values from `start` on.
    ///
    /// # Safety
    /// There is room for them that nobody else reads or writes.
    pub(crate) unsafe fn put(&self, start: usize, values: &[T]) {
        if !self.0.is_null() {
            // SAFETY: the caller's promise.
            unsafe { ptr::copy(values.as_ptr(), self.0.add(start), values.len()) };
        }
    }
}

const _: () = assert!(size_of::<Bytes>() == size_of::<[usize; 2]>());
