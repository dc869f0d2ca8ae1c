//! Every condition on arguments: one call that is right for each function, and for each reason to
//! refuse one a call that has only this reason. The table of cases is rendered from spec/.

use crate::adapter::{Object, last_called, passed, with_layers};
use crate::generated::calls::call;

pub const CASES: &str = include_str!("generated/cases.tsv");

/// Room behind each pointer, which no struct and no array of a case exceeds.
const ROOM: usize = 512;

/// The words of a call, and the memory that they point to.
pub struct Words {
    object: Box<Object>,
    pub words: Vec<usize>,
    /// Where the words of each parameter begin, and its memory if it has some.
    pub params: Vec<(usize, Option<usize>)>,
    pub memory: Vec<Vec<u64>>,
}

impl Words {
    pub fn read(text: &str) -> Words {
        let mut all = Words {
            object: Box::new(Object::new()),
            words: Vec::new(),
            params: Vec::new(),
            memory: Vec::new(),
        };
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            let (at, memory) = (all.words.len(), all.memory.len());
            all.add(word);
            let own = (all.memory.len() > memory).then_some(memory);
            all.params.push((at, own));
        }
        all
    }

    fn room(&mut self) -> &mut [u64] {
        let mut room = vec![0; ROOM / 8];
        self.words.push(room.as_mut_ptr().expose_provenance());
        self.memory.push(room);
        self.memory.last_mut().expect("it was put there")
    }

    fn add(&mut self, word: &str) {
        let inside = |name: &str| {
            let rest = word.strip_prefix(name)?;
            rest.strip_prefix('{')?.strip_suffix('}')
        };
        if let Some(numbers) = inside("box") {
            let numbers = numbers
                .split(',')
                .map(|n| n.parse::<usize>().expect("a number"));
            self.words.extend(numbers);
        } else if let Some(handles) = inside("handles") {
            let object = self.object.word() as u64;
            let room = self.room();
            for (index, handle) in handles.split(',').enumerate() {
                room[index] = if handle == "ok" { object } else { 0 };
            }
        } else if let Some(fields) = inside("memory") {
            let room = self.room();
            for field in fields.split(',') {
                write(room, field);
            }
        } else {
            match word {
                "memory" => {
                    self.room();
                }
                "null" => self.words.push(0),
                "handle" => self.words.push(self.object.word()),
                "function" => self.words.push(1),
                number => self.words.push(number.parse().expect("a number")),
            }
        }
    }
}

/// Writes `offset:size=value`.
fn write(room: &mut [u64], field: &str) {
    let (place, value) = field.split_once('=').expect("a value");
    let (offset, size) = place.split_once(':').expect("a size");
    let offset: usize = offset.parse().expect("an offset");
    let size: usize = size.parse().expect("a size");
    let value: u64 = value.parse().expect("a number");
    for (index, byte) in value.to_le_bytes().iter().take(size).enumerate() {
        let at = offset + index;
        let word = &mut room[at / 8];
        let shift = at % 8 * 8;
        *word = *word & !(0xff << shift) | u64::from(*byte) << shift;
    }
}

#[test]
fn what_is_wrong_is_refused_and_what_is_right_gets_to_the_adapter() {
    let mut failures = Vec::new();
    let (mut right, mut wrong) = (0, 0);
    with_layers("UR_LAYER_PARAMETER_VALIDATION", || {
        for line in CASES.lines().filter(|line| !line.starts_with('#')) {
            let parts: Vec<&str> = line.split('\t').collect();
            let [function, what, expected, arguments] = parts[..] else {
                panic!("{line}");
            };
            let words = Words::read(arguments);
            last_called();
            // SAFETY: the words are what the function takes, and stay until the call has ended.
            let result = unsafe { call(function, &words.words) };
            let called = last_called();
            let good = if what == "right" {
                right += 1;
                passed(function, result, called)
            } else {
                wrong += 1;
                result.to_string() == expected && called.is_none()
            };
            if !good {
                failures.push(format!(
                    "{function}, {what}: {result} instead of {expected}, called {called:?}"
                ));
            }
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    println!("{right} calls were right, {wrong} were refused");
    assert!(right > 230 && wrong > 1150, "{right} and {wrong}");
}

#[test]
fn without_the_layer_nothing_is_refused_but_null_handles() {
    // The layer's answers come from the layer: the same calls get to the adapter without it.
    let mut right = 0;
    with_layers("UR_LAYER_TRACING", || {
        for line in CASES
            .lines()
            .filter(|line| line.contains("INVALID_ENUMERATION"))
        {
            let parts: Vec<&str> = line.split('\t').collect();
            let words = Words::read(parts[3]);
            last_called();
            // SAFETY: the words are what the function takes; this adapter looks at none of them.
            let result = unsafe { call(parts[0], &words.words) };
            assert!(passed(parts[0], result, last_called()), "{line}: {result}");
            right += 1;
        }
    });
    assert!(right > 100, "{right}");
}
