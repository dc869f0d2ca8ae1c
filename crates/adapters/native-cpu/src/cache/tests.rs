use super::*;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::time::Duration;

/// A folder of this test, gone at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let name = format!("ur-cache-{name}-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Scratch(path)
    }

    fn cache(&self, limit: u64) -> (PathBuf, Cache) {
        let path = self.0.join("cache");
        let cache = Cache::open(&path, limit).unwrap();
        (path, cache)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn key(number: u32) -> Key {
    let mut maker = KeyMaker::new("test");
    maker.add(&number.to_le_bytes());
    maker.finish()
}

fn files(path: &Path) -> Vec<String> {
    let list = fs::read_dir(path).unwrap();
    list.map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn entries_come_back_from_files_of_the_user_alone() {
    let scratch = Scratch::new("entries");
    let (path, cache) = scratch.cache(1 << 20);
    assert_eq!(cache.get(&key(1)), None);
    cache.put(&key(1), b"one");
    cache.put(&key(2), b"");
    cache.put(&key(1), b"another");
    assert_eq!(cache.get(&key(1)).unwrap(), b"another");
    assert_eq!(cache.get(&key(2)).unwrap(), b"");
    assert_eq!(cache.get(&key(3)), None);
    assert_eq!(mode(&path), 0o700);
    assert_eq!(files(&path).len(), 2);
    for name in files(&path) {
        assert_eq!(mode(&path.join(name)), 0o600);
    }
    cache.remove(&key(1));
    assert_eq!(cache.get(&key(1)), None);
}

#[test]
fn cut_and_changed_files_are_found_and_replaced() {
    let scratch = Scratch::new("damage");
    let (path, cache) = scratch.cache(1 << 20);
    let payload: Vec<u8> = (0..40u8).collect();
    cache.put(&key(1), &payload);
    let file = path.join(key(1).file_name());
    let good = fs::read(&file).unwrap();
    let check = |bytes: &[u8]| {
        fs::write(&file, bytes).unwrap();
        assert_eq!(cache.get(&key(1)), None);
        assert!(!file.exists(), "a bad file is removed");
        cache.put(&key(1), &payload);
        assert_eq!(cache.get(&key(1)).as_deref(), Some(&payload[..]));
    };
    for len in 0..good.len() {
        check(&good[..len]);
    }
    for bit in 0..good.len() * 8 {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        check(&bytes);
    }
    let mut longer = good.clone();
    longer.push(0);
    check(&longer);
}

#[test]
fn code_for_another_cpu_or_under_another_name_is_not_used() {
    let scratch = Scratch::new("cpu");
    let (path, cache) = scratch.cache(1 << 20);
    cache.put(&key(1), b"code");
    let file = path.join(key(1).file_name());
    // A whole file with the right hash, but for another CPU.
    let mut bytes = fs::read(&file).unwrap();
    bytes[16] ^= 1;
    entry::reseal(&mut bytes);
    assert_eq!(
        entry::open(bytes.clone(), &key(1)),
        Err("the file was made for another CPU")
    );
    fs::write(&file, bytes).unwrap();
    assert_eq!(cache.get(&key(1)), None);
    cache.put(&key(1), b"code");
    fs::rename(&file, path.join(key(2).file_name())).unwrap();
    assert_eq!(cache.get(&key(2)), None);
}

#[test]
fn what_others_could_change_is_refused() {
    let scratch = Scratch::new("rights");
    let (path, cache) = scratch.cache(1 << 20);
    cache.put(&key(1), b"code");
    let file = path.join(key(1).file_name());
    for bits in [0o020, 0o002, 0o040, 0o004, 0o010] {
        set_mode(&path, 0o700 | bits);
        let reason = Cache::open(&path, 1).unwrap_err();
        assert!(reason.contains("others have rights"), "{reason}");
        set_mode(&path, 0o700);
        set_mode(&file, 0o600 | bits);
        assert_eq!(cache.get(&key(1)), None, "{bits:o}");
        // It is replaced by one that is in order.
        cache.put(&key(1), b"code");
        assert_eq!(mode(&file), 0o600);
        assert!(cache.get(&key(1)).is_some());
    }
    let link = scratch.0.join("link");
    symlink(&path, &link).unwrap();
    let reason = Cache::open(&link, 1).unwrap_err();
    assert!(reason.contains("a link"), "{reason}");
    symlink("nowhere", scratch.0.join("dangling")).unwrap();
    assert!(Cache::open(&scratch.0.join("dangling"), 1).is_err());
    fs::write(scratch.0.join("file"), "").unwrap();
    assert!(Cache::open(&scratch.0.join("file"), 1).is_err());
    assert!(Cache::open(Path::new("relative"), 1).is_err());
    // A link where an entry should be is not followed.
    let real = scratch.0.join("real");
    fs::rename(&file, &real).unwrap();
    symlink(&real, &file).unwrap();
    assert_eq!(cache.get(&key(1)), None);
    cache.put(&key(1), b"code");
    assert!(!fs::symlink_metadata(&file).unwrap().is_symlink());
    assert!(real.exists());
}

#[test]
fn what_belongs_to_others_is_refused() {
    let scratch = Scratch::new("owner");
    let (path, cache) = scratch.cache(1 << 20);
    // SAFETY: asks for a number.
    if unsafe { libc::geteuid() } != 0 {
        let reason = Cache::open(Path::new("/"), 1).unwrap_err();
        assert!(reason.contains("belongs to user 0"), "{reason}");
        return;
    }
    cache.put(&key(1), b"code");
    let file = path.join(key(1).file_name());
    std::os::unix::fs::chown(&file, Some(65534), None).unwrap();
    assert_eq!(cache.get(&key(1)), None);
    std::os::unix::fs::chown(&path, Some(65534), None).unwrap();
    let reason = Cache::open(&path, 1).unwrap_err();
    assert!(reason.contains("belongs to user 65534"), "{reason}");
}

#[test]
fn a_folder_that_cannot_be_written_to_is_no_error() {
    let scratch = Scratch::new("read-only");
    let (path, cache) = scratch.cache(1 << 20);
    cache.put(&key(1), b"code");
    set_mode(&path, 0o500);
    // Root may write anywhere: this thread takes another identity for files meanwhile.
    // SAFETY: changes a number of this thread.
    let before = unsafe { libc::syscall(libc::SYS_setfsuid, 65534) };
    cache.put(&key(2), b"code");
    // SAFETY: as above.
    unsafe { libc::syscall(libc::SYS_setfsuid, before) };
    assert!(cache.read_only.load(Ordering::Relaxed));
    assert_eq!(files(&path), [key(1).file_name()]);
    assert!(cache.get(&key(1)).is_some());
    set_mode(&path, 0o700);
    // A folder that is gone.
    let (path, cache) = scratch.cache(1 << 20);
    fs::remove_dir_all(&path).unwrap();
    cache.put(&key(1), b"code");
    assert_eq!(cache.get(&key(1)), None);
    assert!(!path.exists());
}

#[test]
fn a_full_disk_is_no_error() {
    let scratch = Scratch::new("full");
    let place = scratch.0.join("disk");
    fs::create_dir(&place).unwrap();
    let target = std::ffi::CString::new(place.as_os_str().as_bytes()).unwrap();
    // SAFETY: all texts are terminated.
    let mounted = unsafe {
        libc::mount(
            c"tmpfs".as_ptr(),
            target.as_ptr(),
            c"tmpfs".as_ptr(),
            0,
            c"size=64k,mode=0700".as_ptr().cast(),
        )
    };
    if mounted != 0 {
        eprintln!("not tried: mounting a small disk takes rights that this process lacks");
        return;
    }
    let path = place.join("cache");
    let cache = Cache::open(&path, 1 << 30).unwrap();
    cache.put(&key(1), &[1; 30_000]);
    cache.put(&key(2), &[2; 60_000]);
    let left = files(&path);
    let (first, second) = (cache.get(&key(1)), cache.get(&key(2)));
    drop(cache);
    // SAFETY: the text is terminated.
    unsafe { libc::umount2(target.as_ptr(), libc::MNT_DETACH) };
    assert_eq!(left, [key(1).file_name()], "nothing half written stays");
    assert_eq!(first.unwrap(), [1; 30_000]);
    assert_eq!(second, None);
}

#[test]
fn what_was_used_longest_ago_goes_first() {
    let scratch = Scratch::new("eviction");
    let limit = 64 << 10;
    let (path, cache) = scratch.cache(limit);
    let total = || -> u64 {
        let sizes = files(&path).into_iter();
        sizes
            .map(|name| fs::metadata(path.join(name)).unwrap().len())
            .sum()
    };
    for number in 0..200 {
        cache.put(&key(number), &[0; 1000]);
        // Used all the time.
        assert!(cache.get(&key(0)).is_some(), "{number}");
        assert!(total() <= limit, "{} bytes after {number}", total());
    }
    assert!(total() > limit / 2);
    assert!(cache.get(&key(199)).is_some());
    assert!(cache.get(&key(1)).is_none());
    cache.put(&key(1000), &vec![0; limit as usize]);
    assert!(cache.get(&key(1000)).is_none(), "too large to be kept");
    assert!(cache.get(&key(199)).is_some());
}

#[test]
fn files_that_were_never_finished_are_removed() {
    let scratch = Scratch::new("unfinished");
    let (path, cache) = scratch.cache(1 << 20);
    for (name, age) in [("tmp-1-0", 7200), ("tmp-2-0", 10)] {
        let file = fs::File::create(path.join(name)).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age))
            .unwrap();
    }
    cache.put(&key(1), b"code");
    let mut left = files(&path);
    left.sort();
    let mut expected = vec!["tmp-2-0".to_owned(), key(1).file_name()];
    expected.sort();
    assert_eq!(left, expected);
}

