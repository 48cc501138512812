//! Which environments a suite is run in, on base and on head.

use crate::config::{Compare, Config, Suite, Wanted, hint};
use bench_harness::{EnvironmentSettings, HarnessError};
use std::collections::BTreeSet;

/// A comparison's name, and base's and head's environment.
pub type Pair = (String, [EnvironmentSettings; 2]);

/// The pairs of environments a suite is run in: those that are wanted, of the file or of the suite's
/// `own`; the flags `--base-env`, `--head-env`, `--base-var` and `--head-var` win for their side.
#[must_use]
pub fn pairs(suite: &Suite, own: Vec<EnvironmentSettings>, config: &Config) -> Vec<Pair> {
    let compare = &config.compare;
    let find = |name: &String| config.environment(name).cloned();
    let of_side =
        |given: &Option<String>, default: &EnvironmentSettings, variables: &[(String, String)]| {
            let mut environment = given.as_ref().and_then(find).unwrap_or_else(|| default.clone());
            environment.variables.extend(variables.iter().cloned());
            environment
        };
    let pair = |environment: &EnvironmentSettings| {
        let Compare { base_environment, head_environment, base_variables, head_variables, .. } =
            compare;
        let base = of_side(base_environment, environment, base_variables);
        let head = of_side(head_environment, environment, head_variables);
        (name(&base.name, &head.name), [base, head])
    };
    let mut pairs: Vec<Pair> = chosen(suite, own, config).iter().map(pair).collect();
    // With both sides' environments given, the suite's own make no difference.
    pairs.dedup_by(|a, b| a.0 == b.0);
    pairs
}

/// What a pair of environments is called.
fn name(base: &str, head: &str) -> String {
    if base == head { base.to_owned() } else { format!("{base}..{head}") }
}

fn chosen(
    suite: &Suite,
    own: Vec<EnvironmentSettings>,
    config: &Config,
) -> Vec<EnvironmentSettings> {
    let by_name = |names: &[String]| -> Vec<EnvironmentSettings> {
        let own = |name: &String| own.iter().find(|environment| environment.name == *name);
        let find = |name: &String| config.environment(name).or_else(|| own(name)).cloned();
        names.iter().filter_map(find).collect()
    };
    match &config.compare.environments {
        Wanted::Named(names) => by_name(names),
        Wanted::All => all(own, &config.environments),
        Wanted::OfSuite => {
            let of_suite = by_name(&suite.environments);
            if of_suite.is_empty() { own } else { of_suite }
        }
    }
}

/// Every environment of the file, and the harness's own where these are a matrix: a single one is what
/// a suite has for want of any other.
fn all(own: Vec<EnvironmentSettings>, of_file: &[EnvironmentSettings]) -> Vec<EnvironmentSettings> {
    if of_file.is_empty() {
        return own;
    }
    let is_new = |it: &EnvironmentSettings| !of_file.iter().any(|other| other.name == it.name);
    let matrix = own.len() > 1;
    of_file.iter().cloned().chain(own.into_iter().filter(|it| matrix && is_new(it))).collect()
}

/// Fails on a wanted environment that neither the file nor any suite has; `own` are the names of all
/// the suites' own.
///
/// # Errors
/// Names the environment, and what was probably meant.
pub fn check(config: &Config, own: &BTreeSet<String>) -> Result<(), HarnessError> {
    let Wanted::Named(names) = &config.compare.environments else { return Ok(()) };
    let known = || config.environments.iter().map(|it| &it.name).chain(own).map(String::as_str);
    let Some(unknown) = names.iter().find(|name| known().all(|known| known != *name)) else {
        return Ok(());
    };
    Err(HarnessError {
        place: "--environment".to_owned(),
        message: format!(
            "there is no environment called `{unknown}`, neither as [[environment]] nor in the \
             matrix of a suite{}",
            hint(unknown, known())
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Flags;

    const FILE: &str = "
        [[environment]]\nname = \"openblas\"\n[[environment]]\nname = \"mkl\"
        [[suite]]\nname = \"s\"\nharness = \"command\"\n[[suite.benchmark]]\nname = \"b\"\nrun = \"true\"";

    fn config(flags: &Flags, text: &str) -> Config {
        let today = "2026-12-01".parse().unwrap();
        Config::from_text(flags, Some(text), "f", bench_harness::all(), today).unwrap()
    }

    fn wanted(names: &[&str]) -> Flags {
        let environments = names.iter().map(ToString::to_string).collect();
        Flags { environments, ..Flags::default() }
    }

    fn named(names: &[&str]) -> Vec<EnvironmentSettings> {
        let of = |name: &&str| EnvironmentSettings { name: (*name).into(), ..Default::default() };
        names.iter().map(of).collect()
    }

    fn names(config: &Config, own: &[&str]) -> Vec<String> {
        let pairs = pairs(&config.suites[0], named(own), config);
        pairs.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn all_are_those_of_the_file_and_a_matrix() {
        let config = config(&wanted(&["all"]), FILE);
        assert_eq!(names(&config, &["default"]), ["openblas", "mkl"]);
        assert_eq!(names(&config, &["3.11", "mkl", "3.12"]), ["openblas", "mkl", "3.11", "3.12"]);
    }

    #[test]
    fn without_any_in_the_file_all_are_the_suites_own() {
        let (_, suite) = FILE.split_at(FILE.find("[[suite]]").unwrap());
        assert_eq!(names(&config(&wanted(&["all"]), suite), &["default"]), ["default"]);
    }

    #[test]
    fn those_that_are_named_come_from_the_file_or_the_matrix() {
        let config = config(&wanted(&["3.12", "mkl"]), FILE);
        assert_eq!(names(&config, &["3.11", "3.12"]), ["3.12", "mkl"]);
        assert!(check(&config, &BTreeSet::from(["3.12".to_owned()])).is_ok());
    }

    #[test]
    fn a_name_that_is_nowhere_is_a_mistake() {
        let config = config(&wanted(&["openbals"]), FILE);
        let error = check(&config, &BTreeSet::new()).unwrap_err().to_string();
        assert!(error.contains("`openbals`") && error.contains("openblas"), "{error}");
    }

    #[test]
    fn one_side_may_stay_where_it_is_while_the_other_goes_through_all() {
        let flags = Flags { base_environment: Some("mkl".into()), ..wanted(&["all"]) };
        assert_eq!(names(&config(&flags, FILE), &[]), ["mkl..openblas", "mkl"]);
        let both = Flags {
            base_environment: Some("mkl".into()),
            head_environment: Some("openblas".into()),
            ..Flags::default()
        };
        assert_eq!(names(&config(&both, FILE), &["3.11", "3.12"]), ["mkl..openblas"]);
    }
}
