//! Build options.

/// Checks that a text is a list of options: words that begin with a dash, each with at most one
/// word behind it that does not, its value. Which options there are depends on the compiler that
/// the program was written for, so unknown ones are left to the JIT, which ignores them.
///
/// # Errors
/// The word that is out of place.
pub fn check(options: &str) -> Result<(), String> {
    let mut value_allowed = false;
    for word in words(options)? {
        let option = word.starts_with('-');
        if !option && !value_allowed {
            return Err(format!("{word:?} is no build option"));
        }
        value_allowed = option;
    }
    Ok(())
}

/// The words of a text; blanks between quotes do not end one.
fn words(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    if quote.is_some() {
        return Err(format!("a quote without its end in {text:?}"));
    }
    words.extend(word);
    Ok(words)
}

/// Whether an option is among the options.
pub fn has(options: &str, wanted: &str) -> bool {
    options.split_whitespace().any(|option| option == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_options() {
        let good = [
            "",
            "  ",
            "-cl-std=CL2.0 -g",
            "-D NAME -DVALUE=1",
            "-I \"a b\" -x 'c d'",
            "-ze-opt-level=2  -vc-codegen",
        ];
        for options in good {
            assert!(check(options).is_ok(), "{options}");
        }
        for options in ["cl-std", "-a b c", "-D \"x", "x -a"] {
            assert!(check(options).is_err(), "{options}");
        }
        assert!(has("-a -create-library", "-create-library"));
        assert!(!has("-create-library-not", "-create-library"));
    }
}
