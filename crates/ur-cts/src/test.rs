//! Tests and how they are registered.

use crate::failure::Outcome;
use crate::world::{Cx, World};
use std::fmt;

/// What a test runs for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Once.
    Global,
    /// Each adapter.
    Adapter,
    /// Each platform.
    Platform,
    /// Each device.
    Device,
}

/// The process that a test needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Environment {
    /// Calls go to the adapters.
    #[default]
    Plain,
    /// The loader checks parameters before.
    Validated,
}

impl Environment {
    /// The variables that make it.
    pub fn variables(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Environment::Plain => &[],
            Environment::Validated => &[("UR_ENABLE_LAYERS", "UR_LAYER_PARAMETER_VALIDATION")],
        }
    }
}

type Body = Box<dyn Fn(&Cx) -> Outcome + Send + Sync>;

/// A test.
pub struct Test {
    /// Its name without the device.
    pub name: String,
    /// What it runs for.
    pub scope: Scope,
    /// The process that it needs.
    pub environment: Environment,
    body: Body,
}

impl fmt::Debug for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:?})", self.name, self.scope)
    }
}

/// All tests.
#[derive(Debug, Default)]
pub struct Registry {
    /// In the order of their registration.
    pub tests: Vec<Test>,
}

impl Registry {
    /// The tests of a suite are registered with this.
    pub fn suite(&mut self, name: &str) -> Suite<'_> {
        Suite {
            name: name.to_owned(),
            environment: Environment::Plain,
            tests: &mut self.tests,
        }
    }
}

/// Registers tests of a suite; each test's name begins with the suite's.
#[derive(Debug)]
pub struct Suite<'a> {
    name: String,
    environment: Environment,
    tests: &'a mut Vec<Test>,
}

impl Suite<'_> {
    /// The same suite, for tests in a process where the loader checks parameters.
    pub fn validated(&mut self) -> Suite<'_> {
        Suite {
            name: self.name.clone(),
            environment: Environment::Validated,
            tests: self.tests,
        }
    }

    /// A part of the suite with a name behind the suite's.
    pub fn part(&mut self, name: &str) -> Suite<'_> {
        Suite {
            name: format!("{}::{name}", self.name),
            environment: self.environment,
            tests: self.tests,
        }
    }

    fn add(
        &mut self,
        scope: Scope,
        name: impl fmt::Display,
        body: impl Fn(&Cx) -> Outcome + Send + Sync + 'static,
    ) {
        self.tests.push(Test {
            name: format!("{}::{name}", self.name),
            scope,
            environment: self.environment,
            body: Box::new(body),
        });
    }

    /// A test that runs once.
    pub fn global(
        &mut self,
        name: impl fmt::Display,
        body: impl Fn(&Cx) -> Outcome + Send + Sync + 'static,
    ) {
        self.add(Scope::Global, name, body);
    }

    /// A test of each adapter.
    pub fn adapter(
        &mut self,
        name: impl fmt::Display,
        body: impl Fn(&Cx) -> Outcome + Send + Sync + 'static,
    ) {
        self.add(Scope::Adapter, name, body);
    }

    /// A test of each platform.
    pub fn platform(
        &mut self,
        name: impl fmt::Display,
        body: impl Fn(&Cx) -> Outcome + Send + Sync + 'static,
    ) {
        self.add(Scope::Platform, name, body);
    }

    /// A test of each device.
    pub fn device(
        &mut self,
        name: impl fmt::Display,
        body: impl Fn(&Cx) -> Outcome + Send + Sync + 'static,
    ) {
        self.add(Scope::Device, name, body);
    }
}

/// A test for one adapter, platform or device.
#[derive(Debug)]
pub struct Case<'a> {
    /// `suite::function::case[native_cpu:0]`.
    pub name: String,
    /// The test.
    pub test: &'a Test,
    cx: Cx,
}

impl Case<'_> {
    /// Runs the test here.
    ///
    /// # Errors
    /// As the test ends; with `Ok` what it says is unsupported, if anything.
    pub fn run(&self) -> Result<Option<String>, String> {
        match (self.test.body)(&self.cx) {
            Ok(()) => Ok(None),
            Err(stop) => stop.judge(&self.cx).map(Some),
        }
    }
}

/// Every test for everything that it is about, in order.
pub fn cases<'a>(tests: &'a [Test], world: &'static World) -> Vec<Case<'a>> {
    let mut places: Vec<(Scope, Cx)> = vec![(Scope::Global, Cx::all(world))];
    for (at, adapter) in world.adapters.iter().enumerate() {
        let cx = Cx::all(world).of_adapter(at);
        places.push((Scope::Adapter, cx));
        let mut number = 0;
        for (at, platform) in adapter.platforms.iter().enumerate() {
            let cx = cx.of_platform(at);
            places.push((Scope::Platform, cx));
            for index in 0..platform.devices.len() {
                places.push((Scope::Device, cx.of_device(index, number)));
                number += 1;
            }
        }
    }
    let mut out = Vec::new();
    for test in tests {
        for (_, cx) in places.iter().filter(|(scope, _)| *scope == test.scope) {
            out.push(Case {
                name: format!("{}{}", test.name, cx.label()),
                test,
                cx: *cx,
            });
        }
    }
    out
}
