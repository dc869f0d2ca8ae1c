//! The linked loader seen from a C program, with adapters made from C for the purpose.
//!
//! Each case runs the program in a process of its own, because the environment decides what the
//! loader does.

#[allow(dead_code, reason = "parts for other tests")]
mod build;

use build::{Case, adapter, adapter_with, folder};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

#[test]
fn exports_are_those_of_the_version_script() {
    let script = include_str!("../exports.generated.map");
    let mut wanted: Vec<String> = script
        .lines()
        .filter_map(|line| line.trim().strip_suffix(';'))
        .filter(|name| name.starts_with("ur"))
        .map(|name| format!("{name}@@LIBUR_LOADER_0.12"))
        .collect();
    wanted.sort();
    assert!(wanted.len() > 600);
    let output = Command::new("nm")
        .args(["-D", "--defined-only", "--with-symbol-versions"])
        .arg(build::loader())
        .output()
        .expect("nm starts");
    let output = String::from_utf8_lossy(&output.stdout);
    let mut exported: Vec<&str> = output
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        // The version's own name.
        .filter(|name| *name != "LIBUR_LOADER_0.12")
        .collect();
    exported.sort_unstable();
    assert_eq!(exported, wanted);
}

#[test]
fn without_adapters() {
    let case = Case::new().run(&["init", "get", "selected=2", "teardown"]);
    assert_eq!(case.lines(), ["init 0", "get 0 count 0:", "teardown 0"]);
}

#[test]
fn before_and_after() {
    let case = Case::new().run(&[
        "get", "teardown", "init", "init", "teardown", "get", "teardown", "get", "teardown",
        "init", "get",
    ]);
    assert_eq!(
        case.lines(),
        [
            "get 37 count 0:",
            "teardown 37",
            "init 0",
            "init 0",
            "teardown 0",
            "get 0 count 0:",
            "teardown 0",
            "get 37 count 0:",
            "teardown 37",
            "init 0",
            "get 0 count 0:",
        ]
    );
}

#[test]
fn libraries_are_opened_for_who_asks_for_adapters() {
    let case = |commands: &[&str]| {
        Case::new()
            .set("UR_ADAPTERS_FORCE_LOAD", adapter("one"))
            .set("UR_LOG_LOADER", "level:info;output:stdout")
            .run(commands)
    };
    let idle = case(&["init", "teardown", "init"]);
    assert_eq!(
        idle.lines(),
        [
            "init 0",
            "<LOADER>[INFO]: torn down",
            "teardown 0",
            "init 0"
        ]
    );
    // What counts is what the environment said when the program initialised the loader.
    let busy = case(&["init", "forget", "get", "get"]);
    let lines = busy.lines();
    assert_eq!(lines[..2], ["init 0", "forget 0"]);
    assert!(lines[2].ends_with("(UR_ADAPTERS_FORCE_LOAD) loaded"));
    assert_eq!(lines[3], "<LOADER>[INFO]: 1 adapters are loaded");
    assert_eq!(lines[4..], ["get 0 count 1: [one platform]"; 2]);
}

#[test]
fn flags_of_init() {
    let case = Case::new().run(&["init=32", "init=31", "teardown"]);
    assert_eq!(case.lines(), ["init 53", "init 0", "teardown 0"]);
}

#[test]
fn forced_libraries_and_no_others() {
    let one = adapter("one");
    let two = adapter("two");
    let hidden = folder("forced");
    fs::copy(adapter("cuda"), hidden.join("libur_adapter_cuda.so.0")).expect("copy");
    let case = Case::new()
        .set(
            "UR_ADAPTERS_FORCE_LOAD",
            format!("{}:{}", two.display(), one.display()),
        )
        .set("UR_ADAPTERS_SEARCH_PATH", &hidden)
        .run(&["init", "get"]);
    assert_eq!(
        case.lines()[1],
        "get 0 count 2: [two platform] [one platform]"
    );
    let case = Case::new()
        .set(
            "UR_ADAPTERS_FORCE_LOAD",
            format!("\"{}\",\"{}\"", one.display(), two.display()),
        )
        .run(&["init", "get"]);
    assert_eq!(
        case.lines()[1],
        "get 0 count 2: [one platform] [two platform]"
    );
}

