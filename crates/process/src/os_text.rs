//! Serialises operating system strings: as text where they are UTF-8, as a list of bytes otherwise.
//!
//! JSON has no bytes, serde refuses paths that are not UTF-8, and a file name or a variable in
//! another encoding is no reason not to run a benchmark.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum OsText {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&OsStr> for OsText {
    fn from(value: &OsStr) -> Self {
        match value.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(value.as_bytes().to_owned()),
        }
    }
}

impl From<OsText> for OsString {
    fn from(value: OsText) -> Self {
        match value {
            OsText::Text(text) => text.into(),
            OsText::Bytes(bytes) => Self::from_vec(bytes),
        }
    }
}

pub(crate) fn serialize<T: AsRef<OsStr>, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    OsText::from(value.as_ref()).serialize(serializer)
}

pub(crate) fn deserialize<'de, T: From<OsString>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    OsText::deserialize(deserializer).map(|text| OsString::from(text).into())
}

/// The same for a list of strings.
pub(crate) mod list {
    use super::{Deserialize, Deserializer, OsString, OsText, Serializer};

    pub(crate) fn serialize<S: Serializer>(
        values: &[OsString],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|value| OsText::from(value.as_os_str())))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<OsString>, D::Error> {
        let texts = Vec::<OsText>::deserialize(deserializer)?;
        Ok(texts.into_iter().map(OsString::from).collect())
    }
}
