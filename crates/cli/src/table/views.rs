//! Views of texts and bytes in the pages of a Parquet file, and the memory that each row needs after the
//! views are converted to the columns' own types.

use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};

/// Returns the fields, with a view type in place of each type of text or bytes.
pub fn with_views(fields: &Fields) -> Fields {
    let view = |field: &FieldRef| with_leaves(field, view_of);
    fields.iter().map(view).collect()
}

fn view_of(leaf: &DataType) -> DataType {
    match leaf {
        DataType::Utf8 | DataType::LargeUtf8 => DataType::Utf8View,
        DataType::Binary | DataType::LargeBinary => DataType::BinaryView,
        DataType::Dictionary(_, values) => match view_of(values) {
            view @ (DataType::Utf8View | DataType::BinaryView) => view,
            _ => leaf.clone(),
        },
        other => other.clone(),
    }
}

/// Changes the type of a field. In lists, maps and structs, changes the types of the innermost fields.
pub fn with_leaves(field: &FieldRef, change: fn(&DataType) -> DataType) -> FieldRef {
    let inner = |field: &FieldRef| with_leaves(field, change);
    let data_type = match field.data_type() {
        DataType::List(field) => DataType::List(inner(field)),
        DataType::LargeList(field) => DataType::LargeList(inner(field)),
        DataType::FixedSizeList(field, size) => DataType::FixedSizeList(inner(field), *size),
        DataType::Map(entries, sorted) => DataType::Map(inner(entries), *sorted),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(inner).collect()),
        leaf => change(leaf),
    };
    Arc::new(Field::clone(field).with_data_type(data_type))
}

/// Returns the number of bytes of memory for each row of a column.
pub fn row_bytes(column: &dyn Array) -> Vec<u64> {
    /// Bytes for a number, an offset or the like.
    const OTHER: u64 = 16;
    // The low 32 bits of a view are the length of its value.
    let lengths = |views: &[u128]| views.iter().map(|view| u64::from(*view as u32)).collect();
    let sums = |values: &dyn Array, ends: &mut dyn Iterator<Item = (usize, usize)>| {
        let mut before = vec![0];
        before.extend(row_bytes(values).iter().scan(0u64, |sum, bytes| {
            *sum = sum.saturating_add(*bytes);
            Some(*sum)
        }));
        ends.map(|(start, end)| OTHER + before[end].saturating_sub(before[start]))
            .collect()
    };
    let pairs = |offsets: &[i32]| {
        let pairs = offsets.windows(2);
        pairs
            .map(|pair| (pair[0] as usize, pair[1] as usize))
            .collect::<Vec<_>>()
    };
    match column.data_type() {
        DataType::Utf8View => lengths(column.as_string_view().views()),
        DataType::BinaryView => lengths(column.as_binary_view().views()),
        DataType::List(_) => {
            let list = column.as_list::<i32>();
            sums(list.values(), &mut pairs(list.value_offsets()).into_iter())
        }
        DataType::Map(..) => {
            let map = column.as_map();
            sums(map.entries(), &mut pairs(map.value_offsets()).into_iter())
        }
        DataType::LargeList(_) => {
            let list = column.as_list::<i64>();
            let pairs = list.value_offsets().windows(2);
            sums(
                list.values(),
                &mut pairs.map(|pair| (pair[0] as usize, pair[1] as usize)),
            )
        }
        DataType::FixedSizeList(_, size) => {
            let (list, size) = (column.as_fixed_size_list(), *size as usize);
            let rows = 0..list.len();
            sums(
                list.values(),
                &mut rows.map(|row| (row * size, (row + 1) * size)),
            )
        }
        DataType::Struct(_) => {
            let mut rows = vec![OTHER; column.len()];
            for field in column.as_struct().columns() {
                for (row, bytes) in rows.iter_mut().zip(row_bytes(field)) {
                    *row = row.saturating_add(bytes);
                }
            }
            rows
        }
        DataType::FixedSizeBinary(size) => vec![*size as u64; column.len()],
        _ => vec![OTHER; column.len()],
    }
}

/// Checks that the texts in a column are UTF-8, also in lists, maps and structs. The parquet crate checks
/// only columns whose type in Parquet is UTF-8 text. It checks neither JSON columns, nor columns that only
/// the Arrow schema in the footer declares as text.
pub fn check(column: &dyn Array) -> Result<(), ArrowError> {
    column.to_data().validate_full()
}