#[test]
fn known_names_in_the_search_path_in_a_fixed_order() {
    let first = folder("search-first");
    let second = folder("search-second");
    for name in ["native_cpu", "cuda", "unheard_of", "mock"] {
        fs::copy(
            adapter(name),
            second.join(format!("libur_adapter_{name}.so.0")),
        )
        .expect("copy");
    }
    fs::copy(adapter("early"), first.join("libur_adapter_cuda.so.0")).expect("copy");
    let path = format!("/no/such/folder,{},{}", first.display(), second.display());
    let case = Case::new()
        .set("UR_ADAPTERS_SEARCH_PATH", &path)
        .run(&["init", "get"]);
    assert_eq!(
        case.lines()[1],
        "get 0 count 2: [early platform] [native_cpu platform]"
    );
    // Only kinds of device that were asked for: CUDA has no CPU.
    let case = Case::new()
        .set("UR_ADAPTERS_SEARCH_PATH", &path)
        .run(&["init=2", "get"]);
    assert_eq!(case.lines()[1], "get 0 count 1: [native_cpu platform]");
    let case = Case::new()
        .set("UR_ADAPTERS_SEARCH_PATH", &path)
        .run(&["mock", "get"]);
    assert_eq!(case.lines()[1], "get 0 count 1: [mock platform]");
}

#[test]
fn the_loaders_own_folder_comes_after_the_search_of_the_system() {
    let beside = folder("beside");
    let system = folder("system");
    let loader = beside.join("libur_loader.so.0");
    fs::copy(build::loader(), &loader).expect("copy");
    fs::copy(adapter("beside"), beside.join("libur_adapter_hip.so.0")).expect("copy");
    let case = Case::new()
        .set("LD_LIBRARY_PATH", &beside)
        .run(&["init", "get"]);
    assert_eq!(case.lines()[1], "get 0 count 1: [beside platform]");

    fs::copy(adapter("system"), system.join("libur_adapter_hip.so.0")).expect("copy");
    let path = format!("{}:{}", system.display(), beside.display());
    let case = Case::new()
        .set("LD_LIBRARY_PATH", path)
        .run(&["init", "get"]);
    assert_eq!(case.lines()[1], "get 0 count 1: [system platform]");
    // A broken one found by ld.so does not hide the one beside the loader.
    fs::write(system.join("libur_adapter_hip.so.0"), "no library").expect("write");
    let loader_first = format!("{}:{}", system.display(), beside.display());
    let case = Case::new()
        .set("LD_LIBRARY_PATH", loader_first)
        .log("warning")
        .run(&["init", "get"]);
    assert_eq!(case.lines()[1], "get 0 count 1: [beside platform]");
    assert!(
        case.errors.contains("hip") && case.errors.contains("ld.so"),
        "{}",
        case.errors
    );
}

#[test]
fn the_loader_found_by_a_relative_path_or_a_link_knows_its_folder() {
    let real = folder("link-real");
    let linked = folder("link-linked");
    fs::copy(build::loader(), real.join("libur_loader.so.0")).expect("copy");
    fs::copy(adapter("real"), real.join("libur_adapter_hip.so.0")).expect("copy");
    symlink(
        real.join("libur_loader.so.0"),
        linked.join("libur_loader.so.0"),
    )
    .expect("link");
    let case = Case::new()
        .set("LD_LIBRARY_PATH", &linked)
        .run(&["init", "get"]);
    assert_eq!(case.lines()[1], "get 0 count 1: [real platform]");
    let case = Case::new()
        .set("LD_LIBRARY_PATH", ".")
        .at(&real)
        .run(&["init", "get"]);
    assert_eq!(case.lines()[1], "get 0 count 1: [real platform]");
}

