//! The files of the demo's two commits.

/// A path in the repository and what stands there.
pub(super) type File = (&'static str, &'static str);

macro_rules! files {
    ($side:literal: $($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("files/", $side, "/", $path)))),*]
    };
}

/// All files of the first commit.
pub(super) const BASE: &[File] = files!("base":
    "README.md",
    "pyproject.toml",
    "asv.conf.json",
    "_build/backend.py",
    "benchmarks/__init__.py",
    "benchmarks/checksum.py",
    "benchmarks/layout.py",
    "benchmarks/parse.py",
    "benchmarks/search.py",
    "benchmarks/tables.py",
    "benchmarks/words.py",
    "inkwell/__init__.py",
    "inkwell/checksum.py",
    "inkwell/layout.py",
    "inkwell/parse.py",
    "inkwell/search.py",
    "inkwell/tables.py",
);

/// What the second commit changes.
pub(super) const HEAD: &[File] = files!("head":
    "pyproject.toml",
    "inkwell/__init__.py",
    "inkwell/checksum.py",
    "inkwell/layout.py",
);
