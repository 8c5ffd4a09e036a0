//! Every provider, one file each. A new one is a file here, two lines below, and its samples.

use crate::Provider;

mod ably;
mod acuity;
mod adyen;
mod aircall;
mod airtable;
mod alchemy;
mod alertmanager;
mod alloy;
mod anthropic;
mod asana;
mod ashby;
mod attio;
mod auth0;
mod aws_sns;
mod azure_devops;
mod azure_event_grid;
mod bigcommerce;
mod bitbucket_cloud;
mod bitbucket_server;
mod box_com;
mod braintree;
mod brex;
mod buildkite;
mod calcom;
mod calendly;
mod chargebee;
mod chatwoot;
mod checkout_com;
mod circleci;
mod clerk;
mod clickup;
mod close;
mod cloudevents;
mod cloudflare_notifications;
mod cloudflare_stream;
mod cloudinary;
mod coinbase_cdp;
mod coinbase_commerce;
mod contentful;
mod courier;
mod crisp;
mod cronofy;
mod customerio;
mod daily;
mod datadog;
mod deepgram;
mod dialpad;
mod discord;
mod docker_hub;
mod docusign;
mod dropbox;
mod dropbox_sign;
mod ebay;
mod elevenlabs;
mod emailoctopus;
mod etsy;
mod eventbridge;
mod fal;
mod figma;
mod fitbit;
mod flutterwave;
mod forgejo;
mod framer;
mod freshchat;
mod front_app;
mod front_rule;
mod ghost;
mod gitbook;
mod gitea;
mod github;
mod gitlab;
mod gocardless;
mod gohighlevel;
mod gong;
mod google_pubsub;
mod google_push;
mod grafana;
mod graph;
mod helpscout;
mod heroku;
mod hubspot;
mod huggingface;
mod increase;
mod intercom;
mod jira;
mod klarna;
mod klaviyo;
mod knock;
mod lemonsqueezy;
mod line;
mod linear;
mod linkedin;
mod lithic;
mod livekit;
mod loops;
mod mailersend;
mod mailgun;
mod mandrill;
mod marqeta;
mod meraki;
mod messagebird;
mod meta;
mod meta_sha1;
mod miro;
mod modern_treasury;
mod mollie;
mod monday;
mod moralis;
mod mux;
mod netlify;
mod notion;
mod novu_bridge;
mod novu_webhook;
mod nylas;
mod okta;
mod onfido;
mod openai;
mod oura;
mod paddle;
mod paddle_classic;
mod pagerduty;
mod pandadoc;
mod paypal;
mod paystack;
mod persona;
mod plaid;
mod plivo_v2;
mod plivo_v3;
mod polar;
mod postmark;
mod prismic;
mod pusher;
mod quickbooks;
mod quicknode;
mod razorpay;
mod recall;
mod recurly;
mod replicate;
mod resend;
mod retell;
mod ringcentral;
mod salesforce;
mod salesforce_mc_ens;
mod sanity;
mod segment;
mod sendgrid;
mod sentry;
mod shopify;
mod sinch;
mod sinch_application;
mod sinch_numbers;
mod slack;
mod snyk;
mod square;
mod squarespace;
mod standard_webhooks;
mod strapi;
mod strava;
mod stripe;
mod sumsub;
mod supabase;
mod surveymonkey;
mod svix;
mod tally;
mod teams_outgoing;
mod telegram;
mod telnyx;
mod tenderly;
mod terraform;
mod tiktok;
mod tiktok_shop;
mod travis_ci;
mod trello;
mod twilio;
mod twitch;
mod typeform;
mod vercel;
mod veriff;
mod viber;
mod vonage;
mod vonage_sms;
mod webex;
mod webflow;
mod websub;
mod wise;
mod wix;
mod woocommerce;
mod workos;
mod x_twitter;
mod xero;
mod zendesk;
mod zoom;

