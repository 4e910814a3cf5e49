-- What pays for a merchant's tier at Stripe. Made by the first request to subscribe.
create table billing_subscription (
  merchant_id uuid primary key references merchant,
  stripe_customer_id text unique,
  stripe_subscription_id text unique,
  -- Chosen, and granted once it is paid.
  requested_tier text check (requested_tier in ('starter','growth','pro')),
  -- Where an open invoice is paid.
  payment_url text,
  -- An order that Stripe may have received and has not answered: for some minutes, it is repeated under its id before there is another.
  order_id uuid,
  order_tier text check (order_tier in ('starter','growth','pro')),
  -- What the order changes; null for an order of a subscription.
  order_subscription_id text,
  order_item_id text,
  -- Nothing of it is on its way long after this time.
  ordered_at timestamptz(3),
  check ((order_id is null) = (order_tier is null)),
  check ((order_id is null) = (ordered_at is null)),
  check ((order_subscription_id is null) = (order_item_id is null)),
  check (order_id is not null or order_subscription_id is null),
  -- Increased by every change: what was read from Stripe before a change is not applied after it.
  version int not null default 0,
  -- Until then, the request with this id is the only one that talks to Stripe for the merchant.
  request_id uuid,
  requested_until timestamptz(3)
);
