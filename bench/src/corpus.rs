//! Finding and reading the files of a corpus.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Why a measurement could not begin or its result not be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BenchError {
    #[error("cannot read {}: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error("{} does not have the form of the corpus: {source}", .path.display())]
    Form { path: PathBuf, source: serde_json::Error },
    #[error("no `.json` files in {0}")]
    Empty(String),
    #[error("this program was built without {0}: build it with `--features {0}`")]
    NotBuilt(&'static str),
    #[error("cannot measure the memory of {engine}: {reason}")]
    Memory { engine: String, reason: String },
}

impl BenchError {
    pub(crate) fn write(path: impl Into<PathBuf>, source: io::Error) -> Self {
        Self::Write { path: path.into(), source }
    }

    fn read(path: &Path, source: io::Error) -> Self {
        Self::Read { path: path.to_owned(), source }
    }
}

/// Which files of a corpus are measured.
#[derive(Debug, Clone, Args)]
pub(crate) struct Sample {
    /// Folders or files of MaskBench
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Measure only so many files, drawn at random
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(crate) sample: Option<usize>,
    /// Where chance begins; the same seed draws the same files
    #[arg(long, value_name = "S", allow_negative_numbers = true, default_value_t = 0, requires = "sample")]
    pub(crate) seed: u64,
}

impl Sample {
    /// The drawn files, in order.
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>, BenchError> {
        let mut files = files(&self.paths)?;
        if let Some(count) = self.sample {
            fastrand::Rng::with_seed(self.seed).shuffle(&mut files);
            files.truncate(count);
            files.sort();
        }
        Ok(files)
    }
}

/// The `.json` files among `paths` and in their folders, sorted, each once.
pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, BenchError> {
    let mut files = Vec::new();
    let mut open = paths.to_vec();
    while let Some(path) = open.pop() {
        let is_folder = fs::metadata(&path).map_err(|error| BenchError::read(&path, error))?.is_dir();
        if !is_folder {
            files.push(path);
            continue;
        }
        for entry in fs::read_dir(&path).map_err(|error| BenchError::read(&path, error))? {
            let entry = entry.map_err(|error| BenchError::read(&path, error))?.path();
            if entry.is_dir() || entry.extension().is_some_and(|extension| extension == "json") {
                open.push(entry);
            }
        }
    }
    files.sort();
    files.dedup();
    if files.is_empty() {
        return Err(BenchError::Empty(
            paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
        ));
    }
    Ok(files)
}

/// What a file of a corpus says.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, BenchError> {
    let bytes = fs::read(path).map_err(|error| BenchError::read(path, error))?;
    serde_json::from_slice(&bytes).map_err(|source| BenchError::Form { path: path.to_owned(), source })
}

/// An instance with its verdict. MaskBench and the official suite write them alike.
#[derive(Deserialize)]
pub(crate) struct Case {
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) valid: bool,
    pub(crate) data: Value,
}

/// A schema with instances.
#[derive(Deserialize)]
pub(crate) struct Group {
    #[serde(default)]
    pub(crate) description: String,
    pub(crate) schema: Value,
    pub(crate) tests: Vec<Case>,
}