#[test]
fn what_was_not_used_for_long_is_marked_as_used() {
    let scratch = Scratch::new("marks");
    let (path, cache) = scratch.cache(1 << 20);
    cache.put(&key(1), b"code");
    let file = fs::File::open(path.join(key(1).file_name())).unwrap();
    let age = || file.metadata().unwrap().modified().unwrap().elapsed();
    let set = |age: Duration| file.set_modified(SystemTime::now() - age).unwrap();
    set(FRESH / 2);
    assert!(cache.get(&key(1)).is_some());
    assert!(age().unwrap() >= FRESH / 2, "it need not be written");
    set(FRESH * 2);
    assert!(cache.get(&key(1)).is_some());
    assert!(age().unwrap() < FRESH / 2);
    // A time to come is wrong.
    file.set_modified(SystemTime::now() + FRESH).unwrap();
    assert!(cache.get(&key(1)).is_some());
    assert!(age().unwrap() < FRESH / 2);
}

#[test]
fn many_threads_at_once() {
    let scratch = Scratch::new("threads");
    let (path, _) = scratch.cache(1 << 20);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let cache = Cache::open(&path, 1 << 20).unwrap();
                for number in 0..100u32 {
                    let number = number % 10;
                    let payload = vec![number as u8; 3000];
                    if let Some(found) = cache.get(&key(number)) {
                        assert_eq!(found, payload);
                    }
                    cache.put(&key(number), &payload);
                }
            });
        }
    });
    assert_eq!(files(&path).len(), 10);
}

