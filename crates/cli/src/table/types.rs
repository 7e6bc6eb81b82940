//! The types of columns that pass from one Parquet file to another.
//!
//! Arrow does not have all types of Parquet: BSON, VARIANT or a time in UTC would be lost. So the reader
//! marks each column with its index in the source file. If a column still has its mark when it is written, it
//! gets the type that the source file has for it (see [`written`]).

use std::sync::Arc;

use arrow_schema::{Field, Schema};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, parquet_to_arrow_schema};
use parquet::basic::{ConvertedType, Type as Physical};
use parquet::errors::Result;
use parquet::file::metadata::FileMetaData;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

/// The key of the mark in the metadata of a field. The mark is the index of the column in a Parquet file,
/// or the name of another format.
pub const ORIGIN: &str = "klero:origin";

/// Returns the type for reading a column. Intervals become 12 bytes, because Arrow would drop their months.
pub fn readable(of: &Type) -> Result<Type> {
    let basic_info = of.get_basic_info().clone();
    match of {
        Type::GroupType { fields, .. } => {
            let fields = fields.iter().map(|field| readable(field).map(Arc::new));
            let fields = fields.collect::<Result<_>>()?;
            Ok(Type::GroupType { basic_info, fields })
        }
        Type::PrimitiveType {
            physical_type: Physical::FIXED_LEN_BYTE_ARRAY,
            type_length,
            ..
        } if basic_info.converted_type() == ConvertedType::INTERVAL => {
            Type::primitive_type_builder(of.name(), Physical::FIXED_LEN_BYTE_ARRAY)
                .with_repetition(basic_info.repetition())
                .with_length(*type_length)
                .build()
        }
        Type::PrimitiveType { .. } => Ok(of.clone()),
    }
}

/// Returns the columns of a file in Arrow's types, with their marks. Ignores an Arrow schema in the file that
/// cannot be read: Polars writes schemas with types that Arrow lacks, such as integers of 128 bits.
pub fn marked(types: &SchemaDescriptor, file: &FileMetaData) -> Result<Schema> {
    let pairs = file.key_value_metadata();
    let schema = parquet_to_arrow_schema(types, pairs).or_else(|_| {
        let mut pairs = pairs.cloned().unwrap_or_default();
        pairs.retain(|pair| pair.key != ARROW_SCHEMA_META_KEY);
        parquet_to_arrow_schema(types, Some(&pairs))
    })?;
    Ok(changed(schema, |place, field| {
        let metadata = field.metadata_mut();
        metadata.insert(ORIGIN.to_owned(), place.to_string());
    }))
}

/// Returns the columns without their marks, and their types in Parquet. A marked column gets the type that
/// the file `from` has for it, if that type stores values in the same way as the column's own type. The
/// column `filled` always keeps its own type, because its values are new and do not come from that file.
pub fn written(
    schema: &Schema,
    from: Option<&SchemaDescriptor>,
    filled: &str,
) -> Result<(Schema, SchemaDescriptor)> {
    let unmarked = changed(schema.clone(), |_, field| {
        field.metadata_mut().remove(ORIGIN);
    });
    let plain = ArrowSchemaConverter::new().convert(&unmarked)?;
    // With this option, dates in milliseconds are stored as days.
    let coerced = ArrowSchemaConverter::new().with_coerce_types(true);
    let coerced = coerced.convert(&unmarked)?;
    let mut types = roots(&plain).to_vec();
    for (index, field) in schema.fields().iter().enumerate() {
        let origin = field.metadata().get(ORIGIN);
        let origin = origin.and_then(|origin| origin.parse::<usize>().ok());
        let given = from.zip(origin);
        let given = given.and_then(|(from, place)| roots(from).get(place));
        if let Some(given) = given.filter(|given| given.name() == field.name())
            && field.name() != filled
            && leaves(given)? == leaves(&roots(&coerced)[index])?
        {
            types[index] = Arc::clone(given);
        }
    }
    Ok((unmarked, described(types)?))
}

fn changed(mut schema: Schema, change: impl Fn(usize, &mut Field)) -> Schema {
    let fields = schema.fields.iter().cloned().enumerate();
    let fields = fields.map(|(place, mut field)| {
        change(place, Arc::make_mut(&mut field));
        field
    });
    schema.fields = fields.collect();
    schema
}

fn roots(schema: &SchemaDescriptor) -> &[TypePtr] {
    schema.root_schema().get_fields()
}

fn described(roots: Vec<TypePtr>) -> Result<SchemaDescriptor> {
    let root = Type::group_type_builder("schema").with_fields(roots);
    Ok(SchemaDescriptor::new(Arc::new(root.build()?)))
}

/// The storage of a column's values: type, length and levels of each leaf.
fn leaves(root: &TypePtr) -> Result<Vec<(Physical, i32, i16, i16)>> {
    let schema = described(vec![Arc::clone(root)])?;
    let leaves = schema.columns().iter();
    let leaves = leaves.map(|leaf| {
        let (def, rep) = (leaf.max_def_level(), leaf.max_rep_level());
        (leaf.physical_type(), leaf.type_length(), def, rep)
    });
    Ok(leaves.collect())
}
