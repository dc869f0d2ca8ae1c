use super::*;
use proptest::prelude::*;

fn parse(text: &str) -> Selector {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn refused(text: &str) -> SelectorError {
    match text.parse::<Selector>() {
        Ok(selector) => panic!("{text} was read as {selector}"),
        Err(error) => error,
    }
}

/// A platform with a CPU, two GPUs and an FPGA; every root splits in three, every sub-device in
/// two, except root 1, which cannot be split.
const ROOTS: [DeviceType; 4] = [
    DeviceType::Cpu,
    DeviceType::Gpu,
    DeviceType::Gpu,
    DeviceType::Fpga,
];

fn children(path: &Path) -> u32 {
    match path.numbers() {
        [1] => 0,
        [_] => 3,
        [_, _] => 2,
        _ => 0,
    }
}

fn chosen(text: &str) -> Vec<Vec<u32>> {
    chosen_on(text, Backend::OpenCl)
}

fn chosen_on(text: &str, backend: Backend) -> Vec<Vec<u32>> {
    parse(text)
        .select(Some(backend), &ROOTS, &mut |path| children(path))
        .iter()
        .map(|path| path.numbers().to_vec())
        .collect()
}

#[test]
fn types_numbers_and_stars() {
    assert_eq!(chosen("*:*"), [[0], [1], [2], [3]]);
    assert_eq!(chosen("opencl:gpu"), [[1], [2]]);
    assert_eq!(chosen("OpenCL:GPU,Cpu"), [[1], [2], [0]]);
    assert_eq!(chosen("opencl:acc"), [[3]]);
    assert_eq!(chosen("*:1"), [[1]]);
    assert!(chosen("*:4").is_empty());
    assert!(chosen("level_zero:*").is_empty());
    assert_eq!(chosen_on("level_zero:*", Backend::LevelZero).len(), 4);
}

#[test]
fn order_is_that_of_the_filters_and_each_device_comes_once() {
    assert_eq!(chosen("*:2,*"), [[2], [0], [1], [3]]);
    assert_eq!(chosen("opencl:gpu;*:0,1"), [[1], [2], [0]]);
}

#[test]
fn sub_devices() {
    assert_eq!(chosen("*:0.1"), [[0, 1]]);
    assert_eq!(chosen("*:0.*"), [[0, 0], [0, 1], [0, 2]]);
    assert!(chosen("*:1.*").is_empty());
    assert_eq!(chosen("*:*.*").len(), 9);
    assert_eq!(chosen("*:*.*.*").len(), 18);
    assert_eq!(chosen("*:2.1.1,2"), [vec![2, 1, 1], vec![2]]);
    assert!(chosen("*:0.1.2").is_empty());
    assert_eq!(chosen("*:0.2.*"), [[0, 2, 0], [0, 2, 1]]);
}

#[test]
fn discards_take_away_wherever_they_stand() {
    assert_eq!(chosen("!*:gpu"), [[0], [3]]);
    assert_eq!(chosen("!level_zero:*"), [[0], [1], [2], [3]]);
    assert_eq!(chosen("*:*;!opencl:1,3"), [[0], [2]]);
    assert_eq!(chosen("!opencl:1,3;*:*"), [[0], [2]]);
    assert!(chosen("!*:*").is_empty());
    assert!(chosen("*:0;!*:*").is_empty());
    assert_eq!(chosen("*:0;!*:1"), [[0]]);
    assert!(chosen("cuda:0;!opencl:1").is_empty());
    assert_eq!(chosen("*:0.*;!*:0.1"), [[0, 0], [0, 2]]);
    assert!(
        chosen("*:0.*;!*:0").is_empty(),
        "sub-devices go with their root"
    );
    assert_eq!(
        chosen("*:0;!*:0.*"),
        [[0]],
        "a root stays without its sub-devices"
    );
}

#[test]
fn a_backend_without_a_name_is_reached_by_star_only() {
    let mut none = |_: &Path| 0;
    assert_eq!(parse("*:*").select(None, &ROOTS, &mut none).len(), 4);
    assert!(parse("opencl:*").select(None, &ROOTS, &mut none).is_empty());
    assert_eq!(parse("!opencl:*").select(None, &ROOTS, &mut none).len(), 4);
}

#[test]
fn devices_are_split_only_when_a_filter_needs_it() {
    let mut asked = Vec::new();
    parse("*:*,cpu;!*:3.1").select(Some(Backend::OpenCl), &ROOTS, &mut |path| {
        asked.push(path.clone());
        0
    });
    assert!(asked.is_empty(), "{asked:?}");
    parse("*:2.*").select(Some(Backend::OpenCl), &ROOTS, &mut |path| {
        asked.push(path.clone());
        0
    });
    assert_eq!(asked.len(), 1);
}

#[test]
fn errors_name_the_term() {
    let cases = [
        ("", 1, "", Reason::EmptyTerm),
        ("!", 1, "!", Reason::EmptyTerm),
        (";", 1, "", Reason::EmptyTerm),
        ("opencl:*;;", 2, "", Reason::EmptyTerm),
        (";opencl:*", 1, "", Reason::EmptyTerm),
        ("opencl:0;;hip:0", 2, "", Reason::EmptyTerm),
        ("*", 1, "*", Reason::NoColon),
        ("garbage", 1, "garbage", Reason::NoColon),
        (":cpu", 1, ":cpu", Reason::NoBackend),
        ("!:cpu", 1, "!:cpu", Reason::NoBackend),
        (
            "!!opencl:cpu",
            1,
            "!!opencl:cpu",
            Reason::UnknownBackend("!opencl".into()),
        ),
        (
            "opencl:cpu;qcl:0",
            2,
            "qcl:0",
            Reason::UnknownBackend("qcl".into()),
        ),
        ("opencl:cpu:0", 1, "opencl:cpu:0", Reason::ExtraColon),
        ("*::", 1, "*::", Reason::ExtraColon),
        ("*:", 1, "*:", Reason::EmptyFilter),
        ("*:0,,2", 1, "*:0,,2", Reason::EmptyFilter),
        ("*:0,", 1, "*:0,", Reason::EmptyFilter),
        (
            "*:0.1.2.3",
            1,
            "*:0.1.2.3",
            Reason::TooManyLevels("0.1.2.3".into()),
        ),
        ("*:*.", 1, "*:*.", Reason::UnknownFilter("*.".into())),
        ("*:.0", 1, "*:.0", Reason::UnknownFilter(".0".into())),
        ("*:*.0", 1, "*:*.0", Reason::NumberAfterStar("*.0".into())),
        (
            "*:0.*.1",
            1,
            "*:0.*.1",
            Reason::NumberAfterStar("0.*.1".into()),
        ),
        ("*:-1", 1, "*:-1", Reason::UnknownFilter("-1".into())),
        ("*:+1", 1, "*:+1", Reason::UnknownFilter("+1".into())),
        ("*: cpu", 1, "*: cpu", Reason::UnknownFilter(" cpu".into())),
        (
            "*:cpu.0",
            1,
            "*:cpu.0",
            Reason::UnknownFilter("cpu.0".into()),
        ),
        (
            "*:4294967296",
            1,
            "*:4294967296",
            Reason::NumberTooLarge("4294967296".into()),
        ),
        (
            "*:0.99999999999999999999",
            1,
            "*:0.99999999999999999999",
            Reason::NumberTooLarge("0.99999999999999999999".into()),
        ),
    ];
    for (text, position, term, reason) in cases {
        let error = refused(text);
        assert_eq!(
            (error.position, error.term.as_str(), &error.reason),
            (position, term, &reason),
            "{text}"
        );
        assert!(error.to_string().contains(term), "{error}");
    }
}

#[test]
fn a_semicolon_may_end_the_last_term() {
    assert_eq!(chosen("opencl:gpu;"), [[1], [2]]);
    assert_eq!(chosen("*:0;!opencl:1;"), [[0]]);
}

fn any_filter() -> impl Strategy<Value = Filter> {
    let kinds = [
        Kind::Cpu,
        Kind::Gpu,
        Kind::Fpga,
        Kind::Acc,
        Kind::Mca,
        Kind::Vpu,
    ];
    // Numbers first, then stars: the only order the grammar allows.
    let place = (prop::collection::vec(0u32..4, 0..=3), 0usize..=3).prop_map(|(numbers, stars)| {
        let mut levels: Vec<Level> = numbers.into_iter().map(Level::Number).collect();
        levels.extend((0..stars).map(|_| Level::Any));
        levels.truncate(3);
        if levels.is_empty() {
            levels.push(Level::Any);
        }
        Filter::Place(levels)
    });
    prop_oneof![
        (0usize..6).prop_map(move |index| Filter::Kind(kinds[index])),
        place
    ]
}

fn any_selector() -> impl Strategy<Value = Selector> {
    let backend = prop::option::of((0usize..6).prop_map(|index| Backend::NAMES[index].0));
    let term = (
        any::<bool>(),
        backend,
        prop::collection::vec(any_filter(), 1..4),
    )
        .prop_map(|(discard, backend, filters)| Term {
            discard,
            backend,
            filters,
        });
    prop::collection::vec(term, 1..5).prop_map(|terms| Selector { terms })
}

/// Every device of the test platform, to any depth.
fn everything() -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = (0..4).map(|number| vec![number]).collect();
    let mut next = 0;
    while next < all.len() {
        let parent = all[next].clone();
        let count = match parent.as_slice() {
            [1] => 0,
            [_] => 3,
            [_, _] => 2,
            _ => 0,
        };
        all.extend((0..count).map(|number| [parent.as_slice(), &[number]].concat()));
        next += 1;
    }
    all
}

