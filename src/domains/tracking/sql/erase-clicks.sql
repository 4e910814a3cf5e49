-- What tells about the visitor, in clicks of a customer. Called by functions of the owner only: the application may not change clicks.
create or replace function erase_clicks(ids uuid[]) returns void language sql as $$
  update click set visitor = '', address = '', browser = '', repeat_key = '', page = null, referrer = null where id = any(ids);
$$;
revoke execute on function erase_clicks from public;
