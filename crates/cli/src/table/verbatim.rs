//! A writer of JSON lines. It copies JSON texts unchanged, so that numbers keep every digit.

use std::io::Write;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, StringArray};
use arrow_json::LineDelimitedWriter;
use arrow_json::writer::{
    Encoder, EncoderFactory, EncoderOptions, LineDelimited, NullableEncoder, WriterBuilder,
};
use arrow_schema::{ArrowError, FieldRef};
use klero_arrow::is_json;
use serde_json::value::RawValue;

use super::bytes::Sink;
use super::interface;
use super::zones::in_utc;
use crate::ui::error::Error;

/// Writes JSON lines.
pub struct Writer {
    file: Sink,
}

impl Writer {
    /// A writer of JSON lines to this file.
    pub fn new(file: Sink) -> Self {
        Self { file }
    }
}

impl interface::Writer for Writer {
    fn write(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        // By default, the encoder prints bytes as hex and leaves out fields that are null.
        let mut lines: LineDelimitedWriter<Vec<u8>> = WriterBuilder::new()
            .with_encoder_factory(Arc::new(Verbatim))
            .build::<_, LineDelimited>(Vec::new());
        in_utc(batch)
            .and_then(|batch| lines.write(&batch))
            .and_then(|()| lines.finish())
            .map_err(|error| Error::at(format_args!("cannot write {}", self.file.name()), error))?;
        self.file
            .write_all(&lines.into_inner())
            .map_err(|error| Error::write(self.file.name(), &error))
    }

    fn written(&self) -> u64 {
        self.file.written()
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        self.file.commit()
    }
}

/// Writes JSON texts unchanged.
#[derive(Debug)]
struct Verbatim;

impl EncoderFactory for Verbatim {
    fn make_default_encoder<'a>(
        &self,
        field: &'a FieldRef,
        array: &'a dyn Array,
        _: &'a EncoderOptions,
    ) -> Result<Option<NullableEncoder<'a>>, ArrowError> {
        let texts = array.as_string_opt::<i32>().filter(|_| is_json(field));
        Ok(texts.map(|texts| {
            NullableEncoder::new(Box::new(VerbatimEncoder(texts)), texts.nulls().cloned())
        }))
    }
}

struct VerbatimEncoder<'a>(&'a StringArray);

impl Encoder for VerbatimEncoder<'_> {
    fn encode(&mut self, index: usize, out: &mut Vec<u8>) {
        let text = self.0.value(index);
        if is_plain_string(text) {
            return out.extend_from_slice(text.as_bytes());
        }
        // A JSON column of Parquet can have texts that are not JSON or have line feeds. They become strings.
        match serde_json::from_str::<&RawValue>(text) {
            Ok(json) if !text.contains('\n') => out.extend_from_slice(json.get().as_bytes()),
            _ => out.extend_from_slice(&serde_json::to_vec(text).unwrap_or_default()),
        }
    }
}

/// True for a JSON string without escapes. Most values are strings of this kind. The loop never ends early,
/// so that the compiler can compare many bytes at once.
fn is_plain_string(text: &str) -> bool {
    let [b'"', inner @ .., b'"'] = text.as_bytes() else {
        return false;
    };
    let is_plain = |byte: &u8| !matches!(byte, b'"' | b'\\' | ..=0x1f);
    inner
        .iter()
        .fold(true, |plain, byte| plain & is_plain(byte))
}
