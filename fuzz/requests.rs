//! Requests to a program for WebAssembly, from arbitrary bytes.

use arbitrary::{Result, Unstructured};
use klero_js_message::{Reader, Writer, answer};

use crate::changed::changed;

/// Requests that are answered without an error, and their fields.
pub struct Honest {
    requests: Vec<Vec<u8>>,
    /// Of these requests, and others worth a try.
    pub fields: Vec<Vec<u8>>,
}

/// A request or a part of one.
pub fn message(fields: &[&[u8]]) -> Vec<u8> {
    let mut message = Writer::default();
    for field in fields {
        message.push(field);
    }
    message.finish().to_vec()
}

impl Honest {
    /// No requests, and some fields.
    pub fn new() -> Self {
        Self {
            requests: Vec::new(),
            fields: [&b""[..], b"\xff\xff", &[0; 32], &[0xff; 8]]
                .map(<[u8]>::to_vec)
                .into(),
        }
    }

    /// The same as `answer`, for a request of these fields.
    pub fn ask(&mut self, fields: &[&[u8]], operation: impl FnOnce() -> i32) -> Vec<Vec<u8>> {
        self.answer(message(fields), operation)
    }

    /// Keeps a request, and returns the fields of its response.
    pub fn answer(&mut self, request: Vec<u8>, operation: impl FnOnce() -> i32) -> Vec<Vec<u8>> {
        let (number, response) = answer(&request, operation);
        assert!(number >= 0, "{}", String::from_utf8_lossy(&response));
        self.fields.extend(fields(&request));
        self.requests.push(request);
        fields(&response)
    }

    /// What an operation returns for a request: any bytes, an altered honest request, or one built of
    /// honest and altered fields. The response must consist of fields.
    pub fn changed(&self, input: &mut Unstructured, operation: fn() -> i32) -> Result<i32> {
        let request = match input.int_in_range(0..=3)? {
            0 => input.bytes(input.len())?.to_vec(),
            1 => changed(input, &self.requests)?,
            _ => {
                let mut request = Writer::default();
                for _ in 0..input.int_in_range(0..=12)? {
                    match input.int_in_range(0..=3)? {
                        0 => request.push_absent(),
                        1 => request.push(&changed(input, &self.fields)?),
                        _ => request.push(input.choose(&self.fields)?),
                    }
                }
                request.finish().to_vec()
            }
        };
        let (number, response) = answer(&request, operation);
        fields(&response);
        Ok(number)
    }
}

fn fields(message: &[u8]) -> Vec<Vec<u8>> {
    let (mut reader, mut fields) = (Reader::new(message), Vec::new());
    while !reader.is_empty() {
        fields.extend(reader.optional().expect("a field").map(<[u8]>::to_vec));
    }
    fields
}