#[test]
fn never_from_the_current_folder() {
    let here = folder("current");
    fs::copy(adapter("here"), here.join("libur_adapter_cuda.so.0")).expect("copy");
    for (name, value) in [
        ("UR_ADAPTERS_SEARCH_PATH", "."),
        ("UR_ADAPTERS_SEARCH_PATH", ","),
        ("UR_ADAPTERS_FORCE_LOAD", "libur_adapter_cuda.so.0"),
        ("UR_ADAPTERS_FORCE_LOAD", "./libur_adapter_cuda.so.0"),
    ] {
        let case = Case::new().at(&here).set(name, value).run(&["init", "get"]);
        assert_eq!(case.lines()[1], "get 0 count 0:", "{name}={value}");
    }
}

#[test]
fn one_library_under_many_names_is_one_adapter() {
    let links = folder("links");
    let real = links.join("libur_adapter_cuda.so.0");
    fs::copy(adapter("same"), &real).expect("copy");
    let short = links.join("libur_adapter_cuda.so");
    let far = links.join("libur_adapter_hip.so.0");
    let hard = links.join("libur_adapter_opencl.so.0");
    symlink(&real, &short).expect("link");
    symlink(&real, &far).expect("link");
    fs::hard_link(&real, &hard).expect("link");
    let forced = [&short, &real, &far, &hard, &real].map(|path| path.display().to_string());
    let case = Case::new()
        .set("UR_ADAPTERS_FORCE_LOAD", forced.join(","))
        .log("info")
        .run(&["init", "get"]);
    assert_eq!(case.lines()[1], "get 0 count 1: [same platform]");
    assert_eq!(
        case.errors.matches("is loaded already").count(),
        4,
        "{}",
        case.errors
    );
    let case = Case::new()
        .set("UR_ADAPTERS_SEARCH_PATH", &links)
        .run(&["init", "get"]);
    assert_eq!(case.lines()[1], "get 0 count 1: [same platform]");
    // A copy is another library.
    let copy = links.join("copy.so");
    fs::copy(&real, &copy).expect("copy");
    let case = Case::new()
        .set(
            "UR_ADAPTERS_FORCE_LOAD",
            format!("{},{}", real.display(), copy.display()),
        )
        .run(&["init", "get"]);
    assert_eq!(
        case.lines()[1],
        "get 0 count 2: [same platform] [same platform]"
    );
}

#[test]
fn a_bad_library_has_its_reason_in_the_log_and_hides_no_other() {
    let text = folder("bad").join("libur_adapter_text.so.0");
    fs::write(&text, "this is no library".repeat(100)).expect("write");
    let lacking = "-DurGetQueueProcAddrTable=another_name";
    let cases = [
        (text, "invalid ELF header"),
        ("/no/such/library.so".into(), "not found"),
        (folder("bad"), "cannot read file data: Is a directory"),
        (
            adapter_with("lacking", &[lacking]),
            "it lacks the symbol urGetQueueProcAddrTable",
        ),
        (
            adapter_with("undefined", &["-DUNDEFINED"]),
            "undefined symbol: a_symbol_that_nobody_has",
        ),
        // Linked to be bound at once: the loader leaves that to ld.so then.
        (
            adapter_with("undefined-now", &["-DUNDEFINED", "-Wl,-z,now"]),
            "undefined symbol: a_symbol_that_nobody_has",
        ),
        (
            adapter_with("refuses", &["-DREFUSES"]),
            "urGetAdapterProcAddrTable returned UR_RESULT_ERROR_UNSUPPORTED_VERSION",
        ),
        (
            adapter_with("larger", &["-DEXTRA=4"]),
            "urGetKernelProcAddrTable fills 17 entries (2026.2 has 13, ",
        ),
        (
            adapter_with("failing", &["-DGET_FAILS=18"]),
            "its urAdapterGet returned UR_RESULT_ERROR_DEVICE_NOT_FOUND",
        ),
    ];
    let good = adapter("good");
    for (bad, reason) in &cases {
        for order in [[bad, &good], [&good, bad]] {
            let forced = order.map(|path| path.display().to_string()).join(",");
            let case = Case::new()
                .set("UR_ADAPTERS_FORCE_LOAD", forced)
                .log("warning")
                .run(&["init", "get", "get"]);
            let get = "get 0 count 1: [good platform]";
            assert_eq!(case.lines(), ["init 0", get, get], "{reason}");
            let found: Vec<&str> = case
                .errors
                .lines()
                .filter(|line| line.contains(reason))
                .collect();
            assert_eq!(found.len(), 1, "{reason}: {}", case.errors);
        }
    }
    // All of them at once.
    let all: Vec<String> = cases
        .iter()
        .map(|(path, _)| path.display().to_string())
        .collect();
    let case = Case::new()
        .set(
            "UR_ADAPTERS_FORCE_LOAD",
            format!("{},{}", all.join(","), good.display()),
        )
        .run(&["init", "get"]);
    assert_eq!(case.lines()[1], "get 0 count 1: [good platform]");
}

