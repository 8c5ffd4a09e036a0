//! A condition that can't be meant refuses the start, by the forward's name and with what to write.

use std::collections::BTreeMap;

use hookgate::config::{Config, Mode};

fn refused(when: &str) -> String {
    let toml = format!(
        "[source.stripe]\nprovider = 'stripe'\nsecrets = [{{ literal = 'whsec_test_secret_of_stripe' }}]\n\
         [[forward]]\nname = 'billing'\nfrom = 'stripe'\nto = 'http://127.0.0.1:3000/'\nsign = 'none'\nwhen = {when}\n"
    );
    match Config::from_toml(&toml, &BTreeMap::new(), Mode::Dev) {
        Ok(_) => panic!("{when} was accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_wrong_with_a_condition_is_said_by_name() {
    let table = [
        ("[]", "`forward.billing.when` is an empty list"),
        ("[{ json = '/a', equal = 1 }]", "unknown key `equal`; did you mean `equals`?"),
        (
            "[{ header = 'x-a', exists = true }, { json = 'a', exists = true }]",
            "`forward.billing.when[1].json` is no JSON pointer",
        ),
        ("[{ json = '/a' }]", "`forward.billing.when[0]` says what to look at and not what it must be"),
        ("[{ json = '/a', equals = 1, in = [2] }]", "has both `equals` and `in`"),
        ("{ json = '/a', equals = [1] }", "where a text, a number, true or false belongs"),
        ("{ json = '/a', equals = 2026-01-01 }", "where a text, a number, true or false belongs"),
        ("{ event = 1 }", "where an event pattern or a list of them belongs"),
        ("'invoice.paid'", "where a list of conditions such as"),
        ("[{ any = [] }]", "`forward.billing.when[0].any` is an empty list"),
    ];
    for (when, expected) in table {
        let refused = refused(when);
        assert!(refused.contains(expected), "{when}: {refused}");
    }
}
