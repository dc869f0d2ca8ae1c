//! An adapter's messages, for the program and for the user.

use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::sync::Mutex;
use ur_adapter::logger::Logger;
use ur_api::*;

static HEARD: Mutex<Vec<(u32, String)>> = Mutex::new(Vec::new());

unsafe extern "C" fn hear(level: ur_logger_level_t, text: *const c_char, user: *mut c_void) {
    assert_eq!(user as usize, 7);
    // SAFETY: the logger gives a terminated text.
    let text = unsafe { CStr::from_ptr(text) };
    let text = text.to_string_lossy().into_owned();
    HEARD.lock().unwrap().push((level.0, text));
    // No lock is held: the callback may use the logger.
    LOGGER.set_level(UR_LOGGER_LEVEL_WARN);
}

static LOGGER: Logger = Logger::named("UR_LOG_KIT_TEST", "KIT_TEST");

/// One test in a process of its own: it sets an environment variable.
#[test]
fn messages_reach_the_callback_and_the_log_by_their_levels() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("logger-{}.log", std::process::id()));
    let _ = std::fs::remove_file(&file);
    let settings = format!("level:info;output:file,{}", file.display());
    // SAFETY: no other thread of this process reads the environment now.
    unsafe { std::env::set_var("UR_LOG_KIT_TEST", settings) };

    LOGGER.say(UR_LOGGER_LEVEL_DEBUG, "nobody hears this");
    LOGGER.say(UR_LOGGER_LEVEL_INFO, "only the log");
    LOGGER.set(Some(hear), 7 as *mut c_void, UR_LOGGER_LEVEL_DEBUG);
    LOGGER.say(UR_LOGGER_LEVEL_DEBUG, "only the \0 callback");
    LOGGER.say(UR_LOGGER_LEVEL_INFO, "the log again");
    LOGGER.say(UR_LOGGER_LEVEL_ERROR, "both");
    LOGGER.set_level(UR_LOGGER_LEVEL_QUIET);
    LOGGER.say(UR_LOGGER_LEVEL_ERROR, "one\ntwo");

    let log = std::fs::read_to_string(&file).expect("a log");
    std::fs::remove_file(&file).expect("the log goes");
    assert_eq!(
        log,
        "<KIT_TEST>[INFO]: only the log\n<KIT_TEST>[INFO]: the log again\n\
         <KIT_TEST>[ERROR]: both\n<KIT_TEST>[ERROR]: one\\ntwo\n"
    );
    let heard = HEARD.lock().unwrap();
    let wanted = [(0, "only the ? callback"), (3, "both")];
    let wanted = wanted.map(|(level, text)| (level, text.to_owned()));
    assert_eq!(*heard, wanted);
}
