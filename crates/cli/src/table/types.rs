//! The types of columns that pass from one file of Parquet to another.
//!
//! Arrow does not have all of them: BSON, VARIANT or a time in UTC would be lost. So the reader marks its
//! columns, and a column that still has the mark is written with its type in the file that it comes from.

use std::sync::Arc;

use arrow_schema::{Field, Schema};
use parquet::arrow::{ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, parquet_to_arrow_schema};
use parquet::basic::{ConvertedType, Type as Physical};
use parquet::errors::Result;
use parquet::file::metadata::FileMetaData;
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};

/// The key of the mark in the metadata of a field. The mark is the place of the column in a Parquet file, or
/// the name of another format.
pub const ORIGIN: &str = "klero:origin";

/// The type as it is read: intervals in it become 12 bytes, because Arrow would leave out their months.
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

/// The columns of a file in Arrow's types, with the mark. Polars adds an Arrow schema to its files, with
/// types that Arrow lacks, such as integers of 128 bits. A schema that cannot be read is ignored.
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

/// The columns without the mark, and their types in Parquet. A marked column keeps its type in the file
/// `from` if its values are stored in the same way, except the column `filled`, which gets other values.
pub fn written(
    schema: &Schema,
    from: Option<&SchemaDescriptor>,
    filled: &str,
) -> Result<(Schema, SchemaDescriptor)> {
    let unmarked = changed(schema.clone(), |_, field| {
        field.metadata_mut().remove(ORIGIN);
    });
    let plain = ArrowSchemaConverter::new().convert(&unmarked)?;
    // Dates in milliseconds become days.
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
