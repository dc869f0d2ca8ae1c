//! The driver of `ur-fake-opencl`, and tests that have it for themselves.
//!
//! Platforms are found once in a process, and the driver counts all objects of the process. So each
//! test runs in a process of its own, which has an OpenCL library that finds this driver only.

use std::ffi::{CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The variable that says which test the process is for.
const CASE: &str = "UR_FAKE_OPENCL_CASE";

/// The driver's library, which cargo built beside this test.
pub fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    test.with_file_name("libur_fake_opencl.so")
}

/// An empty folder for a test.
pub fn folder(test: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fake-opencl");
    let folder = root.join(test.replace(':', "_"));
    if folder.exists() {
        std::fs::remove_dir_all(&folder).expect("what an earlier run left can be removed");
    }
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Whether this process is for that test.
pub fn is_for(test: &str) -> bool {
    std::env::var_os(CASE).is_some_and(|case| case == test)
}

/// A process for a test, whose OpenCL library looks for drivers in a folder.
pub fn process(test: &str, vendors: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("a path"));
    command
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(CASE, test)
        .env("OCL_ICD_VENDORS", vendors)
        .env_remove("OCL_ICD_FILENAMES")
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

/// Runs a test with the driver, whose platforms are as said.
pub fn alone(test: &str, platforms: &str, body: fn(&Driver)) {
    if is_for(test) {
        let driver = Driver::open();
        body(&driver);
        assert_eq!(driver.faults(), "");
        return;
    }
    let vendors = folder(test);
    let entry = format!("{}\n", library().display());
    std::fs::write(vendors.join("fake.icd"), entry).expect("a file");
    let mut command = process(test, &vendors);
    command.env("UR_FAKE_OPENCL", platforms);
    expect_pass(command);
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

/// A test with the driver: `case! { name, "platforms", |driver| … }`.
#[macro_export]
macro_rules! case {
    ($(#[$doc:meta])* $name:ident, $platforms:expr, $body:expr) => {
        $(#[$doc])*
        #[test]
        fn $name() {
            $crate::driver::alone(&$crate::test_name!($name), $platforms, $body);
        }
    };
}

/// A platform that has everything.
pub const EVERYTHING: &str = ur_fake_opencl::settings::EVERYTHING;

/// Kinds of objects, by the driver's numbers.
pub const EVENTS: u32 = 4;

macro_rules! controls {
    ($($name:ident: fn($($arg:ty),*) $(-> $result:ty)?;)*) => {
        /// What the driver exports to tests.
        pub struct Driver {
            $($name: unsafe extern "C" fn($($arg),*) $(-> $result)?,)*
        }

        impl Driver {
            /// Opens the library, which the OpenCL library opens again.
            fn open() -> Self {
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
    fake_reset: fn();
    fake_fail: fn(*const c_char, i32, u64, u64);
    fake_failed: fn() -> usize;
    fake_failed_last: fn(*mut u8, usize) -> usize;
    fake_outcome: fn(i32);
    fake_recycle: fn(bool);
    fake_lazy: fn(bool);
    fake_alive: fn(u32) -> usize;
    fake_waiting: fn() -> usize;
    fake_calls: fn(*const c_char) -> u64;
    fake_faults: fn(*mut u8, usize) -> usize;
    fake_launches: fn() -> usize;
    fake_argument: fn(usize, usize, *mut u8, usize) -> usize;
}

// The functions have no conditions but those of their types.
#[expect(clippy::undocumented_unsafe_blocks, reason = "see above")]
impl Driver {
    /// Forgets orders, calls, faults and launches.
    pub fn reset(&self) {
        unsafe { (self.fake_reset)() };
    }

    /// Lets calls of a function fail, or of any if the name is `*`: after `skip` more the next `times`.
    pub fn fail(&self, name: &str, code: i32, skip: u64, times: u64) {
        let name = CString::new(name).expect("a name");
        unsafe { (self.fake_fail)(name.as_ptr(), code, skip, times) };
    }

    /// How many calls failed by order.
    pub fn failed(&self) -> usize {
        unsafe { (self.fake_failed)() }
    }

    /// The function that failed last by order.
    pub fn failed_last(&self) -> String {
        text(|to, size| unsafe { (self.fake_failed_last)(to, size) })
    }

    /// Lets the next command end like this.
    pub fn outcome(&self, status: i32) {
        unsafe { (self.fake_outcome)(status) };
    }

    /// Whether places of handles are used again at once.
    pub fn recycle(&self, recycles: bool) {
        unsafe { (self.fake_recycle)(recycles) };
    }

    /// Whether commands are kept back until their queue is flushed.
    pub fn lazy(&self, lazy: bool) {
        unsafe { (self.fake_lazy)(lazy) };
    }

    /// How many objects and allocations are alive.
    pub fn alive(&self) -> usize {
        unsafe { (self.fake_alive)(u32::MAX) }
    }

    /// How many objects of a kind are alive.
    pub fn alive_of(&self, kind: u32) -> usize {
        unsafe { (self.fake_alive)(kind) }
    }

    /// How many threads are in a call that waits for a command.
    pub fn waiting(&self) -> usize {
        unsafe { (self.fake_waiting)() }
    }

    /// How often a function was called.
    pub fn calls(&self, name: &str) -> u64 {
        let name = CString::new(name).expect("a name");
        unsafe { (self.fake_calls)(name.as_ptr()) }
    }

    /// What was done wrong.
    pub fn faults(&self) -> String {
        text(|to, size| unsafe { (self.fake_faults)(to, size) })
    }

    /// How many launches there were.
    pub fn launches(&self) -> usize {
        unsafe { (self.fake_launches)() }
    }

    /// The bytes of an argument of a launch, at most eight.
    pub fn argument(&self, launch: usize, index: usize) -> Vec<u8> {
        let mut bytes = vec![0; 8];
        let place = bytes.as_mut_ptr();
        let size = unsafe { (self.fake_argument)(launch, index, place, bytes.len()) };
        bytes.truncate(size);
        bytes
    }
}

/// A text that the driver writes.
fn text(write: impl Fn(*mut u8, usize) -> usize) -> String {
    let mut bytes = vec![0; 4096];
    let size = write(bytes.as_mut_ptr(), bytes.len());
    bytes.truncate(size);
    String::from_utf8_lossy(&bytes).into_owned()
}
