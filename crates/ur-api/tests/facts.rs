//! Holds what this crate says at run time against the numbers of the released API. (Layouts are
//! asserted while it compiles.)

use std::mem::{align_of, offset_of, size_of};

use ur_api::*;

fn rows(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
}

macro_rules! facts {
    ($name:literal) => {
        rows(include_str!(concat!(
            "../../ur-spec/tests/facts/",
            $name,
            ".tsv"
        )))
    };
}

#[test]
fn every_value_prints_under_its_name() {
    let mut count = 0;
    for row in facts!("enums") {
        let [e, name, value] = row[..] else {
            panic!("{row:?}")
        };
        let want = match e {
            "ur_api_version_t" => format!("0.{value}"),
            _ => name.to_owned(),
        };
        let number = value.parse().expect("a number");
        assert_eq!(number_text(e, number), Some(want), "{name}");
        count += 1;
    }
    assert_eq!(count, 990);
}

#[test]
fn functions_have_their_numbers_and_slots() {
    let mut count = 0;
    for row in facts!("functions") {
        let function = FUNCTIONS.iter().find(|f| f.name == row[0]).expect(row[0]);
        assert_eq!(function.id.0.to_string(), row[1], "{}", row[0]);
        assert_eq!(function.params.to_string(), row[2], "{}", row[0]);
        count += 1;
    }
    assert_eq!(count, FUNCTIONS.len());
    let placed = FUNCTIONS.iter().filter(|f| f.slot.is_some()).count();
    assert_eq!(placed, 241);
    for row in facts!("slots") {
        let function = FUNCTIONS.iter().find(|f| f.name == row[2]).expect(row[2]);
        assert_eq!(function.table, Some(row[0]), "{}", row[2]);
        assert_eq!(
            function.slot.map(|s| s.to_string()).as_deref(),
            Some(row[1])
        );
    }
}

/// A sample by hand of what the compile-time assertions hold for all.
#[test]
fn layouts_are_those_of_c() {
    assert_eq!(size_of::<ur_exp_kernel_arg_properties_t>(), 48);
    assert_eq!(offset_of!(ur_exp_kernel_arg_properties_t, value), 32);
    assert_eq!(size_of::<ur_dditable_t>(), 241 * size_of::<usize>());
    assert_eq!(offset_of!(ur_kernel_dditable_t, pfnGetInfo), 8);
    assert_eq!(align_of::<ur_device_partition_value_t>(), 4);
    assert_eq!(size_of::<ur_result_t>(), 4);
    assert_eq!(size_of::<PfnUrContextCreate>(), size_of::<usize>());
}
