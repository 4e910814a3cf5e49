-- A text as searches compare it: without case and accents. As `foldText` in search-text.ts.
create or replace function fold_text(given text) returns text language sql immutable strict parallel safe as $$
  select translate(replace(replace(replace(replace(
      regexp_replace(lower(normalize(given, nfkd) collate pg_c_utf8),
        '[\u0300-\u036f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]', '', 'g'),
      'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
    'øłđðħıŧς', 'olddhitσ');
$$;
