//! The settings of logs, `UR_LOG_…`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use ur_log::settings;

/// Inputs to start from.
pub const SEEDS: [&str; 6] = [
    "level:debug;flush:info;output:stderr",
    "level:quiet;output:stdout",
    "output:file,/tmp/a.log;level:warning",
    "output:file,\"/tmp/a;b:c.log\"",
    "level:loud;colour:red;output:printer;;:",
    "LEVEL:ERROR",
];

/// Reads settings. Each part but empty ones is good or has one sentence that names it, and a bad
/// one changes nothing.
///
/// # Panics
/// A promise is broken.
pub fn run(data: &[u8]) {
    let read = |bytes: &[u8]| settings::parse(OsStr::from_bytes(bytes));
    let (whole, problems) = read(data);
    let parts = ur_log::environment::split_quoted(data, b";");
    assert!(problems.len() <= parts.len(), "more problems than parts");
    assert!(problems.iter().all(|problem| problem.starts_with('\'')));
    if data.contains(&b'"') {
        // Parts without their quotes may mean something else.
        return;
    }
    let good: Vec<&[u8]> = parts
        .iter()
        .map(Vec::as_slice)
        .filter(|part| read(part).1.is_empty())
        .collect();
    let bad = parts.len() - good.len();
    assert_eq!(problems.len(), bad, "a bad part is not reported once");
    assert_eq!(read(&good.join(&b';')), (whole, Vec::new()));
}
