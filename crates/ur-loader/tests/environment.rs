//! What environment variables make the loader do, and what they cannot make a program do that runs
//! with more privileges than its user.

#[allow(dead_code, reason = "parts for other tests")]
mod build;

use build::{Case, adapter, adapter_with, folder};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder with an adapter for each of these names.
fn adapters(folder_name: &str, names: &[&str]) -> PathBuf {
    let folder = folder(folder_name);
    for name in names {
        let file = format!("libur_adapter_{name}.so.0");
        fs::copy(adapter(name), folder.join(file)).expect("copy");
    }
    folder
}

#[test]
fn adapters_without_a_wanted_device_are_left_out() {
    let all = adapters("filter", &["cuda", "hip", "native_cpu", "opencl"]);
    let found = |selector: &str, filter: &str| {
        let case = Case::new()
            .set("UR_ADAPTERS_SEARCH_PATH", &all)
            .set("ONEAPI_DEVICE_SELECTOR", selector)
            .set("UR_LOADER_PRELOAD_FILTER", filter)
            .log("info")
            .run(&["init", "get"]);
        (case.lines()[1].replace(" platform", ""), case.errors)
    };
    let every = "get 0 count 4: [opencl] [cuda] [hip] [native_cpu]";
    for (selector, wanted) in [
        ("", every),
        ("*:*", every),
        ("!cuda:0", every),
        ("cuda:*", "get 0 count 1: [cuda]"),
        ("CUDA:0.1;", "get 0 count 1: [cuda]"),
        ("cuda:gpu;hip:1", "get 0 count 2: [cuda] [hip]"),
        ("opencl:cpu", "get 0 count 2: [opencl] [native_cpu]"),
        ("!cuda:*", "get 0 count 3: [opencl] [hip] [native_cpu]"),
        ("!*:*", "get 0 count 0:"),
    ] {
        for filter in ["", "1", "on", "TRUE"] {
            let (line, errors) = found(selector, filter);
            assert_eq!(line, wanted, "{selector} {filter}: {errors}");
            // A known adapter is either found, not there, or said to be left out.
            for name in ["opencl", "cuda", "hip", "native_cpu"] {
                let left_out = errors.contains(&format!("adapter {name} is left out"));
                assert_eq!(left_out, !wanted.contains(name), "{selector}: {errors}");
            }
        }
        for filter in ["0", "off", "No", "false"] {
            assert_eq!(found(selector, filter).0, every, "{selector} {filter}");
        }
    }
    // What cannot be read leaves out nothing, and is named.
    let (line, errors) = found("cuda:*;garbage", "");
    assert_eq!(line, every);
    assert!(errors.contains("term 2 'garbage'"), "{errors}");
    let (line, errors) = found("cuda:*", "perhaps");
    assert_eq!(line, "get 0 count 1: [cuda]");
    assert!(
        errors.contains("UR_LOADER_PRELOAD_FILTER: 'perhaps'"),
        "{errors}"
    );
}

#[test]
fn libraries_that_the_user_names_are_never_left_out() {
    let case = Case::new()
        .set("UR_ADAPTERS_FORCE_LOAD", adapter("cuda"))
        .set("ONEAPI_DEVICE_SELECTOR", "opencl:*")
        .run(&["init", "get"]);
    assert_eq!(case.lines()[1], "get 0 count 1: [cuda platform]");
    let mock = adapters("filter-mock", &["mock", "cuda"]);
    let case = Case::new()
        .set("UR_ADAPTERS_SEARCH_PATH", mock)
        .set("ONEAPI_DEVICE_SELECTOR", "cuda:*")
        .run(&["mock", "get"]);
    assert_eq!(case.lines()[1], "get 0 count 1: [mock platform]");
}

