//! `bench-action compare`: judge files that already exist.

use super::project::identity;
use crate::args::{CompareArgs, GlobalArgs};
use crate::error::CliError;
use crate::exit::Exit;
use crate::report;
use bench_core::compare::{again, apart};
use bench_core::config::Config;
use bench_core::outputs::{self, Files};
use bench_core::skeleton;
use bench_render::Show;
use bench_results::write_path;

/// Prints the report; with `--out` also writes it there.
pub(crate) fn compare(args: &CompareArgs, global: &GlobalArgs) -> Result<Exit, CliError> {
    let here = std::env::current_dir()
        .map_err(|source| CliError::Unreadable { path: ".".into(), source })?;
    let config = Config::load(&args.flags(), &here, bench_harness::all(), skeleton::today())?;
    let identity = identity(None, &config);
    let read = |path| outputs::read(path, args.harness.as_deref(), &identity, &config);
    let filters = &config.compare.filters;
    let mut results = match (read(&args.base)?, read(&args.head)?) {
        (Files::Own(base), Files::Own(head)) if base == head => {
            again(&head, &config.compare, filters)
        }
        (Files::Own(base) | Files::Foreign(base), Files::Own(head) | Files::Foreign(head)) => {
            apart(&base, &head, &config.compare, filters)
        }
    };
    identity.redactor.results(&mut results);
    if let Some(out) = &args.report.out {
        std::fs::create_dir_all(out)
            .map_err(|source| CliError::File { path: out.clone(), source })?;
        write_path(&results, &out.join(bench_core::record::RESULTS_FILE))
            .map_err(CliError::Write)?;
        report::write_files(&results, out)?;
    }
    report::print(&results, args.report.format, global, Show::Changes, args.report.out.as_deref())?;
    Ok(Exit::of_results(&results, &config.compare.fail_on))
}
