//! `ur-tool`: all of `ur`'s commands. `ur` starts it.

use std::process::ExitCode;

fn main() -> ExitCode {
    ur_cli::command_line::run()
}
