//! How each parameter of an entry point looks to an adapter, and what the shim does for it.

use crate::ctype::CType;
use crate::model::{Dir, Effect, Function, Param, Spec};
use crate::names;

/// One entry point as the kit sees it.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The function.
    pub function: &'a Function,
    /// Who answers it.
    pub kind: Answer,
    /// Parameters of the trait's method.
    pub args: Vec<Arg>,
    /// What the method returns on success, each with the out-parameter that it is written to.
    pub outs: Vec<Out>,
    /// Statements of the shim before the call.
    pub before: Vec<String>,
    /// Statements of the shim after the call.
    pub after: Vec<String>,
}

/// Who answers an entry point.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// The adapter, through a trait method.
    Adapter,
    /// The kit, with this body; the parameters have been checked by `before`.
    Kit(String),
}

/// A parameter of a trait method.
#[derive(Debug)]
pub struct Arg {
    /// Its name.
    pub name: String,
    /// Its type, in terms of `Self`.
    pub ty: String,
    /// What the shim passes.
    pub pass: String,
}

/// A result of a trait method.
#[derive(Debug)]
pub struct Out {
    /// Its type, in terms of `Self`.
    pub ty: String,
    /// The statement that writes it out; `{}` stands for the value.
    pub write: String,
}

/// The associated type behind a handle type: `Context` for `ur_context_handle_t`.
pub fn kind(handle: &str) -> String {
    let inner = handle
        .trim_start_matches("ur_")
        .trim_end_matches("_handle_t");
    names::camel(inner.trim_start_matches("exp_"))
}

/// The parameter that counts an array, also where the API says so in words only.
pub fn length(function: &Function, param: &Param) -> Option<String> {
    if let Some(len) = &param.len {
        return Some(len.clone());
    }
    match param.name.as_str() {
        "pBinaries" => Some("NumBinaries".into()),
        "pSpecConstants" => Some("count".into()),
        "pSyncPointWaitList" => Some("numSyncPointsInWaitList".into()),
        _ => None,
    }
    .filter(|len| function.params.iter().any(|p| &p.name == len))
}

/// The result that the data gives for a condition.
fn code_when<'a>(function: &'a Function, condition: &str) -> Option<&'a str> {
    let meant = |when: &String| when == condition;
    let found = function.returns.iter().find(|r| r.when.iter().any(meant))?;
    Some(&found.code)
}

/// `devices` of `phDevices`: the name without its Hungarian prefix.
fn plain_name(name: &str) -> String {
    for prefix in ["pfn", "ph", "pp", "p", "h"] {
        if let Some(rest) = name.strip_prefix(prefix)
            && rest.starts_with(|c: char| c.is_ascii_uppercase())
        {
            return names::snake(rest);
        }
    }
    names::snake(name)
}

