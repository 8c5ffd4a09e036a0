//! The one small grammar for sources and event types: `*` matches any run of characters, dots included; all else is
//! exact.

/// Whether `text` matches `pattern`. Linear in practice: a star only ever backs up to the last one.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut last_star = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            last_star = Some((p + 1, t));
            p += 1;
        } else if pattern.get(p) == Some(&text[t]) {
            p += 1;
            t += 1;
        } else if let Some((after_star, swallowed)) = last_star {
            last_star = Some((after_star, swallowed + 1));
            p = after_star;
            t = swallowed + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::matches;
    use proptest::prelude::*;

    #[test]
    fn a_star_matches_any_run_and_all_else_is_exact() {
        let table = [
            ("invoice.*", "invoice.paid", true),
            ("invoice.*", "invoice.", true),
            ("invoice.*", "invoice", false),
            ("*", "", true),
            ("*", "a.b.c", true),
            ("*.opened", "pull_request.opened", true),
            ("pull_request", "pull_request.opened", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b-d", false),
            ("invoice.paid", "INVOICE.PAID", false),
            ("", "", true),
            ("", "x", false),
        ];
        for (pattern, text, expected) in table {
            assert_eq!(matches(pattern, text), expected, "{pattern:?} on {text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_text_matches_itself_and_any_star_put_into_it(text in "[a-z.é]{0,12}", cut in 0usize..12) {
            let at = text.char_indices().map(|(i, _)| i).nth(cut).unwrap_or(text.len());
            prop_assert!(matches(&text, &text));
            let head = format!("{}*", &text[..at]);
            let tail = format!("*{}", &text[at..]);
            prop_assert!(matches(&head, &text));
            prop_assert!(matches(&tail, &text));
        }
    }
}
