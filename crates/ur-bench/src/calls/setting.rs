//! What one process measures.

use std::fmt;

/// Whose loader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loader {
    /// Ours.
    Ours,
    /// The released one.
    Released,
}

/// The layers that are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layers {
    /// None.
    None,
    /// Tracing, to which nobody listens.
    Tracing,
    /// Checks of arguments.
    Parameters,
    /// All checks.
    Full,
}

impl Layers {
    /// The name that turns them on.
    pub fn variable(self) -> &'static str {
        match self {
            Layers::None => "",
            Layers::Tracing => "UR_LAYER_TRACING",
            Layers::Parameters => "UR_LAYER_PARAMETER_VALIDATION",
            Layers::Full => "UR_LAYER_FULL_VALIDATION",
        }
    }

    /// The most that they may add to a call, in nanoseconds.
    pub fn limit(self) -> f64 {
        match self {
            Layers::None => 0.0,
            Layers::Tracing => 1.0,
            Layers::Parameters => 3.0,
            Layers::Full => 8.0,
        }
    }
}

impl fmt::Display for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Layers::None => "no layer",
            Layers::Tracing => "tracing, nobody listens",
            Layers::Parameters => "parameter validation",
            Layers::Full => "full validation",
        })
    }
}

/// A loader with adapters and layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Whose loader.
    pub loader: Loader,
    /// How many adapters are loaded, 1 or 3.
    pub adapters: usize,
    /// What is on.
    pub layers: Layers,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let loader = match self.loader {
            Loader::Ours => "ours",
            Loader::Released => "released",
        };
        write!(
            f,
            "{loader} loader, {} adapters, {}",
            self.adapters, self.layers
        )
    }
}

/// Every setting.
pub(super) fn all(released: bool) -> Vec<Setting> {
    let mut out = Vec::new();
    for loader in [Loader::Ours, Loader::Released] {
        if loader == Loader::Released && !released {
            continue;
        }
        for (adapters, layers) in [
            (1, Layers::None),
            (3, Layers::None),
            (1, Layers::Tracing),
            (1, Layers::Parameters),
            (1, Layers::Full),
        ] {
            out.push(Setting {
                loader,
                adapters,
                layers,
            });
        }
    }
    out
}