impl<'a> Plan<'a> {
    /// Works one function out.
    pub fn new(spec: &Spec, function: &'a Function) -> Self {
        let mut plan = Plan {
            function,
            kind: Answer::Adapter,
            args: Vec::new(),
            outs: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
        };
        let counts: Vec<String> = function
            .params
            .iter()
            .filter_map(|p| length(function, p))
            .collect();
        let info = function.params.iter().find(|p| is_info(p));
        let list = function.params.iter().find(|p| {
            p.dir == Some(Dir::Out) && p.len.is_some() && is_handle_pointer(spec, &p.r#type)
        });
        for param in &function.params {
            if counts.contains(&param.name) {
                continue;
            }
            if let Some(value) = info
                && (Some(&param.name) == value.size_in.as_ref() || param.name == "pPropSizeRet")
            {
                continue;
            }
            if list.is_some_and(|l| l.name != param.name)
                && param.dir == Some(Dir::Out)
                && param.r#type == "uint32_t *"
            {
                continue;
            }
            plan.param(spec, param);
        }
        plan.kit_answers(spec);
        plan
    }

    fn param(&mut self, spec: &Spec, param: &Param) {
        let Some(ctype) = CType::parse(&param.r#type) else {
            return;
        };
        let (c, name) = (param.name.as_str(), plain_name(&param.name));
        let handle = spec.handle(&ctype.base).filter(|h| h.repr.is_none());
        let len = length(self.function, param);
        if let Some(len) = &len
            && c != "phEventWaitList"
            && let Some(code) = code_when(self.function, &format!("{c} != NULL && {len} == 0"))
        {
            self.before
                .push(format!("shim::listed({len} as usize, {c}, {code})?;"));
        }
        let out = matches!(param.dir, Some(Dir::Out))
            || (param.dir == Some(Dir::InOut) && handle.is_some() && ctype.stars == 1);
        if is_info(param) {
            let size = param.size_in.as_deref().unwrap_or("0");
            let make = match code_when(self.function, &format!("{c} && {size} == 0")) {
                Some(code) => format!("&mut Info::with({size}, {c}, pPropSizeRet, {code})?"),
                None => format!("&mut Info::new({size}, {c}, pPropSizeRet)?"),
            };
            self.bind("info", "&mut Info<'_>", &make);
        } else if let Some(handle) = handle {
            let kind = kind(&handle.name);
            self.handle(param, &kind, &name, ctype.stars, out, len);
        } else if spec.callback(&ctype.base).is_some() && ctype.stars == 0 {
            if !param.optional {
                self.before.push(format!(
                    "if {c}.is_none() {{ return Err(Error::code(UR_RESULT_ERROR_INVALID_NULL_POINTER)); }}"
                ));
            }
            self.arg(&name, &ctype.base, c);
        } else if ctype.stars == 0 {
            self.arg(&name, &ctype.rust(), c);
        } else if out && !is_plain_memory(&ctype, c) {
            self.out_value(param, &ctype, &name);
        } else if let Some(len) = len {
            let element = CType {
                stars: ctype.stars - 1,
                ..ctype.clone()
            };
            self.bind(
                &name,
                &format!("&[{}]", element.rust()),
                &format!("shim::slice({len} as usize, {c})?"),
            );
        } else if ctype.base == "char" && ctype.is_const && ctype.stars == 1 {
            if param.optional {
                self.bind(&name, "Option<&CStr>", &format!("shim::optional_text({c})"));
            } else {
                self.bind(&name, "&CStr", &format!("shim::text({c})?"));
            }
        } else if ctype.stars == 1 && spec.record(&ctype.base).is_some() {
            if param.optional {
                let ty = format!("Option<&{}>", ctype.base);
                self.bind(&name, &ty, &format!("{c}.as_ref()"));
            } else {
                let ty = format!("&{}", ctype.base);
                self.bind(&name, &ty, &format!("shim::structure({c})?"));
            }
        } else {
            if !param.optional && !param.unchecked {
                let check = if ctype.is_const && ctype.stars == 1 {
                    "require"
                } else {
                    "require_mut"
                };
                self.before.push(format!("shim::{check}({c})?;"));
            }
            self.arg(&name, &ctype.rust(), c);
        }
    }

    fn handle(
        &mut self,
        param: &Param,
        kind: &str,
        name: &str,
        stars: usize,
        out: bool,
        len: Option<String>,
    ) {
        let c = param.name.as_str();
        match (stars, out, len) {
            (0, _, _) if param.optional => self.bind(
                name,
                &format!("Option<&Object<Self::{kind}>>"),
                &format!("shim::optional::<B::{kind}>({c})?"),
            ),
            (0, _, _) => self.bind(
                name,
                &format!("&Object<Self::{kind}>"),
                &format!("Object::<B::{kind}>::from_raw({c})?"),
            ),
            (_, false, Some(len)) => {
                let check = if c == "phEventWaitList" && param.optional {
                    "wait_list"
                } else {
                    "objects"
                };
                self.bind(
                    name,
                    &format!("&[&Object<Self::{kind}>]"),
                    &format!("shim::{check}::<B::{kind}>({len} as usize, {c})?"),
                );
            }
            (_, true, Some(len)) => {
                let count = self
                    .function
                    .params
                    .iter()
                    .find(|p| p.dir == Some(Dir::Out) && p.r#type == "uint32_t *")
                    .map_or("std::ptr::null_mut()", |p| p.name.as_str());
                self.before.push(format!("shim::check_list({len}, {c})?;"));
                self.outs.push(Out {
                    ty: format!("Vec<Handle<Self::{kind}>>"),
                    write: format!("shim::list({{}}, {len}, {c}, {count})?;"),
                });
            }
            (_, true, None) if param.optional || param.dir == Some(Dir::InOut) => {
                if !param.optional {
                    self.before.push(format!("shim::require_mut({c})?;"));
                }
                let make = match param.dir {
                    Some(Dir::InOut) => format!("inout({c})?"),
                    _ => format!("new({c})"),
                };
                self.before
                    .push(format!("let mut {name} = Slot::<B::{kind}>::{make};"));
                self.arg(
                    name,
                    &format!("&mut Slot<Self::{kind}>"),
                    &format!("&mut {name}"),
                );
                self.after.push(format!("{name}.finish({c});"));
            }
            (_, _, None) => {
                self.before.push(format!("shim::require_mut({c})?;"));
                self.outs.push(Out {
                    ty: format!("Handle<Self::{kind}>"),
                    write: format!("{c}.write({{}}.into_raw());"),
                });
            }
        }
    }

    fn out_value(&mut self, param: &Param, ctype: &CType, name: &str) {
        let c = param.name.as_str();
        let pointee = CType {
            stars: ctype.stars - 1,
            ..ctype.clone()
        }
        .rust();
        if param.optional {
            self.bind(
                name,
                &format!("Option<&mut MaybeUninit<{pointee}>>"),
                &format!("shim::out({c})"),
            );
        } else {
            self.before.push(format!("shim::require_mut({c})?;"));
            self.outs.push(Out {
                ty: pointee,
                write: format!("{c}.write({{}});"),
            });
        }
    }

    fn arg(&mut self, name: &str, ty: &str, pass: &str) {
        self.args.push(Arg {
            name: name.to_owned(),
            ty: ty.to_owned(),
            pass: pass.to_owned(),
        });
    }

    fn bind(&mut self, name: &str, ty: &str, value: &str) {
        self.before.push(format!("let {name} = {value};"));
        self.arg(name, ty, name);
    }

    /// Entry points that mean the same for every adapter.
    fn kit_answers(&mut self, spec: &Spec) {
        let first = self.function.params.first();
        let is_object =
            first.is_some_and(|p| spec.handle(&p.r#type).is_some_and(|h| h.repr.is_none()));
        let body = match (first.and_then(|p| p.effect), self.function.name.as_str()) {
            (_, "urAdapterGetLastError") => "let (text, number) = crate::error::last();\n\
                 ppMessage.write(text);\npError.write(number);\nOk(())"
                .into(),
            (_, "urAdapterSetLoggerCallback") => {
                "B::logger().set(pfnLoggerCallback, pUserData, level);\nOk(())".into()
            }
            (_, "urAdapterSetLoggerCallbackLevel") => {
                "B::logger().set_level(level);\nOk(())".into()
            }
            (Some(Effect::Retain), _) if is_object => {
                format!("{}.retain();\nOk(())", self.args[0].name)
            }
            (Some(Effect::Release), _) if is_object => format!(
                "Object::release(NonNull::from({}));\nOk(())",
                self.args[0].name
            ),
            (_, "urGraphDestroyExp" | "urGraphExecutableGraphDestroyExp") => format!(
                "Object::release(NonNull::from({}));\nOk(())",
                self.args[0].name
            ),
            _ => return,
        };
        self.kind = Answer::Kit(body);
    }

    /// The value of the query that asks for the count of the function's object, if it has one.
    pub fn count_query(&self, spec: &Spec) -> Option<String> {
        self.function.params.iter().find(|p| is_info(p))?;
        let prop = self.function.params.iter().find(|p| p.name == "propName")?;
        let object = self.function.params.first()?;
        let stem = object.r#type.strip_suffix("_handle_t")?;
        if prop
            .r#type
            .strip_suffix("_info_t")?
            .trim_end_matches("_exp")
            != stem
            && prop.r#type.strip_suffix("_info_t")? != stem
        {
            return None;
        }
        let values = &spec.enumeration(&prop.r#type)?.values;
        values
            .iter()
            .find(|v| {
                v.name.ends_with("_REFERENCE_COUNT") || v.name.ends_with("_REFERENCE_COUNT_EXP")
            })
            .map(|v| v.name.clone())
    }
}

/// Whether what an out-pointer points to is for the adapter to fill as it sees fit: memory, or an
/// array with one element for each dimension.
fn is_plain_memory(ctype: &CType, name: &str) -> bool {
    ctype.base == "void" && ctype.stars == 1 || name == "pSuggestedLocalWorkSize"
}

/// Whether the parameter is the buffer that a query's answer goes to.
fn is_info(param: &Param) -> bool {
    param.typed_by.is_some() && param.dir != Some(Dir::In)
}

fn is_handle_pointer(spec: &Spec, ty: &str) -> bool {
    CType::parse(ty)
        .is_some_and(|t| t.stars == 1 && spec.handle(&t.base).is_some_and(|h| h.repr.is_none()))
}
