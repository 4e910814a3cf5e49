-- Here and not in the application: no statement can forget it.
create or replace function next_version() returns trigger language plpgsql as $$
begin
  new.version = old.version + 1;
  return new;
end $$;
create or replace trigger application_version before update on application for each row execute function next_version();
create or replace trigger flag_version before update on flag for each row execute function next_version();
create or replace trigger payout_version before update on payout for each row execute function next_version();
create or replace trigger payout_attempt_version before update on payout_attempt for each row execute function next_version();
create or replace trigger payout_run_version before update on payout_run for each row execute function next_version();
