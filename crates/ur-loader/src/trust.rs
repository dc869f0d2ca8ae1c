//! Which folders a process with raised privileges may open libraries from.

use std::fs::Metadata;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Others than the owner may write.
const OTHERS_WRITE: u32 = 0o022;
/// In such a folder only its owner, and the owner of an entry, can rename or remove the entry.
const STICKY: u32 = 0o1000;

/// The folder without links in its path, if nobody but root can put a file into it, or another
/// folder in the place of this one or of one that leads to it.
pub fn guarded(folder: &Path) -> Option<PathBuf> {
    let folder = std::fs::canonicalize(folder).ok()?;
    only_root_writes(&folder).then_some(folder)
}

fn only_root_writes(folder: &Path) -> bool {
    let mut above = folder.ancestors().map(std::fs::metadata);
    let guarded = |entry: Option<std::io::Result<Metadata>>, mask: fn(u32) -> bool| {
        entry.is_some_and(|entry| {
            entry.is_ok_and(|entry| entry.uid() == 0 && mask(entry.permissions().mode()))
        })
    };
    let first = above.next();
    guarded(first, |mode| mode & OTHERS_WRITE == 0)
        && above.all(|entry| {
            guarded(Some(entry), |mode| {
                mode & OTHERS_WRITE == 0 || mode & STICKY != 0
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_the_system_are_roots() {
        assert_eq!(guarded(Path::new("/usr/lib")), Some("/usr/lib".into()));
        assert_eq!(guarded(Path::new("/")), Some("/".into()));
    }

    #[test]
    fn folders_that_others_write_to_are_not() {
        assert_eq!(guarded(Path::new("/tmp")), None);
        assert_eq!(guarded(Path::new("/no/such/folder")), None);
        let name = format!("ur-trust-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(folder.join("inner")).expect("a folder");
        let set = |mode| {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&folder, permissions).expect("permissions");
        };
        set(0o777);
        assert_eq!(guarded(&folder), None);
        assert_eq!(guarded(&folder.join("inner")), None);
        set(0o755);
        // Whose it is depends on who runs this test.
        let root = std::fs::metadata(&folder).expect("a folder").uid() == 0;
        assert_eq!(guarded(&folder).is_some(), root);
        std::fs::remove_dir_all(&folder).expect("the folder goes");
    }
}
