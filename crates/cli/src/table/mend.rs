//! Lines that are almost JSON. They have text in another encoding, such as ISO 8859-1, or numbers that
//! Python's `json` writes although JSON does not have them.

/// Numbers that JSON does not have.
const NOT_FINITE: [&str; 3] = ["NaN", "Infinity", "-Infinity"];
/// The largest number of replacements in a line. The limit bounds the list of their positions.
const MOST: usize = 1 << 20;

/// A line with U+FFFD in place of bytes that are not UTF-8, and `null` in place of numbers that JSON
/// does not have.
#[derive(Default)]
pub struct Mended {
    pub text: String,
    /// The positions of the replacements in `text`, in ascending order.
    places: Vec<usize>,
}

impl Mended {
    /// Mends a line. Returns `None` if nothing must be replaced, or if there are too many replacements.
    pub fn of(line: &[u8]) -> Option<Self> {
        let mut mended = Self::default();
        let (mut quoted, mut escaped) = (false, false);
        for chunk in line.utf8_chunks() {
            let mut rest = chunk.valid();
            while let Some(next) = rest.chars().next() {
                let is_next = |word: &&&str| !quoted && rest.starts_with(**word);
                if let Some(word) = NOT_FINITE.iter().find(is_next) {
                    mended.replace("null")?;
                    rest = &rest[word.len()..];
                    continue;
                }
                quoted ^= next == '"' && !escaped;
                escaped = next == '\\' && !escaped;
                mended.text.push(next);
                rest = &rest[next.len_utf8()..];
            }
            if !chunk.invalid().is_empty() {
                mended.replace("\u{fffd}")?;
            }
        }
        (!mended.places.is_empty()).then_some(mended)
    }

    fn replace(&mut self, by: &str) -> Option<()> {
        self.places.push(self.text.len());
        self.text.push_str(by);
        (self.places.len() <= MOST).then_some(())
    }

    /// True if a replacement is in `value`, which must be a slice of `text`.
    pub fn changes(&self, value: &str) -> bool {
        let start = value.as_ptr().addr() - self.text.as_ptr().addr();
        let next = self.places.partition_point(|place| *place < start);
        let place = self.places.get(next);
        place.is_some_and(|place| *place < start + value.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_values_that_json_lacks_are_replaced() {
        for (line, text) in [
            (&br#"{"a":NaN}"#[..], r#"{"a":null}"#),
            (
                br#"{"a":[-Infinity,{"b":Infinity}]}"#,
                r#"{"a":[null,{"b":null}]}"#,
            ),
            (
                br#"{"a":"NaN\"NaN\\","b":NaN}"#,
                r#"{"a":"NaN\"NaN\\","b":null}"#,
            ),
            (b"{\"a\":\"\xe9\\\"NaN\"}", "{\"a\":\"\u{fffd}\\\"NaN\"}"),
        ] {
            assert_eq!(Mended::of(line).unwrap().text, text);
        }
        for line in [&br#"{"a":"NaN"}"#[..], b"nan", &vec![0xff; MOST + 1]] {
            assert!(Mended::of(line).is_none());
        }
    }
}
