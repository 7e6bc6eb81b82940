//! Whether the multipliers of one lane compute what their models do.
//!
//! Those of klero-lanes multiply `u64`. What is executed on symbols is the functions that they
//! call, for words of any kind, so that a wrong call would not be seen there. Both are compared on
//! numbers.

use klero_lanes::unstable::field::multiply::Multiply;

use super::backends::Backend;
use super::kernels::{Output, kernels};
use super::model::Model;
use crate::attempt::attempt;
use crate::numeric::samples;
use crate::words::concrete::Concrete;

/// The numbers that each kernel is tried on.
const SAMPLES: usize = 1000;

/// Compares a multiplier of this name with the backend that is its model, and says so.
pub(crate) fn agrees<B: Backend, M: Multiply<Word = u64>>(name: &str) -> Result<String, String> {
    attempt(compare::<B, M>).flatten()?;
    Ok(format!(
        "{name} of klero-lanes computes what is executed here."
    ))
}

fn compare<B: Backend, M: Multiply<Word = u64>>() -> Result<(), String> {
    let all = kernels::<B, Concrete>();
    for name in ["product", "square", "carry of a product"] {
        let mut kernels = all.iter().filter(|kernel| kernel.name == name);
        let kernel = kernels.next().ok_or(format!("no {name}"))?;
        for sample in samples(kernel, SAMPLES) {
            let out = match (name, &sample[..]) {
                ("product", [a, b]) => M::product(a, b),
                ("square", [a]) => M::square(a),
                (_, [wide, ..]) => M::carry_product(*wide),
                (_, []) => unreachable!("a kernel reads something"),
            };
            let inputs = sample.iter();
            let inputs: Vec<_> = inputs
                .map(|limbs| limbs.map(|limb| Model(Concrete(limb.into()))))
                .collect();
            match (kernel.run)(&inputs) {
                Output::Words(words) if words.map(|word| word.0.word()) == out => {}
                _ => return Err(format!("the {name} is another")),
            }
        }
    }
    Ok(())
}
