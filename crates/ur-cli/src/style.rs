//! Colours, on a terminal only.

use std::io::IsTerminal;

/// Whether and how words are coloured.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    on: bool,
}

impl Style {
    /// For standard output.
    pub fn stdout() -> Self {
        Self::of(std::io::stdout().is_terminal())
    }

    /// For standard error.
    pub fn stderr() -> Self {
        Self::of(std::io::stderr().is_terminal())
    }

    /// <https://no-color.org> is honoured.
    fn of(terminal: bool) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self {
            on: terminal && !refused,
        }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.on {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    /// A heading.
    pub fn title(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// Something that went wrong.
    pub fn bad(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// Something that went right.
    pub fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    /// Something less important.
    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }
}
