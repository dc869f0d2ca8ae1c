//! The API as data: what the files of `spec/` say, and what follows from it.

use serde::Deserialize;

use crate::ctype::CType;
use crate::names;

/// `spec/registry.toml`: what the features share.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registry {
    /// The release whose API this is.
    pub release: String,
    /// The version of the API, `major.minor`.
    pub api_version: String,
    /// Names of the features in the order in which everything lists them.
    pub features: Vec<String>,
    /// The dispatch tables in container order.
    pub tables: Vec<Table>,
    /// Adapters that a loader tries by itself, in order.
    pub adapters: Vec<Adapter>,
    /// Loader exports that follow from nothing else.
    pub extra_exports: Vec<String>,
}

/// One dispatch table inside the container that every handle points to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// The container's member.
    pub field: String,
    /// The C struct of the table.
    pub r#struct: String,
    /// The function that an adapter exports to fill it.
    pub getter: String,
    /// Bytes from the start of the container.
    pub offset: usize,
    /// Bytes of the table.
    pub size: usize,
}

/// An adapter library known by name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adapter {
    /// The part of the library's name that tells it from others.
    pub name: String,
    /// The backend that its platforms report.
    pub backend: String,
    /// The device types that it can have.
    pub device_types: Vec<String>,
}

/// `spec/layouts.toml`: dispatch tables of earlier releases.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layouts {
    /// One for each layout that differs.
    pub layout: Vec<Layout>,
}

/// The dispatch tables of earlier releases.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// The releases that have it.
    pub releases: Vec<String>,
    /// Their tables in container order.
    pub tables: Vec<LayoutTable>,
}

/// One table of an earlier release.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayoutTable {
    /// The container's member, one that this release has too.
    pub field: String,
    /// Its functions in slot order; none for the same as in this release.
    pub functions: Option<Vec<String>>,
}

/// One file of `spec/` other than the registry and the layouts.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Feature {
    /// The feature's name, that of the file.
    pub feature: String,
    /// What the feature is for.
    pub doc: Option<String>,
    /// Text constants.
    #[serde(default)]
    pub define: Vec<Define>,
    /// Other names of number types.
    #[serde(default)]
    pub typedef: Vec<Typedef>,
    /// Handle types.
    #[serde(default)]
    pub handle: Vec<Handle>,
    /// Types of functions that the application hands in.
    #[serde(default)]
    pub callback: Vec<Callback>,
    /// Enumerations.
    #[serde(default)]
    pub r#enum: Vec<Enum>,
    /// Values that the feature adds to another feature's enumeration.
    #[serde(default)]
    pub extend: Vec<Extend>,
    /// Unions.
    #[serde(default)]
    pub r#union: Vec<Record>,
    /// Structs.
    #[serde(default)]
    pub r#struct: Vec<Record>,
    /// Functions.
    #[serde(default)]
    pub function: Vec<Function>,
}

/// A constant that is text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Define {
    /// Name of the constant.
    pub name: String,
    /// One-line description.
    pub doc: Option<String>,
    /// The text, without quotes.
    pub text: String,
}

/// Another name for a number type.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Typedef {
    /// Name of the type.
    pub name: String,
    /// One-line description.
    pub doc: Option<String>,
    /// The C type it stands for.
    pub r#type: String,
}

/// A handle type.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handle {
    /// Name of the type.
    pub name: String,
    /// One-line description.
    pub doc: Option<String>,
    /// The C number type that it is, when it is no pointer to an object.
    pub repr: Option<String>,
    /// Whether its objects belong to the loader and have no dispatch table.
    #[serde(default)]
    pub loader_only: bool,
}

impl Handle {
    /// Whether the object's first word points to a dispatch table.
    pub fn dispatchable(&self) -> bool {
        self.repr.is_none() && !self.loader_only
    }
}

/// The type of a function that the application hands in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Callback {
    /// Name of the type.
    pub name: String,
    /// One-line description.
    pub doc: Option<String>,
    /// C type of the result; none for void.
    pub returns: Option<String>,
    /// Its parameters.
    pub params: Vec<Param>,
}

/// An enumeration, or the bits of a flags type.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Enum {
    /// Name of the type.
    pub name: String,
    /// One-line description.
    pub doc: Option<String>,
    /// Whether the values are bits to be combined.
    #[serde(default)]
    pub flags: bool,
    /// Whether the numbers are versions, which print as `major.minor`.
    #[serde(default)]
    pub version: bool,
    /// The values.
    pub values: Vec<Value>,
}