/// Every provider there is, by name.
pub const ALL: &[&Provider] = &[
    &ably::PROVIDER,
    &acuity::PROVIDER,
    &adyen::PROVIDER,
    &aircall::PROVIDER,
    &airtable::PROVIDER,
    &alchemy::PROVIDER,
    &alertmanager::PROVIDER,
    &alloy::PROVIDER,
    &anthropic::PROVIDER,
    &asana::PROVIDER,
    &ashby::PROVIDER,
    &attio::PROVIDER,
    &auth0::PROVIDER,
    &aws_sns::PROVIDER,
    &azure_devops::PROVIDER,
    &azure_event_grid::PROVIDER,
    &bigcommerce::PROVIDER,
    &bitbucket_cloud::PROVIDER,
    &bitbucket_server::PROVIDER,
    &box_com::PROVIDER,
    &braintree::PROVIDER,
    &brex::PROVIDER,
    &buildkite::PROVIDER,
    &calcom::PROVIDER,
    &calendly::PROVIDER,
    &chargebee::PROVIDER,
    &chatwoot::PROVIDER,
    &checkout_com::PROVIDER,
    &circleci::PROVIDER,
    &clerk::PROVIDER,
    &clickup::PROVIDER,
    &close::PROVIDER,
    &cloudevents::PROVIDER,
    &cloudflare_notifications::PROVIDER,
    &cloudflare_stream::PROVIDER,
    &cloudinary::PROVIDER,
    &coinbase_cdp::PROVIDER,
    &coinbase_commerce::PROVIDER,
    &contentful::PROVIDER,
    &courier::PROVIDER,
    &crisp::PROVIDER,
    &cronofy::PROVIDER,
    &customerio::PROVIDER,
    &daily::PROVIDER,
    &datadog::PROVIDER,
    &deepgram::PROVIDER,
    &dialpad::PROVIDER,
    &discord::PROVIDER,
    &docker_hub::PROVIDER,
    &docusign::PROVIDER,
    &dropbox::PROVIDER,
    &dropbox_sign::PROVIDER,
    &ebay::PROVIDER,
    &elevenlabs::PROVIDER,
    &emailoctopus::PROVIDER,
    &etsy::PROVIDER,
    &eventbridge::PROVIDER,
    &fal::PROVIDER,
    &figma::PROVIDER,
    &fitbit::PROVIDER,
    &flutterwave::PROVIDER,
    &forgejo::PROVIDER,
    &framer::PROVIDER,
    &freshchat::PROVIDER,
    &front_app::PROVIDER,
    &front_rule::PROVIDER,
    &ghost::PROVIDER,
    &gitbook::PROVIDER,
    &gitea::PROVIDER,
    &github::PROVIDER,
    &gitlab::PROVIDER,
    &gocardless::PROVIDER,
    &gohighlevel::PROVIDER,
    &gong::PROVIDER,
    &google_pubsub::PROVIDER,
    &google_push::PROVIDER,
    &grafana::PROVIDER,
    &graph::PROVIDER,
    &helpscout::PROVIDER,
    &heroku::PROVIDER,
    &hubspot::PROVIDER,
    &huggingface::PROVIDER,
    &increase::PROVIDER,
    &intercom::PROVIDER,
    &jira::PROVIDER,
    &klarna::PROVIDER,
    &klaviyo::PROVIDER,
    &knock::PROVIDER,
    &lemonsqueezy::PROVIDER,
    &line::PROVIDER,
    &linear::PROVIDER,
    &linkedin::PROVIDER,
    &lithic::PROVIDER,
    &livekit::PROVIDER,
    &loops::PROVIDER,
    &mailersend::PROVIDER,
    &mailgun::PROVIDER,
    &mandrill::PROVIDER,
    &marqeta::PROVIDER,
    &meraki::PROVIDER,
    &messagebird::PROVIDER,
    &meta::PROVIDER,
    &meta_sha1::PROVIDER,
    &miro::PROVIDER,
    &modern_treasury::PROVIDER,
    &mollie::PROVIDER,
    &monday::PROVIDER,
    &moralis::PROVIDER,
    &mux::PROVIDER,
    &netlify::PROVIDER,
    &notion::PROVIDER,
    &novu_bridge::PROVIDER,
    &novu_webhook::PROVIDER,
    &nylas::PROVIDER,
    &okta::PROVIDER,
    &onfido::PROVIDER,
    &openai::PROVIDER,
    &oura::PROVIDER,
    &paddle::PROVIDER,
    &paddle_classic::PROVIDER,
    &pagerduty::PROVIDER,
    &pandadoc::PROVIDER,
    &paypal::PROVIDER,
    &paystack::PROVIDER,
    &persona::PROVIDER,
    &plaid::PROVIDER,
    &plivo_v2::PROVIDER,
    &plivo_v3::PROVIDER,
    &polar::PROVIDER,
    &postmark::PROVIDER,
    &prismic::PROVIDER,
    &pusher::PROVIDER,
    &quickbooks::PROVIDER,
    &quicknode::PROVIDER,
    &razorpay::PROVIDER,
    &recall::PROVIDER,
    &recurly::PROVIDER,
    &replicate::PROVIDER,
    &resend::PROVIDER,
    &retell::PROVIDER,
    &ringcentral::PROVIDER,
    &salesforce::PROVIDER,
    &salesforce_mc_ens::PROVIDER,
    &sanity::PROVIDER,
    &segment::PROVIDER,
    &sendgrid::PROVIDER,
    &sentry::PROVIDER,
    &shopify::PROVIDER,
    &sinch::PROVIDER,
    &sinch_application::PROVIDER,
    &sinch_numbers::PROVIDER,
    &slack::PROVIDER,
    &snyk::PROVIDER,
    &square::PROVIDER,
    &squarespace::PROVIDER,
    &standard_webhooks::PROVIDER,
    &strapi::PROVIDER,
    &strava::PROVIDER,
    &stripe::PROVIDER,
    &sumsub::PROVIDER,
    &supabase::PROVIDER,
    &surveymonkey::PROVIDER,
    &svix::PROVIDER,
    &tally::PROVIDER,
    &teams_outgoing::PROVIDER,
    &telegram::PROVIDER,
    &telnyx::PROVIDER,
    &tenderly::PROVIDER,
    &terraform::PROVIDER,
    &tiktok::PROVIDER,
    &tiktok_shop::PROVIDER,
    &travis_ci::PROVIDER,
    &trello::PROVIDER,
    &twilio::PROVIDER,
    &twitch::PROVIDER,
    &typeform::PROVIDER,
    &vercel::PROVIDER,
    &veriff::PROVIDER,
    &viber::PROVIDER,
    &vonage::PROVIDER,
    &vonage_sms::PROVIDER,
    &webex::PROVIDER,
    &webflow::PROVIDER,
    &websub::PROVIDER,
    &wise::PROVIDER,
    &wix::PROVIDER,
    &woocommerce::PROVIDER,
    &workos::PROVIDER,
    &x_twitter::PROVIDER,
    &xero::PROVIDER,
    &zendesk::PROVIDER,
    &zoom::PROVIDER,
];

/// The provider of this name.
pub fn find(name: &str) -> Option<&'static Provider> {
    ALL.iter().find(|provider| provider.name == name).copied()
}
