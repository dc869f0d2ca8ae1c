//! How the API's names are made from one another.

/// `usm_p2p_enable_peer_access_exp` of `urUsmP2PEnablePeerAccessExp`: words begin at a capital
/// after a small letter or digit, and at the last capital of a run before a small letter; a
/// dimension (`2D`) is a word and `P2P` is one.
pub fn snake(function: &str) -> String {
    let name = function.strip_prefix("ur").unwrap_or(function);
    let name = name.replace("P2P", "P2p");
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (i, &c) in chars.iter().enumerate() {
        let before = i.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(i + 1);
        let starts = match before {
            None => false,
            Some(b) if c.is_uppercase() => {
                b.is_lowercase()
                    || b.is_uppercase() && after.is_some_and(|a| a.is_lowercase())
                    || b.is_ascii_digit() && after.is_some_and(|a| a.is_lowercase())
            }
            Some(_) => c.is_ascii_digit() && after == Some(&'D'),
        };
        if starts {
            out.push('_');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// `ExpDevice_2dBlockArray` of `exp_device_2d_block_array`: a word that begins with a digit keeps
/// its underscore, as in the released names.
pub fn camel(snake: &str) -> String {
    let mut out = String::new();
    for word in snake.split('_') {
        let mut chars = word.chars();
        match chars.next() {
            Some(c) if c.is_ascii_digit() => {
                out.push('_');
                out.push(c);
            }
            Some(c) => out.extend(c.to_uppercase()),
            None => {}
        }
        out.push_str(chars.as_str());
    }
    out
}

/// The function that prints the type `ur_x_t`: `urPrintX`.
pub fn print_name(c_type: &str) -> String {
    let inner = c_type.strip_prefix("ur_").unwrap_or(c_type);
    format!(
        "urPrint{}",
        camel(inner.strip_suffix("_t").unwrap_or(inner))
    )
}

/// The name as a Rust identifier.
pub fn ident(name: &str) -> String {
    match name {
        "type" | "match" | "move" | "ref" | "fn" | "in" => format!("r#{name}"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snake_follows_the_released_names() {
        for (name, want) in [
            ("urContextCreate", "context_create"),
            ("urProgramCreateWithIL", "program_create_with_il"),
            ("urEnqueueUSMFill2D", "enqueue_usm_fill_2d"),
            ("urUSMPoolCreateExp", "usm_pool_create_exp"),
            (
                "urUsmP2PPeerAccessGetInfoExp",
                "usm_p2p_peer_access_get_info_exp",
            ),
            ("urIPCGetMemHandleExp", "ipc_get_mem_handle_exp"),
        ] {
            assert_eq!(snake(name), want);
        }
    }

    #[test]
    fn print_names_keep_the_underscore_before_a_digit() {
        assert_eq!(print_name("ur_result_t"), "urPrintResult");
        assert_eq!(
            print_name("ur_exp_device_2d_block_array_capability_flags_t"),
            "urPrintExpDevice_2dBlockArrayCapabilityFlags"
        );
        assert_eq!(
            print_name("ur_usm_p2p_enable_peer_access_exp_params_t"),
            "urPrintUsmP2pEnablePeerAccessExpParams"
        );
    }
}
