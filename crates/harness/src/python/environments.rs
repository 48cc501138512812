//! The variables Python programs of a side are given, for building and for running.

use crate::{EnvironmentSettings, Site};
use bench_process::Environment;
use std::path::Path;

/// Libraries that would start threads of their own get one, unless the user says otherwise.
const THREADS: [&str; 3] = ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"];

/// For our own tools: no user's variables, caches of this side only.
pub(crate) fn for_tools(site: &Site<'_>) -> Environment {
    let cache = |name: &str| site.cache.join(name).join(site.side.word());
    let mut environment = Environment::current()
        .plain_output()
        .without("PYTHONPATH")
        .without("PYTHONHOME")
        .without("PIP_REQUIRE_VIRTUALENV")
        .without("PIP_TARGET")
        .with("PIP_USER", "false")
        .with("PIP_NO_INPUT", "1")
        .with("PIP_DISABLE_PIP_VERSION_CHECK", "1")
        .with("PIP_ROOT_USER_ACTION", "ignore")
        .with("PIP_CACHE_DIR", cache("pip"))
        .with("UV_CACHE_DIR", cache("uv"))
        .with("UV_NO_PROGRESS", "1")
        .with("UV_PYTHON_DOWNLOADS", "never");
    // uv does not read what is set for pip.
    let bridges = [
        ("PIP_INDEX_URL", "UV_DEFAULT_INDEX"),
        ("PIP_EXTRA_INDEX_URL", "UV_INDEX"),
        ("PIP_FIND_LINKS", "UV_FIND_LINKS"),
        ("PIP_CERT", "SSL_CERT_FILE"),
    ];
    for (pip, uv) in bridges {
        let value = environment.get(pip).map(ToOwned::to_owned);
        if let Some(value) = value.filter(|_| environment.get(uv).is_none()) {
            environment.set(uv, value);
        }
    }
    environment
}

/// For builds: each side builds into directories of its own, whatever the user has set.
pub(crate) fn for_builds(site: &Site<'_>) -> Environment {
    let mut environment = for_tools(site);
    for (name, value) in site.environment.variables.iter().chain(&site.environment.build_variables)
    {
        environment.set(name, value);
    }
    environment
        .with("CARGO_TARGET_DIR", site.work.join("target"))
        .without("CARGO_BUILD_TARGET_DIR")
        .without("CARGO_BUILD_BUILD_DIR")
        .without("SETUPTOOLS_EXT_SUFFIX")
        .without("SKBUILD_BUILD_DIR")
}

/// For benchmarks. Also gives the thread variables that were set because the user had not.
pub(crate) fn for_benchmarks(settings: &EnvironmentSettings) -> (Environment, Vec<&'static str>) {
    let mut environment = Environment::current();
    for (name, value) in settings.variables.iter().chain(&settings.run_variables) {
        environment.set(name, value);
    }
    let unset: Vec<_> =
        THREADS.into_iter().filter(|name| environment.get(name).is_none()).collect();
    for name in &unset {
        environment.set(*name, "1");
    }
    (environment, unset)
}

/// Variables as a key of a cache entry sees them.
pub(crate) fn build_identity(settings: &EnvironmentSettings) -> String {
    let variables = (&settings.variables, &settings.build_variables, &settings.build_arguments);
    format!("{variables:?}")
}

/// With an environment's programs first on the PATH.
pub(crate) fn inside(environment: &Environment, prefix: &Path) -> Environment {
    environment.clone().with_path_first(prefix.join("bin"))
}
