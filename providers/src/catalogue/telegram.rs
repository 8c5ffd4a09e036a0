//! Telegram Bot API. No signature: the `secret_token` of `setWebhook` in a header.
//! <https://core.telegram.org/bots/api#setwebhook>

use crate::locate::Locate::{Header, IfPresent, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "telegram",
    title: "Telegram Bot API",
    docs: "https://core.telegram.org/bots/api#setwebhook",
    scheme: Scheme::Token(Token::at(Header("x-telegram-bot-api-secret-token"))),
    delivery_id: &[Json("/update_id")],
    event_type: &[
        IfPresent("/message", "message"),
        IfPresent("/edited_message", "edited_message"),
        IfPresent("/channel_post", "channel_post"),
        IfPresent("/callback_query", "callback_query"),
        IfPresent("/inline_query", "inline_query"),
        IfPresent("/my_chat_member", "my_chat_member"),
        IfPresent("/chat_member", "chat_member"),
        IfPresent("/pre_checkout_query", "pre_checkout_query"),
        IfPresent("/poll", "poll"),
    ],
    ordering_key: &[
        Json("/message/chat/id"),
        Json("/edited_message/chat/id"),
        Json("/channel_post/chat/id"),
        Json("/callback_query/message/chat/id"),
        Json("/my_chat_member/chat/id"),
        Json("/chat_member/chat/id"),
    ],
    version: &[Json("/update_id"), Json("/message/date")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any. The type is the name of the one member beside `update_id`, which is the same on a retry.",
    samples: &[
        Sample {
            event: "message",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/telegram_message.json"),
            object: "770011",
        },
        Sample {
            event: "edited_message",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/telegram_edited_message.json"),
            object: "770011",
        },
        Sample {
            event: "callback_query",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/telegram_callback_query.json"),
            object: "770011",
        },
    ],
    ..Provider::DEFAULT
};
