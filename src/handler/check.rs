//! What a handler's definition may not be. The Builder asks at start, so that a typo never costs an event.

use super::Handler;
use crate::condition::Filter;
use crate::config::{LONGEST_WINDOW, Name, OnFailure, Order, Pattern, places};

impl Handler {
    /// Refuses a definition that can't work.
    pub(crate) fn check(&self) -> Result<(), DefinitionError> {
        use DefinitionError as E;
        let name = || self.name.to_string();
        if self.name.parse::<Name>().is_err() {
            return Err(E::Name(name()));
        }
        // Any name would do for the stars: what is left must be able to be part of one.
        if self.from.replace('*', "x").parse::<Name>().is_err() {
            return Err(E::From { handler: name(), from: self.from.clone() });
        }
        if self.patterns.is_empty() {
            return Err(E::NoPattern(name()));
        }
        for pattern in &self.patterns {
            pattern.parse::<Pattern>().map_err(|why| E::Pattern { handler: name(), why })?;
        }
        if !self.when.is_empty() {
            Filter::of("when", &self.when).map_err(|why| E::Condition { handler: name(), why })?;
        }
        if self.responds && self.order != Order::None {
            return Err(E::RespondsInOrder(name()));
        }
        let not_zero = [
            ("attempts", self.policy.attempts == 0),
            ("concurrency", self.concurrency == 0),
            ("timeout", self.timeout.is_zero()),
            ("the rate", self.rate.is_some_and(|rate| rate.jobs == 0 || rate.per.is_zero())),
            ("the burst", self.burst == Some(0)),
            ("the back-off's factor", self.policy.backoff_factor == 0),
        ];
        if let Some((option, _)) = not_zero.into_iter().find(|(_, is_zero)| *is_zero) {
            return Err(E::Zero { handler: name(), option });
        }
        if self.burst.is_some() && self.rate.is_none() {
            return Err(E::Burst(name()));
        }
        let never = self.policy.give_up_after.is_some_and(|horizon| horizon.is_zero());
        if never {
            return Err(E::Zero { handler: name(), option: "give_up_after" });
        }
        if self.policy.backoff_base > self.policy.backoff_cap {
            return Err(E::Backoff(name()));
        }
        self.check_order()
    }

