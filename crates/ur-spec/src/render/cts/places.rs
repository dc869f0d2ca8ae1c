//! What can be given to each function, for the account of what the suite has exercised.

use super::super::rust_head;
use crate::ctype::CType;
use crate::model::{Dir, Enum, Function, Spec};

/// A parameter, a member of one, or a number in the struct that one points to.
pub(super) struct Place {
    pub(super) param: String,
    pub(super) member: Option<String>,
    /// Whether the member is behind a pointer.
    pub(super) behind: bool,
    /// `Pointer`, `Function`, `Number`, `Truth`, `Enum(&NAMES)`, `Bits(&NAMES)`.
    pub(super) kind: String,
}

pub(super) fn places(spec: &Spec, function: &Function) -> Vec<Place> {
    let mut out = Vec::new();
    for param in &function.params {
        let Some(parsed) = CType::parse(&param.r#type) else {
            continue;
        };
        let record = spec.record(&parsed.base).filter(|r| !r.is_union);
        if let (0, Some(record)) = (parsed.stars, record) {
            out.extend(record.members.iter().map(|member| Place {
                param: param.name.clone(),
                member: Some(member.name.clone()),
                behind: false,
                kind: kind(spec, &member.r#type),
            }));
            continue;
        }
        out.push(Place {
            param: param.name.clone(),
            member: None,
            behind: false,
            kind: kind(spec, &param.r#type),
        });
        let one = parsed.stars == 1 && param.dir == Some(Dir::In) && param.len.is_none();
        let Some(record) = record.filter(|_| one) else {
            continue;
        };
        for member in &record.members {
            let kind = kind(spec, &member.r#type);
            let named = kind.starts_with("Enum") || kind.starts_with("Bits") || kind == "Truth";
            if named && member.name != "stype" {
                out.push(Place {
                    param: param.name.clone(),
                    member: Some(member.name.clone()),
                    behind: true,
                    kind,
                });
            }
        }
    }
    out
}

fn kind(spec: &Spec, c_type: &str) -> String {
    let Some(parsed) = CType::parse(c_type) else {
        return "Number".into();
    };
    let base = parsed.base.as_str();
    if parsed.is_pointer() || spec.handle(base).is_some_and(|h| h.repr.is_none()) {
        "Pointer".into()
    } else if spec.callback(base).is_some() {
        "Function".into()
    } else if base == "bool" {
        "Truth".into()
    } else if let Some(flags) = spec.flags(base) {
        format!("Bits({})", constant(flags))
    } else if let Some(named) = spec.enumeration(base) {
        format!("Enum({})", constant(named))
    } else {
        "Number".into()
    }
}

fn constant(named: &Enum) -> String {
    named.name.trim_end_matches("_t").to_uppercase()
}

pub(super) fn render(spec: &Spec) -> String {
    let mut out = rust_head("What can be given to each function, and what it can answer.");
    out.push_str(
        "use crate::coverage::{FunctionPlaces, Kind, Place};\n\n\
         /// Every function, in the order of their numbers.\n\
         pub(crate) static FUNCTIONS: &[FunctionPlaces] = &[\n",
    );
    let mut used = Vec::new();
    for function in super::functions(spec) {
        let places: Vec<String> = places(spec, function)
            .iter()
            .map(|place| {
                let dot = if place.behind { "->" } else { "." };
                let member = place.member.as_ref();
                let name =
                    member.map_or(place.param.clone(), |m| format!("{}{dot}{m}", place.param));
                if let Some((_, rest)) = place.kind.split_once('(') {
                    used.push(rest.trim_end_matches(')').to_owned());
                }
                format!("Place {{ name: {name:?}, kind: Kind::{} }}", place.kind)
            })
            .collect();
        let errors: Vec<String> = function
            .returns
            .iter()
            .map(|r| format!("{:?}", r.code))
            .collect();
        out.push_str(&format!(
            "FunctionPlaces {{ name: {:?}, removed: {}, places: &[{}], errors: &[{}] }},\n",
            function.name,
            function.removed_in.is_some(),
            places.join(", "),
            errors.join(", ")
        ));
    }
    out.push_str("];\n\n");
    for named in &spec.enums {
        let name = constant(named);
        if !used.contains(&name) && named.name != "ur_result_t" {
            continue;
        }
        out.push_str(&format!(
            "/// Values of `{}`.\npub(crate) static {name}: &[(u32, &str)] = &[\n",
            named.name
        ));
        for value in &named.values {
            out.push_str(&format!("({:#x}, {:?}),\n", value.value, value.name));
        }
        out.push_str("];\n\n");
    }
    out
}
