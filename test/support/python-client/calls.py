"""Calls every method of the published client, once with all arguments and once with as few as possible where that differs, and prints
what each returned or raised as JSON. The first argument is "sync" or "async"; what exists is read from standard input."""
import asyncio
import datetime
import inspect
import json
import sys
import uuid

import agentref
import httpx

world = json.load(sys.stdin)
is_async = sys.argv[1] == "async"
loop = asyncio.new_event_loop()
outcomes = {}
order = []


def finish(value):
    """What an asynchronous client returns, as the other one returns it."""
    if inspect.isawaitable(value):
        return loop.run_until_complete(value)
    if inspect.isasyncgen(value):
        async def collect():
            return [item async for item in value]
        return loop.run_until_complete(collect())
    return list(value) if inspect.isgenerator(value) else value


def describe(error):
    if isinstance(error, agentref.AgentRefError):
        return f"{type(error).__name__} {error.status} {error.code}"
    return f"{type(error).__name__}: {error}"


class Recorded:
    """A resource of the client whose calls are recorded. A call that fails returns None."""

    def __init__(self, name, resource):
        self._name, self._resource = name, resource

    def __getattr__(self, method):
        def call(*args, **options):
            key = f"{self._name}.{method}"
            try:
                result = finish(getattr(self._resource, method)(*args, **options))
                outcomes.setdefault(key, []).append("ok")
                return result
            except Exception as error:
                outcomes.setdefault(key, []).append(describe(error))
                return None
        return call


class Client:
    def __init__(self, key):
        client = agentref.AsyncAgentRef if is_async else agentref.AgentRef
        for name, resource in vars(client(key, base_url=world["baseUrl"], max_retries=0)).items():
            if not name.startswith("_"):
                setattr(self, name, Recorded(name, resource))


def unique():
    return uuid.uuid4().hex[:12]


def methods():
    client = agentref.AgentRef("ak_live_none")
    resources = [(name, resource) for name, resource in vars(client).items() if not name.startswith("_")]
    return [
        f"{name}.{method}"
        for name, resource in resources
        for method, _ in inspect.getmembers(resource, inspect.ismethod)
        if not method.startswith("_")
    ]


merchant, affiliate = Client(world["merchantKey"]), Client(world["affiliateKey"])
program_id, affiliate_id = world["programId"], world["affiliateId"]
later = (datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=30)).isoformat()
since, until = "2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z"


def merchants():
    merchant.merchant.get()
    merchant.merchant.update(company_name="Acme", timezone="Europe/Berlin", default_cookie_duration=45, default_payout_threshold=2500,
                             logo_url="https://acme.example/logo.png", tracking_requires_consent=True, tracking_param_aliases=["partner"])
    merchant.merchant.update(company_name="Acme")
    merchant.notifications.get()
    merchant.notifications.update(new_affiliate=True, new_conversion=False, commission_approved=True, payout_processed=True, weekly_digest=True)
    merchant.notifications.update(weekly_digest=False)
    merchant.billing.current()
    merchant.billing.tiers()
    Client(world["otherMerchantKey"]).billing.subscribe(tier="growth", idempotency_key=unique())
    Client(world["onboardingKey"]).onboarding.upsert_merchant_profile(company_name="Acme")
    Client(world["otherMerchantKey"]).onboarding.complete()


def programs():
    own = merchant.programs
    terms = {"commission_type": "recurring_limited", "commission_percent": 12.5, "commission_limit_months": 12}
    made = own.create(name=f"Program {unique()}", **terms, website="https://acme.example", cookie_duration=30, payout_threshold=2500,
                      auto_approve_affiliates=True, description="For friends", landing_page_url="https://acme.example/partners",
                      portal_slug=f"portal-{unique()}", currency="eur", marketplace_status="draft", application_access="open",
                      marketplace_category="Productivity", marketplace_description="For small teams",
                      marketplace_logo_url="https://acme.example/logo.png", idempotency_key=unique())
    own.create(name=f"Program {unique()}", commission_type="one_time", commission_percent=10)
    own.get(made.id)
    own.list(status="active", page=1, page_size=10)
    own.list()
    own.list_all(page_size=1)
    own.list_affiliates(program_id, include_blocked=True, limit=10, offset=0)
    own.list_affiliates(program_id)
    own.update(made.id, name=f"Program {unique()}", website="https://acme.example", cookie_duration=60, status="paused",
               auto_approve_affiliates=False, description="For everybody", landing_page_url="https://acme.example/join",
               portal_slug=f"portal-{unique()}", application_access="invite_only", **terms)
    own.update(made.id, status="active")
    own.stats(program_id, period="30d")
    own.stats(program_id)
    own.update_marketplace(made.id, status="public", category="Productivity", description="For teams", logo_url="https://acme.example/l.png")
    own.update_marketplace(made.id, status="private")
    coupon = own.create_coupon(program_id, affiliate_id=affiliate_id, code=f"C-{unique()}", expires_at=later, idempotency_key=unique())
    own.create_coupon(program_id, affiliate_id=affiliate_id, code=f"C-{unique()}")
    own.list_coupons(program_id)
    own.delete_coupon(coupon.id)
    own.connect_stripe(made.id, method="oauth_url")
    own.connect_stripe(made.id)
    own.disconnect_stripe(world["connectedProgramId"])
    merchant.tracking.get_program_status(program_id)
    own.delete(made.id)


