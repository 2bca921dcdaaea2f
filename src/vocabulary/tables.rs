//! Builds the tables of a vocabulary from the bytes of its tokens.
//!
//! `build.rs` compiles this file too, to build the tables of `o200k_harmony` ahead of time. It therefore uses
//! nothing of the library but ids and errors.

use std::borrow::Cow;

use super::characters::Characters;
use super::error::VocabularyError;
use super::shapes::Shapes;
use crate::special::TokenId;

/// A node of the trie in 8 bytes: `byte | token << 8`, then `depth | end << 8`.
///
/// Chosen for size: the nodes of `o200k_harmony` take 3.4 MB, where nodes of 12 bytes take 5.1 MB and four
/// arrays 4.2 MB. In time there is little between them: a walk of the whole trie takes 0.94 ms, 0.94 ms and
/// 0.89 ms (`cargo bench --bench startup` has the walk).
pub(crate) type PackedNode = [u32; 2];

/// What stands for "no token" in a [`PackedNode`]; ids are smaller.
pub(crate) const NO_TOKEN: u32 = (1 << 24) - 1;

/// The largest token id, and the largest number of nodes.
pub(crate) const LARGEST_ID: TokenId = NO_TOKEN - 1;

/// Depths are counted in one byte.
const LONGEST_TOKEN: usize = u8::MAX as usize;

/// The ordinary tokens of a vocabulary, twice: as a trie, and as byte strings by id.
#[derive(Debug)]
pub(crate) struct Tables {
    /// The nodes, depth first, children in ascending order of their bytes.
    pub(crate) nodes: Cow<'static, [PackedNode]>,
    /// The nodes of the first bytes.
    pub(crate) roots: Cow<'static, [u32]>,
    /// The nodes of the second bytes, `node | byte << 24`, by first and second byte; before them, for each
    /// first byte, where in this list those after it start, and the end.
    pub(crate) seconds: Cow<'static, [u32]>,
    /// Where in `bytes` each token starts; it ends where the next one starts. An id without a token has no
    /// bytes.
    pub(crate) starts: Cow<'static, [u32]>,
    /// The bytes of all tokens, by id.
    pub(crate) bytes: Cow<'static, [u8]>,
    /// How many ids have a token.
    pub(crate) count: u32,
    /// The length of the longest token.
    pub(crate) longest: u32,
    /// How long plain tokens are.
    pub(crate) characters: Characters,
    /// The plain nodes.
    pub(crate) plain: Shapes,
}

/// Whether the byte is none of those with a meaning of their own in quoted text: control characters, the
/// quotation mark, the backslash.
pub(crate) fn is_plain(byte: u8) -> bool {
    byte >= b' ' && byte != b'"' && byte != b'\\'
}

type Token = (TokenId, Vec<u8>);

impl Tables {
    /// Checks the tokens, in any order, and builds the tables.
    pub(crate) fn new(mut tokens: Vec<Token>) -> Result<Self, VocabularyError> {
        tokens.sort_unstable();
        check_each(&tokens)?;
        let (starts, bytes) = list(&tokens);
        let longest = tokens.iter().map(|(_, bytes)| bytes.len()).max().unwrap_or(0);
        tokens.sort_unstable_by(|(a_id, a), (b_id, b)| (a, a_id).cmp(&(b, b_id)));
        check_together(&tokens)?;
        let nodes = plant(&tokens)?;
        let plain = Shapes::new(&nodes);
        let characters = Characters::new(&plain, starts.len() - 1);
        let roots = roots(&nodes);
        Ok(Self {
            seconds: seconds(&nodes, &roots).into(),
            roots: roots.into(),
            nodes: nodes.into(),
            characters,
            plain,
            starts: starts.into(),
            bytes: bytes.into(),
            count: tokens.len() as u32,
            longest: longest as u32,
        })
    }
}

