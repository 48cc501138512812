//! The environments of the file, with inheritance applied.

use super::file::EnvironmentTable;
use super::mistakes::Mistakes;
use super::scalar::Scalar;
use super::settings::{Compare, Config};
use super::suggest::hint;
use bench_harness::EnvironmentSettings;
use std::collections::BTreeMap;

impl Config {
    /// Every variable that flags or file set, for whichever side: their values may be secret.
    pub fn variables(&self) -> impl Iterator<Item = (String, String)> {
        let Compare { base_variables, head_variables, .. } = &self.compare;
        let environments = self.environments.iter();
        let environments = environments.flat_map(|e| e.variables.iter().chain(&e.build_variables));
        let commands = self.suites.iter().flat_map(|suite| &suite.settings.commands);
        let commands = commands.flat_map(|command| &command.variables);
        let named = environments.chain(commands).map(|(name, value)| (name.clone(), value.clone()));
        base_variables.iter().chain(head_variables).cloned().chain(named)
    }
}

/// Every environment with what it inherits: lists are the parent's followed by its own, variables
/// are joined and its own win, single values are its own or else the parent's.
pub(crate) fn resolve(
    tables: &[EnvironmentTable],
    mistakes: &mut Mistakes<'_>,
) -> Vec<EnvironmentSettings> {
    let mut resolved = Vec::new();
    for (index, table) in tables.iter().enumerate() {
        let at = format!("environment.{index}");
        if tables[..index].iter().any(|earlier| earlier.name == table.name) {
            mistakes.at_key(&format!("{at}.name"), format_args!("`{}` is taken", table.name));
            continue;
        }
        if let Some(lineage) = mistakes.key(&format!("{at}.extends"), lineage(table, tables)) {
            resolved.push(merged(&lineage));
        }
    }
    resolved
}

/// The environment of this name, or what was probably meant.
pub(crate) fn find<'a>(
    environments: &'a [EnvironmentSettings],
    name: &str,
) -> Result<&'a EnvironmentSettings, String> {
    environments.iter().find(|environment| environment.name == name).ok_or_else(|| {
        let names = environments.iter().map(|environment| environment.name.as_str());
        format!("there is no [[environment]] called `{name}`{}", hint(name, names))
    })
}

/// The environment and those it extends, the eldest first.
fn lineage<'a>(
    table: &'a EnvironmentTable,
    tables: &'a [EnvironmentTable],
) -> Result<Vec<&'a EnvironmentTable>, String> {
    let mut lineage = vec![table];
    let mut child = table;
    while let Some(name) = &child.extends {
        let parent = tables.iter().find(|table| table.name == *name).ok_or_else(|| {
            let names = tables.iter().map(|table| table.name.as_str());
            format!("there is no [[environment]] called `{name}`{}", hint(name, names))
        })?;
        lineage.push(parent);
        if lineage[..lineage.len() - 1].iter().any(|seen| seen.name == parent.name) {
            let names: Vec<&str> = lineage.iter().map(|table| table.name.as_str()).collect();
            return Err(format!("goes round in a circle: {}", names.join(" → ")));
        }
        child = parent;
    }
    lineage.reverse();
    Ok(lineage)
}

fn merged(lineage: &[&EnvironmentTable]) -> EnvironmentSettings {
    let mut settings = EnvironmentSettings::default();
    for table in lineage {
        settings.name.clone_from(&table.name);
        settings.python = table.python.as_ref().map(|text| text.0.clone()).or(settings.python);
        settings.requirements.extend(table.requirements.iter().cloned());
        settings.variables.extend(plain(&table.variables));
        settings.build_variables.extend(plain(&table.build_variables));
        settings.build_arguments.extend(table.build_arguments.iter().cloned());
        if !table.prefix.is_empty() {
            settings.prefix.clone_from(&table.prefix);
        }
    }
    settings
}

/// Variables as text, whatever they were written as.
pub(crate) fn plain(variables: &BTreeMap<String, Scalar>) -> BTreeMap<String, String> {
    variables.iter().map(|(name, value)| (name.clone(), value.0.clone())).collect()
}
