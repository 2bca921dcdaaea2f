//! From any deterministic automaton to the one trimmed, minimal, canonically numbered automaton of its language.

use super::dfa::{DEAD, Dfa, NO_LABEL};

/// A deterministic automaton as it was built: nothing promised but that the table fits its width.
pub(super) struct Raw {
    pub(super) classes: Box<[u8; 256]>,
    pub(super) width: usize,
    pub(super) table: Vec<u32>,
    pub(super) labels: Vec<u32>,
    pub(super) start: u32,
}

impl Raw {
    /// The minimal automaton.
    pub(super) fn finish(mut self) -> Dfa {
        self.trim();
        let blocks = Partition::of(&self).blocks;
        self.quotient(&blocks)
    }

    /// The automaton as it is, for a caller who knows that it is minimal.
    pub(super) fn finish_minimal(self) -> Dfa {
        let blocks: Vec<u32> = (0..).take(self.labels.len()).collect();
        self.quotient(&blocks)
    }

    fn row(&self, state: usize) -> &[u32] {
        &self.table[state * self.width..][..self.width]
    }

    /// Cuts the edges to states that lead to no word. Unreachable states fall away with the numbering.
    fn trim(&mut self) {
        let before = self.predecessors();
        let mut live: Vec<bool> = self.labels.iter().map(|label| *label != NO_LABEL).collect();
        let mut pending: Vec<usize> = (0..live.len()).filter(|state| live[*state]).collect();
        while let Some(state) = pending.pop() {
            for previous in before.of(state) {
                if !std::mem::replace(&mut live[*previous as usize], true) {
                    pending.push(*previous as usize);
                }
            }
        }
        self.table
            .iter_mut()
            .filter(|next| **next != DEAD && !live[**next as usize])
            .for_each(|next| *next = DEAD);
    }

    fn predecessors(&self) -> Inverse {
        let edges = || self.table.iter().enumerate().filter(|(_, next)| **next != DEAD);
        Inverse::new(self.labels.len(), || edges().map(|(edge, next)| (edge / self.width, *next as usize)))
    }

    /// One state for each block that is reached, numbered breadth-first, with bytes that never differ in one class.
    fn quotient(&self, blocks: &[u32]) -> Dfa {
        let count = blocks.iter().max().map_or(0, |last| *last as usize + 1);
        let mut numbers = vec![DEAD; count];
        numbers[blocks[self.start as usize] as usize] = 0;
        let mut order = vec![self.start as usize];
        let mut table = Vec::with_capacity(count * self.width);
        let mut at = 0;
        while let Some(state) = order.get(at).copied() {
            at += 1;
            for next in self.row(state) {
                if *next == DEAD {
                    table.push(DEAD);
                    continue;
                }
                let number = &mut numbers[blocks[*next as usize] as usize];
                if *number == DEAD {
                    *number = u32::try_from(order.len()).expect("states fit 32 bits");
                    order.push(*next as usize);
                }
                table.push(*number);
            }
        }
        let labels = order.iter().map(|state| self.labels[*state]).collect();
        self.merge_classes(&table, labels)
    }

    /// Gives bytes with equal columns one class; classes are numbered by their first byte.
    fn merge_classes(&self, table: &[u32], labels: Vec<u32>) -> Dfa {
        let hashes = column_hashes(table, self.width);
        let is_same = |a: usize, b: usize| {
            hashes[a] == hashes[b] && table.chunks_exact(self.width).all(|row| row[a] == row[b])
        };
        let mut merged: Vec<Option<u8>> = vec![None; self.width];
        let mut kept: Vec<usize> = Vec::new();
        let mut classes = Box::new([0; 256]);
        for byte in 0..256 {
            let class = usize::from(self.classes[byte]);
            classes[byte] = *merged[class].get_or_insert_with(|| {
                let known = kept.iter().position(|known| is_same(*known, class)).unwrap_or_else(|| {
                    kept.push(class);
                    kept.len() - 1
                });
                u8::try_from(known).expect("at most 256 classes")
            });
        }
        let rows = table.chunks_exact(self.width);
        let narrow = rows.flat_map(|row| kept.iter().map(|class| row[*class])).collect();
        Dfa::from_parts(classes, kept.len(), narrow, labels)
    }
}

/// A hash of each column, so that columns are compared only where they are equal: most are not.
fn column_hashes(table: &[u32], width: usize) -> Vec<u64> {
    let mut hashes = vec![0_u64; width];
    for row in table.chunks_exact(width) {
        for (hash, next) in hashes.iter_mut().zip(row) {
            *hash = (*hash ^ u64::from(*next)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23);
        }
    }
    hashes
}

