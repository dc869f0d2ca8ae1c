//! Runs code in a child process, so that its crash or hang costs nothing else.

use std::io::Read;
use std::os::fd::{FromRawFd, OwnedFd};
use std::time::Duration;

/// How the child ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It came to its end and said this.
    Said(String),
    /// It died of the signal.
    Died(i32),
    /// It took too long and was killed.
    Late,
}

/// Runs `body` in a copy of this process and gives what it says. The calling process must have one
/// thread only.
///
/// # Errors
/// No process or pipe is to be had.
pub fn run(limit: Duration, body: impl FnOnce() -> String) -> std::io::Result<End> {
    let mut ends = [0; 2];
    // SAFETY: the array has room for both descriptors.
    if unsafe { libc::pipe(ends.as_mut_ptr()) } != 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: both descriptors are new and owned by nobody else.
    let (read, write) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
    // SAFETY: this process has one thread, so the child finds everything in order.
    let child = unsafe { libc::fork() };
    if child < 0 {
        return Err(std::io::Error::last_os_error());
    }
    if child == 0 {
        let seconds = u32::try_from(limit.as_secs()).unwrap_or(u32::MAX).max(1);
        // SAFETY: an alarm, whose default action ends the process.
        unsafe { libc::alarm(seconds) };
        drop(read);
        let text = body();
        let mut pipe = std::fs::File::from(write);
        let said = std::io::Write::write_all(&mut pipe, text.as_bytes()).is_ok();
        // SAFETY: leaves without running what the parent will run at its own end.
        unsafe { libc::_exit(i32::from(!said)) };
    }
    drop(write);
    let mut text = String::new();
    std::fs::File::from(read).read_to_string(&mut text)?;
    let mut status = 0;
    // SAFETY: the child is this process's own, and the place for its status is valid.
    while unsafe { libc::waitpid(child, &mut status, 0) } < 0 {
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(match libc::WIFSIGNALED(status) {
        true if libc::WTERMSIG(status) == libc::SIGALRM => End::Late,
        true => End::Died(libc::WTERMSIG(status)),
        false => End::Said(text),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_told_apart() {
        let limit = Duration::from_secs(20);
        let said = run(limit, || "all".to_owned()).expect("a process");
        assert_eq!(said, End::Said("all".to_owned()));
        let died = run(limit, || std::process::abort()).expect("a process");
        assert_eq!(died, End::Died(libc::SIGABRT));
        let late = run(Duration::from_secs(1), || {
            loop {
                std::hint::spin_loop();
            }
        });
        assert_eq!(late.expect("a process"), End::Late);
    }
}
