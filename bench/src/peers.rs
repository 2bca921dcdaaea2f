//! The peers that harmony-mask is measured beside: each an optional feature of this package, since they are much to build.
//!
//! glrmask 0.5 is not among them: it asks for derivre 0.3.8 exactly and llguidance 1.9 for 0.3.13 exactly, so no one program can hold both.

use clap::ValueEnum;
use harmony_mask::Vocabulary;

use crate::corpus::BenchError;
use crate::engine::Engine;

#[cfg(feature = "llguidance")]
mod llguidance;

/// Starts an engine over our vocabulary.
pub(crate) type Starter = fn(&Vocabulary) -> Box<dyn Engine>;

#[cfg(feature = "llguidance")]
const LLGUIDANCE: Option<Starter> = Some(llguidance::engine);
#[cfg(not(feature = "llguidance"))]
const LLGUIDANCE: Option<Starter> = None;

/// An engine to measure beside ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Peer {
    Llguidance,
}

impl Peer {
    const ALL: [Self; 1] = [Self::Llguidance];

    /// Its name, which is also the name of its feature.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Llguidance => "llguidance",
        }
    }

    /// What starts it; fails where this program was built without it.
    pub(crate) fn starter(self) -> Result<Starter, BenchError> {
        let starter = match self {
            Self::Llguidance => LLGUIDANCE,
        };
        starter.ok_or(BenchError::NotBuilt(self.name()))
    }
}

/// All peers that this program was built with; fails where there is none.
pub(crate) fn built() -> Result<Vec<Peer>, BenchError> {
    let built: Vec<Peer> = Peer::ALL.into_iter().filter(|peer| peer.starter().is_ok()).collect();
    match built.is_empty() {
        true => Err(BenchError::NotBuilt(Peer::ALL[0].name())),
        false => Ok(built),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_was_not_built_names_its_feature() {
        for error in Peer::ALL.into_iter().filter_map(|peer| peer.starter().err()) {
            assert!(error.to_string().ends_with("build it with `--features llguidance`"));
        }
    }
}
