//! A batch operation on the inputs that have not failed so far. The results stay in the order of the inputs.

use alloc::vec::Vec;

/// Calls `batch` once with the values of all items that are `Ok`, and pairs each value with its
/// result. Errors stay at their positions.
///
/// # Panics
/// If `batch` does not return one result for each value.
pub fn through<T, U, E>(
    items: Vec<Result<T, E>>,
    batch: impl FnOnce(&[T]) -> Vec<U>,
) -> Vec<Result<(T, U), E>> {
    let mut values = Vec::with_capacity(items.len());
    let places: Vec<_> = items
        .into_iter()
        .map(|item| item.map(|value| values.push(value)))
        .collect();
    let results = batch(&values);
    assert_eq!(results.len(), values.len(), "one result for each value");
    let mut pairs = values.into_iter().zip(results);
    places
        .into_iter()
        .map(|place| place.map(|()| pairs.next().expect("there is one pair for each value")))
        .collect()
}
