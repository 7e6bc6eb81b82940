//! A batch of the inputs that have not failed before: results stay in order.

use alloc::vec::Vec;

/// Gives the values among `items` to `batch` together, and puts each result beside its value.
/// Errors stay in their places.
///
/// # Panics
/// Unless `batch` returns one result for each value.
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