def joining():
    own = merchant.programs
    invite = own.create_invite(program_id, email=world["personEmail"], name="Ada", expires_in_days=7, tracking_code=f"code-{unique()}",
                               skip_onboarding=True, idempotency_key=unique())
    own.list_invites(program_id)
    own.create_invite(program_id, is_public=True, usage_limit=2)
    own.list_invites(program_id)
    person = Client(world["personKey"])
    person.invites.get(invite.token)
    person.invites.claim(invite.token)
    person.marketplace.list_programs(category="Productivity", min_commission=5, min_epc=0, sort="newest", limit=10)
    person.marketplace.list_programs()
    person.marketplace.apply(world["publicProgramId"], message="I write about gardening")
    decided = merchant.applications
    decided.list(program_id=program_id, status="pending", source="api", search="ada", limit=10)
    decided.list()
    first, second, third = world["applicationIds"]
    decided.get(first)
    decided.approve(first, note="Welcome", idempotency_key=unique())
    decided.decline(second)
    decided.block(third, note="Spam")
    members = merchant.affiliates
    members.list(program_id=program_id, include_blocked=True, search=world["code"], sort_by="createdAt", sort_order="desc", status="approved",
                 page=1, page_size=5)
    members.list()
    members.get(affiliate_id, include="stats")
    members.get(affiliate_id)
    members.block(world["memberId"], reason="spam", idempotency_key=unique())
    members.unblock(world["memberId"])


def money():
    merchant.conversions.list(program_id=program_id, affiliate_id=affiliate_id, status="approved", start_date=since, end_date=until, limit=5)
    merchant.conversions.list(from_=since, to=until)
    merchant.conversions.list()
    merchant.conversions.recent(limit=5)
    merchant.conversions.recent()
    merchant.conversions.stats(program_id=program_id, period="30d")
    merchant.conversions.stats()
    merchant.flags.list(status="open", type="self_referral", page=1, limit=10)
    merchant.flags.list()
    merchant.flags.stats()
    merchant.flags.resolve(world["flagId"], status="dismissed", note="Checked", block_affiliate=False, idempotency_key=unique())
    merchant.payouts.list_pending(program_id=program_id, limit=5)
    merchant.payouts.list_pending()
    merchant.payouts.create(affiliate_id=affiliate_id, program_id=program_id, method="paypal", notes="January", idempotency_key=unique())
    merchant.payouts.list(program_id=program_id, affiliate_id=affiliate_id, status="pending", start_date=since, end_date=until)
    merchant.payouts.list(from_=since, to=until)
    merchant.payouts.stats(program_id=program_id, period="7d")
    merchant.payouts.stats()


def webhooks():
    own = merchant.webhooks
    events = ["payout.completed", "conversion.created"]
    made = own.create(name="Orders", url="https://1.1.1.1/hook", subscribed_events=events, program_id=program_id, schema_version=2)
    own.create(name="Orders", url="https://1.1.1.1/hook", subscribed_events=events)
    own.list(program_id=program_id)
    own.list()
    own.get(made.endpoint.id)
    own.update(made.endpoint.id, name="Billing", url="https://1.0.0.1/hook", subscribed_events=events, program_id=None, schema_version=2)
    own.rotate_secret(made.endpoint.id)
    own.delete(made.endpoint.id)


