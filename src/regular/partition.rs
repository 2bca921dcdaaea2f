//! Which states of an automaton have equal futures: Hopcroft's partition.

use super::dfa::{DEAD, NO_LABEL};

/// Transitions and labels of states.
pub(super) struct Transitions {
    pub(super) width: usize,
    /// A row of `width` targets for each state.
    pub(super) table: Vec<u32>,
    pub(super) labels: Vec<u32>,
}

impl Transitions {
    pub(super) fn row(&self, state: u32) -> &[u32] {
        &self.table[state as usize * self.width..][..self.width]
    }

    /// Some of the states by themselves; they lead to no others.
    pub(super) fn only(&self, states: &[u32]) -> Self {
        let mut places = vec![DEAD; self.labels.len()];
        (0..).zip(states).for_each(|(place, state)| places[*state as usize] = place);
        let place = |next: &u32| if *next == DEAD { DEAD } else { places[*next as usize] };
        let mut table = Vec::with_capacity(states.len() * self.width);
        states.iter().for_each(|state| table.extend(self.row(*state).iter().map(place)));
        let labels = states.iter().map(|state| self.labels[*state as usize]).collect();
        Self { width: self.width, table, labels }
    }

    /// A block for each state, the same for those of equal futures, and none ([`DEAD`]) for those that lead
    /// to no word.
    pub(super) fn blocks(mut self) -> Vec<u32> {
        let live = self.trim();
        let mut blocks = Partition::of(&self).blocks;
        blocks.iter_mut().zip(live).filter(|(_, live)| !live).for_each(|(block, _)| *block = DEAD);
        blocks
    }

    /// Cuts the edges to states that lead to no word; says which do.
    fn trim(&mut self) -> Vec<bool> {
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
        let is_dead = |next: u32| next != DEAD && !live[next as usize];
        self.table.iter_mut().filter(|next| is_dead(**next)).for_each(|next| *next = DEAD);
        live
    }

    fn predecessors(&self) -> Inverse {
        let edges = || self.table.iter().enumerate().filter(|(_, next)| **next != DEAD);
        Inverse::new(self.labels.len(), || edges().map(|(edge, next)| (edge / self.width, *next as usize)))
    }
}

/// Hopcroft's partition of states into blocks of equal futures. What leads nowhere needs no block: a state is
/// told from one that goes on by where that one goes.
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
    fn of(of: &Transitions) -> Self {
        // A target for each state and class.
        let to = |(edge, next): (usize, &u32)| (edge / of.width, *next as usize * of.width + edge % of.width);
        let edges = || of.table.iter().enumerate().filter(|(_, next)| **next != DEAD);
        let inverse = Inverse::new(of.table.len(), || edges().map(to));
        let mut partition = Self::by_label(of);
        let mut queue: Vec<u32> = (0..).take(partition.bounds.len()).collect();
        let mut queued = vec![true; queue.len()];
        let (mut members, mut touched) = (Vec::new(), Vec::new());
        while let Some(splitter) = queue.pop() {
            queued[splitter as usize] = false;
            let (first, end) = partition.bounds[splitter as usize];
            members.clear();
            members.extend_from_slice(&partition.states[first..end]);
            for class in 0..of.width {
                for member in &members {
                    for previous in inverse.of(*member as usize * of.width + class) {
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

    fn by_label(of: &Transitions) -> Self {
        let count = of.labels.len();
        let label = |state: &u32| of.labels[*state as usize];
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

    /// Splits the marked states off a block. Answers with the block that must still be a splitter: the new
    /// one where the old is waiting to be, otherwise the smaller of the two.
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
pub(super) struct Inverse {
    /// Where the sources of each target begin in `sources`.
    starts: Vec<u32>,
    sources: Vec<u32>,
}

impl Inverse {
    /// Of edges from states to targets, gone through twice: first they are counted.
    pub(super) fn new<E: Iterator<Item = (usize, usize)>>(targets: usize, edges: impl Fn() -> E) -> Self {
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

    pub(super) fn of(&self, target: usize) -> &[u32] {
        &self.sources[self.starts[target] as usize..self.starts[target + 1] as usize]
    }
}
