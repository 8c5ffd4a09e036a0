# syntax=docker/dockerfile:1
# Two stages: one that builds, one that holds the binary, CA certificates and nothing that could build.

FROM rust:1-bookworm AS build
WORKDIR /build
# The dependencies are a layer of their own: built from the manifests and empty crates, they stay cached while only
# our sources change.
COPY Cargo.toml Cargo.lock ./
COPY providers/Cargo.toml providers/
COPY bench/Cargo.toml bench/
RUN mkdir -p src providers/src bench/src tests/it \
 && echo 'fn main() {}' | tee src/main.rs bench/src/main.rs tests/it/main.rs >/dev/null \
 && touch src/lib.rs providers/src/lib.rs \
 && cargo build --release --locked --package hookgate
COPY . .
# Copied files keep their times, which may be older than the empty crates': cargo must see them as changed.
RUN find src providers/src -name '*.rs' -exec touch {} + \
 && cargo build --release --locked --package hookgate \
 && cp target/release/hookgate /hookgate

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates curl \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /nonexistent --shell /usr/sbin/nologin hookgate
COPY --from=build /hookgate /usr/local/bin/hookgate
USER hookgate
WORKDIR /etc/hookgate
# Ingest for providers; operators only inside the container unless the configuration says otherwise and has a token.
EXPOSE 8080 8081
# /readyz, on the operator listener: the database is reachable and this process works. It is loopback inside the
# container, so it answers whichever address the listener has. A process without the operator role needs another check.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["curl", "--fail", "--silent", "--show-error", "--output", "/dev/null", "http://127.0.0.1:8081/readyz"]
# SIGTERM ends it in order: what was accepted is written, what runs may finish.
STOPSIGNAL SIGTERM
ENTRYPOINT ["hookgate"]
CMD ["serve"]
