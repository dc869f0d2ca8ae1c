//! `ur info`.

use crate::infos;
use crate::report::{self, DeviceReport, Library, Report};
use crate::style::Style;
use anyhow::Result;
use serde_json::Value;
use std::ffi::OsString;

/// What stands for a value that the device does not know.
const UNSUPPORTED: &str = "UR_RESULT_ERROR_UNSUPPORTED_ENUMERATION";

/// How much to show.
#[derive(Debug, PartialEq)]
#[cfg_attr(feature = "tool", derive(clap::Parser))]
#[cfg_attr(
    feature = "tool",
    command(
        after_help = "Exit code: 0, also when no adapter is found or one fails; the reason is shown.\n\
                  ONEAPI_DEVICE_SELECTOR limits the devices."
    )
)]
pub struct Args {
    /// All info values of each device, and every place where an adapter was looked for
    #[cfg_attr(feature = "tool", arg(short, long))]
    verbose: bool,
    /// JSON, whose fields stay the same from version to version
    #[cfg_attr(feature = "tool", arg(long))]
    json: bool,
}

impl Args {
    /// The arguments, program's name left out, if they are those of `ur info` and plain ones: what
    /// is long or wrong in them is for the parser of the whole command line.
    pub fn plain(words: impl Iterator<Item = OsString>) -> Option<Args> {
        let mut args = Args {
            verbose: false,
            json: false,
        };
        let mut words = words.map(OsString::into_string);
        if words.next()?.ok()? != "info" {
            return None;
        }
        for word in words {
            let option = match word.ok()?.as_str() {
                "-v" | "--verbose" => &mut args.verbose,
                "--json" => &mut args.json,
                _ => return None,
            };
            if std::mem::replace(option, true) {
                return None;
            }
        }
        Some(args)
    }
}

/// Shows it.
///
/// # Errors
/// The report cannot be written as JSON.
pub fn run(args: &Args) -> Result<()> {
    let report = report::collect(args.verbose);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        print!("{}", page(&report, args.verbose, Style::stdout()));
    }
    Ok(())
}

/// The report as text.
fn page(report: &Report, verbose: bool, style: Style) -> String {
    let mut lines = Vec::new();
    for adapter in &report.adapters {
        lines.push(style.title(&format!(
            "adapter {} (version {})",
            short(&adapter.backend),
            infos::text(&adapter.version)
        )));
        for platform in &adapter.platforms {
            lines.push(format!(
                "  platform {}, {}, {}, backend {}",
                infos::text(&platform.name),
                infos::text(&platform.vendor),
                infos::text(&platform.version),
                short(&platform.backend)
            ));
            for device in &platform.devices {
                push_device(&mut lines, device, style);
            }
            if platform.devices.is_empty() {
                lines.push("    no device".into());
            }
        }
        if adapter.platforms.is_empty() {
            lines.push("  no platform".into());
        }
    }
    if report.adapters.is_empty() {
        lines.push(style.title("no adapter is loaded"));
    }
    lines.push(style.title("adapter libraries"));
    let mut shown = 0;
    for library in &report.libraries {
        // Places without such a file are the rule, and what the selector leaves out is no news;
        // they are of interest only when asked for.
        if !matches!(library.outcome, "not found" | "left out") || verbose {
            lines.push(format!("  {}", library_line(library, style)));
            shown += 1;
        }
    }
    if shown == 0 {
        lines.push("  none found; -v shows where they were looked for".into());
    }
    for error in &report.errors {
        lines.push(format!("{} {error}", style.bad("error:")));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn push_device(lines: &mut Vec<String>, device: &DeviceReport, style: Style) {
    lines.push(format!(
        "    device {} ({})",
        style.good(&infos::text(&device.name)),
        short(&device.r#type)
    ));
    lines.push(format!(
        "      {}, driver {}, {} compute units",
        infos::text(&device.vendor),
        infos::text(&device.driver_version),
        infos::text(&device.compute_units),
    ));
    lines.push(format!(
        "      {} global memory, {} local, work-groups up to {}, sub-groups of {}",
        bytes(&device.global_memory),
        bytes(&device.local_memory),
        infos::text(&device.max_work_group_size),
        infos::text(&device.sub_group_sizes),
    ));
    let mut unsupported = Vec::new();
    for (name, value) in &device.info {
        let name = name.strip_prefix("UR_DEVICE_INFO_").unwrap_or(name);
        if value == UNSUPPORTED {
            unsupported.push(name);
        } else {
            lines.push(format!("      {} {}", style.dim(name), infos::text(value)));
        }
    }
    if !unsupported.is_empty() {
        let names = unsupported.join(" ");
        lines.push(format!("      {} {names}", style.dim("not supported:")));
    }
}

fn library_line(library: &Library, style: Style) -> String {
    let outcome = match library.outcome {
        "loaded" => style.good(library.outcome),
        "failed" => style.bad(library.outcome),
        other => style.dim(other),
    };
    let reason = library
        .reason
        .as_ref()
        .map_or_else(String::new, |reason| format!(": {reason}"));
    format!(
        "{} {outcome}{reason} {}",
        library.path,
        style.dim(&format!("({})", library.origin))
    )
}

/// `UR_BACKEND_OPENCL` as `opencl`.
fn short(value: &Value) -> String {
    let text = infos::text(value);
    ["UR_BACKEND_", "UR_DEVICE_TYPE_"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix))
        .map_or_else(|| text.clone(), str::to_lowercase)
}

/// A number of bytes in the largest binary unit that it fills.
fn bytes(value: &Value) -> String {
    let Some(number) = value.as_u64() else {
        return infos::text(value);
    };
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut size = number as f64;
    let mut unit = 0;
    while size >= 1024.0 && unit + 1 < units.len() {
        size /= 1024.0;
        unit += 1;
    }
    if size.fract() == 0.0 {
        format!("{size} {}", units[unit])
    } else {
        format!("{size:.1} {}", units[unit])
    }
}

#[cfg(test)]
mod tests {
    use super::{bytes, short};
    use serde_json::{Value, json};

    #[cfg(feature = "tool")]
    #[test]
    fn plain_arguments_mean_what_the_whole_parser_says() {
        use super::Args;
        use clap::Parser;
        use std::ffi::OsString;
        let plain = |words: &[&str]| Args::plain(words.iter().map(OsString::from));
        for words in [
            vec!["info"],
            vec!["info", "-v"],
            vec!["info", "--verbose"],
            vec!["info", "--json"],
            vec!["info", "--json", "-v"],
        ] {
            assert_eq!(
                plain(&words),
                Args::try_parse_from(&words).ok(),
                "{words:?}"
            );
        }
        for words in [
            vec![],
            vec!["run"],
            vec!["-v", "info"],
            vec!["info", "-vv"],
            vec!["info", "-v", "--verbose"],
            vec!["info", "--help"],
            vec!["info", "x"],
        ] {
            assert_eq!(plain(&words), None, "{words:?}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(bytes(&json!(0)), "0 B");
        assert_eq!(bytes(&json!(32768)), "32 KiB");
        assert_eq!(bytes(&json!(1u64 << 60)), "1048576 TiB");
        assert_eq!(bytes(&json!(1536)), "1.5 KiB");
        assert_eq!(bytes(&Value::Null), "unknown");
    }

    #[test]
    fn names() {
        assert_eq!(short(&json!("UR_BACKEND_NATIVE_CPU")), "native_cpu");
        assert_eq!(short(&json!("UR_DEVICE_TYPE_CPU")), "cpu");
        assert_eq!(short(&json!("4096")), "4096");
    }
}
