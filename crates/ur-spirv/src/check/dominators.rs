//! Dominators of a control-flow graph, by Lengauer and Tarjan's method without recursion.

/// Number of a node that is not there.
const NONE: u32 = u32::MAX;

/// Which nodes dominate which.
pub struct Dominators {
    /// First and last number of the node's subtree in a walk of the dominator tree; none for
    /// unreachable nodes.
    span: Vec<Option<(u32, u32)>>,
}

impl Dominators {
    /// Dominators of the graph whose node `n` leads to `successors[n]`, entered at node 0.
    pub fn new(successors: &[Vec<u32>]) -> Self {
        let mut state = State::new(successors);
        state.walk(successors);
        let idom = state.dominators();
        Self {
            span: spans(&idom, &state.order, successors.len()),
        }
    }

    /// True if control can reach the node.
    pub fn reachable(&self, node: u32) -> bool {
        self.span_of(node).is_some()
    }

    /// True if every way to `node` leads through `over`; both must be reachable.
    pub fn dominates(&self, over: u32, node: u32) -> bool {
        match (self.span_of(over), self.span_of(node)) {
            (Some((first, last)), Some((at, _))) => first <= at && at <= last,
            _ => false,
        }
    }

    fn span_of(&self, node: u32) -> Option<(u32, u32)> {
        self.span.get(node as usize).copied().flatten()
    }
}

/// All arrays but `number` are indexed by depth-first number.
struct State {
    /// Depth-first number of each node.
    number: Vec<u32>,
    /// Node with each number.
    order: Vec<u32>,
    parent: Vec<u32>,
    predecessors: Vec<Vec<u32>>,
    semi: Vec<u32>,
    ancestor: Vec<u32>,
    label: Vec<u32>,
}

impl State {
    fn new(successors: &[Vec<u32>]) -> Self {
        let count = successors.len();
        Self {
            number: vec![NONE; count],
            order: Vec::with_capacity(count),
            parent: Vec::with_capacity(count),
            predecessors: Vec::new(),
            semi: Vec::new(),
            ancestor: Vec::new(),
            label: Vec::new(),
        }
    }

    /// Numbers the reachable nodes depth first.
    fn walk(&mut self, successors: &[Vec<u32>]) {
        let mut stack = vec![(0u32, NONE)];
        while let Some((node, parent)) = stack.pop() {
            let Some(slot @ &mut NONE) = self.number.get_mut(node as usize) else {
                continue;
            };
            let number = self.order.len() as u32;
            *slot = number;
            self.order.push(node);
            self.parent.push(parent);
            for next in successors.get(node as usize).into_iter().flatten() {
                stack.push((*next, number));
            }
        }
        let count = self.order.len();
        self.predecessors = vec![Vec::new(); count];
        for (number, node) in self.order.iter().enumerate() {
            for next in successors.get(*node as usize).into_iter().flatten() {
                let to = get(&self.number, *next);
                if let Some(list) = self.predecessors.get_mut(to as usize) {
                    list.push(number as u32);
                }
            }
        }
        self.semi = (0..count as u32).collect();
        self.label = (0..count as u32).collect();
        self.ancestor = vec![NONE; count];
    }

    /// Immediate dominator by number.
    fn dominators(&mut self) -> Vec<u32> {
        let count = self.order.len() as u32;
        let mut buckets = vec![Vec::new(); count as usize];
        let mut idom = vec![0; count as usize];
        for node in (1..count).rev() {
            let predecessors = std::mem::take(&mut self.predecessors);
            for from in predecessors.get(node as usize).into_iter().flatten() {
                let best = self.eval(*from);
                let semi = get(&self.semi, best).min(get(&self.semi, node));
                set(&mut self.semi, node, semi);
            }
            self.predecessors = predecessors;
            let semi = get(&self.semi, node);
            if let Some(bucket) = buckets.get_mut(semi as usize) {
                bucket.push(node);
            }
            let parent = get(&self.parent, node);
            set(&mut self.ancestor, node, parent);
            let bucket: Vec<u32> = buckets
                .get_mut(parent as usize)
                .map(std::mem::take)
                .unwrap_or_default();
            for held in bucket {
                let best = self.eval(held);
                let closer = get(&self.semi, best) < get(&self.semi, held);
                set(&mut idom, held, if closer { best } else { parent });
            }
        }
        for node in 1..count {
            let found = get(&idom, node);
            if found != get(&self.semi, node) {
                let further = get(&idom, found);
                set(&mut idom, node, further);
            }
        }
        idom
    }

