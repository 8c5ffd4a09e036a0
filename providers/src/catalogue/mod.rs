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
mod apollo;
mod asana;
mod ashby;
mod assemblyai;
mod attentive;
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
mod braze;
mod brevo;
mod brex;
mod buildkite;
mod calcom;
mod calendly;
mod cartesia;
mod chargebee;
mod chatwoot;
mod checkout_com;
mod circleci;
mod clerk;
mod clickup;
mod clio;
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
mod dixa;
mod docker_hub;
mod docusign;
mod dropbox;
mod dropbox_sign;
mod ebay;
mod elevenlabs;
mod emailoctopus;
mod etsy;
mod eventbridge;
mod exact_online;
mod fal;
mod fathom;
mod favro;
mod figma;
mod fireflies;
mod fitbit;
mod flutterwave;
mod forgejo;
mod framer;
mod freshchat;
mod freshdesk;
mod front_app;
mod front_rule;
mod ghost;
mod gitbook;
mod gitea;
mod gitguardian;
mod github;
mod gitlab;
mod gocardless;
mod gohighlevel;
mod gong;
mod google_pubsub;
mod google_push;
mod grafana;
mod graph;
mod greenhouse;
mod helpscout;
mod heroku;
mod hubspot;
mod huggingface;
mod incident_io;
mod increase;
mod intercom;
mod jira;
mod jotform;
mod kit;
mod klarna;
mod klaviyo;
mod knock;
mod lemonsqueezy;
mod line;
mod linear;
mod linkedin;
mod linq;
mod lithic;
mod livekit;
mod loops;
mod mailchimp;
mod mailersend;
mod mailgun;
mod make;
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
mod ordergroove;
mod oura;
mod paddle;
mod paddle_classic;
mod pagerduty;
mod pandadoc;
mod paypal;
mod paystack;
mod persona;
mod pipedrive;
mod plaid;
mod plivo_v2;
mod plivo_v3;
mod polar;
mod postmark;
mod prismic;
mod pusher;
mod pylon;
mod qonto;
mod quickbooks;
mod quicknode;
mod razorpay;
mod recall;
mod recurly;
mod replicate;
mod resend;
mod retell;
mod ringcentral;
mod rootly;
mod salesforce;
mod salesforce_mc_ens;
mod sanity;
mod savvycal;
mod scrapfly;
mod segment;
mod sendgrid;
mod sentry;
mod sharepoint;
mod shopify;
mod sinch;
mod sinch_application;
mod sinch_numbers;
mod slack;
mod smartcar;
mod snyk;
mod sparkpost;
mod square;
mod squarespace;
mod standard_webhooks;
mod statsig;
mod strapi;
mod strava;
mod stripe;
mod sumsub;
mod supabase;
mod surveymonkey;
mod survicate;
mod svix;
mod tally;
mod teams_outgoing;
mod telegram;
mod telnyx;
mod tenderly;
mod terraform;
mod terraform_run_task;
mod tiktok;
mod tiktok_shop;
mod travis_ci;
mod trello;
mod twilio;
mod twitch;
mod typeform;
mod uber_eats;
mod vapi;
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
mod worldpay;
mod x_twitter;
mod xero;
mod zapier;
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
    &apollo::PROVIDER,
    &asana::PROVIDER,
    &ashby::PROVIDER,
    &assemblyai::PROVIDER,
    &attentive::PROVIDER,
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
    &braze::PROVIDER,
    &brevo::PROVIDER,
    &brex::PROVIDER,
    &buildkite::PROVIDER,
    &calcom::PROVIDER,
    &calendly::PROVIDER,
    &cartesia::PROVIDER,
    &chargebee::PROVIDER,
    &chatwoot::PROVIDER,
    &checkout_com::PROVIDER,
    &circleci::PROVIDER,
    &clerk::PROVIDER,
    &clickup::PROVIDER,
    &clio::PROVIDER,
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
    &dixa::PROVIDER,
    &docker_hub::PROVIDER,
    &docusign::PROVIDER,
    &dropbox::PROVIDER,
    &dropbox_sign::PROVIDER,
    &ebay::PROVIDER,
    &elevenlabs::PROVIDER,
    &emailoctopus::PROVIDER,
    &etsy::PROVIDER,
    &eventbridge::PROVIDER,
    &exact_online::PROVIDER,
    &fal::PROVIDER,
    &fathom::PROVIDER,
    &favro::PROVIDER,
    &figma::PROVIDER,
    &fireflies::PROVIDER,
    &fitbit::PROVIDER,
    &flutterwave::PROVIDER,
    &forgejo::PROVIDER,
    &framer::PROVIDER,
    &freshchat::PROVIDER,
    &freshdesk::PROVIDER,
    &front_app::PROVIDER,
    &front_rule::PROVIDER,
    &ghost::PROVIDER,
    &gitbook::PROVIDER,
    &gitea::PROVIDER,
    &gitguardian::PROVIDER,
    &github::PROVIDER,
    &gitlab::PROVIDER,
    &gocardless::PROVIDER,
    &gohighlevel::PROVIDER,
    &gong::PROVIDER,
    &google_pubsub::PROVIDER,
    &google_push::PROVIDER,
    &grafana::PROVIDER,
    &graph::PROVIDER,
    &greenhouse::PROVIDER,
    &helpscout::PROVIDER,
    &heroku::PROVIDER,
    &hubspot::PROVIDER,
    &huggingface::PROVIDER,
    &incident_io::PROVIDER,
    &increase::PROVIDER,
    &intercom::PROVIDER,
    &jira::PROVIDER,
    &jotform::PROVIDER,
    &kit::PROVIDER,
    &klarna::PROVIDER,
    &klaviyo::PROVIDER,
    &knock::PROVIDER,
    &lemonsqueezy::PROVIDER,
    &line::PROVIDER,
    &linear::PROVIDER,
    &linkedin::PROVIDER,
    &linq::PROVIDER,
    &lithic::PROVIDER,
    &livekit::PROVIDER,
    &loops::PROVIDER,
    &mailchimp::PROVIDER,
    &mailersend::PROVIDER,
    &mailgun::PROVIDER,
    &make::PROVIDER,
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
    &ordergroove::PROVIDER,
    &oura::PROVIDER,
    &paddle::PROVIDER,
    &paddle_classic::PROVIDER,
    &pagerduty::PROVIDER,
    &pandadoc::PROVIDER,
    &paypal::PROVIDER,
    &paystack::PROVIDER,
    &persona::PROVIDER,
    &pipedrive::PROVIDER,
    &plaid::PROVIDER,
    &plivo_v2::PROVIDER,
    &plivo_v3::PROVIDER,
    &polar::PROVIDER,
    &postmark::PROVIDER,
    &prismic::PROVIDER,
    &pusher::PROVIDER,
    &pylon::PROVIDER,
    &qonto::PROVIDER,
    &quickbooks::PROVIDER,
    &quicknode::PROVIDER,
    &razorpay::PROVIDER,
    &recall::PROVIDER,
    &recurly::PROVIDER,
    &replicate::PROVIDER,
    &resend::PROVIDER,
    &retell::PROVIDER,
    &ringcentral::PROVIDER,
    &rootly::PROVIDER,
    &salesforce::PROVIDER,
    &salesforce_mc_ens::PROVIDER,
    &sanity::PROVIDER,
    &savvycal::PROVIDER,
    &scrapfly::PROVIDER,
    &segment::PROVIDER,
    &sendgrid::PROVIDER,
    &sentry::PROVIDER,
    &sharepoint::PROVIDER,
    &shopify::PROVIDER,
    &sinch::PROVIDER,
    &sinch_application::PROVIDER,
    &sinch_numbers::PROVIDER,
    &slack::PROVIDER,
    &smartcar::PROVIDER,
    &snyk::PROVIDER,
    &sparkpost::PROVIDER,
    &square::PROVIDER,
    &squarespace::PROVIDER,
    &standard_webhooks::PROVIDER,
    &statsig::PROVIDER,
    &strapi::PROVIDER,
    &strava::PROVIDER,
    &stripe::PROVIDER,
    &sumsub::PROVIDER,
    &supabase::PROVIDER,
    &surveymonkey::PROVIDER,
    &survicate::PROVIDER,
    &svix::PROVIDER,
    &tally::PROVIDER,
    &teams_outgoing::PROVIDER,
    &telegram::PROVIDER,
    &telnyx::PROVIDER,
    &tenderly::PROVIDER,
    &terraform::PROVIDER,
    &terraform_run_task::PROVIDER,
    &tiktok::PROVIDER,
    &tiktok_shop::PROVIDER,
    &travis_ci::PROVIDER,
    &trello::PROVIDER,
    &twilio::PROVIDER,
    &twitch::PROVIDER,
    &typeform::PROVIDER,
    &uber_eats::PROVIDER,
    &vapi::PROVIDER,
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
    &worldpay::PROVIDER,
    &x_twitter::PROVIDER,
    &xero::PROVIDER,
    &zapier::PROVIDER,
    &zendesk::PROVIDER,
    &zoom::PROVIDER,
];

/// The provider of this name.
pub fn find(name: &str) -> Option<&'static Provider> {
    ALL.iter().find(|provider| provider.name == name).copied()
}
