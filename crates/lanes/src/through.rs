//! Some inputs fail early, and the rest go through a batch: results stay in order.

use alloc::vec::Vec;

/// Gives the values among `items` to `batch` together, and puts each result beside its value.
/// Errors stay in their places.
///
/// # Panics
/// Unless `batch` returns one result for each value.
///
/// ```
/// use klero_lanes::through;
/// let items = ["3", "x", "4"].map(str::parse::<u32>).to_vec();
/// let doubled = through(items, |numbers| numbers.iter().map(|number| 2 * number).collect());
/// assert_eq!(doubled[0], Ok((3, 6)));
/// assert!(doubled[1].is_err());
/// assert_eq!(doubled[2], Ok((4, 8)));
/// ```
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
