//! Values of the file that may be written in more than one way, kept as they were written.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{
    Deserialize, Deserializer, Error, MapAccess, Visitor, value::MapAccessDeserializer,
};
use std::borrow::Cow;
use std::fmt;

/// Text, a number or a date, as text: a number where `3%` belongs is then refused with a word on
/// how to write it, by the function that knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scalar(pub(crate) String);

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

struct ScalarVisitor;

impl<'de> Visitor<'de> for ScalarVisitor {
    type Value = Scalar;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text or a number")
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Scalar, E> {
        Ok(Scalar(value.to_owned()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Scalar, E> {
        Ok(Scalar(value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Scalar, E> {
        Ok(Scalar(value.to_string()))
    }

    /// TOML's own dates arrive as a map.
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Scalar, A::Error> {
        let date = toml::value::Datetime::deserialize(MapAccessDeserializer::new(map));
        date.map(|date| Scalar(date.to_string()))
            .map_err(|_| A::Error::custom("expected text or a number"))
    }
}

impl JsonSchema for Scalar {
    fn schema_name() -> Cow<'static, str> {
        "Scalar".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number"] })
    }
}

/// One text with words between commas, or an array of words.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected text or an array of texts")]
pub(crate) enum Words {
    /// `"regression,failure"`.
    Text(String),
    /// `["regression", "failure"]`.
    List(Vec<String>),
}

impl Words {
    /// The words, one by one.
    pub(crate) fn iter(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        match self {
            Self::Text(text) => Box::new(text.split(',')),
            Self::List(list) => Box::new(list.iter().map(String::as_str)),
        }
    }
}

/// A command: one text, or an array of words.
#[derive(Clone, Debug, serde::Deserialize, JsonSchema)]
#[serde(untagged, expecting = "expected a command as text or as an array of words")]
pub(crate) enum CommandText {
    /// `"cargo build --release"`.
    Line(String),
    /// `["cargo", "build", "--release"]`.
    Words(Vec<String>),
}