#[test]
fn the_environment_is_understood() {
    let ask = |set: &[(&str, &str)]| {
        place(|name| {
            let (_, value) = set.iter().find(|(known, _)| *known == name)?;
            Some(OsString::from(value))
        })
    };
    let path = |path: &str| Some(PathBuf::from(path));
    assert_eq!(ask(&[]), None);
    assert_eq!(ask(&[("HOME", "/h")]), path("/h/.cache/concord"));
    assert_eq!(ask(&[("HOME", "relative")]), None);
    let xdg = [("HOME", "/h"), ("XDG_CACHE_HOME", "/x")];
    assert_eq!(ask(&xdg), path("/x/concord"));
    let relative = [("HOME", "/h"), ("XDG_CACHE_HOME", "x")];
    assert_eq!(ask(&relative), path("/h/.cache/concord"));
    assert_eq!(ask(&[("HOME", "/h"), ("UR_JIT_CACHE", "off")]), None);
    assert_eq!(ask(&[("HOME", "/h"), ("UR_JIT_CACHE", "OFF")]), None);
    assert_eq!(ask(&[("UR_JIT_CACHE", "/c")]), path("/c"));
    assert_eq!(
        ask(&[("HOME", "/h"), ("UR_JIT_CACHE", "")]),
        path("/h/.cache/concord")
    );
    assert_eq!(size("0"), Some(0));
    assert_eq!(size("12"), Some(12));
    assert_eq!(size(" 3 k "), Some(3 << 10));
    assert_eq!(size("2G"), Some(2 << 30));
    for text in ["", "x", "-1", "1.5M", "99999999999T", "é"] {
        assert_eq!(size(text), None, "{text}");
    }
}
