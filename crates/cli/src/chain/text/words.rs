//! Numbers in words.

use indicatif::HumanCount;

/// A number and its noun, as in `1 proof`, `1,234 proofs`.
pub fn count(n: u64, one: &str, many: &str) -> String {
    format!("{} {}", HumanCount(n), if n == 1 { one } else { many })
}

/// A list of epochs in words, as in `epoch 3` and `epochs 3 to 5, 9`.
pub fn epochs(numbers: &[u64]) -> String {
    let runs: Vec<String> = numbers
        .chunk_by(|a, b| a + 1 == *b)
        .filter_map(|run| match run {
            [one] => Some(one.to_string()),
            [first, .., last] => Some(format!("{first} to {last}")),
            [] => None,
        })
        .collect();
    let word = if numbers.len() == 1 {
        "epoch"
    } else {
        "epochs"
    };
    format!("{word} {}", runs.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_epochs() {
        assert_eq!(epochs(&[7]), "epoch 7");
        assert_eq!(epochs(&[0, 1, 2, 4, 6, 7]), "epochs 0 to 2, 4, 6 to 7");
    }
}
