//! Docker Hub. No authentication of any kind: put `?token=…` in the URL.
//! <https://docs.docker.com/docker-hub/repos/manage/webhooks/>

use crate::locate::Locate::{Json, Query};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "docker-hub",
    title: "Docker Hub",
    docs: "https://docs.docker.com/docker-hub/repos/manage/webhooks/",
    scheme: Scheme::Token(Token::at(Query("token"))),
    ordering_key: &[Json("/repository/repo_name")],
    version: &[Json("/push_data/pushed_at")],
    resends_automatically: false,
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever knows the URL can send anything.",
    samples: &[Sample {
        event: "",
        headers: &[("content-type", "application/json")],
        body: r#"{"push_data":{"pushed_at":{{now}}},"repository":{"repo_name":"{{object}}"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
