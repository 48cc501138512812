//! Writes the report of made-up runs in every format into a directory, to be looked at:
//! `cargo run -p bench-render --example gallery -- DIRECTORY`.

#[path = "../tests/report/sample/mod.rs"]
mod sample;

use bench_render::{Color, Marker, Options, Paths, Show, html, markdown, terminal};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).ok_or("name a directory")?;
    let options = Options {
        color: Color::Always,
        paths: Some(Paths {
            results: ".bench-action/last/results.json".into(),
            report: ".bench-action/last/report.html".into(),
        }),
        marker: Some(Marker {
            key: "default".into(),
            head: "a82b2ce".into(),
            run: 1_234_567,
            attempt: 1,
        }),
        repository_url: Some("https://example.org/owner/name".into()),
        ..Options::default()
    };
    let all = Options { show: Show::All, ..options.clone() };
    let large = sample::results(sample::unchanged(5_000));
    let quiet = sample::results(sample::unchanged(97));
    for (name, results) in [
        ("ordinary", sample::ordinary()),
        ("eventful", sample::eventful()),
        ("quiet", quiet),
        ("unbuilt", sample::unbuilt()),
        ("hostile", sample::hostile()),
        ("large", large),
        ("suite-500", sample::suite(500)),
        ("suite-5000", sample::suite(5_000)),
    ] {
        let write = |end: &str, text: String| {
            std::fs::write(Path::new(&directory).join(format!("{name}{end}")), text)
        };
        write(".txt", terminal(&results, &options))?;
        write("-all.txt", terminal(&results, &all))?;
        write(".md", markdown(&results, &options)?)?;
        write(".html", html(&results, &options)?)?;
    }
    Ok(())
}
