//! The names of the files of a chunk: its number, and what the file holds.

/// The name of the file of a chunk with this extension: `chunk`, `primary` or `secondary`.
pub(crate) fn file_name(number: u64, extension: &str) -> String {
    format!("{number:05}.{extension}")
}

/// The number in a chunk file's name.
pub(crate) fn chunk_number(name: &str) -> Option<u64> {
    let number = name.strip_suffix(".chunk")?.parse().ok()?;
    (file_name(number, "chunk") == name).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for (name, number) in [
            ("00000.chunk", 0),
            ("00119.chunk", 119),
            ("123456.chunk", 123_456),
        ] {
            assert_eq!(chunk_number(name), Some(number));
        }
        for name in [
            "0.chunk",
            "000001.chunk",
            "+0001.chunk",
            "00001.primary",
            "abcde.chunk",
            ".chunk",
        ] {
            assert_eq!(chunk_number(name), None, "{name}");
        }
    }
}
