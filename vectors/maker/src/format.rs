//! The text of `vectors/headers.json`: one line for each name, stake and test, so that differences can be
//! read.

use serde_json::Value;

use crate::names::{self, Name};

/// The version of the layout. Another number says that a reader of this one may misread the file.
const SCHEMA_VERSION: u32 = 1;

/// The maker and its version.
const GENERATOR: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

/// The members of an object, in the order in which they are added: a text of JSON, without the braces.
#[derive(Default)]
pub struct Object(String);

impl Object {
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        let (name, value): (Value, Value) = (name.into(), value.into());
        self.0 += &format!("{name}:{value}");
        self
    }

    /// The same, if there is a value.
    pub fn with_any(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }
}

/// Tests, and what they have in common.
pub struct Group {
    pub head: Object,
    pub tests: Vec<Object>,
}

/// The whole file, of stakes with their names and of groups.
pub fn file(stakes: &[(String, Object)], groups: &[Group]) -> String {
    let mut count = 0;
    let groups = groups.iter().map(|group| {
        let tests = group.tests.iter().map(|test| {
            count += 1;
            format!(r#"    {{"tcId":{count},{}}}"#, test.0)
        });
        let tests = lines(tests);
        format!("  {{{},\n   \"tests\":[\n{tests}]}}", group.head.0)
    });
    let groups = lines(groups);
    let stakes = lines(stakes.iter().map(|(name, stake)| line(name, stake)));
    format!(
        "{{\"schema\":\"headers.schema.json\",\n \"schemaVersion\":{SCHEMA_VERSION},\n \
         \"generator\":\"{GENERATOR}\",\n \"numberOfTests\":{count},\n \"rules\":{{\n{}}},\n \
         \"roundings\":{{\n{}}},\n \"stakes\":{{\n{stakes}}},\n \"testGroups\":[\n{groups}]}}\n",
        lines(names::rules().iter().map(name_line)),
        lines(names::roundings().iter().map(name_line)),
    )
}

fn lines(of: impl Iterator<Item = String>) -> String {
    of.collect::<Vec<_>>().join(",\n")
}

fn line(name: &str, object: &Object) -> String {
    format!("  {}:{{{}}}", Value::from(name), object.0)
}

fn name_line(name: &Name) -> String {
    let object = Object::default()
        .with("description", name.description)
        .with("decidedBy", name.decided_by);
    line(name.name, &object)
}
