//! A database whose host vanished without a word: nothing is refused, nothing is answered, and work goes on elsewhere.

use std::time::Duration;

use hookgate::config::{Config, ProcessRole, Server};
use hookgate::{Order, on};

use crate::support::gateway::{Signed, config, start_receiving, start_with};
use crate::support::proxy::Proxy;
use crate::support::puppet::puppet;
use crate::support::work::{database_with_effects, effects, unfinished};

/// Long enough for every connection of every pool to be found out, one after another.
const PATIENCE: Duration = Duration::from_secs(40);

#[tokio::test]
async fn a_worker_whose_connections_went_silent_goes_on_over_new_ones() {
    for order in [Order::None, Order::Lane] {
        let (database, pool) = database_with_effects().await;
        let (proxy, through) = Proxy::before(&database).await;
        let (handler, mut calls) = puppet(on("stripe", &["*"]).name("deaf").order(order));
        let config = config(&through, "");
        let server = Server { roles: [ProcessRole::Worker].into(), ..config.server.clone() };
        let gateway = start_with(Config { server, ..config }, vec![handler]).await;
        let receiving = start_receiving(&database, "").await;
        let ingest = receiving.ingest_addr().unwrap();
        let mut held = Vec::new();
        for n in 1..=3 {
            Signed::stripe_event(&format!("evt_{n}"), "a.b", &format!("in_{n}")).send(ingest).await;
            let call = calls.next().await;
            call.book().await;
            held.push(call);
        }
        proxy.abandon_connections();
        held.into_iter().for_each(|call| call.succeed());
        Signed::stripe_event("evt_4", "a.b", "in_4").send(ingest).await;
        let all = async {
            while unfinished(&pool).await > 0 {
                // Those before may come again: their effects were rolled back with their connections.
                if let Ok(call) = tokio::time::timeout(Duration::from_millis(100), calls.next()).await {
                    let _ = call.try_execute(&format!("insert into effect values ('{}', 0)", call.object)).await;
                    call.succeed();
                }
            }
        };
        tokio::time::timeout(PATIENCE, all).await.expect("all work done over new connections");
        for n in 1..=4 {
            assert_eq!(effects(&pool, &format!("in_{n}")).await, 1, "in_{n}");
        }
        receiving.shutdown().await;
        gateway.shutdown().await;
    }
}
