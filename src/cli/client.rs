//! The operator API as the commands see it: a path in, JSON or a [`Failure`] out.

use reqwest::{Method, RequestBuilder, Response, StatusCode, Url};
use serde_json::Value;

use super::Invocation;
use super::exit::{Exit, Failure, told};
use crate::config::Mode;

/// The variable that holds the bearer token unless `--token-env` names another.
const TOKEN: &str = "HOOKGATE_TOKEN";

/// How a command finds the operator API.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Operator API")]
pub(super) struct Api {
    /// Where the gateway's operator listener is [default: the configuration's server.operator]
    #[arg(long, value_name = "URL")]
    pub(super) api: Option<Url>,
    /// The environment variable that holds the bearer token [default: HOOKGATE_TOKEN]
    #[arg(long, value_name = "VARIABLE")]
    pub(super) token_env: Option<String>,
}

/// A client of one gateway's operator API.
#[derive(Clone)]
pub(super) struct Client {
    http: reqwest::Client,
    base: Url,
    token: Option<String>,
}

impl Client {
    pub(super) fn new(base: Url, token: Option<String>) -> Result<Self, Failure> {
        Ok(Self { http: http()?, base, token })
    }

    /// The client a command line asks for.
    pub(super) fn connect(invocation: &Invocation, api: &Api) -> Result<Self, Failure> {
        let base = match &api.api {
            Some(url) => url.clone(),
            None => {
                let config = invocation
                    .config(Mode::Dev)
                    .map_err(|refused| refused.advise("correct it, or say where the gateway is with --api URL"))?;
                super::local_url(config.server.operator)
            }
        };
        let token = match &api.token_env {
            None => invocation.variable(TOKEN).map(str::to_owned),
            Some(name) => Some(
                invocation
                    .variable(name)
                    .map(str::to_owned)
                    .ok_or_else(|| Failure::usage(format!("--token-env names {name}, which is not set")))?,
            ),
        };
        Self::new(base, token)
    }

    pub(super) async fn get(&self, path: &str, query: &[(&str, String)]) -> Result<Value, Failure> {
        json(self.send(self.request(Method::GET, path)?, query).await?).await
    }

    pub(super) async fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        json(self.send(self.request(Method::POST, path)?.json(body), &[]).await?).await
    }

    pub(super) async fn bytes(&self, path: &str) -> Result<Vec<u8>, Failure> {
        let response = self.send(self.request(Method::GET, path)?, &[]).await?;
        response.bytes().await.map(|bytes| bytes.to_vec()).map_err(broken)
    }

    /// `path` is below `/api/v1/`.
    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, Failure> {
        let url = self.base.join("/api/v1/").and_then(|root| root.join(path));
        let url = url.map_err(|error| Failure::usage(format!("{} is no base for the API: {error}", self.base)))?;
        let request = self.http.request(method, url);
        Ok(match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        })
    }

    async fn send(&self, request: RequestBuilder, query: &[(&str, String)]) -> Result<Response, Failure> {
        let mut request = request.build().map_err(broken)?;
        if !query.is_empty() {
            request.url_mut().query_pairs_mut().extend_pairs(query);
        }
        let response = self.http.execute(request).await.map_err(|error| {
            Failure::new(
                Exit::Unreachable,
                format!("no gateway answers at {}: {}", self.base, told(&error.without_url())),
            )
            .advise("start one with `hookgate dev` or `hookgate serve`, or name another with --api URL")
        })?;
        match response.status() {
            status if status.is_success() => Ok(response),
            status => Err(refused(status, response.json().await.unwrap_or_default())),
        }
    }
}

/// A client that follows no redirect: a token must go to the gateway it was meant for and to nobody else.
pub(super) fn http() -> Result<reqwest::Client, Failure> {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .timeout(std::time::Duration::from_secs(60))
        .build()
        .map_err(|error| Failure::no(format!("no HTTP client can be made: {}", told(&error))))
}

/// A problem document (RFC 9457) as a failure.
fn refused(status: StatusCode, problem: Value) -> Failure {
    let said = |key: &str| problem.get(key).and_then(Value::as_str).map(str::to_owned);
    let sentence = said("detail").or_else(|| said("title")).unwrap_or_else(|| format!("the gateway answered {status}"));
    match status {
        StatusCode::UNAUTHORIZED => Failure::new(Exit::NotAllowed, sentence)
            .advise(format!("put an operator token into {TOKEN}, or name its variable with --token-env")),
        StatusCode::FORBIDDEN => Failure::new(Exit::NotAllowed, sentence)
            .advise("use a token whose role allows it: read sees, operate also replays, admin does everything"),
        status => {
            let exit = match status {
                StatusCode::NOT_FOUND => Exit::NotFound,
                StatusCode::SERVICE_UNAVAILABLE => Exit::Unreachable,
                _ => Exit::No,
            };
            let failure = Failure::new(exit, sentence);
            match said("action") {
                Some(action) => failure.advise(action),
                None => failure,
            }
        }
    }
}

async fn json(response: Response) -> Result<Value, Failure> {
    response.json().await.map_err(broken)
}

fn broken(error: reqwest::Error) -> Failure {
    Failure::new(Exit::Unreachable, format!("the gateway's answer cannot be read: {}", told(&error.without_url())))
        .advise("check that --api is the operator listener of a hookgate, not its ingest listener")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_refusal_has_its_exit_code() {
        let exits = [
            (StatusCode::UNAUTHORIZED, Exit::NotAllowed),
            (StatusCode::FORBIDDEN, Exit::NotAllowed),
            (StatusCode::NOT_FOUND, Exit::NotFound),
            (StatusCode::SERVICE_UNAVAILABLE, Exit::Unreachable),
            (StatusCode::CONFLICT, Exit::No),
            (StatusCode::UNPROCESSABLE_ENTITY, Exit::No),
        ];
        for (status, exit) in exits {
            assert_eq!(refused(status, Value::Null).exit, exit, "{status}");
        }
    }

    #[test]
    fn a_problem_is_told_in_the_gateway_s_own_words() {
        let problem = json!({"title": "Not found", "detail": "no delivery has the id x"});
        let failure = refused(StatusCode::NOT_FOUND, problem);
        assert_eq!(failure.to_string(), "error: no delivery has the id x");
    }
}