#[test]
fn deep_binding_has_an_adapter_use_its_own_symbols() {
    let probing = adapter_with("probing", &["-DPROBE"]);
    for (value, wanted) in [
        (None, "of the program"),
        (Some("0"), "of the program"),
        (Some("1"), "of the adapter"),
        (Some("ON"), "of the adapter"),
        (Some("deeply"), "of the program"),
    ] {
        let mut case = Case::new().set("UR_ADAPTERS_FORCE_LOAD", &probing);
        if let Some(value) = value {
            case = case.set("UR_ADAPTERS_DEEP_BIND", value);
        }
        let case = case.run(&["init", "get"]);
        assert_eq!(
            case.lines()[1],
            format!("get 0 count 1: [{wanted}]"),
            "{value:?}"
        );
        let reported = case.errors.contains("UR_ADAPTERS_DEEP_BIND: 'deeply'");
        assert_eq!(reported, value == Some("deeply"), "{}", case.errors);
    }
}

#[test]
fn a_log_is_written_where_and_when_it_is_asked_for() {
    const NONE: &str = "get 0 count 0:";
    let missing = "/no/such/library.so";
    let run = |settings: &str| {
        Case::new()
            .set("UR_LOG_LOADER", settings)
            .set("UR_ADAPTERS_FORCE_LOAD", missing)
            .run(&["init", "get"])
    };
    // Levels, from the least to the most severe; the message is an error.
    for level in ["debug", "info", "warning", "error"] {
        let case = run(&format!("level:{level}"));
        let lines: Vec<&str> = case.errors.lines().collect();
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with("<LOADER>[ERROR]: ") && line.contains(missing)),
            "{level}: {lines:?}"
        );
        let info = lines
            .iter()
            .any(|line| line.starts_with("<LOADER>[INFO]: "));
        assert_eq!(info, ["debug", "info"].contains(&level), "{level}");
        assert_eq!(case.lines(), ["init 0", NONE]);
    }
    // Streams, with every level of flushing: what is written is there at once.
    for flush in ["debug", "info", "warning", "error", "quiet"] {
        let case = run(&format!("level:error;flush:{flush};output:stdout"));
        assert_eq!(case.errors, "", "{flush}");
        // Libraries are opened for who asks for adapters.
        assert_eq!(case.lines()[0], "init 0");
        assert!(case.lines()[1].contains(missing), "{}", case.output);
        assert_eq!(case.lines()[2], NONE);
    }
    assert_eq!(run("level:quiet").errors, "");
    // A file is added to.
    let file = folder("log").join("shared.log");
    let settings = format!("level:error;output:file,{}", file.display());
    for runs in 1..=2 {
        assert_eq!(run(&settings).errors, "");
        let log = fs::read_to_string(&file).expect("a log");
        assert_eq!(log.lines().count(), runs, "{log}");
    }
    // Nothing that is wrong with the settings is fatal; all of it is reported.
    for bad in [
        "level:loud",
        "lvl:debug",
        "level",
        "output:printer",
        "output:file",
        "flush:never",
        "output:file,/no/such/folder/x",
    ] {
        let case = run(bad);
        assert_eq!(case.lines(), ["init 0", NONE], "{bad}");
        let named = bad.strip_prefix("output:file,").unwrap_or(bad);
        let lines: Vec<&str> = case.errors.lines().collect();
        assert!(lines[0].contains(named), "{bad}: {lines:?}");
        // And the message itself is shown as when nothing is said.
        assert!(lines[1].contains(missing), "{bad}: {lines:?}");
    }
}

/// A folder that any user can reach, which goes away with this.
struct Public(PathBuf);