#[test]
fn an_adapter_without_an_experimental_table_is_used() {
    let path = adapter_with("older", &["-DurGetGraphExpProcAddrTable=another_name"]);
    let case = Case::new()
        .set("UR_ADAPTERS_FORCE_LOAD", path)
        .log("warning")
        .run(&["init", "get"]);
    assert_eq!(case.lines()[1], "get 0 count 1: [older platform]");
    assert!(
        case.errors.contains("has no urGetGraphExpProcAddrTable"),
        "{}",
        case.errors
    );
}

#[test]
fn devices_selected() {
    let forced = adapter("sel");
    let select = |selector: &str, kind: &str| {
        let case = Case::new()
            .set("UR_ADAPTERS_FORCE_LOAD", &forced)
            .set("ONEAPI_DEVICE_SELECTOR", selector)
            .run(&["init", kind]);
        (case.lines()[1].to_owned(), case.errors)
    };
    let good = |selector: &str, kind: &str, devices: &[&str]| {
        let names: String = devices
            .iter()
            .map(|name| format!(" [sel {name}]"))
            .collect();
        let count = devices.len();
        assert_eq!(
            select(selector, kind).0,
            format!("selected 0 count {count}:{names} left 1"),
            "{selector}"
        );
    };
    let all = "selected=2";
    good("", all, &["cpu", "gpu0", "gpu1"]);
    good("*:*", all, &["cpu", "gpu0", "gpu1"]);
    good("*:*", "selected=3", &["gpu0", "gpu1"]);
    good("*:*", "selected=1", &["cpu"]);
    good("*:2,*", all, &["gpu1", "cpu", "gpu0"]);
    good("opencl:gpu;!opencl:1", all, &["gpu1"]);
    // Numbers are those among all devices, whatever type is asked for.
    good("opencl:1", "selected=3", &["gpu0"]);
    good("opencl:0", "selected=3", &[]);
    good("level_zero:*", all, &[]);
    good("*:0.*", all, &["cpu.0", "cpu.1"]);
    good("*:0.1,0", all, &["cpu.1", "cpu"]);
    good("*:*.*", all, &["cpu.0", "cpu.1"]);
    good("*:0.0.*", all, &[]);
    good("*:0.*", "selected=3", &[]);
    good("*:4321", all, &[]);
    let (line, errors) = select("opencl:cpu;opencl:cpx", all);
    assert_eq!(line, "selected 4 left 1");
    assert!(errors.contains("term 2 'opencl:cpx'"), "{errors}");
}