/// Checks tokens that are sorted by id.
fn check_each(tokens: &[Token]) -> Result<(), VocabularyError> {
    if let Some(pair) = tokens.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(VocabularyError::DuplicateId { id: pair[0].0 });
    }
    for &(id, ref bytes) in tokens {
        if id > LARGEST_ID {
            return Err(VocabularyError::LargeId { id, limit: LARGEST_ID });
        }
        match bytes.len() {
            0 => return Err(VocabularyError::EmptyToken { id }),
            1..=LONGEST_TOKEN => {}
            len => return Err(VocabularyError::LongToken { id, len, limit: LONGEST_TOKEN }),
        }
    }
    Ok(())
}

/// Checks tokens that are sorted by bytes.
fn check_together(tokens: &[Token]) -> Result<(), VocabularyError> {
    if let Some(pair) = tokens.windows(2).find(|pair| pair[0].1 == pair[1].1) {
        let (first, bytes) = pair[0].clone();
        return Err(VocabularyError::DuplicateBytes { first, second: pair[1].0, bytes });
    }
    let is_token = |byte: &u8| tokens.binary_search_by(|(_, bytes)| bytes[..].cmp(&[*byte])).is_ok();
    match (0..=u8::MAX).find(|byte| !is_token(byte)) {
        Some(byte) => Err(VocabularyError::MissingByte { byte }),
        None => Ok(()),
    }
}

/// Lists the bytes of tokens that are sorted by id. Offsets fit: 2^24 tokens of 255 bytes are less than 2^32
/// bytes.
fn list(tokens: &[Token]) -> (Vec<u32>, Vec<u8>) {
    let (mut starts, mut all) = (Vec::new(), Vec::new());
    for (id, bytes) in tokens {
        starts.resize(*id as usize + 1, all.len() as u32);
        all.extend_from_slice(bytes);
    }
    starts.push(all.len() as u32);
    (starts, all)
}

/// Grows the trie from tokens that are sorted by bytes: what a token does not share with its predecessor is
/// new.
fn plant(tokens: &[Token]) -> Result<Vec<PackedNode>, VocabularyError> {
    let mut nodes: Vec<PackedNode> = Vec::new();
    let mut path: Vec<usize> = Vec::new();
    let mut previous: &[u8] = &[];
    for (id, bytes) in tokens {
        let shared = previous.iter().zip(bytes).take_while(|(a, b)| a == b).count();
        close(&mut nodes, &mut path, shared);
        for byte in &bytes[shared..] {
            path.push(nodes.len());
            nodes.push([u32::from(*byte) | NO_TOKEN << 8, path.len() as u32]);
        }
        if nodes.len() > LARGEST_ID as usize {
            return Err(VocabularyError::TooManyPrefixes { limit: LARGEST_ID as usize });
        }
        let last = nodes
            .last_mut()
            .expect("a token adds a node: it is neither empty nor a prefix of its predecessor");
        last[0] = last[0] & 0xff | id << 8;
        previous = bytes;
    }
    close(&mut nodes, &mut path, 0);
    Ok(nodes)
}

/// The nodes of the first level: every byte is a token, so there are 256.
fn roots(nodes: &[PackedNode]) -> Vec<u32> {
    let end = |node: u32| nodes[node as usize][1] >> 8;
    std::iter::successors(Some(0), |node| Some(end(*node))).take(256).collect()
}

/// The nodes of the second level, behind where those of each first byte start.
fn seconds(nodes: &[PackedNode], roots: &[u32]) -> Vec<u32> {
    let mut seconds = vec![0; roots.len() + 1];
    for (first, root) in roots.iter().enumerate() {
        seconds[first] = seconds.len() as u32;
        let end = nodes[*root as usize][1] >> 8;
        let mut node = root + 1;
        while node < end {
            let [byte_and_token, depth_and_end] = nodes[node as usize];
            seconds.push(node | byte_and_token << 24);
            node = depth_and_end >> 8;
        }
    }
    seconds[roots.len()] = seconds.len() as u32;
    seconds
}

/// Ends here the subtrees of the nodes on `path` that are deeper than `depth`.
fn close(nodes: &mut [PackedNode], path: &mut Vec<usize>, depth: usize) {
    let end = nodes.len() as u32;
    for node in path.drain(depth..) {
        nodes[node][1] |= end << 8;
    }
}
