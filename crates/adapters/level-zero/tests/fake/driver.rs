//! The driver of `ur-fake-level-zero`, and tests that have it for themselves.
//!
//! Platforms are found once in a process, and the driver counts all objects of the process. So each test
//! runs in a process of its own, which finds the driver in the place of Level Zero's loader.

use std::ffi::{CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use ur_adapter_level_zero::ze;

/// The variable that says which test the process is for.
const CASE: &str = "UR_FAKE_LEVEL_ZERO_CASE";

/// A driver that has everything.
pub const NEWEST: &str = "1.15";

/// Kinds of objects, by the driver's numbers.
pub const LISTS: u32 = 4;
/// Events.
pub const EVENTS: u32 = 7;
/// Allocations.
pub const MEMORY: u32 = 14;
/// All but drivers and devices.
const ALL: u32 = u32::MAX;

/// The driver's library, which cargo built beside this test.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    test.with_file_name("libze_fake.so")
}

/// A folder with the driver under the name of Level Zero's loader.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake-level-zero");
    std::fs::create_dir_all(&folder).expect("a folder");
    let link = folder.join("libze_loader.so.1");
    let is_there = std::fs::read_link(&link).is_ok_and(|to| to == library());
    if !is_there {
        // Another test may do the same at the same time.
        let (process, thread) = (std::process::id(), std::thread::current().id());
        let own = folder.join(format!("link-{process}-{thread:?}"));
        std::os::unix::fs::symlink(library(), &own).expect("a link");
        std::fs::rename(&own, &link).expect("a link");
    }
    folder
}

/// Whether this process is for that test.
pub fn is_for(test: &str) -> bool {
    std::env::var_os(CASE).is_some_and(|case| case == test)
}

/// A process for a test, with drivers as said.
pub fn process(test: &str, settings: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CASE, test)
        .env("LD_LIBRARY_PATH", folder())
        .env("UR_FAKE_LEVEL_ZERO", settings)
        .stdin(Stdio::null());
    command
}

/// Runs a process for a test, which must pass and must have run it.
pub fn expect_pass(mut command: Command) -> Output {
    let output = command.output().expect("the test starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{}\n{text}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Runs a test with each of several drivers; nothing may be left then, and nothing have been done wrong.
pub fn alone(test: &str, settings: &[&str], body: fn(&Driver)) {
    if is_for(test) {
        let driver = Driver::open();
        body(&driver);
        driver.expect_nothing();
        assert_eq!(driver.faults(), "");
        return;
    }
    for settings in settings {
        expect_pass(process(test, settings));
    }
}

/// The name of a test of this module.
#[macro_export]
macro_rules! test_name {
    ($name:ident) => {{
        let module = module_path!();
        let module = module.split_once("::").map_or("", |(_, module)| module);
        format!("{module}::{}", stringify!($name))
    }};
}

/// A test with drivers: `case! { name, &["settings"], |driver| … }`.
#[macro_export]
macro_rules! case {
    ($(#[$doc:meta])* $name:ident, $settings:expr, $body:expr) => {
        $(#[$doc])*
        #[test]
        fn $name() {
            $crate::driver::alone(&$crate::test_name!($name), $settings, $body);
        }
    };
}

macro_rules! controls {
    ($($name:ident: fn($($arg:ty),*) $(-> $result:ty)?;)*) => {
        /// What the driver exports to tests.
        pub struct Driver {
            $($name: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
        }

        impl Driver {
            /// Opens the library, which the adapter opens again.
            pub fn open() -> Self {
                let path = CString::new(library().to_str().expect("a path")).expect("a path");
                // SAFETY: a terminated path of a library without initialisers of its own.
                let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
                assert!(!library.is_null(), "{path:?} cannot be opened");
                Self {
                    // SAFETY: the functions have these types.
                    $($name: unsafe {
                        let name = concat!(stringify!($name), "\0");
                        let address = libc::dlsym(library, name.as_ptr().cast());
                        assert!(!address.is_null(), "{name}");
                        std::mem::transmute::<
                            *mut c_void,
                            unsafe extern "C" fn($($arg),*) $(-> $result)?,
                        >(address)
                    },)*
                }
            }
        }
    };
}

controls! {
    fake_fail: fn(*const c_char, ze::ze_result_t, u64, u64);
    fake_failed: fn() -> usize;
    fake_recycle: fn(bool);
    fake_hold: fn(bool);
    fake_step: fn(u64);
    fake_unfinished: fn() -> usize;
    fake_seed: fn(u64);
    fake_alive: fn(u32) -> usize;
    fake_calls: fn(*const c_char) -> u64;
    fake_faults: fn(*mut u8, usize) -> usize;
}

// The functions have no conditions but those of their types.
#[expect(clippy::undocumented_unsafe_blocks, reason = "see above")]
impl Driver {
    /// Lets calls of a function fail, or of any if the name is `*`: after `skip` more the next `times`.
    pub fn fail(&self, name: &str, code: ze::ze_result_t, skip: u64, times: u64) {
        let name = CString::new(name).expect("a name");
        unsafe { (self.fake_fail)(name.as_ptr(), code, skip, times) };
    }

    /// How many calls failed by order.
    pub fn failed(&self) -> usize {
        unsafe { (self.fake_failed)() }
    }

    /// Whether places of handles are used again at once.
    pub fn recycle(&self, recycles: bool) {
        unsafe { (self.fake_recycle)(recycles) };
    }

    /// Whether commands begin only as [`Driver::step`] says.
    pub fn hold(&self, holds: bool) {
        unsafe { (self.fake_hold)(holds) };
    }

    /// Lets so many commands begin.
    pub fn step(&self, count: u64) {
        unsafe { (self.fake_step)(count) };
    }

    /// How many commands have not ended.
    pub fn unfinished(&self) -> usize {
        unsafe { (self.fake_unfinished)() }
    }

    /// Which command begins, of several that can, is chosen by another sequence.
    pub fn seed(&self, seed: u64) {
        unsafe { (self.fake_seed)(seed) };
    }

    /// How many objects are alive.
    pub fn alive(&self) -> usize {
        unsafe { (self.fake_alive)(ALL) }
    }

    /// Expects that nothing is left, now or when the threads of the program's functions have given up
    /// what they have.
    #[track_caller]
    pub fn expect_nothing(&self) {
        // Whoever waits sees what has ended.
        let device = crate::support::device();
        crate::ur!(DeviceExp.pfnWaitExp(device)).expect("an end");
        let begun = Instant::now();
        while self.alive() > 0 && begun.elapsed() < Duration::from_secs(20) {
            std::thread::yield_now();
        }
        assert_eq!(self.alive(), 0, "something is left");
    }

    /// How many objects of a kind are alive.
    pub fn alive_of(&self, kind: u32) -> usize {
        unsafe { (self.fake_alive)(kind) }
    }

    /// How often a function was called.
    pub fn calls(&self, name: &str) -> u64 {
        let name = CString::new(name).expect("a name");
        unsafe { (self.fake_calls)(name.as_ptr()) }
    }

    /// What was done wrong.
    pub fn faults(&self) -> String {
        let mut bytes = vec![0; 1 << 16];
        let size = unsafe { (self.fake_faults)(bytes.as_mut_ptr(), bytes.len()) };
        bytes.truncate(size);
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
