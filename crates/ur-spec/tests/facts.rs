//! Holds spec/, ur-api and the headers against the numbers of the released API.
//!
//! `tests/facts/*.tsv` holds those numbers: sizes, offsets, values, slots and exported names. They
//! were taken from the release itself and are never rendered.

mod common;

use std::collections::BTreeSet;

use common::{facts, spec};
use ur_spec::model::{Feature, Record, Spec};

#[test]
fn the_data_does_not_contradict_itself() {
    let problems = ur_spec::check::check(&spec());
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Each kind of mistake is found, so the test above can fail.
#[test]
fn contradictions_are_found() {
    type Mistake = fn(&mut Spec);
    let mistakes: [(Mistake, &str); 9] = [
        (
            |s| feature(s, "context").r#struct[0].members[2].offset = 20,
            "is at 16",
        ),
        (|s| feature(s, "context").r#struct[0].size = 32, "24 bytes"),
        (
            |s| feature(s, "context").function[0].slot = Some(1),
            "out of order",
        ),
        (
            |s| feature(s, "context").function[0].doc = None,
            "no description",
        ),
        (
            |s| feature(s, "context").function[0].params[0].r#type = "size".to_owned(),
            "unknown type size",
        ),
        (
            |s| {
                let returns = &mut feature(s, "context").function[0].returns;
                returns[0].when.push("nobody == 0".to_owned());
            },
            "speaks of nobody",
        ),
        (
            |s| feature(s, "context").function[1].name = "urContextCreate".to_owned(),
            "defined twice",
        ),
        (
            |s| s.layouts[0].tables[0].functions = Some(vec!["urNobody".to_owned()]),
            "urNobody isn't a function of Adapter",
        ),
        (
            |s| s.layouts[0].tables.retain(|t| t.field != "Kernel"),
            "urKernelSetArgValue is missing",
        ),
    ];
    for (mistake, complaint) in mistakes {
        let mut spec = spec();
        mistake(&mut spec);
        let problems = ur_spec::check::check(&spec);
        assert!(
            problems.iter().any(|p| p.contains(complaint)),
            "{complaint}: {problems:?}"
        );
    }
}

fn feature<'a>(spec: &'a mut Spec, name: &str) -> &'a mut Feature {
    let mut features = spec.features.iter_mut();
    features.find(|f| f.feature == name).expect("the feature")
}

#[test]
fn structs_and_unions() {
    let spec = spec();
    let rows = facts("structs");
    assert_eq!(rows.len(), 73);
    assert_eq!(rows.len(), spec.records().len());
    for row in &rows {
        let record = spec.record(&row[0]).expect(&row[0]);
        assert_eq!(record.size.to_string(), row[1], "{}", row[0]);
        assert_eq!(record.align.to_string(), row[2], "{}", row[0]);
    }
    let rows = facts("members");
    assert_eq!(rows.len(), 257);
    let members: usize = spec.records().iter().map(|r| r.members.len()).sum();
    assert_eq!(rows.len(), members);
    for row in rows {
        let record: &Record = spec.record(&row[0]).expect(&row[0]);
        let member = record.members.iter().find(|m| m.name == row[1]);
        let member = member.unwrap_or_else(|| panic!("{}.{}", row[0], row[1]));
        assert_eq!(member.offset.to_string(), row[2], "{}.{}", row[0], row[1]);
    }
}

#[test]
fn enumerations() {
    let spec = spec();
    let rows = facts("enums");
    assert_eq!(rows.len(), 990);
    let values: usize = spec.enums.iter().map(|e| e.values.len()).sum();
    // The functions that the release no longer has keep their numbers.
    assert_eq!(rows.len() + 6, values);
    let names: BTreeSet<&str> = rows.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(names.len(), 86);
    assert_eq!(names.len(), spec.enums.len());
    for row in &rows {
        let e = spec.enumeration(&row[0]).expect(&row[0]);
        let value = e.values.iter().find(|v| v.name == row[1]).expect(&row[1]);
        assert_eq!(value.value.to_string(), row[2], "{}", row[1]);
    }
    for row in facts("masks") {
        let e = spec.enumeration(&row[0]).expect(&row[0]);
        assert!(e.flags);
        assert_eq!(e.mask().to_string(), row[1], "{}", e.mask_name());
    }
    assert_eq!(
        facts("masks").len(),
        spec.enums.iter().filter(|e| e.flags).count()
    );
}