#[test]
fn many_threads_initialise_and_tear_down() {
    let forced = format!("{},{}", adapter("one").display(), adapter("two").display());
    let case =
        Case::new()
            .set("UR_ADAPTERS_FORCE_LOAD", &forced)
            .run(&["threads=8", "init", "get"]);
    let lines = case.lines();
    assert_eq!(lines[0], "threads fine; then teardown 37");
    assert_eq!(lines[2], "get 0 count 2: [one platform] [two platform]");
}

#[test]
fn many_initialisations_leave_nothing_behind() {
    let case = Case::new()
        .set("UR_ADAPTERS_FORCE_LOAD", adapter("one"))
        // Blocks that malloc keeps for each thread would count as handed out.
        .set("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0")
        .run(&["loop=100"]);
    let line = case.lines()[0];
    let words: Vec<&str> = line.split(' ').collect();
    let grown: i64 = words[2].parse().expect("a number");
    // 10,000 initialisations were counted; the smallest block has 32 bytes.
    assert!(grown < 1024, "{line}");
    assert_eq!(words[4], "0", "{line}");
}

#[test]
fn configurations() {
    let case = Case::new().run(&["config"]);
    assert_eq!(
        case.lines(),
        [
            "config 0 retain 0 count 0=2/4 layers 0='UR_LAYER_PARAMETER_VALIDATION;UR_LAYER_BOUNDS_CHECKING;UR_LAYER_LEAK_CHECKING;UR_LAYER_LIFETIME_VALIDATION;UR_LAYER_FULL_VALIDATION;UR_LAYER_TRACING'/149 unknown 54 small 49 layer 0/67/67 release 0 init 0 release 0 null 48 46"
        ]
    );
}

#[test]
fn layers_of_the_environment() {
    let traced = Case::new()
        .set("UR_ADAPTERS_FORCE_LOAD", adapter("one"))
        .set("UR_ENABLE_LAYERS", "UR_LAYER_TRACING,UR_LAYER_TSAN")
        .set("UR_LOG_TRACING", "level:info;output:stderr")
        .run(&["init", "get", "teardown", "init", "get"]);
    let lines: Vec<&str> = traced.errors.lines().collect();
    let refused = "<LOADER>[ERROR]: layer UR_LAYER_TSAN is not available in this loader, and nothing is checked by it";
    // Each initialisation asks anew.
    assert_eq!(lines.iter().filter(|line| **line == refused).count(), 2);
    let calls: Vec<&str> = lines
        .iter()
        .filter_map(|line| line.strip_prefix("   ---> "))
        .collect();
    let once = [
        "urAdapterGet",
        "urAdapterGet",
        "urPlatformGet",
        "urPlatformGetInfo",
        "urAdapterRelease",
    ];
    assert_eq!(calls, [once, once].concat());
    assert_eq!(lines.len(), 2 + 2 * calls.len(), "{}", traced.errors);

    // The same without a log that shows it, and without the layer.
    for (layers, level) in [
        ("UR_LAYER_TRACING", "error"),
        ("UR_LAYER_LEAK_CHECKING", "info"),
    ] {
        let silent = Case::new()
            .set("UR_ADAPTERS_FORCE_LOAD", adapter("one"))
            .set("UR_ENABLE_LAYERS", layers)
            .set("UR_LOG_TRACING", format!("level:{level};output:stderr"))
            .run(&["init", "get", "teardown"]);
        assert_eq!(silent.errors, "");
    }
}

