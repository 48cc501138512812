//! What the page may load and run: nothing but the script and the style sheet that it holds.

use sha2::{Digest as _, Sha256};

/// A content security policy (CSP level 2) by which only this style sheet and this script count:
/// markup that got in by a name could neither run nor load anything.
pub(super) fn policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; base-uri 'none'; form-action 'none'",
        source(style),
        source(script)
    )
}

/// The hash of an inline element's text, as a policy names it. Browsers read line ends as LF.
fn source(text: &str) -> String {
    format!("sha256-{}", base64(&Sha256::digest(text)))
}

/// RFC 4648, section 4, with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = bits >> (18 - 6 * place) & 63;
            let is_padding = place > chunk.len();
            text.push(if is_padding { '=' } else { char::from(DIGITS[digit as usize]) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_as_the_rfc_says() {
        // RFC 4648, section 10.
        let vectors = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (text, expected) in vectors {
            assert_eq!(base64(text.as_bytes()), expected);
        }
    }

    #[test]
    fn a_policy_names_the_hash_that_browsers_compute() {
        // The example of CSP level 3, section 8.3 (hash-source): `alert('Hello, world.');`.
        let hash = "sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=";
        assert_eq!(source("alert('Hello, world.');"), hash);
    }
}
