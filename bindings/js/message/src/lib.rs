//! What goes in and out of the WebAssembly of the npm package: [`Reader`] and [`Writer`] have the
//! form of messages, [`respond`] their way.
//!
//! A call takes three steps. The wrapper asks for room for a request ([`room`]) and writes it
//! there; it calls an operation, which puts its response into the place of the request and
//! returns a number, below 0 if the response is an error in words; it reads the response
//! (`response`, `response_len`) and wipes it by asking for a request of no bytes.
//!
//! WebAssembly has one thread, so that the place of the message exists once.

use std::cell::RefCell;
use std::hint::black_box;
use std::{mem, ptr};

use zeroize::Zeroizing;

pub use fields::{Reader, Writer};

mod fields;

thread_local! {
    /// The request, and then the response.
    static MESSAGE: RefCell<Zeroizing<Vec<u8>>> = RefCell::default();
}

/// The address of `len` bytes for a request; 0 if there is no memory for it, or not `working` bytes
/// for the operation beside it. Wipes the last response in either case.
pub fn room(len: usize, working: usize) -> *mut u8 {
    MESSAGE.with_borrow_mut(|message| {
        *message = Zeroizing::default();
        // Memory that is freed stays with this program. So a lack of it is found here, where it
        // can be reported: within an operation it would abort.
        let (mut room, mut more) = (Vec::new(), Vec::<u8>::new());
        let reserved = room
            .try_reserve_exact(len)
            .and_then(|()| more.try_reserve_exact(working));
        // Else the compiler may leave out memory that nothing uses.
        black_box(&mut more);
        if reserved.is_err() {
            return ptr::null_mut();
        }
        room.resize(len, 0);
        **message = room;
        message.as_mut_ptr()
    })
}

/// The address of the response.
// SAFETY of both exports: no other symbol of the program has their name.
#[unsafe(no_mangle)]
pub extern "C" fn response() -> *const u8 {
    MESSAGE.with_borrow(|message| message.as_ptr())
}

/// The length of the response in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn response_len() -> usize {
    MESSAGE.with_borrow(|message| message.len())
}

/// Why an operation has no result: in words, and the number that it returns, which says to the
/// wrapper what kind of error this is.
pub struct Failed {
    /// Below 0.
    pub number: i32,
    /// For people.
    pub words: String,
}

/// An argument is wrong.
impl From<String> for Failed {
    fn from(words: String) -> Self {
        Self { number: -1, words }
    }
}

impl From<&str> for Failed {
    fn from(words: &str) -> Self {
        words.to_owned().into()
    }
}

/// Puts the response of the operation, or its error, into the place of the request.
pub fn respond(operation: impl FnOnce(&mut Reader<'_>, &mut Writer) -> Result<i32, Failed>) -> i32 {
    let mut operation = Some(operation);
    respond_once(&mut |request, response| match operation.take() {
        Some(operation) => operation(request, response),
        None => Ok(0),
    })
}

/// The part that is the same for every operation, in the program once.
#[inline(never)]
fn respond_once(
    operation: &mut dyn FnMut(&mut Reader<'_>, &mut Writer) -> Result<i32, Failed>,
) -> i32 {
    MESSAGE.with_borrow_mut(|message| {
        let request = mem::take(message);
        let mut response = Writer::default();
        let number = operation(&mut Reader::new(&request), &mut response).unwrap_or_else(|error| {
            response = Writer::default();
            response.push(error.words.as_bytes());
            error.number
        });
        *message = response.finish();
        number
    })
}

/// For tests: what an operation returns for a request of these bytes, and its response.
pub fn answer(request: &[u8], operation: impl FnOnce() -> i32) -> (i32, Vec<u8>) {
    MESSAGE.set(Zeroizing::new(request.to_vec()));
    let number = operation();
    (number, MESSAGE.with_borrow(|message| message.to_vec()))
}