    fn check_order(&self) -> Result<(), DefinitionError> {
        use DefinitionError as E;
        let (name, sequence) = (|| self.name.to_string(), &self.sequence);
        let fails = self.policy.on_failure != OnFailure::Block;
        let lanes_only = [("on_failure", fails), ("block_for", self.says_block_for && self.order != Order::Lane)];
        let ordered_only = [
            ("reorder_window", !sequence.window.is_zero()),
            ("ordering_key", !sequence.ordering_key.is_empty()),
            ("version", !sequence.version.is_empty()),
        ];
        let said = |options: &[(&'static str, bool)]| options.iter().find(|(_, said)| *said).map(|(option, _)| *option);
        let useless = match self.order {
            Order::None => said(&lanes_only).or_else(|| said(&ordered_only)),
            Order::Lane => None,
            Order::Latest => said(&lanes_only),
        };
        if let Some(option) = useless {
            return Err(E::NoOrder { handler: name(), option, order: self.order.as_str() });
        }
        if sequence.window > LONGEST_WINDOW {
            return Err(E::Window(name()));
        }
        for (option, list) in [("ordering_key", &sequence.ordering_key), ("version", &sequence.version)] {
            if !list.is_empty() {
                places::check(list).map_err(|why| E::Place { handler: name(), option, why })?;
            }
        }
        Ok(())
    }
}

/// Refuses two handlers that would answer one event. Both must have been checked by themselves.
pub(crate) fn refuse_two_answers(handlers: &[Handler]) -> Result<(), DefinitionError> {
    let responders: Vec<&Handler> = handlers.iter().filter(|handler| handler.responds).collect();
    for (index, one) in responders.iter().enumerate() {
        for other in &responders[index + 1..] {
            let from = overlap(std::slice::from_ref(&one.from), std::slice::from_ref(&other.from));
            let events = overlap(&one.patterns, &other.patterns);
            if let (Some((from, other_from)), Some((events, other_events))) = (from, events) {
                return Err(DefinitionError::TwoAnswers {
                    one: format!("`{}` ({events} of {from})", one.name),
                    other: format!("`{}` ({other_events} of {other_from})", other.name),
                });
            }
        }
    }
    Ok(())
}

/// The first two of these patterns that some text matches both.
fn overlap<'p>(ones: &'p [String], others: &'p [String]) -> Option<(&'p str, &'p str)> {
    let parsed = |text: &str| text.parse::<Pattern>().ok();
    let mut pairs = ones.iter().flat_map(|one| others.iter().map(move |other| (one.as_str(), other.as_str())));
    pairs.find(|(one, other)| matches!((parsed(one), parsed(other)), (Some(one), Some(other)) if one.overlaps(&other)))
}

/// Why a handler can't be registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionError {
    /// The name is outside the grammar.
    #[error("handler name `{0}` is not allowed: use 1 to 64 of a-z, 0-9, `_` and `-`")]
    Name(String),
    /// `from` can never match a source.
    #[error(
        "handler `{handler}` listens to `{from}`, which no source can be called: \
         use a source's name, or a pattern of a-z, 0-9, `_`, `-` and `*`"
    )]
    From {
        /// The handler.
        handler: String,
        /// What it listens to.
        from: String,
    },
    /// No event type to listen to.
    #[error("handler `{0}` listens to no event type: name some, such as `invoice.*`; `*` takes every event")]
    NoPattern(String),
    /// An event type that is no pattern.
    #[error("handler `{handler}`: {why}")]
    Pattern {
        /// The handler.
        handler: String,
        /// What is wrong.
        why: String,
    },
    /// A condition that can't be meant.
    #[error("handler `{handler}`: {why}")]
    Condition {
        /// The handler.
        handler: String,
        /// What is wrong.
        why: String,
    },
    /// It answers the request, and its jobs wait for each other.
    #[error(
        "handler `{0}` is to respond and has an order: behind other jobs its answer would come too late, so use Order::None or          let another handler respond"
    )]
    RespondsInOrder(String),
    /// Two handlers that would both answer a request.
    #[error(
        "handlers {one} and {other} would both respond to one event, and a request has one answer: narrow the events of one of \
         them, or let only one respond"
    )]
    TwoAnswers {
        /// One of them.
        one: String,
        /// The other.
        other: String,
    },
    /// An option that must be at least 1.
    #[error("handler `{handler}`: {option} must not be zero")]
    Zero {
        /// The handler.
        handler: String,
        /// The option.
        option: &'static str,
    },
    /// A burst above nothing.
    #[error("handler `{0}` has a burst and no rate to burst above: give it a rate, or leave the burst out")]
    Burst(String),
    /// The first wait is longer than the longest.
    #[error("handler `{0}`: the back-off's base is above its cap; lower the base or raise the cap")]
    Backoff(String),
    /// An option that means nothing in this order.
    #[error(
        "handler `{handler}`: {option} means nothing with order \"{order}\": choose an order that has it \
         (`on_failure` and `block_for` are for \"lane\"), or leave it out"
    )]
    NoOrder {
        /// The handler.
        handler: String,
        /// The option.
        option: &'static str,
        /// The order.
        order: &'static str,
    },
    /// A lane would wait longer than anybody sorts.
    #[error("handler `{0}`: the reorder window is longer than 5 s, and every key would wait that long: shorten it")]
    Window(String),
    /// A location that can't be read.
    #[error("handler `{handler}`: {option} {why}")]
    Place {
        /// The handler.
        handler: String,
        /// The option.
        option: &'static str,
        /// What is wrong.
        why: String,
    },
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::Condition;
    use crate::handler::{Context, HandlerError, Named, OnFailure, Order, Raw, on};

    async fn nothing(_: Raw, _: &mut Context) -> Result<(), HandlerError> {
        Ok(())
    }

    fn named(name: &str) -> Named {
        on("stripe", &["invoice.*"]).name(name)
    }

    #[test]
    fn what_cannot_work_is_refused_with_a_sentence_that_names_the_handler() {
        let second = Duration::from_secs(1);
        let too_long = "x".repeat(65);
        let refused = [
            named("").run(nothing),
            named("Credit").run(nothing),
            named(&too_long).run(nothing),
            on("", &["*"]).name("credit").run(nothing),
            on("Stripe", &["*"]).name("credit").run(nothing),
            on("stripe", &[] as &[&str]).name("credit").run(nothing),
            on("stripe", &["invoice.* "]).name("credit").run(nothing),
            named("credit").attempts(0).run(nothing),
            named("credit").concurrency(0).run(nothing),
            named("credit").timeout(Duration::ZERO).run(nothing),
            named("credit").rate(0, second).run(nothing),
            named("credit").rate(1, Duration::ZERO).run(nothing),
            named("credit").rate(1, second).burst(0).run(nothing),
            named("credit").burst(1).run(nothing),
            named("credit").backoff(second, 0, second).run(nothing),
            named("credit").backoff(2 * second, 2, second).run(nothing),
            named("credit").on_failure(OnFailure::Skip).run(nothing),
            named("credit").order(Order::Latest).on_failure(OnFailure::Skip).run(nothing),
            named("credit").order(Order::Latest).on_failure(OnFailure::Halt).run(nothing),
            named("credit").order(Order::Latest).block_for(second).run(nothing),
            named("credit").block_for(second).run(nothing),
            named("credit").reorder_window(second).run(nothing),
            named("credit").order(Order::Lane).reorder_window(Duration::from_millis(5001)).run(nothing),
            named("credit").ordering_key(&["json:/id"]).run(nothing),
            named("credit").order(Order::Lane).ordering_key(&["id"]).run(nothing),
            named("credit").order(Order::Latest).version(&["json:id"]).run(nothing),
            named("credit").order(Order::Lane).version(&["json:/a"; 9]).run(nothing),
            named("credit").give_up_after(Duration::ZERO).run(nothing),
            named("credit").when(Condition::json("amount").equals(1)).run(nothing),
            named("credit").when(Condition::any([])).run(nothing),
            named("credit").order(Order::Lane).respond().run(nothing),
        ];
        for handler in refused {
            let error = handler.check().expect_err(&format!("{handler:?} must be refused"));
            assert!(error.to_string().contains(&format!("`{}`", handler.name())), "{error}");
        }
    }

    #[test]
    fn every_order_takes_the_options_it_has_a_use_for() {
        let fine = [
            named("a").order(Order::Lane).on_failure(OnFailure::Halt).reorder_window(Duration::from_secs(5)),
            named("b").order(Order::Lane).on_failure(OnFailure::Skip).block_for(Duration::from_secs(1)),
            named("c").order(Order::Latest).ordering_key(&["json:/id", "header:x"]).version(&["json:/v + json:/w"]),
        ];
        for handler in fine {
            assert_eq!(handler.run(nothing).check(), Ok(()));
        }
    }

    #[test]
    fn two_handlers_that_would_answer_one_event_are_refused_by_name() {
        let responds =
            |name: &str, from: &str, events: &str| on(from, &["other", events]).name(name).respond().run(nothing);
        let apart = [responds("a", "slack", "x.*"), responds("b", "stripe", "x.*"), named("c").run(nothing)];
        assert_eq!(super::refuse_two_answers(&apart), Ok(()));
        let both = [responds("a", "slack*", "x.*"), on("*", &["*.y"]).name("b").respond().run(nothing)];
        let refused = super::refuse_two_answers(&both).unwrap_err().to_string();
        assert!(refused.contains("`a` (x.* of slack*)") && refused.contains("`b` (*.y of *)"), "{refused}");
    }

    #[test]
    fn a_source_may_be_a_pattern() {
        assert_eq!(on("*", &["*"]).name("all").run(nothing).check(), Ok(()));
        assert_eq!(on("stripe-*", &["*"]).name("all").run(nothing).check(), Ok(()));
    }
}
