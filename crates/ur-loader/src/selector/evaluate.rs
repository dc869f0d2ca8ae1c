//! Which devices a selector picks.

use super::{Backend, DeviceType, Filter, Kind, Level, Selector};

/// The place of a device: its number among the platform's root devices, then its numbers among
/// the sub-devices. One to three numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path(Vec<u32>);

impl Path {
    fn root(number: u32) -> Path {
        Path(vec![number])
    }

    fn child(&self, number: u32) -> Path {
        let mut numbers = self.0.clone();
        numbers.push(number);
        Path(numbers)
    }

    /// The place of the device that this one is a part of; `None` for a root device.
    pub fn parent(&self) -> Option<Path> {
        let (_, outer) = self.0.split_last()?;
        (!outer.is_empty()).then(|| Path(outer.to_vec()))
    }

    /// The numbers, outermost first.
    pub fn numbers(&self) -> &[u32] {
        &self.0
    }
}

impl Selector {
    /// The devices chosen of a platform, in the order in which the filters name them (so `2,*`
    /// puts device 2 first), each once.
    ///
    /// `backend` is what the platform reports (`None`: one that no selector can name; only `*`
    /// terms reach it), `roots` the types of all its root devices, and `children` says into how
    /// many sub-devices a device can be split (0: it cannot). `children` is asked only where a
    /// filter needs the answer.
    pub fn select(
        &self,
        backend: Option<Backend>,
        roots: &[DeviceType],
        children: &mut dyn FnMut(&Path) -> u32,
    ) -> Vec<Path> {
        let relevant = |term: &&super::Term| term.backend.is_none() || term.backend == backend;
        let filters = |discard: bool| {
            self.terms
                .iter()
                .filter(relevant)
                .filter(move |term| term.discard == discard)
                .flat_map(|term| &term.filters)
        };

        let all = [Filter::Place(vec![Level::Any])];
        // Only when no term of the whole selector adds devices: `cuda:*` must not let an OpenCL
        // platform through.
        let accept: Vec<&Filter> = if self.terms.iter().all(|term| term.discard) {
            all.iter().collect()
        } else {
            filters(false).collect()
        };

        let mut chosen: Vec<Path> = Vec::new();
        for filter in accept {
            for path in matches(filter, roots, children) {
                let discarded = filters(true).any(|filter| covers(filter, &path, roots));
                if !discarded && !chosen.contains(&path) {
                    chosen.push(path);
                }
            }
        }
        chosen
    }

    /// Whether a platform that reports one of these backends, with root devices of these types,
    /// could have a device that [`Selector::select`] gives. `false` is certain; `true` leaves open
    /// how many devices there are and into what they can be split.
    pub fn may_select(&self, backends: &[Backend], types: &[DeviceType]) -> bool {
        let adds = self.terms.iter().any(|term| !term.discard);
        let named = |backend: Backend, kind: DeviceType, discard: bool| {
            self.terms
                .iter()
                .filter(|term| term.discard == discard)
                .filter(|term| term.backend.is_none_or(|wanted| wanted == backend))
                .flat_map(|term| &term.filters)
                .any(|filter| match filter {
                    Filter::Kind(wanted) => wanted.includes(kind),
                    // To be taken away for certain, all devices must be named.
                    Filter::Place(levels) => !discard || levels[..] == [Level::Any],
                })
        };
        backends.iter().any(|&backend| {
            types
                .iter()
                .any(|&kind| (!adds || named(backend, kind, false)) && !named(backend, kind, true))
        })
    }
}

/// The devices that one filter names, in platform order.
fn matches(
    filter: &Filter,
    roots: &[DeviceType],
    children: &mut dyn FnMut(&Path) -> u32,
) -> Vec<Path> {
    let count = u32::try_from(roots.len()).unwrap_or(u32::MAX);
    match filter {
        Filter::Kind(kind) => (0..count)
            .filter(|&number| kind.includes(roots[number as usize]))
            .map(Path::root)
            .collect(),
        Filter::Place(levels) => {
            let mut found: Option<Vec<Path>> = None;
            for level in levels {
                found = Some(match found {
                    None => numbers(*level, count).map(Path::root).collect(),
                    Some(parents) => parents
                        .iter()
                        .flat_map(|parent| {
                            numbers(*level, children(parent)).map(|number| parent.child(number))
                        })
                        .collect(),
                });
            }
            found.unwrap_or_default()
        }
    }
}

/// The numbers below `count` that a level names.
fn numbers(level: Level, count: u32) -> std::ops::Range<u32> {
    match level {
        Level::Any => 0..count,
        Level::Number(number) if number < count => number..number + 1,
        Level::Number(_) => 0..0,
    }
}

/// True when the filter names the device at `path` or one that contains it.
fn covers(filter: &Filter, path: &Path, roots: &[DeviceType]) -> bool {
    match filter {
        Filter::Kind(kind) => kind.includes(roots[path.0[0] as usize]),
        Filter::Place(levels) => {
            levels.len() <= path.0.len()
                && levels
                    .iter()
                    .zip(&path.0)
                    .all(|(level, number)| match level {
                        Level::Any => true,
                        Level::Number(wanted) => wanted == number,
                    })
        }
    }
}

impl Kind {
    fn includes(self, device: DeviceType) -> bool {
        match self {
            Kind::Cpu => device == DeviceType::Cpu,
            Kind::Gpu => device == DeviceType::Gpu,
            Kind::Fpga => device == DeviceType::Fpga,
            Kind::Mca => device == DeviceType::Mca,
            Kind::Vpu => device == DeviceType::Vpu,
            Kind::Acc => !matches!(device, DeviceType::Cpu | DeviceType::Gpu),
        }
    }
}