def workspace():
    own = affiliate.affiliate_workspace
    own.identity()
    merchant.affiliate_workspace.identity()
    own.overview()
    own.list_programs()
    own.get_program(program_id)
    own.earnings()
    own.list_program_earnings(program_id, period="30d", limit=5)
    own.list_program_earnings(program_id)
    own.list_payouts(program_id=program_id, page=1, page_size=5)
    own.list_payouts()
    link = own.create_link(name="Newsletter", destination_path="/pricing", custom_slug=f"slug-{unique()}", program_id=program_id,
                           idempotency_key=unique())
    own.create_link(name="Blog", program_id=program_id)
    own.list_links(program_id=program_id)
    own.list_links()
    own.update_link(link["id"], name="News", target_url="https://acme.example/pricing", is_active=False, program_id=program_id)
    own.update_link(link["id"], is_active=True)
    own.delete_link(link["id"], program_id=program_id)
    own.click_stats(program_id=program_id, start_date="2026-01-01", end_date="2026-01-31")
    own.click_stats()
    affiliate.payout_info.get()
    affiliate.payout_info.update(payout_method="bank_transfer", bank_account_holder="Ada Byron", bank_iban="DE89370400440532013000",
                                 bank_bic="COBADEFFXXX", first_name="Ada", last_name="Byron", address_line1="Street 1", address_line2="Flat 2",
                                 city="Berlin", state="Berlin", postal_code="10115", vat_id="DE123456789")
    affiliate.payout_info.update(payout_method="paypal", paypal_email="ada@example.com")


def upload(post_id):
    facts = {"file_name": "launch.png", "mime_type": "image/png"}
    content = bytes.fromhex(world["image"])
    session = merchant.marketing_resources.create_social_post_media_upload_session(
        post_id, program_id=program_id, **facts, file_size_bytes=len(content), idempotency_key=unique())
    httpx.put(session["signed_url"], content=content, headers={"content-type": "image/png"}).raise_for_status()
    return {"program_id": program_id, "upload_path": session["upload_path"], "upload_token": session["upload_token"], "file_name": "launch.png"}


def resources():
    own = merchant.marketing_resources
    post = own.create_social_post(program_id, title="Launch", body="{{program_name}} {{affiliate_code}}", platforms=["x", "generic"],
                                  description="The post", instructions="Soon", status="draft", idempotency_key=unique())
    own.create_social_post(program_id, title="Launch", body="Hello", platforms=["x"])
    post_id = post["id"]
    own.update_social_post(post_id, program_id=program_id, title="Relaunch", body="{{program_name}}", platforms=["x"], description="It",
                           instructions="Now", idempotency_key=unique())
    own.update_social_post(post_id, program_id=program_id, title="Launch")
    own.complete_social_post_media_upload(post_id, **upload(post_id), alt_text="A dashboard", sort_order=0, idempotency_key=unique())
    completed = own.complete_social_post_media_upload(post_id, **upload(post_id))
    one, two = [media["id"] for media in completed["media"]]
    own.reorder_social_post_media(post_id, program_id=program_id, media_ids=[two, one], idempotency_key=unique())
    own.update_social_post_media(post_id, one, program_id=program_id, alt_text="A chart", idempotency_key=unique())
    own.update_social_post_media(post_id, one, program_id=program_id)
    own.replace_social_post_media(post_id, one, **upload(post_id), alt_text="A table", sort_order=1, idempotency_key=unique())
    own.replace_social_post_media(post_id, one, **upload(post_id))
    own.remove_social_post_media(post_id, two, program_id=program_id, idempotency_key=unique())
    own.publish(post_id, program_id=program_id, notify_affiliates=True, idempotency_key=unique())
    own.notify_affiliates(post_id, program_id=program_id, idempotency_key=unique())
    own.list(program_id, kind="social_posts", status="published", search="Launch", limit=5, offset=0)
    own.list(program_id)
    own.create_download_url(program_id=program_id, media_id=one, idempotency_key=unique())
    own.create_download_url(program_id=program_id, resource_id=post_id, bundle="social_post_media")
    theirs = affiliate.marketing_resources
    theirs.list_for_affiliate(program_id, kind="social_posts", search="Launch", limit=5, offset=0)
    theirs.list_for_affiliate(program_id)
    theirs.get_for_affiliate(post_id, program_id=program_id)
    theirs.render_social_post(post_id, program_id=program_id)
    theirs.create_affiliate_download_url(program_id=program_id, media_id=one)
    own.unpublish(post_id, program_id=program_id, idempotency_key=unique())
    own.publish(post_id, program_id=program_id)
    own.archive(post_id, program_id=program_id, idempotency_key=unique())


stopped = {}
for part in [merchants, programs, joining, workspace, webhooks, resources, money]:
    try:
        part()
    except Exception as error:
        stopped[part.__name__] = describe(error)
json.dump({"methods": methods(), "outcomes": outcomes, "stopped": stopped}, sys.stdout)
