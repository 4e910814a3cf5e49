-- The role of the application. It owns nothing, so it can alter no table and switch off no trigger. It deletes only what is
-- listed here, and what was booked, sent or done is never changed. This file stays last: it covers the tables of all others.
do $$ begin
  if not exists (select from pg_roles where rolname = 'tributary_app') then create role tributary_app nologin; end if;
end $$;
grant usage on schema public to tributary_app;
grant select, insert, update on all tables in schema public to tributary_app;
revoke update on audit_log, click, commission_adjustment, flag_conversion, ledger_entry, payout_item, payout_timeline, webhook_event from tributary_app;
grant update (active) on payout_item to tributary_app;
grant update (included_in) on commission_adjustment to tributary_app;
revoke insert, update on event_order, migration, sql_file from tributary_app;
grant delete on conversion_change, details_refusal, encryption_key, idempotency_record, mail_opt_out, mail_suppression, marketing_resource, outbox, resource_media, stored_file, webhook_secret to tributary_app;
alter default privileges in schema public grant select, insert, update on tables to tributary_app;