impl Public {
    fn new() -> Public {
        let name = format!("ur-privileges-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).expect("a folder");
        mode(&folder, 0o755);
        Public(folder)
    }

    fn put(&self, from: &Path, name: &str) -> PathBuf {
        let to = self.0.join(name);
        fs::copy(from, &to).expect("copy");
        mode(&to, 0o755);
        to
    }
}

impl Drop for Public {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
}

/// The user called nobody.
const NOBODY: u32 = 65534;

#[test]
fn a_set_user_id_program_opens_and_writes_nothing_that_a_variable_names() {
    // SAFETY: reads a number.
    if unsafe { libc::geteuid() } != 0 {
        println!("skipped: only root can make a set-user-ID program of another user");
        return;
    }
    let place = Public::new();
    // ld.so ignores LD_LIBRARY_PATH in such a program, so the path to the loader is in it.
    place.put(build::loader(), "libur_loader.so.0");
    let plain = place.0.join("plain");
    build::link_client(&plain, &place.0);
    let raised = place.put(&plain, "raised");
    mode(&raised, 0o4755);
    let named = place.put(&adapter("named"), "named.so");
    place.put(&adapter("beside"), "libur_adapter_hip.so.0");
    let searched = place.0.join("searched");
    fs::create_dir(&searched).expect("a folder");
    mode(&searched, 0o755);
    let file = "libur_adapter_cuda.so.0";
    fs::copy(adapter("searched"), searched.join(file)).expect("copy");
    let open = place.0.join("open");
    fs::create_dir(&open).expect("a folder");
    mode(&open, 0o777);
    let log = open.join("loader.log");

    let run = |program: &Path, variables: &[(&str, &str)]| {
        let mut command = Command::new(program);
        command.uid(NOBODY).gid(NOBODY);
        // The loader is the one whose folder the program has in it.
        let case = Case::new().set("LD_LIBRARY_PATH", "/no/such/folder");
        let case = variables
            .iter()
            .fold(case, |case, (name, value)| case.set(name, value));
        case.run_with(command, &["secure", "init", "get"])
    };
    let text = |path: &Path| path.to_str().expect("a text").to_owned();
    let (named, searched, log_file) = (text(&named), text(&searched), text(&log));
    let to_file = format!("level:error;output:file,{log_file}");

    // The same program without privileges does all of it.
    let case = run(&plain, &[("UR_ADAPTERS_FORCE_LOAD", &named)]);
    assert_eq!(case.lines()[0], "secure 0");
    assert_eq!(case.lines()[2], "get 0 count 1: [named platform]");
    let case = run(&plain, &[("UR_ADAPTERS_SEARCH_PATH", &searched)]);
    let both = "get 0 count 2: [searched platform] [beside platform]";
    assert_eq!(case.lines()[2], both);
    let missing = ("UR_ADAPTERS_FORCE_LOAD", "/no/such/library.so");
    run(&plain, &[missing, ("UR_LOG_LOADER", &to_file)]);
    assert!(fs::read_to_string(&log).expect("a log").contains(missing.1));
    fs::remove_file(&log).expect("the log goes");

    let case = run(&raised, &[]);
    if case.lines()[0] != "secure 1" {
        println!(
            "skipped: set-user-ID has no effect in {}",
            place.0.display()
        );
        return;
    }
    // What lies beside the loader is root's own.
    let own = "get 0 count 1: [beside platform]";
    assert_eq!(case.lines()[2], own, "{}", case.errors);
    assert_eq!(case.errors, "");
    for (variable, value) in [
        ("UR_ADAPTERS_FORCE_LOAD", &named),
        ("UR_ADAPTERS_SEARCH_PATH", &searched),
    ] {
        let case = run(&raised, &[(variable, value)]);
        assert_eq!(case.lines()[2], own, "{variable}");
        let line = format!("<LOADER>[ERROR]: {variable} is ignored: this process has privileges");
        assert!(case.errors.starts_with(&line), "{}", case.errors);
    }
    // The log's level and its streams are nobody's code or file.
    let case = run(
        &raised,
        &[missing, ("UR_LOG_LOADER", "level:info;output:stdout")],
    );
    assert_eq!(case.errors, "");
    assert!(case.output.contains("[beside platform]"));
    assert!(case.output.contains("UR_ADAPTERS_FORCE_LOAD is ignored"));
    let case = run(&raised, &[("UR_LOG_LOADER", &to_file), missing]);
    assert!(!log.exists());
    assert!(case.errors.contains("is not written"), "{}", case.errors);
    let selector = ("ONEAPI_DEVICE_SELECTOR", "cuda:*");
    assert_eq!(run(&raised, &[selector]).lines()[2], "get 0 count 0:");

    // Where others can write, the loader's own folder is no place for code either.
    mode(&place.0, 0o777);
    assert_eq!(run(&raised, &[]).lines()[2], "get 0 count 0:");
    assert_eq!(run(&plain, &[]).lines()[2], own);
}