/// Hopcroft's partition of states into blocks of equal futures. What leads nowhere needs no block: a state is told from one that goes on by where
/// that one goes.
struct Partition {
    /// States, those of a block side by side.
    states: Vec<u32>,
    /// Where each state stands in `states`.
    places: Vec<usize>,
    /// The block of each state.
    blocks: Vec<u32>,
    /// First and one past the last place of each block.
    bounds: Vec<(usize, usize)>,
    /// How many states at the front of each block are marked.
    marked: Vec<usize>,
}

impl Partition {
    fn of(raw: &Raw) -> Self {
        // A target for each state and class.
        let to =
            |(edge, next): (usize, &u32)| (edge / raw.width, *next as usize * raw.width + edge % raw.width);
        let edges = || raw.table.iter().enumerate().filter(|(_, next)| **next != DEAD);
        let inverse = Inverse::new(raw.table.len(), || edges().map(to));
        let mut partition = Self::by_label(raw);
        let mut queue: Vec<u32> = (0..).take(partition.bounds.len()).collect();
        let mut queued = vec![true; queue.len()];
        let (mut members, mut touched) = (Vec::new(), Vec::new());
        while let Some(splitter) = queue.pop() {
            queued[splitter as usize] = false;
            let (first, end) = partition.bounds[splitter as usize];
            members.clear();
            members.extend_from_slice(&partition.states[first..end]);
            for class in 0..raw.width {
                for member in &members {
                    for previous in inverse.of(*member as usize * raw.width + class) {
                        partition.mark(*previous, &mut touched);
                    }
                }
                for block in touched.drain(..) {
                    let Some(smaller) = partition.split(block, &mut queued) else { continue };
                    if !std::mem::replace(&mut queued[smaller as usize], true) {
                        queue.push(smaller);
                    }
                }
            }
        }
        partition
    }

    fn by_label(raw: &Raw) -> Self {
        let count = raw.labels.len();
        let label = |state: &u32| raw.labels[*state as usize];
        let mut states: Vec<u32> = (0..).take(count).collect();
        states.sort_by_key(label);
        let mut bounds = Vec::new();
        let mut first = 0;
        for run in states.chunk_by(|a, b| label(a) == label(b)) {
            bounds.push((first, first + run.len()));
            first += run.len();
        }
        let mut partition = Self {
            places: vec![0; count],
            blocks: vec![0; count],
            marked: vec![0; bounds.len()],
            bounds,
            states,
        };
        for (block, (first, end)) in (0..).zip(partition.bounds.clone()) {
            for place in first..end {
                let state = partition.states[place] as usize;
                (partition.places[state], partition.blocks[state]) = (place, block);
            }
        }
        partition
    }

    fn mark(&mut self, state: u32, touched: &mut Vec<u32>) {
        let block = self.blocks[state as usize];
        let front = self.bounds[block as usize].0 + self.marked[block as usize];
        let place = self.places[state as usize];
        if place < front {
            return;
        }
        if self.marked[block as usize] == 0 {
            touched.push(block);
        }
        self.states.swap(front, place);
        self.places[self.states[place] as usize] = place;
        self.places[state as usize] = front;
        self.marked[block as usize] += 1;
    }

    /// Splits the marked states off a block. Answers with the block that must still be a splitter: the new one where the old is waiting to
    /// be, otherwise the smaller of the two.
    fn split(&mut self, block: u32, queued: &mut Vec<bool>) -> Option<u32> {
        let (first, end) = self.bounds[block as usize];
        let marked = std::mem::take(&mut self.marked[block as usize]);
        let middle = first + marked;
        if middle == end {
            return None;
        }
        let fresh = u32::try_from(self.bounds.len()).expect("no more blocks than states");
        let (old, new) = if marked <= end - middle {
            ((middle, end), (first, middle))
        } else {
            ((first, middle), (middle, end))
        };
        self.bounds[block as usize] = old;
        self.bounds.push(new);
        self.marked.push(0);
        queued.push(false);
        for place in new.0..new.1 {
            self.blocks[self.states[place] as usize] = fresh;
        }
        Some(fresh)
    }
}

/// Edges backwards.
struct Inverse {
    /// Where the sources of each target begin in `sources`.
    starts: Vec<u32>,
    sources: Vec<u32>,
}

impl Inverse {
    /// Of edges from states to targets, gone through twice: first they are counted.
    fn new<E: Iterator<Item = (usize, usize)>>(targets: usize, edges: impl Fn() -> E) -> Self {
        let mut starts = vec![0_u32; targets + 1];
        edges().for_each(|(_, target)| starts[target + 1] += 1);
        (1..starts.len()).for_each(|at| starts[at] += starts[at - 1]);
        let mut fill = starts.clone();
        let mut sources = vec![0; starts[targets] as usize];
        for (source, target) in edges() {
            sources[fill[target] as usize] = u32::try_from(source).expect("states fit 32 bits");
            fill[target] += 1;
        }
        Self { starts, sources }
    }

    fn of(&self, target: usize) -> &[u32] {
        &self.sources[self.starts[target] as usize..self.starts[target + 1] as usize]
    }
}