impl Enum {
    /// `ur_x_flags_t` of the flags enumeration `ur_x_flag_t`.
    pub fn flags_type(&self) -> String {
        self.name.replace("_flag_t", "_flags_t")
    }

    /// `UR_X_FLAGS_MASK`, the constant with every bit that is no flag.
    pub fn mask_name(&self) -> String {
        format!(
            "{}_MASK",
            self.flags_type().trim_end_matches("_t").to_uppercase()
        )
    }

    /// The value of [`Enum::mask_name`].
    pub fn mask(&self) -> u32 {
        !self.values.iter().fold(0, |all, value| all | value.value)
    }
}

/// One value of an enumeration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// Name of the value.
    pub name: String,
    /// One-line description.
    pub doc: Option<String>,
    /// The number.
    pub value: u32,
    /// For an info query: C type of what it returns, `T[]` for several.
    pub r#type: Option<String>,
    /// For an info query: whether an adapter may decline it.
    #[serde(default)]
    pub optional: bool,
    /// For a result: whether checking the parameters alone can give it.
    #[serde(default)]
    pub validation: bool,
}

/// Values that a feature adds to another feature's enumeration.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extend {
    /// The enumeration.
    pub r#enum: String,
    /// The values added.
    pub values: Vec<Value>,
}

/// A struct or a union.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Name of the type.
    pub name: String,
    /// One-line description.
    pub doc: Option<String>,
    /// Bytes.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
    /// The value that its `stype` member has, if it can be chained.
    pub stype: Option<String>,
    /// For a union: the enumeration that says which member is meant.
    pub tag: Option<String>,
    /// Its members.
    pub members: Vec<Member>,
    /// Whether it is a union; set by the loader of the files.
    #[serde(skip)]
    pub is_union: bool,
}

/// A member of a struct or union.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// Name of the member.
    pub name: String,
    /// C type.
    pub r#type: String,
    /// Bytes from the start.
    pub offset: usize,
    /// Who writes it.
    pub dir: Option<Dir>,
    /// Whether it may be null.
    #[serde(default)]
    pub optional: bool,
    /// Whether its value is left unchecked.
    #[serde(default)]
    pub unchecked: bool,
    /// For a pointer: the member that counts what it points to.
    pub len: Option<String>,
    /// For a union: the member that says which of the union's members is meant.
    pub tagged_by: Option<String>,
    /// Inside a union: the tag's value that means this member.
    pub when: Option<String>,
}

/// Who writes a parameter or member.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Dir {
    /// The caller.
    In,
    /// The callee.
    Out,
    /// Both.
    InOut,
}

/// What a call does to the count of a handle.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// A new object that the caller owns.
    Alloc,
    /// One more owner.
    Retain,
    /// One owner less.
    Release,
}

/// A parameter of a function.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Param {
    /// Name of the parameter.
    pub name: String,
    /// C type.
    pub r#type: String,
    /// Who writes it.
    pub dir: Option<Dir>,
    /// Whether it may be null.
    #[serde(default)]
    pub optional: bool,
    /// Whether its value is left unchecked.
    #[serde(default)]
    pub unchecked: bool,
    /// What happens to the handle's count.
    pub effect: Option<Effect>,
    /// For an array: the parameter that counts it.
    pub len: Option<String>,
    /// For memory: offset and size of what the call touches.
    pub bounds: Option<[String; 2]>,
    /// For an info value: the parameter that names the query.
    pub typed_by: Option<String>,
    /// For an info value: the parameter that holds its size in bytes.
    pub size_in: Option<String>,
}

/// A result other than success and when it comes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Return {
    /// The result.
    pub code: String,
    /// C expressions over the parameters; any of them being true means this result.
    #[serde(default)]
    pub when: Vec<String>,
    /// Conditions that parameters alone cannot tell.
    #[serde(default)]
    pub prose: Vec<String>,
}

/// An entry point.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// Name of the function.
    pub name: String,
    /// One-line description.
    pub doc: Option<String>,
    /// Its number in `ur_function_t`.
    pub id: u32,
    /// The dispatch table it is in; none for the loader's own.
    pub table: Option<String>,
    /// Its place in that table.
    pub slot: Option<usize>,
    /// Whether the loader implements it without an adapter.
    #[serde(default)]
    pub loader_only: bool,
    /// The release that no longer has it.
    pub removed_in: Option<String>,
    /// Its parameters.
    pub params: Vec<Param>,
    /// Its results.
    pub returns: Vec<Return>,
}

