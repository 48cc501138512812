//! `--cpu-list` against the cores that there are.

use super::mistakes::ConfigError;
use super::settings::Config;

impl Config {
    /// Holds the cores that were asked for against those this process may use, in ascending order;
    /// none where the system does not say.
    ///
    /// # Errors
    /// Names the cores that are not there, and those that are.
    pub fn check_cores(&self, allowed: &[usize]) -> Result<(), ConfigError> {
        let wanted = self.compare.cpu_list.as_deref().unwrap_or_default();
        let missing: Vec<usize> =
            wanted.iter().copied().filter(|core| !allowed.contains(core)).collect();
        if allowed.is_empty() || missing.is_empty() {
            return Ok(());
        }
        let are = if missing.len() == 1 { "is no core" } else { "are no cores" };
        let message = format!(
            "there {are} {} for this program, which may use {}",
            ranges(&missing),
            ranges(allowed)
        );
        Err(ConfigError::one("--cpu-list", message))
    }
}

/// `0,2-5`, as the flag is written.
fn ranges(cores: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &core in cores {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == core => *last = core,
            _ => ranges.push((core, core)),
        }
    }
    let shown = ranges.iter().map(|(first, last)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    });
    shown.collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_written_as_the_flag_takes_them() {
        assert_eq!(ranges(&[0, 2, 3, 4, 9]), "0,2-4,9");
        assert_eq!(ranges(&[7]), "7");
    }
}