#[test]
fn events_for_tools() {
    let xpti = build::xpti();
    let calls = |library: &Path, words: &[&str]| {
        Case::new()
            .set("UR_ADAPTERS_FORCE_LOAD", adapter("one"))
            .set("UR_ENABLE_LAYERS", "UR_LAYER_TRACING")
            .set("XPTI_TRACE_ENABLE", "1")
            .set("XPTI_FRAMEWORK_DISPATCHER", library)
            .log("warning")
            .run(words)
    };
    let run = |library: &Path| calls(library, &["init", "get", "teardown"]);
    let told = run(&xpti);
    assert_eq!(
        told.errors.lines().collect::<Vec<_>>(),
        [
            "stream ur.call",
            "initialize ur.call 0.12 0.12",
            "event Unified Runtime call: Unified Runtime call -:0:0 kind 1",
            "5 begin 1 urAdapterGet/178 of 0",
            "5 end 1 urAdapterGet/178 of 0 -> 0",
            "5 begin 2 urAdapterGet/178 of 1",
            "5 end 2 urAdapterGet/178 of 1 -> 0",
            "5 begin 3 urPlatformGet/72",
            "5 end 3 urPlatformGet/72 -> 0",
            "5 begin 4 urPlatformGetInfo/73",
            "5 end 4 urPlatformGetInfo/73 -> 0",
            "5 begin 5 urAdapterRelease/177",
            "5 end 5 urAdapterRelease/177 -> 0",
            "finalize ur.call",
        ]
    );
    assert_eq!(told.lines().len(), 3, "{}", told.output);
    // A function that release 2026.2 has no more, with its number in the releases before.
    let removed = calls(&xpti, &["init", "nulls", "teardown"]);
    let removed = removed
        .errors
        .lines()
        .filter(|line| line.starts_with("5 "))
        .filter_map(|line| line.split_once("urKernelSetArgLocal"))
        .map(|(_, rest)| rest);
    assert_eq!(
        removed.collect::<Vec<_>>(),
        ["/50 of 4", "/50 of 4 -> 46", "/50 of 4", "/50 of 4 -> 44"]
    );
    // Nothing comes from the current folder.
    let relative = run(Path::new("./xpti.so"));
    assert_eq!(relative.lines().len(), 3, "{}", relative.output);
    assert!(
        relative.errors.contains("no absolute path"),
        "{}",
        relative.errors
    );
    // A library that is none keeps nothing from working.
    let missing = run(Path::new("/no/such/library.so"));
    assert_eq!(missing.lines().len(), 3, "{}", missing.output);
    assert!(
        missing.errors.contains("no events for XPTI"),
        "{}",
        missing.errors
    );
}

#[test]
fn null_handles_and_missing_entries() {
    let case = Case::new()
        .set("UR_ADAPTERS_FORCE_LOAD", adapter("one"))
        .run(&["init", "nulls"]);
    assert_eq!(
        case.lines()[1],
        "nulls handle 46 selected 46 devices 49 48 entry 44 removed 46 44"
    );
}

#[test]
fn the_log() {
    let file = folder("log").join("loader.log");
    let _ = fs::remove_file(&file);
    let case = Case::new()
        .set(
            "UR_LOG_LOADER",
            format!("level:debug;flush:debug;output:file,{}", file.display()),
        )
        .run(&["init", "get"]);
    assert_eq!(case.errors, "");
    let log = fs::read_to_string(&file).expect("a log");
    assert!(
        log.lines().all(|line| line.starts_with("<LOADER>[")),
        "{log}"
    );
    assert!(log.contains("native_cpu"), "{log}");

    let case = Case::new()
        .set("UR_LOG_LOADER", "level:loud;output:stdout")
        .run(&["init"]);
    assert_eq!(case.lines().len(), 2, "{}", case.output);
    assert!(case.output.contains("level:loud"), "{}", case.output);

    let case = Case::new()
        .set("UR_LOG_LOADER", "output:file,/no/such/folder/x")
        .run(&["init"]);
    assert!(case.errors.contains("/no/such/folder/x"), "{}", case.errors);

    let quiet = Case::new()
        .set("UR_LOG_LOADER", "level:quiet")
        .set("UR_ADAPTERS_FORCE_LOAD", "/no/such/library.so")
        .run(&["init", "get"]);
    assert_eq!((quiet.errors.as_str(), quiet.lines().len()), ("", 2));
}