impl Function {
    /// `context_create` of `urContextCreate`.
    pub fn snake(&self) -> String {
        names::snake(&self.name)
    }

    /// `UR_FUNCTION_CONTEXT_CREATE` of `urContextCreate`.
    pub fn id_name(&self) -> String {
        format!("UR_FUNCTION_{}", self.snake().to_uppercase())
    }

    /// `ur_context_create_params_t` of `urContextCreate`.
    pub fn params_struct(&self) -> String {
        format!("ur_{}_params_t", self.snake())
    }

    /// `pfnCreate` of `urContextCreate` in the table `Context`.
    pub fn member(&self) -> Option<String> {
        let class = self.table.as_ref()?.trim_end_matches("Exp");
        let rest = self.name.strip_prefix("ur")?;
        Some(format!("pfn{}", rest.strip_prefix(class).unwrap_or(rest)))
    }
}

/// The whole API.
#[derive(Clone, Debug)]
pub struct Spec {
    /// What the features share.
    pub registry: Registry,
    /// The features in registry order; their `extend` parts are merged into `enums`.
    pub features: Vec<Feature>,
    /// Every enumeration with all its values, `ur_function_t` among them.
    pub enums: Vec<Enum>,
    /// Dispatch tables of earlier releases.
    pub layouts: Vec<Layout>,
}

impl Spec {
    /// Every function, the removed ones too.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.features.iter().flat_map(|feature| &feature.function)
    }

    /// The functions of one table in slot order.
    pub fn table_functions(&self, field: &str) -> Vec<&Function> {
        let mut found: Vec<_> = self
            .functions()
            .filter(|f| f.slot.is_some() && f.table.as_deref() == Some(field))
            .collect();
        found.sort_by_key(|f| f.slot);
        found
    }

    /// Names of the functions of an earlier release's table in slot order.
    pub fn layout_functions(&self, table: &LayoutTable) -> Vec<String> {
        table.functions.clone().unwrap_or_else(|| {
            let functions = self.table_functions(&table.field);
            functions.iter().map(|f| f.name.clone()).collect()
        })
    }

    /// Every handle type.
    pub fn handles(&self) -> impl Iterator<Item = &Handle> {
        self.features.iter().flat_map(|feature| &feature.handle)
    }

    /// Every union and struct, a type after those that its members speak of.
    pub fn records(&self) -> Vec<&Record> {
        let mut left: Vec<&Record> = self
            .features
            .iter()
            .flat_map(|f| f.r#union.iter().chain(&f.r#struct))
            .collect();
        let mut done: Vec<&Record> = Vec::new();
        while !left.is_empty() {
            let waits = |record: &Record| {
                let base = |m: &Member| CType::parse(&m.r#type).map(|t| t.base);
                let later = |m: &Member| {
                    let base = base(m);
                    left.iter().any(|other| base.as_ref() == Some(&other.name))
                };
                record.members.iter().any(later)
            };
            let (later, now): (Vec<_>, Vec<_>) = left.iter().partition(|record| waits(record));
            if now.is_empty() {
                // A cycle: `check` reports it; here it must only not hang.
                done.extend(later);
                break;
            }
            done.extend(now);
            left = later;
        }
        done
    }

    /// The handle type of that name.
    pub fn handle(&self, name: &str) -> Option<&Handle> {
        self.handles().find(|handle| handle.name == name)
    }

    /// The enumeration of that name.
    pub fn enumeration(&self, name: &str) -> Option<&Enum> {
        self.enums.iter().find(|e| e.name == name)
    }

    /// The flags enumeration whose combined type has that name.
    pub fn flags(&self, name: &str) -> Option<&Enum> {
        self.enums
            .iter()
            .find(|e| e.flags && e.flags_type() == name)
    }

    /// The struct or union of that name.
    pub fn record(&self, name: &str) -> Option<&Record> {
        self.features
            .iter()
            .flat_map(|f| f.r#union.iter().chain(&f.r#struct))
            .find(|record| record.name == name)
    }

    /// The callback type of that name.
    pub fn callback(&self, name: &str) -> Option<&Callback> {
        self.features
            .iter()
            .flat_map(|f| &f.callback)
            .find(|callback| callback.name == name)
    }
}
