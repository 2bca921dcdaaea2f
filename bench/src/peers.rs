//! The peers that harmony-mask is measured beside: each engine an optional feature of this package, since
//! they are much to build; and the least that any of them could take.

use clap::ValueEnum;
use harmony_mask::Vocabulary;

use crate::corpus::BenchError;
use crate::engine::Engine;

mod copy;
#[cfg(feature = "glrmask")]
mod glrmask;
#[cfg(feature = "llguidance")]
mod llguidance;

/// Starts an engine over our vocabulary.
pub(crate) type Starter = fn(&Vocabulary) -> Box<dyn Engine>;

#[cfg(feature = "llguidance")]
const LLGUIDANCE: Option<Starter> = Some(llguidance::engine);
#[cfg(not(feature = "llguidance"))]
const LLGUIDANCE: Option<Starter> = None;

#[cfg(feature = "glrmask")]
const GLRMASK: Option<Starter> = Some(glrmask::engine);
#[cfg(not(feature = "glrmask"))]
const GLRMASK: Option<Starter> = None;

/// What to measure beside ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Peer {
    Llguidance,
    Glrmask,
    /// No engine: reads the schema's JSON and copies one mask, the least that any engine could take
    Copy,
}

impl Peer {
    const ENGINES: [Self; 2] = [Self::Llguidance, Self::Glrmask];

    /// Its name, which is also the name of an engine's feature.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Llguidance => "llguidance",
            Self::Glrmask => "glrmask",
            Self::Copy => "copy",
        }
    }

    /// What starts it; fails where this program was built without it.
    pub(crate) fn starter(self) -> Result<Starter, BenchError> {
        let starter = match self {
            Self::Llguidance => LLGUIDANCE,
            Self::Glrmask => GLRMASK,
            Self::Copy => Some(copy::engine as Starter),
        };
        starter.ok_or(BenchError::NotBuilt(self.name()))
    }
}

/// All engines that this program was built with; fails where there is none.
pub(crate) fn built() -> Result<Vec<Peer>, BenchError> {
    let built: Vec<Peer> = Peer::ENGINES.into_iter().filter(|peer| peer.starter().is_ok()).collect();
    match built.is_empty() {
        true => Err(BenchError::NotBuilt(Peer::ENGINES[0].name())),
        false => Ok(built),
    }
}

/// The bytes of all ids; special tokens have their spelling after a byte that no text has.
#[cfg(any(feature = "glrmask", feature = "llguidance"))]
fn words(vocabulary: &Vocabulary) -> impl Iterator<Item = Vec<u8>> {
    (0..Vocabulary::HARMONY_LOGITS as u32).map(|id| {
        match (vocabulary.token_bytes(id), vocabulary.special(id)) {
            (Some(bytes), _) => bytes.to_vec(),
            (None, Some(special)) => [&[0xff][..], special.to_string().as_bytes()].concat(),
            (None, None) => [&[0xff][..], format!("<|unused_{id}|>").as_bytes()].concat(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_that_was_not_built_names_its_feature() {
        for peer in Peer::ENGINES {
            let Err(error) = peer.starter() else { continue };
            let name = peer.name();
            assert!(error.to_string().ends_with(&format!("build it with `--features {name}`")));
        }
    }
}
