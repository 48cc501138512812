//! Realistic results, made up row by row; shared by the tests and the gallery.

mod frame;
mod rows;
mod suite;

use bench_results::*;
pub(crate) use frame::results;
pub(crate) use rows::{RowOf, bare, row, unchanged};
pub(crate) use suite::suite;

/// The run of the documentation: two slower, one faster, three undecided, the rest unchanged.
pub(crate) fn ordinary() -> Results {
    use Verdict::{Improved, Inconclusive, Regressed};
    let mut rows = unchanged(97);
    rows.extend([
        row("json.TimeDumps.time_large", Regressed, 1_890_000.0, (1.102, 1.088, 1.115)),
        row("parse.time_marker", Regressed, 412_000.0, (1.051, 1.039, 1.064))
            .params(&[("n", "1000")])
            .label("cache-sensitive")
            .blocks(18),
        row("version.time_hash_warm", Improved, 61_000.0, (0.519, 0.511, 0.526)),
        row("io.time_read", Inconclusive, 8_100_000.0, (1.024, 0.97, 1.081))
            .detectable(0.06)
            .wall("it waits 41 % of the time")
            .blocks(60),
        row("io.time_write", Inconclusive, 3_300_000.0, (0.992, 0.96, 1.03)).detectable(0.045),
        row("parse.time_tiny", Inconclusive, 95.0, (1.011, 0.985, 1.036)).detectable(0.034),
    ]);
    results(rows)
}

/// Everything at once: metrics, failures, skips, accepted regressions, warnings.
pub(crate) fn eventful() -> Results {
    use Verdict::{Added, Failed, Improved, Inconclusive, Regressed, Removed, Skipped};
    let mut rows = unchanged(60);
    let trace = "Traceback (most recent call last):\n  File \"bench_io.py\", line 14, in setup\n    \
                 self.data = load(\"big.npz\")\nFileNotFoundError: big.npz";
    let broken = |name: &str| {
        bare(name, Failed).failure(
            SideName::Head,
            "import",
            "ImportError: no module named 'fast'",
            trace,
        )
    };
    rows.extend([
        row("core.time_sort", Regressed, 2.4e9, (14.2, 13.8, 14.7)),
        row("core.mem_table", Regressed, 5_242_880.0, (1.25, 1.25, 1.25))
            .metric("memory", "bytes", Better::Lower)
            .with(|r| r.pairing = Pairing::Exact),
        row("core.track_rows", Regressed, 1250.0, (0.91, 0.89, 0.93)).metric(
            "value",
            "rows/s",
            Better::Higher,
        ),
        row("core.track_depth", Regressed, 0.0, (1.0, 1.0, 1.0))
            .metric("value", "count", Better::Lower)
            .difference(3.0, 3.0, 3.0),
        row("safe.time_parse", Regressed, 88_000.0, (1.12, 1.1, 1.14))
            .label("accepted")
            .reason("safer parsing, #123"),
        row("core.time_lookup", Improved, 940.0, (0.052, 0.049, 0.055)),
        row("core.peakmem_load", Improved, 310e6, (0.88, 0.86, 0.9)).metric(
            "peak-memory",
            "bytes",
            Better::Lower,
        ),
        row("io.time_seek", Inconclusive, 14_000.0, (1.2, 0.7, 2.1)).detectable(0.31).blocks(60),
        row("io.time_a", Inconclusive, 14_000.0, (1.0, 0.7, 1.4)).reason("screened").blocks(4),
        broken("fast.time_a"),
        broken("fast.time_b"),
        bare("io.time_big", Failed).failure(
            SideName::Base,
            "setup",
            "FileNotFoundError: big.npz",
            "",
        ),
        bare("core.time_new", Added),
        bare("core.time_old", Removed),
        bare("core.time_gpu", Skipped).reason("NotImplementedError in setup"),
        bare("core.track_names", Skipped).with(|r| r.verdict = None),
    ]);
    rows.extend((0..12).map(|i| bare(&format!("late.time_{i}"), Skipped).reason("time budget")));
    let mut results = results(rows);
    results.stopped_by = StoppedBy::Budget;
    results.warnings = vec![
        "head's version is 0.1.dev1: are the tags fetched?".into(),
        "a busy BLAS pool forces the wall clock: set OPENBLAS_NUM_THREADS=1".into(),
    ];
    results
}

/// Names that try to be something else in every format.
pub(crate) fn hostile() -> Results {
    let names = [
        "a|b|c",
        "`x` ``y",
        "<script>alert(1)</script>",
        "@octocat and #12",
        "__init__ *b* ~~c~~",
        "[x](https://evil.example)",
        "www.evil.example",
        "https://evil.example/?a=b&c=d",
        "line\nbreak\r\nagain",
        "</code></details>-->",
        "{{ headline }}",
        "\u{1b}[31mred\u{202e}txt",
        "日本語.größe(n=1)",
        "::error::x",
        "you@example.com",
        "&#64;x &lt;",
        "\\| \\",
        "1. 2) - +",
    ];
    let change =
        |name: &&str| row(name, Verdict::Regressed, 1e6, (1.2, 1.1, 1.3)).reason(name).label(name);
    let mut results = results(names.iter().map(change).collect());
    results.warnings = names.map(str::to_owned).to_vec();
    results
}

/// Base builds, head does not.
pub(crate) fn unbuilt() -> Results {
    let mut results = results(Vec::new());
    results.failure = Some(RunFailure {
        side: SideName::Head,
        stage: "build".into(),
        message: "python -m pip wheel --no-deps -w … . ended with exit status 1".into(),
        stderr_tail: "  × Failed to build wheel\n  error: subprocess-exited-with-error".into(),
    });
    results.summary.verdict = WholeVerdict::Failed;
    results
}