/// The meaning of a filter said the slow way: does it name exactly this device?
fn names(filter: &Filter, device: &[u32]) -> bool {
    match filter {
        Filter::Kind(kind) => {
            device.len() == 1
                && match ROOTS[device[0] as usize] {
                    DeviceType::Cpu => *kind == Kind::Cpu,
                    DeviceType::Gpu => *kind == Kind::Gpu,
                    _ => *kind == Kind::Fpga || *kind == Kind::Acc,
                }
        }
        Filter::Place(levels) => {
            levels.len() == device.len()
                && (0..levels.len()).all(|index| {
                    levels[index] == Level::Any || levels[index] == Level::Number(device[index])
                })
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,60}") {
        let _ = text.parse::<Selector>();
    }

    #[test]
    fn any_text_of_the_grammars_characters_is_read_or_refused(text in "[!*:;,.0-9a-z_]{0,40}") {
        match text.parse::<Selector>() {
            Ok(selector) => prop_assert_eq!(selector.to_string().parse::<Selector>(), Ok(selector)),
            Err(error) => prop_assert_eq!(text.split(';').nth(error.position - 1), Some(error.term.as_str())),
        }
    }

    #[test]
    fn what_is_written_is_what_is_read(selector in any_selector()) {
        prop_assert_eq!(selector.to_string().parse::<Selector>(), Ok(selector));
    }

    #[test]
    fn what_is_ruled_out_is_never_selected(selector in any_selector(), backend in 0usize..6) {
        let backend = Backend::NAMES[backend].0;
        let chosen = selector.select(Some(backend), &ROOTS, &mut |path| children(path));
        for kind in [DeviceType::Cpu, DeviceType::Gpu, DeviceType::Fpga] {
            let some = chosen.iter().any(|path| ROOTS[path.numbers()[0] as usize] == kind);
            prop_assert!(!some || selector.may_select(&[backend], &[kind]));
        }
    }

    #[test]
    fn selection_is_what_the_terms_say(selector in any_selector(), backend in 0usize..6) {
        let backend = Backend::NAMES[backend].0;
        let chosen = selector.select(Some(backend), &ROOTS, &mut |path| children(path));
        let chosen: Vec<&[u32]> = chosen.iter().map(Path::numbers).collect();

        let applies = |term: &&Term| term.backend.is_none_or(|wanted| wanted == backend);
        let implied = selector.terms().iter().all(|term| term.discard);
        for device in everything() {
            let mut terms = selector.terms().iter().filter(applies);
            let accepted = (implied && device.len() == 1)
                || terms.clone().any(|term| !term.discard && term.filters.iter().any(|f| names(f, &device)));
            let discarded = terms.any(|term| term.discard && (1..=device.len()).any(|length|
                term.filters.iter().any(|f| names(f, &device[..length]))));
            let times = chosen.iter().filter(|path| **path == device.as_slice()).count();
            prop_assert_eq!(times, usize::from(accepted && !discarded), "{} {:?}", selector, device);
        }
        let count = everything().len();
        prop_assert!(chosen.len() <= count);
    }
}
