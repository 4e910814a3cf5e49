-- Erasure of one person, by email address. Every function replaces what it finds, so repeating it is harmless; those that walk a
-- table read at most 10,000 rows per call and return where the next call continues, null at the end.
-- A whole name or address: "ada@x.example" is no part of "bada@x.example". In JSON, a line break before it is a backslash and "n".
create or replace function term_pattern(term text) returns text language sql immutable strict as $$
  select '(?:(?<![[:alnum:]._%+-])|(?<=\\[bfnrt]))' || regexp_replace(term, '([^[:alnum:]@ ])', '\\\1', 'g') || '(?![[:alnum:]-]|\.[[:alnum:]])';
$$;

create or replace function without_terms(content text, terms text[]) returns text language plpgsql immutable as $$
declare term text;
begin
  foreach term in array terms loop
    continue when length(term) < 3;
    content := regexp_replace(content, term_pattern(term), '[erased]', 'gi');
  end loop;
  return content;
end $$;

-- Replaces names in the texts of a JSON document: a name may also be the name of a field, a number, or null.
create or replace function without_names(document text, names text[]) returns text language plpgsql immutable as $$
declare name text;
begin
  foreach name in array names loop
    continue when length(name) < 3;
    name := to_json(name);
    -- The first letter of a name is not that of an escape: a line break before "at" is no "Nat".
    document := regexp_replace(document, '(?<![^\\](?:\\\\)*\\)' || term_pattern(substring(name from 2 for length(name) - 2))
      || '(?=([^"\\]|\\.)*"\s*[],}])', '[erased]', 'gi');
  end loop;
  return document;
end $$;

create or replace function names_term(content text, terms text[]) returns boolean language sql immutable as $$
  select exists (select from unnest(terms) as term where content ~* term_pattern(term));
$$;

-- The text of a JSON document. Where it is about the person or one of their memberships, their names and their message go too.
create or replace function without_person(document text, address text, members text[], names text[]) returns text language plpgsql immutable as $$
begin
  if position(lower('"email":' || to_json(address)) in lower(document)) > 0 then
    document := regexp_replace(document, '"name":"(\\.|[^"\\])*"', '"name":null', 'g');
    document := regexp_replace(document, '"message":"(\\.|[^"\\])*"', '"message":"[erased]"', 'g');
    document := regexp_replace(document, '"answer":"(\\.|[^"\\])*"', '"answer":"[erased]"', 'g');
  end if;
  if names_term(document, members || address) then document := without_names(document, names); end if;
  return without_terms(document, array[address]);
end $$;

-- What names a person in notes about others: short names are words, too. `is_known`: the writer knows the person.
create or replace function mentions(address text, names text[], is_known boolean) returns text[] language sql immutable as $$
  select array[address] || case when is_known then array(select name from unnest(names) as name where length(name) >= 3) else '{}'::text[] end;
$$;
