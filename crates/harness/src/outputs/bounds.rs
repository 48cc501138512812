//! How long what names a row may be. Many rows share a name, a group, a package: without a bound a
//! file could ask for rows whose names together are as long as the square of its own length.

use bench_results::Param;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Most bytes of a name, or of a parameter: 300 characters of any script, and some.
pub(super) const LONGEST: usize = 1500;

/// Most parameters of a benchmark.
pub(super) const MOST_PARAMS: usize = 32;

/// A name as it is; of a longer one its beginning, and a sum of the whole, so that two that begin
/// alike stay two.
pub(super) fn bounded<'t>(name: impl Into<Cow<'t, str>>) -> Cow<'t, str> {
    let name = name.into();
    if name.len() <= LONGEST {
        return name;
    }
    let sum = format!("…{:016x}", sum(name.bytes()));
    let cut = name.floor_char_boundary(LONGEST - sum.len());
    Cow::Owned(format!("{}{sum}", &name[..cut]))
}

/// Parameters as they are; of more than [`MOST_PARAMS`] the first, and a sum of the others.
pub(super) fn bounded_params(mut params: Vec<Param>) -> Vec<Param> {
    for text in params.iter_mut().flat_map(|param| [&mut param.name, &mut param.value]) {
        if text.len() > LONGEST {
            *text = bounded(std::mem::take(text)).into_owned();
        }
    }
    if params.len() > MOST_PARAMS {
        let others = params.drain(MOST_PARAMS - 1..);
        let texts: Vec<String> = others.flat_map(|param| [param.name, param.value]).collect();
        let bytes = texts.iter().flat_map(|text| text.bytes().chain([0]));
        params.push(Param::new("…", format!("{:016x}", sum(bytes))));
    }
    params
}

/// FNV-1a.
fn sum(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Names of what rows are in, as numbers: comparing those costs nothing, however long the names.
#[derive(Default)]
pub(super) struct Numbers<'t>(BTreeMap<&'t str, usize>);

impl<'t> Numbers<'t> {
    /// The number of a name, the same each time.
    pub(super) fn of(&mut self, name: &'t str) -> usize {
        let next = self.0.len();
        *self.0.entry(name).or_insert(next)
    }

    /// The names by number.
    pub(super) fn names(&self) -> Vec<&'t str> {
        let mut names: Vec<(usize, &'t str)> =
            self.0.iter().map(|(name, at)| (*at, *name)).collect();
        names.sort_unstable();
        names.into_iter().map(|(_, name)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_bounded_and_stay_apart() {
        let short = "ü".repeat(LONGEST / 2);
        assert_eq!(bounded(short.as_str()), short);
        let (a, b) = (format!("{short}{short}a"), format!("{short}{short}b"));
        assert!(bounded(a.as_str()).len() <= LONGEST && bounded(a.as_str()).starts_with("üü"));
        assert_ne!(bounded(a.as_str()), bounded(b.as_str()));
        assert_eq!(bounded(bounded(a.as_str())), bounded(a.as_str()));
    }

    #[test]
    fn many_parameters_are_bounded_and_stay_apart() {
        let many = |last: &str| {
            let mut params = vec![Param::new("p", "v"); 1000];
            params.push(Param::new("last", last));
            bounded_params(params)
        };
        assert_eq!(many("a").len(), MOST_PARAMS);
        assert_ne!(many("a"), many("b"));
    }
}