#[test]
fn tables_and_slots() {
    let spec = spec();
    let rows = facts("tables");
    assert_eq!(rows.len(), 26);
    assert_eq!(rows.len(), spec.registry.tables.len());
    for (row, table) in rows.iter().zip(&spec.registry.tables) {
        let offset = table.offset.to_string();
        let size = table.size.to_string();
        let have = [&table.field, &table.r#struct, &table.getter, &offset, &size];
        assert!(row.iter().eq(have), "{row:?}");
    }
    let rows = facts("slots");
    assert_eq!(rows.len(), 241);
    for row in rows {
        let functions = spec.table_functions(&row[0]);
        let slot: usize = row[1].parse().expect("a number");
        assert_eq!(functions[slot].name, row[2]);
    }
}

#[test]
fn tables_of_earlier_releases() {
    let spec = spec();
    let releases = [("2026.1.0", 230), ("2026.1.2", 235)];
    assert_eq!(spec.layouts.len(), releases.len());
    for ((release, count), layout) in releases.into_iter().zip(&spec.layouts) {
        assert!(layout.releases.iter().any(|r| r == release));
        let rows = facts(&format!("slots-{release}"));
        assert_eq!(rows.len(), count);
        let mut tables: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        tables.dedup();
        assert!(layout.tables.iter().map(|t| t.field.as_str()).eq(tables));
        let have = layout.tables.iter().flat_map(|table| {
            let functions = spec.layout_functions(table).into_iter().enumerate();
            functions.map(|(slot, name)| vec![table.field.clone(), slot.to_string(), name])
        });
        assert!(have.eq(rows), "{release}");
    }
}

#[test]
fn functions_and_constants() {
    let spec = spec();
    let rows = facts("functions");
    assert_eq!(rows.len(), 257);
    assert_eq!(rows.len(), spec.functions().count());
    for row in rows {
        let function = spec.functions().find(|f| f.name == row[0]).expect(&row[0]);
        assert_eq!(function.id.to_string(), row[1], "{}", row[0]);
        assert_eq!(function.params.len().to_string(), row[2], "{}", row[0]);
    }
    let removed = spec.functions().filter(|f| f.removed_in.is_some()).count();
    assert_eq!(removed, 6);
    for row in facts("defines") {
        let mut defines = spec.features.iter().flat_map(|f| &f.define);
        let define = defines.find(|d| d.name == row[0]).expect(&row[0]);
        assert_eq!(define.text, row[1]);
    }
}

/// The rendered sources and the version script name exactly the released exports.
#[test]
fn exports() {
    let want: BTreeSet<String> = facts("exports")
        .into_iter()
        .map(|mut r| r.remove(0))
        .collect();
    assert_eq!(want.len(), 697);
    let files = ur_spec::render::files(&spec()).expect("rendering");
    let script = files
        .iter()
        .find(|f| f.path.ends_with("exports.generated.map"))
        .expect("the version script");
    let listed: BTreeSet<String> = script
        .text
        .lines()
        .filter_map(|line| line.trim().strip_suffix(';'))
        .filter(|name| name.starts_with("ur"))
        .map(str::to_owned)
        .collect();
    assert_eq!(listed, want);

    // What is not rendered as a function the loader writes by hand: the nine of its own and the
    // selector's one.
    let mut defined = BTreeSet::new();
    // What lies behind the entry points has other names.
    let entries =
        |path: &str| path.contains("ur-loader/src/generated") && !path.contains("/layered/");
    for file in files.iter().filter(|f| entries(&f.path)) {
        for (_, rest) in file
            .text
            .match_indices("extern \"C\" fn ")
            .map(|(at, m)| file.text.split_at(at + m.len()))
        {
            let name: String = rest
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect();
            defined.insert(name);
        }
    }
    let by_hand: BTreeSet<String> = want.difference(&defined).cloned().collect();
    assert!(defined.is_subset(&want));
    assert_eq!(by_hand.len(), 10, "{by_hand:?}");
}
