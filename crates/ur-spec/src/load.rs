//! Reading the files of `spec/`.

use std::fmt;
use std::fs;
use std::path::Path;

use crate::model::{Enum, Feature, Layouts, Registry, Spec, Value};

/// Why a file of `spec/` could not be read.
#[derive(Debug)]
pub struct LoadError {
    /// The file.
    pub file: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.reason)
    }
}

impl std::error::Error for LoadError {}

fn read<T: serde::de::DeserializeOwned>(dir: &Path, name: &str) -> Result<T, LoadError> {
    let file = dir.join(format!("{name}.toml"));
    let error = |reason: String| LoadError {
        file: file.display().to_string(),
        reason,
    };
    let text = fs::read_to_string(&file).map_err(|e| error(e.to_string()))?;
    toml::from_str(&text).map_err(|e| error(e.to_string()))
}

/// Reads the registry, every feature that it names and the layouts from `dir`.
///
/// # Errors
/// A file that is missing or isn't what the model expects, a feature whose file names another
/// one, or an addition to an enumeration that nobody defines.
pub fn load(dir: &Path) -> Result<Spec, LoadError> {
    let registry: Registry = read(dir, "registry")?;
    let layouts: Layouts = read(dir, "layouts")?;
    let mut features = Vec::new();
    for name in &registry.features {
        let mut feature: Feature = read(dir, name)?;
        if feature.feature != *name {
            return Err(LoadError {
                file: format!("{name}.toml"),
                reason: format!("it calls itself {}", feature.feature),
            });
        }
        for union in &mut feature.r#union {
            union.is_union = true;
        }
        features.push(feature);
    }
    let enums = merge_enums(&features)?;
    Ok(Spec {
        registry,
        features,
        enums,
        layouts: layouts.layout,
    })
}

/// Every enumeration with the values that other features add, `ur_function_t` first.
fn merge_enums(features: &[Feature]) -> Result<Vec<Enum>, LoadError> {
    let mut enums = vec![function_enum(features)];
    enums.extend(features.iter().flat_map(|f| f.r#enum.iter().cloned()));
    for feature in features {
        for extend in &feature.extend {
            let target = enums.iter_mut().find(|e| e.name == extend.r#enum);
            let target = target.ok_or_else(|| LoadError {
                file: format!("{}.toml", feature.feature),
                reason: format!("it extends {}, which is nowhere", extend.r#enum),
            })?;
            target.values.extend(extend.values.iter().cloned());
        }
    }
    for e in &mut enums {
        // Stable: a second name of the same number stays behind the first.
        e.values.sort_by_key(|v| v.value);
    }
    Ok(enums)
}

/// `ur_function_t`, which follows from the functions' numbers.
fn function_enum(features: &[Feature]) -> Enum {
    let values = features.iter().flat_map(|f| &f.function).map(|f| Value {
        name: f.id_name(),
        doc: Some(format!("The function `{}`.", f.name)),
        value: f.id,
        r#type: None,
        optional: false,
        validation: false,
    });
    Enum {
        name: "ur_function_t".to_owned(),
        doc: Some("Every function of the API by number.".to_owned()),
        flags: false,
        version: false,
        values: values.collect(),
    }
}