    /// The node of least semidominator on the way up from `node`, whose path is then shortened.
    fn eval(&mut self, node: u32) -> u32 {
        if get(&self.ancestor, node) == NONE {
            return node;
        }
        let mut path = vec![node];
        let mut at = get(&self.ancestor, node);
        while get(&self.ancestor, at) != NONE {
            path.push(at);
            at = get(&self.ancestor, at);
        }
        // `at` is a root; shorten from the top down.
        path.pop();
        while let Some(below) = path.pop() {
            let above = get(&self.ancestor, below);
            let (theirs, mine) = (get(&self.label, above), get(&self.label, below));
            if get(&self.semi, theirs) < get(&self.semi, mine) {
                set(&mut self.label, below, theirs);
            }
            let top = get(&self.ancestor, above);
            set(&mut self.ancestor, below, top);
        }
        get(&self.label, node)
    }
}

/// Numbers the subtrees of the dominator tree given by depth-first number.
fn spans(idom: &[u32], order: &[u32], count: usize) -> Vec<Option<(u32, u32)>> {
    // Dominators have smaller numbers than what they dominate, so sizes sum up from the end.
    let mut size = vec![1u32; idom.len()];
    for node in (1..idom.len() as u32).rev() {
        let over = get(idom, node);
        let sum = get(&size, over) + get(&size, node);
        set(&mut size, over, sum);
    }
    let mut span = vec![None; count];
    let mut first = vec![0u32; idom.len()];
    let mut free = vec![1u32; idom.len()];
    for node in 0..idom.len() as u32 {
        if node > 0 {
            let over = get(idom, node);
            let place = get(&free, over);
            set(&mut first, node, place);
            set(&mut free, node, place + 1);
            set(&mut free, over, place + get(&size, node));
        }
        let start = get(&first, node);
        if let Some(slot) = span.get_mut(get(order, node) as usize) {
            *slot = Some((start, start + get(&size, node) - 1));
        }
    }
    span
}

fn get(list: &[u32], index: u32) -> u32 {
    list.get(index as usize).copied().unwrap_or(NONE)
}

fn set(list: &mut [u32], index: u32, value: u32) {
    if let Some(slot) = list.get_mut(index as usize) {
        *slot = value;
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)] // A test may panic.
mod tests {
    use super::Dominators;

    /// Dominance by definition: `over` dominates `node` if removing it cuts `node` off.
    fn by_definition(successors: &[Vec<u32>], over: u32, node: u32) -> bool {
        if over == node {
            return true;
        }
        let mut seen = vec![false; successors.len()];
        let mut stack = if over == 0 { vec![] } else { vec![0u32] };
        while let Some(at) = stack.pop() {
            if at == over || std::mem::replace(&mut seen[at as usize], true) {
                continue;
            }
            stack.extend(&successors[at as usize]);
        }
        !seen[node as usize]
    }

    #[test]
    fn agree_with_their_definition_on_random_graphs() {
        let mut seed = 1u64;
        let mut random = move |below: usize| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) as usize % below
        };
        for round in 0..400 {
            let count = 1 + round % 17;
            let successors: Vec<Vec<u32>> = (0..count)
                .map(|_| (0..random(4)).map(|_| random(count) as u32).collect())
                .collect();
            let dominators = Dominators::new(&successors);
            for a in 0..count as u32 {
                for b in 0..count as u32 {
                    if dominators.reachable(a) && dominators.reachable(b) {
                        assert_eq!(
                            dominators.dominates(a, b),
                            by_definition(&successors, a, b),
                            "{a} over {b} in {successors:?}"
                        );
                    }
                }
            }
        }
    }
}
